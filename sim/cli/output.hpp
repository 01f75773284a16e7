#pragma once
// Where results go: stdout, or a file that appears whole or not at all.

#include <optional>
#include <string>
#include <string_view>

namespace lockcast {

// Writes to stdout; throws when that fails, because a cut result looks like a small one.
void print(std::string_view text);

// Colour is for people at a terminal who did not set NO_COLOR.
bool colour_wanted();

// Opened before the work begins, so that a path nobody can write to costs no simulation.
class Output {
 public:
  explicit Output(const std::optional<std::string>& path);  // none: stdout
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  [[nodiscard]] bool is_stdout() const { return descriptor_ < 0; }
  void write(std::string_view text);  // once

 private:
  std::string path_;       // where symbolic links lead
  std::string temporary_;  // beside it; empty: written directly
  int descriptor_ = -1;
};

}  // namespace lockcast
