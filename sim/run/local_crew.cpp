// What is assigned is a few plain bytes, because a worker is a copy of this process and knows the tasks. An answer is
// its length and a CBOR document.

#include "sim/run/local_crew.hpp"

#include "sim/run/transport.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <new>
#include <type_traits>

namespace lockcast {

namespace {

struct Assigned {
  std::size_t task = 0;
  ReplicationOptions options;
};
static_assert(std::is_trivially_copyable_v<Assigned>);

using Length = std::uint64_t;

bool write_all(int to, const void* bytes, std::size_t count) {
  for (std::size_t sent = 0; sent < count;) {
    const ssize_t n = send(to, static_cast<const std::uint8_t*>(bytes) + sent, count - sent, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) { continue; }
    if (n <= 0) { return false; }
    sent += static_cast<std::size_t>(n);
  }
  return true;
}

bool read_assigned(int from, Assigned& assigned) {
  for (;;) {
    const ssize_t n = recv(from, &assigned, sizeof assigned, MSG_WAITALL);
    if (n < 0 && errno == EINTR) { continue; }
    return n == sizeof assigned;
  }
}

// The clock of a second SimGrid engine goes on where the first's ended. SimgridWorld takes that off again, but what
// SimGrid itself adds to it, it rounds elsewhere; and after 2.5 hours its double seconds no longer hold a picosecond.
constexpr Picos worker_life{1000s};
bool simulates_alike_later(const ReplicationOptions& options) {
  return options.messages == Messages::inner && options.kernel == KernelKind::inner;
}

std::vector<std::uint8_t> answer_to(const Assigned& assigned, const PointTask& task, const Program& program) {
  try {
    return to_bytes(replicate(task.scenario->machine, task.scenario->rig, program, assigned.options));
  } catch (const InputError& error) {
    return failure_to_bytes(error.what(), error.code());
  } catch (const std::bad_alloc&) {
    return failure_to_bytes("not enough memory for this many backends, cores and lines", ExitCode::host_cannot);
  } catch (const std::exception& error) { return failure_to_bytes(error.what(), ExitCode::internal); }
}

[[noreturn]] void work(const std::vector<PointTask>& tasks, const std::vector<Program>& programs, int line) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // nobody is left to read the result
  signal(SIGINT, SIG_IGN);           // the parent decides what an interrupt means
  for (Assigned assigned; read_assigned(line, assigned);) {
    const std::vector<std::uint8_t> answer = answer_to(assigned, tasks[assigned.task], programs[assigned.task]);
    const Length length = answer.size();
    if (!write_all(line, &length, sizeof length) || !write_all(line, answer.data(), answer.size())) { break; }
  }
  _exit(0);
}

}  // namespace

LocalCrew::~LocalCrew() { std::ranges::for_each(workers_, &dismiss); }

void LocalCrew::dismiss(const Worker& worker) {
  kill(worker.pid, SIGKILL);
  waitpid(worker.pid, nullptr, 0);
  close(worker.line);
}

void LocalCrew::begin(const std::vector<PointTask>& tasks, const std::vector<Program>& programs) {
  std::ranges::for_each(workers_, &dismiss);  // they know others
  workers_.clear();
  tasks_ = &tasks;
  programs_ = &programs;
}

std::size_t LocalCrew::busy() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(workers_, [](const Worker& worker) { return worker.errand.has_value(); }));
}

LocalCrew::Worker& LocalCrew::idle_worker() {
  const auto idle = std::ranges::find_if(workers_, [](const Worker& worker) { return !worker.errand; });
  if (idle != workers_.end()) { return *idle; }
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) {
    throw InputError("cannot open a line to a worker process", ExitCode::host_cannot);
  }
  const pid_t pid = fork();
  if (pid < 0) {
    close(ends[0]);
    close(ends[1]);
    throw InputError("cannot start a worker process", ExitCode::host_cannot);
  }
  if (pid == 0) {
    close(ends[0]);
    work(*tasks_, *programs_, ends[1]);
  }
  close(ends[1]);
  return workers_.emplace_back(Worker{.pid = pid, .line = ends[0]});
}

void LocalCrew::start(const Errand& errand, const ReplicationOptions& options) {
  Worker& worker = idle_worker();
  worker.errand = errand;
  worker.heard.clear();
  worker.simulated += options.warmup + options.measured;
  worker.stays = simulates_alike_later(options) && worker.simulated < worker_life;
  const Assigned assigned{errand.task, options};
  write_all(worker.line, &assigned, sizeof assigned);  // that it cannot is found out by waiting for the answer
}

std::optional<Returned> LocalCrew::hear(Worker& worker) {
  std::uint8_t buffer[65536];
  const ssize_t n = recv(worker.line, buffer, sizeof buffer, 0);
  if (n < 0 && errno == EINTR) { return std::nullopt; }
  if (n <= 0) { return Returned{*worker.errand, {}}; }
  worker.heard.insert(worker.heard.end(), buffer, buffer + n);
  Length length = 0;
  if (worker.heard.size() < sizeof length) { return std::nullopt; }
  std::memcpy(&length, worker.heard.data(), sizeof length);
  if (worker.heard.size() < sizeof length + length) { return std::nullopt; }
  worker.heard.erase(worker.heard.begin(), worker.heard.begin() + sizeof length);
  return Returned{*worker.errand, std::move(worker.heard)};
}

std::optional<Returned> LocalCrew::wait(std::chrono::milliseconds at_most) {
  std::vector<pollfd> ready;
  for (const Worker& worker : workers_) { ready.push_back({worker.line, POLLIN, 0}); }
  if (poll(ready.data(), ready.size(), static_cast<int>(at_most.count())) <= 0) { return std::nullopt; }
  for (std::size_t i = 0; i < ready.size(); ++i) {
    if (ready[i].revents == 0 || !workers_[i].errand) { continue; }
    std::optional<Returned> returned = hear(workers_[i]);
    if (!returned) { continue; }
    workers_[i].errand.reset();
    if (returned->bytes.empty() || !workers_[i].stays) {
      dismiss(workers_[i]);
      workers_.erase(workers_.begin() + static_cast<std::ptrdiff_t>(i));
    }
    return returned;
  }
  return std::nullopt;
}

void LocalCrew::abandon(std::size_t task) {
  const auto does_it = [task](const Worker& worker) { return worker.errand && worker.errand->task == task; };
  for (const Worker& worker : workers_) {
    if (does_it(worker)) { dismiss(worker); }
  }
  std::erase_if(workers_, does_it);
}

}  // namespace lockcast
