// A worker sends its replication back as one CBOR document over a pipe.

#include "sim/run/local_crew.hpp"

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

void write_all(int to, const std::vector<std::uint8_t>& bytes) {
  for (std::size_t sent = 0; sent < bytes.size();) {
    const ssize_t n = write(to, bytes.data() + sent, bytes.size() - sent);
    if (n < 0 && errno == EINTR) { continue; }
    if (n <= 0) { _exit(static_cast<int>(ExitCode::internal)); }
    sent += static_cast<std::size_t>(n);
  }
}

[[noreturn]] void simulate(const PointTask& task, const Program& program, const ReplicationOptions& options, int to) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // nobody is left to read the result
  signal(SIGINT, SIG_IGN);           // the parent decides what an interrupt means
  try {
    write_all(to, to_bytes(replicate(task.scenario->machine, task.scenario->rig, program, options)));
  } catch (const InputError& error) {
    write_all(to, failure_to_bytes(error.what(), error.code()));
  } catch (const std::bad_alloc&) {
    write_all(to, failure_to_bytes("not enough memory for this many backends, cores and lines", ExitCode::host_cannot));
  } catch (const std::exception& error) { write_all(to, failure_to_bytes(error.what(), ExitCode::internal)); }
  _exit(0);
}

}  // namespace

LocalCrew::~LocalCrew() {
  for (const Worker& worker : workers_) { end(worker); }
}

void LocalCrew::end(const Worker& worker) {
  kill(worker.pid, SIGKILL);
  waitpid(worker.pid, nullptr, 0);
  close(worker.pipe);
}

void LocalCrew::begin(const std::vector<PointTask>& tasks, const std::vector<Program>& programs) {
  tasks_ = &tasks;
  programs_ = &programs;
}

void LocalCrew::start(const Errand& errand, const ReplicationOptions& options) {
  int ends[2];
  if (pipe(ends) != 0) { throw InputError("cannot open a pipe to a worker process", ExitCode::host_cannot); }
  const pid_t pid = fork();
  if (pid < 0) {
    close(ends[0]);
    close(ends[1]);
    throw InputError("cannot start a worker process", ExitCode::host_cannot);
  }
  if (pid == 0) {
    close(ends[0]);
    simulate((*tasks_)[errand.task], (*programs_)[errand.task], options, ends[1]);
  }
  close(ends[1]);
  workers_.push_back({pid, ends[0], {errand, {}}});
}

bool LocalCrew::read_some(Worker& worker) {
  std::uint8_t buffer[65536];
  const ssize_t n = read(worker.pipe, buffer, sizeof buffer);
  if (n > 0) { worker.result.bytes.insert(worker.result.bytes.end(), buffer, buffer + n); }
  return n == 0;
}

std::optional<Returned> LocalCrew::wait(std::chrono::milliseconds at_most) {
  std::vector<pollfd> ready;
  for (const Worker& worker : workers_) { ready.push_back({worker.pipe, POLLIN, 0}); }
  if (poll(ready.data(), ready.size(), static_cast<int>(at_most.count())) <= 0) { return std::nullopt; }
  for (std::size_t i = 0; i < ready.size(); ++i) {
    if ((ready[i].revents & (POLLIN | POLLHUP)) == 0 || !read_some(workers_[i])) { continue; }
    Worker ended = std::move(workers_[i]);
    workers_.erase(workers_.begin() + static_cast<std::ptrdiff_t>(i));
    close(ended.pipe);
    int status = 0;
    waitpid(ended.pid, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) { ended.result.bytes.clear(); }
    return std::move(ended.result);
  }
  return std::nullopt;
}

void LocalCrew::abandon(std::size_t task) {
  for (const Worker& worker : workers_) {
    if (worker.result.errand.task == task) { end(worker); }
  }
  std::erase_if(workers_, [&](const Worker& worker) { return worker.result.errand.task == task; });
}

}  // namespace lockcast
