#pragma once
// Two sets of forecasts point by point: what changed, whether it is more than chance, and where the time went.
//
// Where both sides keep their replications (result files) and used the same seed, each replication of one has its
// counterpart with the same random numbers in the other, and the interval is that of the paired differences. Otherwise
// it comes from both sides' own 95 % intervals, as if they were independent.

#include "sim/study/forecast_row.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lockcast {

// One side of a comparison.
struct ResultRow {
  ForecastRow row;
  std::optional<std::uint64_t> seed;    // of the configuration
  std::vector<double> replication_tps;  // empty: not kept
};

// The result file of a sweep or the CSV of simulate or sweep, every point once.
std::vector<ResultRow> read_results(const std::string& path);

struct PointDifference {
  ResultRow a;
  ResultRow b;
  double change = 0;  // tps of b / a - 1
  double low = 0;     // its 95 % interval
  double high = 0;
  bool is_paired = false;

  [[nodiscard]] bool is_significant() const { return low > 0 || high < 0; }
};

struct Comparison {
  std::vector<PointDifference> points;  // in the order of a
  std::size_t only_in_a = 0;
  std::size_t only_in_b = 0;
  bool across_machines = false;  // points have no machine in common and were matched without it
};

// Throws InputError where no point is in both.
Comparison compare_results(const std::vector<ResultRow>& a, const std::vector<ResultRow>& b);

PointDifference difference_of(const ResultRow& a, const ResultRow& b);

}  // namespace lockcast
