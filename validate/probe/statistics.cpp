// Order statistics and single-linkage groups on a ratio scale.

#include "validate/probe/statistics.hpp"

#include "models/check.hpp"

#include <algorithm>

namespace lockcast::probe {

namespace {

double quantile_of_sorted(const std::vector<double>& sorted, double share) {
  const double position = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (position - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace

double quantile(std::vector<double> values, double share) {
  CHECK(!values.empty() && share >= 0 && share <= 1, "a quantile of nothing, or beyond the ends");
  std::sort(values.begin(), values.end());
  return quantile_of_sorted(values, share);
}

Spread spread_of(const std::vector<double>& values) {
  if (values.empty()) { return {}; }
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  return {.median = quantile_of_sorted(sorted, 0.5),
          .low = quantile_of_sorted(sorted, 0.1),
          .high = quantile_of_sorted(sorted, 0.9),
          .least = sorted.front(),
          .most = sorted.back(),
          .samples = sorted.size()};
}

std::vector<Regime> regimes_of(const std::vector<double>& values) {
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  std::vector<Regime> regimes;
  for (std::size_t begin = 0; begin < sorted.size();) {
    std::size_t end = begin + 1;
    while (end < sorted.size() && sorted[end] <= sorted[end - 1] * regime_gap) { ++end; }
    const std::vector<double> group(sorted.begin() + static_cast<std::ptrdiff_t>(begin),
                                    sorted.begin() + static_cast<std::ptrdiff_t>(end));
    const double share = static_cast<double>(group.size()) / static_cast<double>(sorted.size());
    if (share >= regime_share_min) {
      regimes.push_back({group.front(), group.back(), quantile_of_sorted(group, 0.5), share});
    }
    begin = end;
  }
  return regimes;
}

const Regime& main_regime(const std::vector<Regime>& regimes) {
  CHECK(!regimes.empty(), "no regime");
  return *std::max_element(regimes.begin(), regimes.end(),
                           [](const Regime& a, const Regime& b) { return a.share < b.share; });
}

}  // namespace lockcast::probe
