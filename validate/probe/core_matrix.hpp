#pragma once
// How long a line takes between any two CPUs, as CSV in the format of the tool core-to-core-latency: no heading, a row
// and a column for each CPU in the order of their numbers, nanoseconds one way below the diagonal, nothing elsewhere.
// Its readers mirror the lower half.

#include <chrono>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace lockcast::probe {

class CoreMatrix {
 public:
  explicit CoreMatrix(std::size_t size) : size_(size), ns_(size * size, std::numeric_limits<double>::quiet_NaN()) {}

  [[nodiscard]] std::size_t size() const { return size_; }
  void set(std::size_t row, std::size_t column, double nanoseconds) { ns_[row * size_ + column] = nanoseconds; }
  [[nodiscard]] double at(std::size_t row, std::size_t column) const { return ns_[row * size_ + column]; }

 private:
  std::size_t size_;
  std::vector<double> ns_;
};

std::string csv(const CoreMatrix& matrix);

struct MatrixOptions {
  // In all; shared by the pairs, of which each gets from 0.1 to 2 ms.
  std::chrono::seconds budget{20};
  std::size_t pairs_max = 40'000;  // of more, so many are sampled and the others stay empty
};
CoreMatrix measure_matrix(std::vector<int> cpus, const MatrixOptions& options,
                          const std::function<void(double share)>& report);

}  // namespace lockcast::probe
