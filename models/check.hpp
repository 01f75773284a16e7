#pragma once
// Two kinds of failure. A bad file or flag is an InputError: it says where, what was expected and what was probably
// meant; only main catches it. A broken invariant of ours is a CHECK: it is on in every build and ends the process
// (exit 70).

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace lockcast {

// What went wrong decides the exit code of the program (design contract: 2 usage, 3 bad file, 4 host cannot, 5
// unfinished).
enum class ExitCode : int {
  ok = 0,
  check_failed = 1,
  usage = 2,
  bad_file = 3,
  host_cannot = 4,
  unfinished = 5,
  internal = 70,
  interrupted = 130
};

class InputError : public std::runtime_error {
 public:
  explicit InputError(const std::string& message, ExitCode code = ExitCode::bad_file)
      : std::runtime_error(message), code_(code) {}
  [[nodiscard]] ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

// The known name closest to `word` by edit distance, or empty when nothing is close enough to be a likely slip.
std::string_view closest(std::string_view word, const std::vector<std::string_view>& known);

// "; did you mean 'x'?" or "".
std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& known);

// Called by CHECK. Prints the condition, the reason and, inside a simulation, simulated time and backend; then exits
// 70.
[[noreturn]] void check_failed(const char* condition, const char* file, int line, std::string_view reason);

// The executor fills this in, so a failed CHECK can say when and where in simulated time it happened. Printing only.
struct CheckContext {
  const std::int64_t* now_ps = nullptr;
  const std::uint32_t* backend = nullptr;
};
CheckContext& check_context();

}  // namespace lockcast

#define CHECK(condition, reason) \
  ((condition) ? static_cast<void>(0) : ::lockcast::check_failed(#condition, __FILE__, __LINE__, (reason)))
