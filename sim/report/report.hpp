#pragma once
// What a run says, in three forms: a table for people, CSV for spreadsheets, JSON for programs. All three are functions
// of the report alone - no clock, no host, no locale - so the same command gives the same bytes.

#include "sim/run/network_choice.hpp"
#include "sim/run/predict.hpp"

#include <string>
#include <vector>

namespace lockcast {

struct Report {
  const Scenario& scenario;
  const PredictOptions& options;
  const NetworkChoice& network;
  const std::vector<Assignment>& sets;
  const Prediction& prediction;
  std::vector<std::string> free;  // what costs nothing
};

std::string as_table(const Report& report, bool colour);
std::string as_csv(const Report& report);
std::string as_json(const Report& report, std::string_view version);

// Which of the two kinds of messages was simulated, and why.
std::string describe(const NetworkChoice& choice);
// Which kernel served the events.
std::string describe(KernelKind kernel);

}  // namespace lockcast
