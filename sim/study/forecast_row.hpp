#pragma once
// One forecast of one point, beside what was measured there: the tidy CSV's columns as a value. It is what a result
// store keeps of a point in columns and what a score is made of. Plain data, so that whoever works on it needs neither
// a scenario nor a simulation.

#include "sim/os/task.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lockcast {

struct MeasuredTps {
  double tps = 0;
  std::optional<double> low;  // of repeated runs
  std::optional<double> high;
  std::string role;  // calibrate | predict

  friend bool operator==(const MeasuredTps&, const MeasuredTps&) = default;
};

struct LockWait {
  std::string name;
  double us_per_tx = 0;

  friend bool operator==(const LockWait&, const LockWait&) = default;
};

struct ForecastRow {
  std::string series;  // of the published table; empty: none
  std::string scenario;
  std::string machine;
  std::string settings;  // of a sweep's axes: "machine.cpu.poll=4 ns; cores=8"; empty: none
  std::string workload;
  std::string tables;      // empty: the scenario does not tell kinds of tables apart
  std::int64_t scale = 0;  // 0: the scenario has no scales
  std::string variant;     // empty: the scenario has no variants
  std::uint32_t clients = 0;
  std::uint32_t cores = 0;
  double tps = 0;
  double tps_low = 0;  // 95 % interval between replications
  double tps_high = 0;
  std::optional<MeasuredTps> measured;
  std::string regime;  // one of regime_names (sim/run/point.hpp)
  double cpu_idle = 0;
  std::string limit;  // what limits this point, in words
  double latency_us = 0;
  std::array<double, category_count> spent_us{};  // of one transaction by Category; sums to latency_us
  std::vector<LockWait> lock_waits;               // every lock group, in the order of the workload

  // Relative: tps / measured - 1.
  [[nodiscard]] std::optional<double> error() const {
    return measured ? std::optional(tps / measured->tps - 1) : std::nullopt;
  }

  friend bool operator==(const ForecastRow&, const ForecastRow&) = default;
};

}  // namespace lockcast
