// Sorted once; sums run in sorted order, so that the order of points does not touch the last bit of a mean.

#include "sim/study/statistics.hpp"

namespace lockcast {

ErrorStatistics statistics_of(std::vector<double> errors) {
  ErrorStatistics out;
  out.points = errors.size();
  if (errors.empty()) { return out; }
  std::sort(errors.begin(), errors.end());
  const std::size_t half = errors.size() / 2;
  out.median = errors.size() % 2 == 1 ? errors[half] : (errors[half - 1] + errors[half]) / 2;
  double sum = 0;
  for (const double error : errors) { sum += error; }
  out.mean = sum / static_cast<double>(errors.size());
  out.p90 = errors[(9 * errors.size() + 9) / 10 - 1];
  return out;
}

SplitErrors ErrorBag::split() const {
  std::vector<double> all = below_;
  all.insert(all.end(), above_.begin(), above_.end());
  return {statistics_of(std::move(all)), statistics_of(below_), statistics_of(above_)};
}

}  // namespace lockcast
