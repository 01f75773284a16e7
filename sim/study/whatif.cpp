// Core counts come one after the other, so that each search begins where the smaller machine's ended; all cells of one
// go through the pool together, a round of client counts at a time.

#include "sim/study/whatif.hpp"

#include "sim/locks/lock_list.hpp"
#include "sim/run/network_choice.hpp"
#include "sim/study/peak_search.hpp"
#include "sim/study/queueing.hpp"
#include "sim/study/usl.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <deque>
#include <memory>

namespace lockcast {

namespace {

// A cell with what it takes to simulate it.
struct Work {
  PeakCell cell;
  Scenario scenario;
  PeakSearch search;
  std::optional<PointResult> one_client;
};

struct Asked {
  Work* work = nullptr;
  std::uint32_t clients = 1;
};

// The threads of a load generator that are as busy as this are what the server waits for.
constexpr double generator_busy_min = 0.9;

double share_of(const PointResult& point, Category category) { return point.share[static_cast<std::size_t>(category)]; }

LockCounters counters_of(const PointResult& point, std::size_t lock) {
  LockCounters sum;
  for (const Replication& r : point.replications) { sum += r.locks[lock].counters; }
  return sum;
}

double transactions_of(const PointResult& point) {
  double sum = 0;
  for (const Replication& r : point.replications) { sum += static_cast<double>(r.transactions); }
  return sum;
}

// CPU time of the load generator for a transaction.
double generator_s(const Scenario& scenario, const Program& program) {
  if (!scenario.rig.local) { return 0; }
  return means_of(program).roundtrips * seconds(scenario.rig.local->work.value) * scenario.machine.cpu.work_scale.value;
}

std::optional<double> mva_of(const Work& work, std::uint32_t clients) {
  const PointResult& one = *work.one_client;
  const Program program = work.scenario.program(one.point);
  const double client_s = share_of(one, Category::client) * one.latency_s;
  const double disk_s = share_of(one, Category::disk) * one.latency_s;
  const double generator = std::min(generator_s(work.scenario, program), client_s);
  double think_s = client_s - generator + disk_s;
  double cpu_s = one.latency_s - client_s - disk_s;
  std::vector<Station> stations;
  for (std::size_t i = 0; i < program.locks.size(); ++i) {
    const LockGroup& group = program.locks[i];
    const LockCounters counters = counters_of(one, i);
    const auto all = static_cast<double>(counters.shacq + counters.exacq);
    // As many locks as clients are the clients' own.
    const std::uint32_t count =
        work.scenario.program({one.point.variant, one.point.scale, clients, one.point.tables}).locks[i].count;
    if (group.apart || all == 0 || count != group.count) { continue; }
    const double held_s = seconds(counters.hold) / transactions_of(one) * static_cast<double>(counters.exacq) / all;
    // Held over a round trip, some of it is not CPU.
    if (held_s > cpu_s) { continue; }
    stations.push_back({held_s, 1, group.count});
    cpu_s -= held_s;
  }
  cpu_s = std::max(cpu_s, 0.0);
  stations.push_back({cpu_s + generator, work.scenario.machine.topology.cores(), 1});
  if (work.scenario.rig.network) {
    const double service_s = means_of(program).roundtrips * seconds(work.scenario.rig.network->service.value);
    think_s = std::max(0.0, think_s - service_s);
    stations.push_back({service_s, static_cast<std::uint32_t>(work.scenario.rig.network->width.value), 1});
  }
  return mva_tps(stations, think_s, clients);
}

bool is_non_scalable(std::string_view kind) {
  constexpr std::array<std::string_view, 6> kinds{"tas", "tas-backoff", "ttas", "ticket", "s_lock-9.2", "s_lock-9.4"};
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

// Of the lock that is waited for longest at the peak, or beyond it, if that is a spinlock of its own. A hand-over is
// two transfers, of which the home works twice for each further waiter (see the test of the model).
std::optional<double> markov_of(const Work& work, std::uint32_t clients) {
  const PointResult& one = *work.one_client;
  const PointResult& peak = work.cell.peak;
  const Program program = work.scenario.program(one.point);
  std::size_t hottest = program.locks.size();
  double longest_s = 0;
  for (std::size_t i = 0; i < program.locks.size(); ++i) {
    const double wait_s = seconds(counters_of(peak, i).wait);
    if (wait_s > longest_s) {
      longest_s = wait_s;
      hottest = i;
    }
  }
  if (hottest == program.locks.size() || program.locks[hottest].count != 1 ||
      !is_non_scalable(AllLocks::traits[program.locks[hottest].kind].name)) {
    return std::nullopt;
  }
  const LockCounters counters = counters_of(one, hottest);
  const double per_transaction = static_cast<double>(counters.exacq) / transactions_of(one);
  if (per_transaction <= 0) { return std::nullopt; }
  const Machine& machine = work.scenario.machine;
  double transfer_s = 0;
  std::uint32_t others = 0;
  for (std::uint32_t core = 1; core < machine.topology.threads(); ++core) {
    const Distance distance = machine.topology.distance(CoreId{0}, CoreId{core});
    if (distance == Distance::same_core) { continue; }
    transfer_s += seconds(machine.coherence.parameters.transfer[static_cast<std::size_t>(distance)].value);
    ++others;
  }
  if (others > 0) { transfer_s /= others; }
  const double hold_s = seconds(counters.hold) / static_cast<double>(counters.exacq);
  const double re_read_s = 2 * seconds(machine.coherence.home_occupancy.value);
  const double between_s = one.latency_s / per_transaction - hold_s;
  if (between_s <= 0) { return std::nullopt; }
  const NonScalableLock lock{std::max(hold_s + 2 * transfer_s - re_read_s, hold_s), re_read_s,
                             between_s + 2 * transfer_s};
  return lock.acquisitions_per_second(std::min(clients, machine.topology.threads())) / per_transaction;
}

class Inquiry {
 public:
  Inquiry(const WhatIfQuestion& question, const WhatIfOptions& options,
          const std::function<void(const Progress&)>& progress)
      : question_(question), options_(options), progress_(progress) {}

  WhatIf run() {
    WhatIf result;
    for (std::size_t machine = 0; machine < question_.machines.size() && !interrupted_; ++machine) {
      std::vector<Work*> asked;
      for (const FixSet set : question_.asked) { asked.push_back(&add(machine, set, true)); }
      find_peaks(asked);
      for (Work* work : asked) {
        if (!interrupted_) { result.cells.push_back(work->cell); }
      }
      const auto& at = question_.mend_at;
      if (!interrupted_ && !question_.fixes.empty() && std::find(at.begin(), at.end(), machine) != at.end()) {
        Mending mending = mend(machine);
        if (!interrupted_) { result.mendings.push_back(std::move(mending)); }
      }
    }
    add_usl(result);
    result.interrupted = interrupted_;
    return result;
  }

 private:
  // Where the search of a cell begins: where the same variant on the next smaller machine has its peak, or what it is
  // made of on this one, or a client for each core.
  std::uint32_t guess(std::size_t machine, FixSet set) const {
    std::uint32_t best = 0;
    double highest = 0;
    for (const auto& [key, work] : works_) {
      const bool smaller = key.first + 1 == machine && key.second == set;
      const bool part = key.first == machine && (key.second & set) == key.second;
      if (work != nullptr && (smaller || part) && work->cell.peak.tps > highest) {
        highest = work->cell.peak.tps;
        best = work->cell.peak.point.clients;
      }
    }
    return best > 0 ? best : question_.machines[machine].scaling.cores;
  }

  Work& add(std::size_t machine, FixSet set, bool with_knee) {
    std::unique_ptr<Work>& place = works_[{machine, set}];
    if (place != nullptr) { return *place; }
    const WhatIfMachine& on = question_.machines[machine];
    Scenario scenario = with_fixes(on.scenario, question_.baseline, question_.fixes, set);
    std::uint64_t limit = std::uint64_t{on.scaling.cores} * options_.clients_per_core_max;
    if (scenario.rig.connections) { limit = std::min<std::uint64_t>(limit, *scenario.rig.connections); }
    limit = std::min<std::uint64_t>(limit, clients_max);
    place = std::make_unique<Work>(Work{
        {}, std::move(scenario), PeakSearch(guess(machine, set), static_cast<std::uint32_t>(limit), with_knee), {}});
    place->cell.machine = machine;
    place->cell.fixes = set;
    place->cell.name = name_of(question_.baseline, question_.fixes, set);
    return *place;
  }

  [[nodiscard]] Case case_of(const Work& work, std::uint32_t clients) const {
    return {work.cell.name, question_.scale, clients, question_.tables};
  }

  // Simulates; a point in which nothing finishes is none.
  std::vector<std::optional<PointResult>> simulate(const std::vector<Asked>& asked, const PredictOptions& options) {
    std::vector<std::size_t> order(asked.size());
    std::vector<PointTask> tasks;
    for (std::size_t i = 0; i < asked.size(); ++i) { order[i] = i; }
    const auto cost = [&](std::size_t i) {
      return relative_cost({&asked[i].work->scenario, case_of(*asked[i].work, asked[i].clients)});
    };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return cost(a) > cost(b); });
    for (const std::size_t i : order) {
      const Scenario& scenario = asked[i].work->scenario;
      const Case point = case_of(*asked[i].work, asked[i].clients);
      tasks.push_back({&scenario, point, choose_network(scenario, {point}, std::nullopt).messages});
    }
    std::vector<std::optional<PointResult>> results(asked.size());
    PoolEvents events;
    events.finished = [&](std::size_t task, PointResult result) { results[order[task]] = std::move(result); };
    events.failed = [](std::size_t, const InputError& error) {
      if (error.code() != ExitCode::unfinished) { throw error; }
    };
    events.progress = [&](const Progress& now) {
      if (!progress_) { return; }
      Progress all = now;
      all.points += points_done_;
      all.points_done += points_done_;
      all.cost_done = 0;  // what comes next depends on what comes out now
      progress_(all);
    };
    if (tasks.empty()) { return results; }
    const std::uint32_t cores = question_.machines[asked.front().work->cell.machine].scaling.cores;
    interrupted_ = interrupted_ || !run_points(tasks, options_.on(options, cores), events);
    points_done_ += tasks.size();
    return results;
  }

  void try_out(const std::vector<Asked>& asked) {
    const std::vector<std::optional<PointResult>> results = simulate(asked, options_.search);
    if (interrupted_) { return; }
    for (std::size_t i = 0; i < asked.size(); ++i) {
      Work& work = *asked[i].work;
      Trial& trial = work.cell.trials[asked[i].clients];
      if (results[i]) { trial = {results[i]->tps, results[i]->limit, resource_of(*results[i])}; }
      work.search.add(asked[i].clients, trial.tps);
      if (asked[i].clients == 1 && results[i]) { work.one_client = results[i]; }
    }
  }

  void find_peaks(const std::vector<Work*>& all) {
    std::vector<Work*> works;
    for (Work* work : all) {
      if (work->cell.peak.replications.empty()) { works.push_back(work); }
    }
    if (works.empty()) { return; }
    std::vector<Asked> next;
    if (options_.clients.empty()) {
      do {
        next.clear();
        for (Work* work : works) {
          for (const std::uint32_t clients : work->search.wanted()) { next.push_back({work, clients}); }
        }
        if (!next.empty()) { try_out(next); }
      } while (!next.empty() && !interrupted_);
    } else {
      for (Work* work : works) {
        for (const std::uint32_t clients : options_.clients) { next.push_back({work, clients}); }
      }
      try_out(next);
    }
    if (interrupted_) { return; }
    // One client alone, for the analytic models.
    next.clear();
    for (Work* work : works) {
      if (!work->one_client) { next.push_back({work, 1}); }
    }
    std::vector<std::optional<PointResult>> alone = simulate(next, options_.search);
    for (std::size_t i = 0; i < alone.size(); ++i) { next[i].work->one_client = std::move(alone[i]); }
    next.clear();
    for (Work* work : works) { next.push_back({work, work->search.peak()}); }
    std::vector<std::optional<PointResult>> peaks = simulate(next, options_.full);
    if (interrupted_) { return; }
    for (std::size_t i = 0; i < works.size(); ++i) {
      if (!peaks[i]) {
        throw InputError("no transaction finished at any client count (" + works[i]->cell.name + ", " +
                             std::to_string(question_.machines[works[i]->cell.machine].scaling.cores) +
                             " cores): expected a scenario that runs, or a longer --measure",
                         ExitCode::unfinished);
      }
      works[i]->cell.peak = std::move(*peaks[i]);
      describe(*works[i]);
    }
  }

  void describe(Work& work) const {
    PeakCell& cell = work.cell;
    const std::uint32_t clients = cell.peak.point.clients;
    cell.resource = resource_of(cell.peak);
    cell.is_open = options_.clients.empty() && work.search.is_open();
    cell.knee = knee_of(work.search.tps());
    if (const auto next = cell.trials.upper_bound(clients); next != cell.trials.end()) {
      // The last that was looked at shows best what it comes to.
      auto last = std::prev(cell.trials.end());
      while (last != next && last->second.tps == 0) { --last; }
      cell.beyond = last->second.tps > 0 ? last->second.limit : "nothing finished in the window";
      cell.beyond_resource = last->second.resource;
      cell.beyond_clients = last->first;
    }
    const double generator = generator_s(work.scenario, work.scenario.program(cell.peak.point));
    cell.load_generator = cell.peak.tps * generator / work.scenario.machine.topology.cores();
    if (work.scenario.rig.local && work.scenario.rig.local->threads) {
      const double busy = cell.peak.tps * generator / *work.scenario.rig.local->threads;
      if (busy >= generator_busy_min) { cell.resource = Resource::client; }
    }
    if (work.one_client) {
      cell.baselines.mva = mva_of(work, clients);
      cell.baselines.markov = markov_of(work, clients);
    }
  }

  Mending mend(std::size_t machine) {
    Mending mending;
    mending.machine = machine;
    mending.order = FixOrder(question_.fixes.size());
    std::map<std::string, FixSet> contents;
    while (!interrupted_) {
      std::vector<FixSet> wanted = mending.order.wanted();
      if (wanted.empty()) { break; }
      // Of equal sets the smallest is the one that counts.
      std::stable_sort(wanted.begin(), wanted.end(),
                       [](FixSet a, FixSet b) { return std::popcount(a) < std::popcount(b); });
      std::vector<Work*> works;
      for (const FixSet set : wanted) {
        try {
          Work& work = add(machine, set, false);
          const auto [same, is_new] = contents.emplace(contents_of(work.scenario, case_of(work, 1)), set);
          if (!is_new) {
            mending.impossible[set] = "the same as " + name_of(question_.baseline, question_.fixes, same->second);
            mending.order.exclude(set);
            continue;
          }
          static_cast<void>(work.scenario.program(case_of(work, 1)));
          works.push_back(&work);
        } catch (const InputError& error) {
          mending.impossible[set] = error.what();
          mending.order.exclude(set);
        }
      }
      find_peaks(works);
      for (const Work* work : works) {
        if (interrupted_) { break; }
        mending.order.add(work->cell.fixes, work->cell.peak.tps);
        mending.cells[work->cell.fixes] = work->cell;
      }
    }
    return mending;
  }

  // Through the peaks of machines that need no extrapolation, variant by variant.
  void add_usl(WhatIf& result) const {
    for (const FixSet set : question_.asked) {
      std::vector<UslPoint> points;
      for (const PeakCell& cell : result.cells) {
        const Scaling& scaling = question_.machines[cell.machine].scaling;
        if (cell.fixes == set && !scaling.is_extrapolated) {
          points.push_back({static_cast<double>(scaling.cores), cell.peak.tps});
        }
      }
      const std::optional<UslCurve> curve = fit_usl(points);
      if (!curve) { continue; }
      for (PeakCell& cell : result.cells) {
        if (cell.fixes == set) {
          cell.baselines.usl = curve->tps(static_cast<double>(question_.machines[cell.machine].scaling.cores));
        }
      }
    }
  }

  const WhatIfQuestion& question_;
  const WhatIfOptions& options_;
  const std::function<void(const Progress&)>& progress_;
  std::map<std::pair<std::size_t, FixSet>, std::unique_ptr<Work>> works_;
  std::size_t points_done_ = 0;
  bool interrupted_ = false;
};

}  // namespace

Resource resource_of(const PointResult& point) {
  constexpr double exhausted = 0.90;
  switch (point.regime) {
    case Regime::line_bound:
    case Regime::queue_bound:
    case Regime::preemption_collapse: return Resource::lock;
    case Regime::core_bound: return Resource::cores;
    case Regime::linear: break;
  }
  if (point.network_busy >= exhausted) { return Resource::network; }
  if (point.cpu_idle < 1 - exhausted) { return Resource::cores; }
  const double client = share_of(point, Category::client);
  const double work = share_of(point, Category::work);
  const double disk = share_of(point, Category::disk);
  if (disk > std::max(client, work)) { return Resource::disk; }
  return client > work ? Resource::client : Resource::work;
}

PredictOptions WhatIfOptions::on(const PredictOptions& window, std::uint32_t cores) const {
  PredictOptions result = window;
  if (shorten_above == 0 || cores <= shorten_above) { return result; }
  result.measured = window.measured / 2;
  return result;
}

bool PeakCell::ends_by_what_is_beyond() const {
  const bool nothing_exhausted = resource == Resource::client || resource == Resource::work;
  return nothing_exhausted && !beyond.empty() && beyond_resource != resource;
}

WhatIf ask(const WhatIfQuestion& question, const WhatIfOptions& options,
           const std::function<void(const Progress&)>& progress) {
  return Inquiry(question, options, progress).run();
}

}  // namespace lockcast
