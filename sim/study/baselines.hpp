#pragma once
// What two forecasters who know nothing of locks would have said, from the same measurements.
//
// keep-last: a point is as the measured one at the next smaller client count of its own curve. It needs a measurement
// of the very variant it forecasts: more than Lockcast is given for a row of role predict.
//
// USL: for rows of role calibrate the law fitted to exactly those rows of their curve (in-sample: three numbers for
// each curve). For rows of role predict the fitted curve of the table's baseline variant, the first in table order that
// has one: it is not told of the change, as Lockcast is not told of its measurement.

#include "sim/study/forecast_row.hpp"

#include <optional>
#include <vector>

namespace lockcast {

struct BaselineForecast {
  std::optional<double> keep_last;
  std::optional<double> usl;
};

// One for each row, in their order; empty where a forecaster has nothing to go by, or nothing was measured.
std::vector<BaselineForecast> baseline_forecasts(const std::vector<ForecastRow>& rows);

}  // namespace lockcast
