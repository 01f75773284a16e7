// SimGrid's engine is a singleton, so every replication runs in a process of its own; a fork costs about a millisecond.
// A worker sends its replication back as one CBOR document over a pipe.

#include "sim/run/predict.hpp"

#include "sim/run/transport.hpp"

#include <poll.h>
#include <signal.h>
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
  std::size_t point = 0;
  std::size_t number = 0;
  std::vector<std::uint8_t> received;
};

struct Pending {
  std::vector<Replication> replications;
  std::size_t started = 0;
  std::size_t finished = 0;
  std::size_t wanted = 0;
  [[nodiscard]] bool complete() const { return finished == wanted; }
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
  Pool(const Scenario& scenario, const std::vector<Case>& points, const PredictOptions& options,
       const std::function<void(const Progress&)>& progress)
      : scenario_(scenario), points_(points), options_(options), progress_(progress), pending_(points.size()) {
    for (const Case& point : points) { programs_.push_back(scenario.program(point)); }
    for (Pending& pending : pending_) {
      pending.wanted = options.replications_min;
      pending.replications.resize(options.replications_max);
    }
  }
  ~Pool() {
    for (const Worker& worker : workers_) {
      kill(worker.pid, SIGKILL);
      waitpid(worker.pid, nullptr, 0);
      close(worker.pipe);
    }
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  Prediction run() {
    report();
    while (interrupted == 0) {
      while (workers_.size() < std::max<std::uint32_t>(1, options_.jobs) && start_next()) {}
      if (workers_.empty()) { break; }
      receive();
    }
    Prediction prediction;
    prediction.interrupted = interrupted != 0;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      Pending& pending = pending_[i];
      if (!pending.complete()) { continue; }
      pending.replications.resize(pending.wanted);
      prediction.points.push_back(summarize(scenario_, points_[i], std::move(pending.replications)));
    }
    return prediction;
  }

 private:
  bool start_next() {
    for (std::size_t point = 0; point < pending_.size(); ++point) {
      if (pending_[point].started < pending_[point].wanted) {
        start(point, pending_[point].started++);
        return true;
      }
    }
    return false;
  }

  void start(std::size_t point, std::size_t number) {
    int ends[2];
    if (pipe(ends) != 0) { throw InputError("cannot open a pipe to a worker process", ExitCode::host_cannot); }
    const pid_t pid = fork();
    if (pid < 0) { throw InputError("cannot start a worker process", ExitCode::host_cannot); }
    if (pid == 0) {
      close(ends[0]);
      signal(SIGINT, SIG_IGN);  // the parent decides what an interrupt means
      ReplicationOptions options;
      options.seed = seed_of(options_.seed, number);
      options.warmup = options_.warmup;
      options.measured = options_.measured;
      options.messages = options_.messages;
      options.kernel = options_.kernel;
      options.profile = options_.profile;
      try {
        write_all(ends[1], to_bytes(replicate(scenario_.machine, scenario_.rig, programs_[point], options)));
      } catch (const InputError& error) {
        write_all(ends[1], failure_to_bytes(error.what(), error.code()));
      } catch (const std::bad_alloc&) {
        write_all(ends[1],
                  failure_to_bytes("not enough memory for this many backends, cores and lines", ExitCode::host_cannot));
      } catch (const std::exception& error) { write_all(ends[1], failure_to_bytes(error.what(), ExitCode::internal)); }
      _exit(0);
    }
    close(ends[1]);
    workers_.push_back({pid, ends[0], point, number, {}});
  }

  void receive() {
    std::vector<pollfd> ready;
    for (const Worker& worker : workers_) { ready.push_back({worker.pipe, POLLIN, 0}); }
    if (poll(ready.data(), ready.size(), -1) < 0) { return; }  // interrupted: the caller looks
    for (std::size_t i = ready.size(); i-- > 0;) {
      if ((ready[i].revents & (POLLIN | POLLHUP)) == 0) { continue; }
      std::uint8_t buffer[65536];
      const ssize_t n = read(ready[i].fd, buffer, sizeof buffer);
      if (n > 0) {
        workers_[i].received.insert(workers_[i].received.end(), buffer, buffer + n);
      } else if (n == 0) {
        finish(i);
      }
    }
  }

  void finish(std::size_t i) {
    Worker worker = std::move(workers_[i]);
    workers_.erase(workers_.begin() + static_cast<std::ptrdiff_t>(i));
    close(worker.pipe);
    int status = 0;
    waitpid(worker.pid, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || worker.received.empty()) {
      throw InputError("a worker process ended early (" + describe(worker.point) + "); its message, if any, is above",
                       ExitCode::internal);
    }
    Pending& pending = pending_[worker.point];
    pending.replications[worker.number] = from_bytes(worker.received);
    if (pending.replications[worker.number].transactions == 0) {
      throw InputError("no transaction finished in " + std::to_string(seconds(options_.measured)) +
                           " s of simulated time (" + describe(worker.point) +
                           "): the scenario is dead-locked, or its transaction is longer than that",
                       ExitCode::unfinished);
    }
    if (++pending.finished == pending.wanted) { reconsider(pending); }
    report();
  }

  [[nodiscard]] std::string describe(std::size_t point) const {
    return points_[point].variant + (points_[point].variant.empty() ? "" : ", ") + points_[point].tables +
           (points_[point].tables.empty() ? "" : " tables, ") + std::to_string(points_[point].clients) + " clients";
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
    if (!progress_) { return; }
    Progress progress;
    progress.points = points_.size();
    for (const Pending& pending : pending_) {
      progress.points_done += pending.complete() ? 1 : 0;
      progress.replications_done += pending.finished;
      progress.replications_planned += pending.wanted;
    }
    progress_(progress);
  }

  const Scenario& scenario_;
  const std::vector<Case>& points_;
  const PredictOptions& options_;
  const std::function<void(const Progress&)>& progress_;
  std::vector<Program> programs_;
  std::vector<Pending> pending_;
  std::vector<Worker> workers_;
};

}  // namespace

void interrupt_prediction() { interrupted = 1; }

Prediction predict(const Scenario& scenario, const std::vector<Case>& points, const PredictOptions& options,
                   const std::function<void(const Progress&)>& progress) {
  return Pool(scenario, points, options, progress).run();
}

}  // namespace lockcast
