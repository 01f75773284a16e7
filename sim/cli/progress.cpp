// A carriage return and blanks are all the control a line needs. The time left follows from what the finished
// replications cost; that two-regime points will want more of them is not foreseen.

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
  if (progress.points_failed > 0) { text += ", " + std::to_string(progress.points_failed) + " points failed"; }
  if (progress.cost_done > 0) {
    const double passed_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    const double left_s = passed_s / progress.cost_done * (progress.cost_planned - progress.cost_done);
    text += ", " + std::to_string(static_cast<long>(std::ceil(left_s))) + " s left";
  }
  rewrite(text);
}

void ProgressLine::show(const std::string& text) {
  if (terminal_) { rewrite(text); }
}

void ProgressLine::rewrite(const std::string& text) {
  const std::string blanks(columns_shown_ - std::min(columns_shown_, text.size()), ' ');
  std::fprintf(stderr, "\r%s%s", text.c_str(), blanks.c_str());
  columns_shown_ = text.size();
}

}  // namespace lockcast
