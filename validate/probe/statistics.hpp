#pragma once
// What repeats of a measurement say: middle, spread, and whether they fall into separate regimes. Pure functions.
// On a virtual machine the same two CPUs may be near each other now and far apart a second later; a median over both
// describes neither, so values are grouped before anything is averaged.

#include <cstddef>
#include <vector>

namespace lockcast::probe {

// Interpolated between neighbours; 0 is the least, 0.5 the median, 1 the most. Precondition: not empty.
double quantile(std::vector<double> values, double share);
inline double median(std::vector<double> values) { return quantile(std::move(values), 0.5); }

struct Spread {
  double median = 0;
  double low = 0;   // 10 % are below
  double high = 0;  // 10 % are above
  double least = 0;
  double most = 0;
  std::size_t samples = 0;  // 0: the others say nothing
};
Spread spread_of(const std::vector<double>& values);

// A group of values between two gaps.
struct Regime {
  double low = 0;
  double high = 0;
  double median = 0;
  double share = 0;  // of all values
};
// Two neighbours of the sorted values belong to different regimes when one is this much larger: addresses within one
// cache differ by less, near and far caches by more.
inline constexpr double regime_gap = 1.6;
// Fewer than this share of the values is an outlier, not a regime; it is left out of the list.
inline constexpr double regime_share_min = 0.03;

// From near to far.
std::vector<Regime> regimes_of(const std::vector<double>& values);
// The most frequent; of equals the nearest. Precondition: not empty.
const Regime& main_regime(const std::vector<Regime>& regimes);
inline bool belongs(const Regime& regime, double value) { return value >= regime.low && value <= regime.high; }

}  // namespace lockcast::probe
