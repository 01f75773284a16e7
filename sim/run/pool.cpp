// SimGrid's engine is a singleton, so every replication runs in a process of its own; a fork costs about a millisecond.
// A worker sends its replication back as one CBOR document over a pipe.

#include "sim/run/pool.hpp"

#include "sim/run/transport.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <new>

namespace lockcast {

namespace {

volatile std::sig_atomic_t interrupted = 0;

struct Worker {
  pid_t pid = -1;
  int pipe = -1;
  std::size_t task = 0;
  std::size_t number = 0;
  std::vector<std::uint8_t> received;
};

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

void write_all(int to, const std::vector<std::uint8_t>& bytes) {
  for (std::size_t sent = 0; sent < bytes.size();) {
    const ssize_t n = write(to, bytes.data() + sent, bytes.size() - sent);
    if (n < 0 && errno == EINTR) { continue; }
    if (n <= 0) { _exit(static_cast<int>(ExitCode::internal)); }
    sent += static_cast<std::size_t>(n);
  }
}

class Pool {
 public:
  Pool(const std::vector<PointTask>& tasks, const PredictOptions& options, const PoolEvents& events)
      : tasks_(tasks), options_(options), events_(events), pending_(tasks.size()) {
    for (const PointTask& task : tasks) { programs_.push_back(task.scenario->program(task.point)); }
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      pending_[i].cost = relative_cost(tasks[i]);
      pending_[i].wanted = options.replications_min;
      pending_[i].replications.resize(options.replications_max);
    }
  }
  ~Pool() {
    for (const Worker& worker : workers_) { end(worker); }
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  bool run() {
    report();
    while (interrupted == 0) {
      while (workers_.size() < std::max<std::uint32_t>(1, options_.jobs) && start_next()) {}
      if (workers_.empty()) { break; }
      receive();
    }
    return interrupted == 0;
  }

 private:
  static void end(const Worker& worker) {
    kill(worker.pid, SIGKILL);
    waitpid(worker.pid, nullptr, 0);
    close(worker.pipe);
  }

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
    int ends[2];
    if (pipe(ends) != 0) { throw InputError("cannot open a pipe to a worker process", ExitCode::host_cannot); }
    const pid_t pid = fork();
    if (pid < 0) { throw InputError("cannot start a worker process", ExitCode::host_cannot); }
    if (pid == 0) {
      close(ends[0]);
      prctl(PR_SET_PDEATHSIG, SIGKILL);  // nobody is left to read the result
      signal(SIGINT, SIG_IGN);           // the parent decides what an interrupt means
      ReplicationOptions options;
      options.seed = seed_of(options_.seed, number);
      options.warmup = options_.warmup;
      options.measured = options_.measured;
      options.messages = tasks_[task].messages;
      options.kernel = options_.kernel;
      options.profile = options_.profile;
      if (number == 0) { options.trace = options_.trace; }
      try {
        const Scenario& scenario = *tasks_[task].scenario;
        write_all(ends[1], to_bytes(replicate(scenario.machine, scenario.rig, programs_[task], options)));
      } catch (const InputError& error) {
        write_all(ends[1], failure_to_bytes(error.what(), error.code()));
      } catch (const std::bad_alloc&) {
        write_all(ends[1],
                  failure_to_bytes("not enough memory for this many backends, cores and lines", ExitCode::host_cannot));
      } catch (const std::exception& error) { write_all(ends[1], failure_to_bytes(error.what(), ExitCode::internal)); }
      _exit(0);
    }
    close(ends[1]);
    workers_.push_back({pid, ends[0], task, number, {}});
  }

  void receive() {
    std::vector<pollfd> ready;
    for (const Worker& worker : workers_) { ready.push_back({worker.pipe, POLLIN, 0}); }
    if (poll(ready.data(), ready.size(), -1) < 0) { return; }  // interrupted: the caller looks
    for (const pollfd& from : ready) {
      if ((from.revents & (POLLIN | POLLHUP)) == 0) { continue; }
      // A failing worker may have taken this one with it.
      const auto worker =
          std::find_if(workers_.begin(), workers_.end(), [&](const Worker& w) { return w.pipe == from.fd; });
      if (worker == workers_.end()) { continue; }
      std::uint8_t buffer[65536];
      const ssize_t n = read(from.fd, buffer, sizeof buffer);
      if (n > 0) {
        worker->received.insert(worker->received.end(), buffer, buffer + n);
      } else if (n == 0) {
        const Worker ended = std::move(*worker);
        workers_.erase(worker);
        finish(ended);
      }
    }
  }

  void finish(const Worker& worker) {
    close(worker.pipe);
    int status = 0;
    waitpid(worker.pid, &status, 0);
    Pending& pending = pending_[worker.task];
    try {
      if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || worker.received.empty()) {
        throw InputError("a worker process ended early (" + describe(worker.task) + "); its message, if any, is above",
                         ExitCode::internal);
      }
      pending.replications[worker.number] = from_bytes(worker.received);
      if (pending.replications[worker.number].transactions == 0) {
        throw InputError("no transaction finished in " + std::to_string(seconds(options_.measured)) +
                             " s of simulated time (" + describe(worker.task) +
                             "): the scenario is dead-locked, or its transaction is longer than that",
                         ExitCode::unfinished);
      }
    } catch (const InputError& error) {
      give_up(worker.task, error);
      return;
    }
    if (++pending.finished == pending.wanted) { reconsider(pending); }
    if (pending.complete()) {
      pending.replications.resize(pending.wanted);
      const PointTask& task = tasks_[worker.task];
      events_.finished(worker.task, summarize(*task.scenario, task.point, std::move(pending.replications)));
    }
    report();
  }

  void give_up(std::size_t task, const InputError& error) {
    pending_[task].failed = true;
    for (const Worker& worker : workers_) {
      if (worker.task == task) { end(worker); }
    }
    std::erase_if(workers_, [&](const Worker& worker) { return worker.task == task; });
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
  std::vector<Program> programs_;
  std::vector<Pending> pending_;
  std::vector<Worker> workers_;
};

}  // namespace

void interrupt_prediction() { interrupted = 1; }

// Measured on the published scenarios: a backend more costs an eighth of what a point costs anyway, until the cores are
// taken; beyond that, more clients do not do more.
double relative_cost(const PointTask& task) {
  return 8 + static_cast<double>(std::min(task.point.clients, task.scenario->machine.topology.threads()));
}

bool run_points(const std::vector<PointTask>& tasks, const PredictOptions& options, const PoolEvents& events) {
  return Pool(tasks, options, events).run();
}

}  // namespace lockcast
