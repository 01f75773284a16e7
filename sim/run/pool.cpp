// How many replications a point needs, and what they come to. A crew simulates them.

#include "sim/run/pool.hpp"

#include "sim/run/local_crew.hpp"
#include "sim/run/transport.hpp"

#include <algorithm>
#include <csignal>

namespace lockcast {

namespace {

volatile std::sig_atomic_t interrupted = 0;

// Crews are asked this often whether an interrupt came just before they began to wait.
constexpr std::chrono::milliseconds patience{100};

struct Pending {
  std::vector<Replication> replications;
  double cost = 0;  // of one replication
  std::size_t started = 0;
  std::size_t finished = 0;
  std::size_t wanted = 0;
  bool failed = false;
  [[nodiscard]] bool complete() const { return !failed && finished == wanted; }
};

// All replications of all points see the same streams for the same number, so that variants share their random numbers.
std::uint64_t seed_of(std::uint64_t seed, std::size_t number) {
  std::uint64_t state = seed ^ (static_cast<std::uint64_t>(number) * 0x9e3779b97f4a7c15U);
  return splitmix64(state);
}

class Pool {
 public:
  Pool(const std::vector<PointTask>& tasks, const PredictOptions& options, const PoolEvents& events, Crew& crew)
      : tasks_(tasks), options_(options), events_(events), crew_(crew), pending_(tasks.size()) {
    for (const PointTask& task : tasks) { programs_.push_back(task.scenario->program(task.point)); }
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      pending_[i].cost = relative_cost(tasks[i]);
      pending_[i].wanted = options.replications_min;
      pending_[i].replications.resize(options.replications_max);
    }
    crew_.begin(tasks_, programs_);
  }
  ~Pool() {
    for (std::size_t task = 0; task < tasks_.size(); ++task) { crew_.abandon(task); }
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  bool run() {
    report();
    while (interrupted == 0) {
      while (crew_.idle() > 0 && start_next()) {}
      if (crew_.busy() == 0) { break; }
      if (const std::optional<Returned> returned = crew_.wait(patience)) { finish(*returned); }
    }
    return interrupted == 0;
  }

 private:
  bool start_next() {
    for (std::size_t task = 0; task < pending_.size(); ++task) {
      if (!pending_[task].failed && pending_[task].started < pending_[task].wanted) {
        start(task, pending_[task].started++);
        return true;
      }
    }
    return false;
  }

  void start(std::size_t task, std::size_t number) {
    ReplicationOptions options;
    options.seed = seed_of(options_.seed, number);
    options.warmup = options_.warmup;
    options.measured = options_.measured;
    options.messages = tasks_[task].messages;
    options.kernel = options_.kernel;
    options.profile = options_.profile;
    if (number == 0) { options.trace = options_.trace; }
    crew_.start({task, number}, options);
  }

  void finish(const Returned& returned) {
    const auto& [at, number] = returned.errand;
    Pending& pending = pending_[at];
    try {
      if (returned.bytes.empty()) {
        throw InputError("a worker process ended early (" + describe(at) + "); its message, if any, is above",
                         ExitCode::internal);
      }
      pending.replications[number] = from_bytes(returned.bytes);
      if (pending.replications[number].transactions == 0) {
        throw InputError("no transaction finished in " + std::to_string(seconds(options_.measured)) +
                             " s of simulated time (" + describe(at) +
                             "): the scenario is dead-locked, or its transaction is longer than that",
                         ExitCode::unfinished);
      }
    } catch (const InputError& error) {
      give_up(at, error);
      return;
    }
    if (++pending.finished == pending.wanted) { reconsider(pending); }
    if (pending.complete()) {
      pending.replications.resize(pending.wanted);
      const PointTask& task = tasks_[at];
      events_.finished(at, summarize(*task.scenario, task.point, std::move(pending.replications)));
    }
    report();
  }

  void give_up(std::size_t task, const InputError& error) {
    pending_[task].failed = true;
    crew_.abandon(task);
    events_.failed(task, error);
    report();
  }

  [[nodiscard]] std::string describe(std::size_t task) const {
    const Case& point = tasks_[task].point;
    return point.variant + (point.variant.empty() ? "" : ", ") + point.tables +
           (point.tables.empty() ? "" : " tables, ") + std::to_string(point.clients) + " clients";
  }

  // Decided only when all replications wanted so far are there, so the decision does not depend on who came first.
  void reconsider(Pending& pending) const {
    const std::vector<Replication> sofar(pending.replications.begin(),
                                         pending.replications.begin() + static_cast<std::ptrdiff_t>(pending.wanted));
    if (disagree(sofar) && pending.wanted < options_.replications_disagreeing) {
      pending.wanted = std::min(options_.replications_disagreeing, options_.replications_max);
    } else if (options_.precision > 0 && relative_precision(sofar) > options_.precision &&
               pending.wanted < options_.replications_max) {
      pending.wanted = std::min<std::size_t>(pending.wanted * 2, options_.replications_max);
    }
  }

  void report() const {
    if (!events_.progress) { return; }
    Progress progress;
    progress.points = pending_.size();
    for (const Pending& pending : pending_) {
      const std::size_t planned = pending.failed ? pending.finished : pending.wanted;
      progress.points_done += pending.complete() ? 1 : 0;
      progress.points_failed += pending.failed ? 1 : 0;
      progress.replications_done += pending.finished;
      progress.replications_planned += planned;
      progress.cost_done += pending.cost * static_cast<double>(pending.finished);
      progress.cost_planned += pending.cost * static_cast<double>(planned);
    }
    events_.progress(progress);
  }

  const std::vector<PointTask>& tasks_;
  const PredictOptions& options_;
  const PoolEvents& events_;
  Crew& crew_;
  std::vector<Program> programs_;
  std::vector<Pending> pending_;
};

}  // namespace

void interrupt_prediction() { interrupted = 1; }

// Measured on the published scenarios: a backend more costs an eighth of what a point costs anyway, until the cores are
// taken; beyond that, more clients do not do more.
double relative_cost(const PointTask& task) {
  return 8 + static_cast<double>(std::min(task.point.clients, task.scenario->machine.topology.threads()));
}

bool run_points(const std::vector<PointTask>& tasks, const PredictOptions& options, const PoolEvents& events) {
  if (options.crew != nullptr) { return Pool(tasks, options, events, *options.crew).run(); }
  LocalCrew crew(std::max<std::uint32_t>(1, options.jobs));
  return Pool(tasks, options, events, crew).run();
}

}  // namespace lockcast
