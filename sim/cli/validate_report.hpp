#pragma once
// What validate prints: points grouped by class, the regimes of the lines, summaries, and the verdict.

#include "sim/cli/native_forecast.hpp"

#include <string>
#include <vector>

namespace lockcast {

struct ValidateReport {
  const std::vector<Scenario>& scenarios;
  const NativeHost& host;
  const Machine& machine;
  std::vector<std::string> notes;
  const NativeSession& session;
  const NativeForecast& forecast;
  const Judgement& judgement;
  double tolerance = 0;
  std::uint64_t seed = 1;
};

std::string validate_table(const ValidateReport& report, bool colour);
std::string validate_csv(const ValidateReport& report);
std::string validate_json(const ValidateReport& report);

}  // namespace lockcast
