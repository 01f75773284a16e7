// Rounds of visits.

#include "validate/probe/session.hpp"

#include "validate/ping_pong.hpp"
#include "validate/pinning.hpp"
#include "validate/probe/disturbance.hpp"
#include "validate/probe/futex_costs.hpp"
#include "validate/probe/hammer.hpp"
#include "validate/probe/hwloc_topology.hpp"
#include "validate/probe/line_costs.hpp"
#include "validate/probe/own_costs.hpp"
#include "validate/probe/scheduling_costs.hpp"
#include "validate/probe/timing.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <thread>
#include <utility>

namespace lockcast::probe {

namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

// How long things take in one visit.
struct Stay {
  microseconds look{1000};
  microseconds guard{600};
  std::uint32_t line_repeats = 15;
  microseconds hammer{4000};
  std::uint32_t wake_ups = 20;
  std::uint32_t slow_wake_ups = 10;
  std::uint32_t hops = 400;
  milliseconds yields{15};
  milliseconds slices{90};
  std::uint32_t sleeps = 10;
  std::size_t pairs = 3;  // of a distance class, in one round
};
constexpr Stay brief_stay{.look = microseconds{100},
                          .guard = microseconds{0},
                          .line_repeats = 1,
                          .hammer = microseconds{500},
                          .wake_ups = 2,
                          .slow_wake_ups = 1,
                          .hops = 40,
                          .yields = milliseconds{2},
                          .slices = milliseconds{20},
                          .sleeps = 1,
                          .pairs = 1};

// Guards of one visit that differ by more saw different machines.
constexpr double guard_ratio_max = 1.33;
constexpr std::array distances{Distance::same_core, Distance::same_die, Distance::package_mate, Distance::one_hop,
                               Distance::two_hops};

class Measuring {
 public:
  Measuring(const SessionOptions& options, const ProgressReport& report)
      : options_(options), report_(report), stay_(options.brief ? brief_stay : Stay{}) {
    report_("topology", 0);
    const std::vector<int> cpus = usable_cpus();
    const HostPlaces places = host_places(cpus);
    session_.host = host_quality();
    session_.arrangement = arrange(places);
    session_.line_bytes = places.line_bytes;
    for (const Distance distance : distances) {
      if (!sample_pairs(session_.arrangement, distance, 1, 0).empty()) { present_.push_back(distance); }
    }
    nodes_ = std::set<std::uint32_t>(session_.arrangement.nodes.begin(), session_.arrangement.nodes.end()).size();
  }

  Session run() {
    const std::optional<std::uint64_t> stolen_before = stolen_ticks();
    for (std::uint32_t round = 0; round == 0 || (wants_round(round) && !time_is_up()); ++round) {
      round_ = round;
      if (!one_round()) { break; }
      ++session_.rounds;
    }
    session_.elapsed_s = elapsed();
    if (const auto stolen = stolen_ticks(); stolen && stolen_before) {
      session_.stolen_ticks = *stolen - *stolen_before;
    }
    return std::move(session_);
  }

 private:
  [[nodiscard]] const Arrangement& arrangement() const { return session_.arrangement; }
  [[nodiscard]] int cpu(std::size_t number) const { return arrangement().cpus[number % arrangement().cpus.size()]; }
  [[nodiscard]] double elapsed() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }
  [[nodiscard]] bool time_is_up() const { return Clock::now() - begin_ > options_.limit; }
  // False when it was ended from outside.
  bool one_round() {
    struct Step {
      std::string_view what;
      double share;
      void (Measuring::*make)();
    };
    constexpr std::array steps{
        Step{"one thread", 0, &Measuring::alone}, Step{"private work on all CPUs", 0.1, &Measuring::loaded},
        Step{"lines", 0.2, &Measuring::all_lines}, Step{"wake-ups", 0.5, &Measuring::all_wake_ups},
        Step{"sharing a CPU", 0.7, &Measuring::sharing}};
    return std::ranges::all_of(steps, [&](const Step& step) {
      if (!report_(step.what, std::min(1.0, (round_ + step.share) / options_.rounds))) { return false; }
      (this->*step.make)();
      return true;
    });
  }
  // On a busy host more of them find enough quiet moments.
  [[nodiscard]] bool wants_round(std::uint32_t round) const {
    constexpr std::uint32_t more = 2;
    const bool noisy = session_.disturbed_visits * 2 > session_.visits;
    return round < options_.rounds || (!options_.brief && noisy && round < more * options_.rounds);
  }

  // Waits a little for others to go away. A neighbour who stays is put up with: the visit will say so.
  void wait_for_quiet(const std::vector<int>& cpus) {
    constexpr int tries = 5;
    constexpr milliseconds pause{20};
    for (int i = 0; i < (options_.brief ? 1 : tries); ++i) {
      lost_before_ = lost_share(cpus, stay_.look);
      if (lost_before_ <= lost_share_max || time_is_up()) { return; }
      std::this_thread::sleep_for(pause);
    }
  }

  // `action` gets a function that takes what it saw.
  template <class Action>
  void visit(const std::vector<int>& cpus, Distance distance, const Action& action) {
    wait_for_quiet(cpus);
    std::vector<std::pair<Quantity, double>> seen;
    action([&seen](Quantity quantity, double value) { seen.emplace_back(quantity, value); });
    file(cpus, distance, seen, 0);
  }
  template <class Action>
  void guarded_visit(const std::vector<int>& cpus, Distance distance, const Action& action) {
    wait_for_quiet(cpus);
    std::vector<std::pair<Quantity, double>> seen;
    const double before = measure_transfer(cpus[0], cpus[1], stay_.guard).median_ns;
    action([&seen](Quantity quantity, double value) { seen.emplace_back(quantity, value); });
    const double after = measure_transfer(cpus[0], cpus[1], stay_.guard).median_ns;
    if (std::max(before, after) > guard_ratio_max * std::min(before, after)) {
      seen.clear();
      ++session_.changed_visits;
    }
    seen.emplace_back(Quantity::ping_pong, before);
    seen.emplace_back(Quantity::ping_pong, after);
    file(cpus, distance, seen, (before + after) / 2);
  }
  void file(const std::vector<int>& cpus, Distance distance, const std::vector<std::pair<Quantity, double>>& seen,
            double line_ns) {
    const double lost_after = lost_share(cpus, stay_.look);
    const double lost = std::max(lost_before_, lost_after);
    session_.lost_shares.push_back(lost_before_);
    session_.lost_shares.push_back(lost_after);
    ++session_.visits;
    session_.disturbed_visits += lost > lost_share_max ? 1U : 0U;
    for (const auto& [quantity, value] : seen) {
      // What a guard took is its own regime.
      const double line = quantity == Quantity::ping_pong ? value : line_ns;
      session_.findings.add(quantity, distance, {.value = value, .line_ns = line, .lost_share = lost});
    }
  }

  void alone() {
    const int where = cpu(round_);
    visit({where}, nowhere, [&](const auto& saw) {
      const OwnCosts own = measure_own_costs(where);
      saw(Quantity::pause, own.pause);
      saw(Quantity::branch_miss, own.branch_miss);
      saw(Quantity::poll, own.poll);
      saw(Quantity::exchange, own.exchange);
      saw(Quantity::fenced_exchange, own.fenced_exchange);
      saw(Quantity::clock, own.clock);
      saw(Quantity::system_call, own.system_call);
      saw(Quantity::work_step, own.work_step);
    });
    visit({where}, nowhere, [&](const auto& saw) {
      const LineCosts lines = measure_own_lines(where, stay_.line_repeats);
      saw(Quantity::own_load, lines.own_load);
      saw(Quantity::own_atomic, lines.own_atomic);
      saw(Quantity::load_memory, lines.load_memory);
    });
    visit({cpu(0)}, nowhere, [&](const auto& saw) { saw(Quantity::empty_transaction, measure_empty_transaction()); });
  }

  void loaded() {
    const std::vector<int>& cpus = arrangement().cpus;
    if (cpus.size() < 2) { return; }
    visit(cpus, nowhere, [&](const auto& saw) { saw(Quantity::loaded_slowdown, measure_slowdown(cpus).dependent); });
    if (cpus.size() > 2) { favour(); }
  }

  void all_lines() {
    for (const Distance distance : present_) {
      for (const Pair& pair : sample_pairs(arrangement(), distance, stay_.pairs, round_)) { lines(distance, pair); }
    }
  }

  void all_wake_ups() {
    if (present_.empty()) { return; }
    // Siblings of a core are the least of those who wake each other: only where there are no others.
    const std::size_t skipped = present_.size() > 1 && present_.front() == Distance::same_core ? 1 : 0;
    wake_ups(present_[skipped + round_ % (present_.size() - skipped)]);
  }

  // Who comes next on a hammered line, among up to eight CPUs of which some are nearer to each other than others.
  void favour() {
    constexpr std::size_t hammerers = 8;
    const std::size_t all = arrangement().cpus.size();
    const std::size_t taken = std::min(hammerers, all);
    std::vector<std::size_t> numbers;
    std::vector<int> cpus;
    for (std::size_t i = 0; i < taken; ++i) {
      // Two neighbours of every place: a near one for each.
      numbers.push_back(std::min(i / 2 * all / ((taken + 1) / 2) + i % 2, all - 1));
      cpus.push_back(arrangement().cpus[numbers.back()]);
    }
    if (std::set<std::size_t>(numbers.begin(), numbers.end()).size() < taken) { return; }
    std::vector<std::vector<bool>> near(taken, std::vector<bool>(taken, false));
    for (std::size_t a = 0; a < taken; ++a) {
      Distance nearest = Distance::two_hops;
      for (std::size_t b = 0; b < taken; ++b) {
        if (a != b) { nearest = std::min(nearest, arrangement().distance(numbers[a], numbers[b])); }
      }
      for (std::size_t b = 0; b < taken; ++b) {
        near[a][b] = a != b && arrangement().distance(numbers[a], numbers[b]) == nearest;
      }
    }
    visit(cpus, nowhere, [&](const auto& saw) {
      const Hammering hammering = hammer(cpus, stay_.hammer);
      if (!hammering.handovers.empty()) { saw(Quantity::near_bias, near_bias_of(hammering, near)); }
    });
  }

  void lines(Distance distance, const Pair& pair) {
    // Each of the two owns in every other round.
    const int owner = arrangement().cpus[round_ % 2 == 0 ? pair.a : pair.b];
    const int requester = arrangement().cpus[round_ % 2 == 0 ? pair.b : pair.a];
    guarded_visit({owner, requester}, distance, [&](const auto& saw) {
      saw(Quantity::pair_throughput, measure_slowdown({owner, requester}).throughput);
      if (distance == Distance::same_core) { return; }
      const LineCosts costs = measure_line_costs(owner, requester, {.repeats = stay_.line_repeats, .home_cpu = {}});
      saw(Quantity::load_modified, costs.load_modified);
      saw(Quantity::store_modified, costs.store_modified);
      saw(Quantity::atomic_modified, costs.atomic_modified);
      saw(Quantity::store_shared, costs.store_shared);
      saw(Quantity::atomic_shared, costs.atomic_shared);
      saw(Quantity::atomic_after_load, costs.atomic_after_load);
      saw(Quantity::load_halted, costs.load_halted);
      for (std::size_t i = 0; i < costs.scan.size(); ++i) {
        saw(static_cast<Quantity>(static_cast<std::size_t>(Quantity::scan_1) + i), costs.scan[i]);
      }
      const Hammering hammering = hammer({owner, requester}, stay_.hammer);
      if (hammering.burst > 0) {
        saw(Quantity::hammer, hammering.ns_per_exchange);
        saw(Quantity::hammer_burst, hammering.burst);
        const auto [shorter, longer] = std::ranges::minmax(hammering.thread_burst);
        saw(Quantity::burst_imbalance, longer / shorter);
      }
      if (const std::optional<int> home = third_node(pair)) {
        const LineCosts far = measure_line_costs(owner, requester, {.repeats = stay_.line_repeats, .home_cpu = home});
        saw(Quantity::third_leg, far.load_modified - costs.load_modified);
      }
    });
  }

  // A CPU with a memory that is neither's.
  [[nodiscard]] std::optional<int> third_node(const Pair& pair) const {
    if (nodes_ < 3) { return std::nullopt; }
    const auto node = [&](std::size_t thread) {
      return arrangement().nodes[arrangement().topology.die_of(CoreId{static_cast<std::uint32_t>(thread)})];
    };
    for (std::size_t i = 0; i < arrangement().cpus.size(); ++i) {
      const std::size_t thread = (i + round_) % arrangement().cpus.size();
      if (node(thread) != node(pair.a) && node(thread) != node(pair.b)) { return arrangement().cpus[thread]; }
    }
    return std::nullopt;
  }

  void wake_ups(Distance distance) {
    const Pair pair = sample_pairs(arrangement(), distance, 1, round_).front();
    const int waker = arrangement().cpus[pair.a];
    const int sleeper = arrangement().cpus[pair.b];
    const auto wake = [&](Quantity quantity, std::uint32_t times, std::uint32_t asleep_us, bool busy) {
      visit({waker, sleeper}, nowhere, [&](const auto& saw) {
        const WakeUps seen = measure_wake_ups(waker, sleeper, times, asleep_us, busy);
        if (seen.latency.empty()) { return; }
        saw(quantity, median(seen.latency));
        if (!busy) { saw(Quantity::wake_cost, median(seen.cost)); }
      });
    };
    wake(Quantity::wake_recent, stay_.wake_ups, 20, false);
    wake(Quantity::wake_50us, stay_.wake_ups, 50, false);
    wake(Quantity::wake_1ms, stay_.slow_wake_ups, 1000, false);
    wake(Quantity::wake_busy, stay_.slow_wake_ups, 2000, true);
  }

  void sharing() {
    const int where = cpu(round_);
    visit({where}, nowhere, [&](const auto& saw) {
      const FutexCalls calls = measure_futex_calls(where, stay_.hops);
      saw(Quantity::empty_wake, calls.empty_wake);
      saw(Quantity::refused_wait, calls.refused_wait);
      saw(Quantity::same_cpu_hop, calls.same_cpu_hop > 0 ? calls.same_cpu_hop : not_measured);
      const SwitchCosts switches = measure_switches(where, stay_.yields);
      saw(Quantity::yield, switches.yield_alone);
      saw(Quantity::context_switch, switches.context_switch);
    });
    for (const auto& [quantity, threads] : {std::pair{Quantity::slice_2, 2U}, std::pair{Quantity::slice_3, 3U}}) {
      visit({where}, nowhere, [&, what = quantity, count = threads](const auto& saw) {
        const std::vector<double> slices = measure_slices(where, count, stay_.slices);
        if (!slices.empty()) { saw(what, median(slices)); }
      });
    }
    visit({where}, nowhere, [&](const auto& saw) {
      for (const auto& [quantity, sleep] : {std::pair{Quantity::overshoot_50us, microseconds{50}},
                                            std::pair{Quantity::overshoot_1ms, microseconds{1000}}}) {
        const std::vector<double> late = measure_overshoot(where, sleep, stay_.sleeps);
        if (!late.empty()) { saw(quantity, median(late)); }
      }
    });
  }

  SessionOptions options_;
  ProgressReport report_;
  Stay stay_;
  Session session_;
  std::vector<Distance> present_;
  std::size_t nodes_ = 1;
  std::uint32_t round_ = 0;
  double lost_before_ = 0;
  Clock::time_point begin_ = Clock::now();
};

}  // namespace

Session measure_host(const SessionOptions& options, const ProgressReport& report) {
  return Measuring(options, report).run();
}

}  // namespace lockcast::probe
