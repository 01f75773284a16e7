#pragma once
// Whether a forecast tells what a change does, whatever the level: variants of one cell (a table at one client count)
// against the cell's baseline, the first in table order that was measured there. A gain is tps over the baseline's.

#include "sim/study/forecast_row.hpp"
#include "sim/study/statistics.hpp"
#include "sim/study/tables.hpp"

#include <optional>
#include <string>
#include <vector>

namespace lockcast {

struct Gain {
  const ForecastRow* row = nullptr;
  const ForecastRow* baseline = nullptr;
  double predicted = 0;
  double measured = 0;
  [[nodiscard]] double error() const { return predicted / measured - 1; }
};

// Thresholds on measured changes; below the smallest, repeated runs of one table differ as much.
inline constexpr double gain_large = 0.10;
inline constexpr double gain_small = 0.03;
inline constexpr double order_gap = 0.05;      // variants of a cell that differ by less have no order
inline constexpr double no_effect_max = 0.05;  // of a forecast, where nothing was measured to happen

struct GainScore {
  std::string name;
  SplitErrors lockcast;   // |predicted gain / measured gain - 1|
  SplitErrors unchanged;  // of the naive forecast that nothing changes
  Share sign_large;       // right direction where the measured gain is above 10 %
  Share sign_small;       // above 3 %
  Share order;            // pairs of a cell's variants in the right order
  Share no_effect;        // where the measured gain is below 3 %, forecast within 5 %
};

// Two changes at once over the product of each alone: 1 when they do not touch each other, above when one makes room
// for the other, below when they mend the same thing.
struct Interaction {
  const ForecastRow* together = nullptr;
  const ForecastRow* baseline = nullptr;
  std::string first;
  std::string second;
  double predicted = 0;
  std::optional<double> measured;  // when all four were
};

// Measured rows of a cell but the baseline's.
std::vector<Gain> gains_of(const Rows& cell);
GainScore score_gains(const std::string& name, const std::vector<Rows>& cells);
std::vector<Interaction> interactions_of(const Rows& cell);

// The row others are compared with: the first in table order among those measured, or among all when none is.
const ForecastRow* baseline_of(const Rows& cell);

}  // namespace lockcast
