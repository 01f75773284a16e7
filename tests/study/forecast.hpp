#pragma once
// Hand-made rows whose figures can be worked out in the head.

#include "sim/study/forecast_row.hpp"

namespace lockcast {

// Measured when `measured` is above zero.
inline ForecastRow forecast(const std::string& variant, std::uint32_t clients, double tps, double measured,
                            const std::string& role = "predict") {
  ForecastRow row;
  row.series = "s";
  row.scenario = "scenario";
  row.machine = "m";
  row.workload = "tpcb";
  row.tables = "permanent";
  row.scale = 100;
  row.variant = variant;
  row.clients = clients;
  row.cores = 32;
  row.tps = row.tps_low = row.tps_high = tps;
  if (measured > 0) { row.measured = MeasuredTps{measured, {}, {}, role}; }
  row.regime = "linear";
  return row;
}

}  // namespace lockcast
