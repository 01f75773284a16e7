// A carriage return and blanks are all the control a line needs. The time left assumes that replications take equally
// long, which is a little optimistic: points with many clients come last.

#include "sim/cli/progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

namespace lockcast {

ProgressLine::ProgressLine() : terminal_(isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() {
  if (columns_shown_ > 0) {
    rewrite("");
    std::fputc('\r', stderr);
  }
}

void ProgressLine::show(const Progress& progress) {
  if (!terminal_) { return; }
  std::string text = "  " + std::to_string(progress.points_done) + "/" + std::to_string(progress.points) + " points, " +
                     std::to_string(progress.replications_done) + "/" + std::to_string(progress.replications_planned) +
                     " replications";
  if (progress.replications_done > 0) {
    const double passed_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    const auto left = static_cast<double>(progress.replications_planned - progress.replications_done);
    const double left_s = passed_s / static_cast<double>(progress.replications_done) * left;
    text += ", " + std::to_string(static_cast<long>(std::ceil(left_s))) + " s left";
  }
  rewrite(text);
}

void ProgressLine::rewrite(const std::string& text) {
  const std::string blanks(columns_shown_ - std::min(columns_shown_, text.size()), ' ');
  std::fprintf(stderr, "\r%s%s", text.c_str(), blanks.c_str());
  columns_shown_ = text.size();
}

}  // namespace lockcast
