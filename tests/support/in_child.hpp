#pragma once
// Runs something in a process of its own and brings its bytes back: SimGrid's engine is a singleton, so two simulated
// worlds cannot share a process. The child starts at once; several run side by side.

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace lockcast {

class Child {
 public:
  // `action` returns std::vector<std::uint8_t>.
  template <class Action>
  explicit Child(Action action) {
    int ends[2];
    if (pipe(ends) != 0) { throw std::runtime_error("no pipe"); }
    std::fflush(nullptr);
    pid_ = fork();
    if (pid_ < 0) { throw std::runtime_error("no process"); }
    if (pid_ == 0) {
      close(ends[0]);
      _exit(send(ends[1], action) ? 0 : 1);
    }
    close(ends[1]);
    from_ = ends[0];
  }
  ~Child() {
    if (pid_ > 0) { static_cast<void>(collect()); }
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // Waits for the end; throws when the child did not end well (what it wrote to stderr has been seen by then).
  std::vector<std::uint8_t> bytes() {
    const int status = collect();
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
      throw std::runtime_error("the child process " + (WIFEXITED(status)
                                                           ? "exited with " + std::to_string(WEXITSTATUS(status))
                                                           : "died of signal " + std::to_string(WTERMSIG(status))));
    }
    return received_;
  }

 private:
  template <class Action>
  static bool send(int to, Action& action) {
    try {
      const std::vector<std::uint8_t> bytes = action();
      for (std::size_t sent = 0; sent < bytes.size();) {
        const ssize_t n = write(to, bytes.data() + sent, bytes.size() - sent);
        if (n < 0 && errno == EINTR) { continue; }
        if (n <= 0) { return false; }
        sent += static_cast<std::size_t>(n);
      }
      return true;
    } catch (const std::exception& error) {
      std::fprintf(stderr, "in the child process: %s\n", error.what());
      return false;
    }
  }

  int collect() {
    std::uint8_t buffer[4096];
    for (;;) {
      const ssize_t n = read(from_, buffer, sizeof buffer);
      if (n < 0 && errno == EINTR) { continue; }
      if (n <= 0) { break; }
      received_.insert(received_.end(), buffer, buffer + n);
    }
    close(from_);
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {}
    pid_ = -1;
    return status;
  }

  pid_t pid_ = -1;
  int from_ = -1;
  std::vector<std::uint8_t> received_;
};

// For a result that is plain data.
template <class Action>
auto in_child(Action action) {
  using Result = std::invoke_result_t<Action>;
  static_assert(std::is_trivially_copyable_v<Result>);
  Child child([&action] {
    const Result result = action();
    std::vector<std::uint8_t> bytes(sizeof result);
    std::memcpy(bytes.data(), &result, sizeof result);
    return bytes;
  });
  const std::vector<std::uint8_t> bytes = child.bytes();
  Result result{};
  if (bytes.size() != sizeof result) { throw std::runtime_error("the child process sent too little"); }
  std::memcpy(&result, bytes.data(), sizeof result);
  return result;
}

}  // namespace lockcast
