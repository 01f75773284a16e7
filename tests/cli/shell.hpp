#pragma once
// Runs a command of the shell, for tests of what other programs make of ours.

#include "tests/cli/program.hpp"

#include <string>

namespace lockcast {

// Its stdout, then its stderr; the code as the shell sees it.
inline Outcome shell(const std::string& command) {
  Outcome outcome;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(popen((command + " 2>&1").c_str(), "r"),
                                                             [](std::FILE*) { return 0; });
  char buffer[4096];
  for (std::size_t n = 0; (n = std::fread(buffer, 1, sizeof buffer, pipe.get())) > 0;) {
    outcome.out.append(buffer, n);
  }
  const int status = pclose(pipe.get());
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
  return outcome;
}

inline bool has_program(const std::string& name) { return shell("command -v " + name).code == 0; }

}  // namespace lockcast
