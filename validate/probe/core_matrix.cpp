// A pair at a time, so that no pair disturbs another.

#include "validate/probe/core_matrix.hpp"

#include "validate/ping_pong.hpp"
#include "validate/probe/placement.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace lockcast::probe {

std::string csv(const CoreMatrix& matrix) {
  std::string text;
  for (std::size_t row = 0; row < matrix.size(); ++row) {
    for (std::size_t column = 0; column < matrix.size(); ++column) {
      if (column > 0) { text += ','; }
      const double ns = matrix.at(row, column);
      if (std::isnan(ns)) { continue; }
      std::array<char, 32> buffer{};
      std::snprintf(buffer.data(), buffer.size(), "%.2f", ns);
      text += buffer.data();
    }
    text += '\n';
  }
  return text;
}

CoreMatrix measure_matrix(std::vector<int> cpus, const MatrixOptions& options,
                          const std::function<void(double share)>& report) {
  std::sort(cpus.begin(), cpus.end());
  CoreMatrix matrix(cpus.size());
  const std::vector<Pair> pairs = matrix_pairs(cpus.size(), options.pairs_max);
  using std::chrono::microseconds;
  const microseconds share = std::chrono::duration_cast<microseconds>(options.budget) /
                             static_cast<std::int64_t>(std::max<std::size_t>(pairs.size(), 1));
  const microseconds guard = std::clamp(share, microseconds{100}, microseconds{2000});
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    report(static_cast<double>(i) / static_cast<double>(pairs.size()));
    matrix.set(pairs[i].a, pairs[i].b, measure_transfer(cpus[pairs[i].a], cpus[pairs[i].b], guard).median_ns);
  }
  return matrix;
}

}  // namespace lockcast::probe
