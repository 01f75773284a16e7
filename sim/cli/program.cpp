// The only place that turns an exception into a message and an exit code.

#include "models/check.hpp"
#include "sim/cli/verbs.hpp"

#include <cstdio>
#include <exception>
#include <new>

namespace lockcast {

int run_program(const std::vector<std::string>& arguments) {
  ExitCode code = ExitCode::internal;
  try {
    return run_command_line(arguments);
  } catch (const InputError& error) {
    std::fprintf(stderr, "lockcast: %s\n", error.what());
    code = error.code();
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "lockcast: this host has not enough memory for that\n");
    code = ExitCode::host_cannot;
  } catch (const std::exception& error) { std::fprintf(stderr, "lockcast: internal error: %s\n", error.what()); }
  return static_cast<int>(code);
}

}  // namespace lockcast
