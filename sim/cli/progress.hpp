#pragma once
// One line on stderr that rewrites itself; nothing at all when stderr is no terminal.

#include "sim/run/predict.hpp"

#include <chrono>
#include <string>

namespace lockcast {

class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(const Progress& progress);
  void show(const std::string& text);

 private:
  void rewrite(const std::string& text);

  bool terminal_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::size_t columns_shown_ = 0;
};

}  // namespace lockcast
