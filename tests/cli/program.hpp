#pragma once
// Runs the program as a user would, and keeps what it wrote and how it ended.

#include "sim/cli/verbs.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace lockcast {

struct Outcome {
  int code = -1;  // 1000 + signal when it was killed
  std::string out;
  std::string err;

  [[nodiscard]] std::size_t error_lines() const {
    return static_cast<std::size_t>(std::count(err.begin(), err.end(), '\n'));
  }
};

// Starts the program from its file; `out` and `err` are descriptors. `environment` is added to ours ("NAME=value").
inline pid_t start(const std::vector<std::string>& arguments, int out, int err,
                   const std::vector<std::string>& environment = {}) {
  std::vector<char*> words{const_cast<char*>(LOCKCAST_PROGRAM)};
  for (const std::string& argument : arguments) { words.push_back(const_cast<char*>(argument.c_str())); }
  words.push_back(nullptr);
  std::vector<char*> variables;
  for (const std::string& variable : environment) { variables.push_back(const_cast<char*>(variable.c_str())); }
  for (char** variable = environ; *variable != nullptr; ++variable) { variables.push_back(*variable); }
  variables.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
  pid_t pid = -1;
  const int error = posix_spawn(&pid, LOCKCAST_PROGRAM, &actions, nullptr, words.data(), variables.data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) { throw std::runtime_error("cannot start " LOCKCAST_PROGRAM); }
  return pid;
}

inline int wait_for(pid_t pid) {
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

inline File temporary_file() {
  return {std::tmpfile(), [](std::FILE* file) { return std::fclose(file); }};
}

inline std::string text_of(std::FILE* file) {
  std::string text;
  std::rewind(file);
  char buffer[4096];
  for (std::size_t n = 0; (n = std::fread(buffer, 1, sizeof buffer, file)) > 0;) { text.append(buffer, n); }
  return text;
}

// AddressSanitizer remarks, in three lines a worker, that it does not know SimGrid's own actor stacks. That is not the
// program's voice; real reports stay.
inline std::string without_sanitizer_remarks(std::string text) {
  constexpr std::string_view first = "==WARNING: ASan is ignoring requested __asan_handle_no_return";
  constexpr std::string_view last = "sanitizers/issues/189\n";
  for (std::size_t at = 0; (at = text.find(first)) != std::string::npos;) {
    const std::size_t begin = text.rfind('\n', at) + 1;  // npos + 1 is the beginning of the text
    const std::size_t end = text.find(last, at);
    if (end == std::string::npos) { break; }
    text.erase(begin, end + last.size() - begin);
  }
  return text;
}

// All of the program in a process of its own, without loading it again: most of a short run is libraries setting up.
inline Outcome lockcast(const std::vector<std::string>& arguments, const std::vector<std::string>& environment = {}) {
  const File out = temporary_file();
  const File err = temporary_file();
  std::fflush(nullptr);
  const pid_t pid = fork();
  if (pid < 0) { throw std::runtime_error("no process"); }
  if (pid == 0) {
    for (const std::string& variable : environment) { putenv(const_cast<char*>(variable.c_str())); }
    const int nothing = open("/dev/null", O_RDONLY);
    dup2(nothing, STDIN_FILENO);
    dup2(fileno(out.get()), STDOUT_FILENO);
    dup2(fileno(err.get()), STDERR_FILENO);
    std::exit(run_program(arguments));
  }
  Outcome outcome;
  outcome.code = wait_for(pid);
  outcome.out = text_of(out.get());
  outcome.err = without_sanitizer_remarks(text_of(err.get()));
  return outcome;
}

// Reads the terminal until `words` were shown.
inline bool shown(int terminal, const std::string& words) {
  std::string text;
  char buffer[512];
  for (ssize_t n = 0; (n = read(terminal, buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(n));
    if (text.find(words) != std::string::npos) { return true; }
  }
  return false;
}

// A folder of its own for each test, gone afterwards.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = testing::TempDir() + "lockcast-cli-XXXXXX";
    if (mkdtemp(pattern.data()) == nullptr) { throw std::runtime_error("no temporary folder"); }
    path_ = pattern;
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] std::string path(const std::string& name) const { return path_ + "/" + name; }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }
  [[nodiscard]] std::string read(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  std::string path_;
};

// One lock around one line: some milliseconds of host time for a point of 20 simulated milliseconds.
inline const std::string tiny_scenario = R"(schema: lockcast/scenario/1
name: tiny
question: "does the program work?"
machine: textbook-32
lines:
  data: {count: 1, stride: 64 B}
locks:
  guard: {kind: ttas}
procedures:
  update:
    - touch: {lines: data, access: write}
variants:
  plain: {}
  polling: {locks: {guard: {kind: tas}}}
scales:
  1: {}
  2: {}
transaction:
  - work: {mean: 20 us, spread: exponential}
  - acquire: {lock: guard}
  - call: update
  - release: guard
clients: [1, 4]
known_gaps: ["nobody runs this"]
)";

inline std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  if (at == std::string::npos) { throw std::runtime_error("'" + what + "' is not in the text"); }
  return text.replace(at, what.size(), by);
}

inline std::vector<std::string> operator+(std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

// One replication-sized bite instead of the default second.
inline const std::vector<std::string> quick{"--measure", "20 ms", "--warmup", "5 ms"};

}  // namespace lockcast
