#pragma once
// Simulates what was visited, each visit at the line latency that its guards measured, and judges.

#include "sim/cli/native_session.hpp"
#include "sim/run/predict.hpp"
#include "validate/judgement.hpp"

#include <optional>
#include <vector>

namespace lockcast {

struct NativeForecastOptions {
  std::uint64_t seed = 1;
  std::uint32_t jobs = 1;
  bool brief = false;
};

// By the points of the session, in their order.
struct NativeForecast {
  std::vector<JudgedPoint> points;
  bool interrupted = false;
};

NativeForecast forecast_session(const std::vector<Scenario>& scenarios, const Machine& machine,
                                const NativeSession& session, const NativeHost& host,
                                const NativeForecastOptions& options,
                                const std::function<void(const Progress&)>& progress);

}  // namespace lockcast
