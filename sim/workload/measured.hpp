#pragma once
// Published measurements: a CSV of points, of which a scenario attaches one series.

#include "sim/workload/scenario.hpp"

#include <map>
#include <string>

namespace lockcast {

struct MeasuredSource {
  std::string path;
  std::string series;
  std::string machine;
  std::string workload;
  std::vector<std::string> without;  // variants of the table that the scenario leaves out
  bool only_calibrate_rows = false;  // rows to forecast are passed over before their numbers are read
  yaml::Mark mark;                   // where the scenario names the file
};

// The rows of one series, machine and workload.
std::map<Case, MeasuredPoint> read_measured(const MeasuredSource& source);

}  // namespace lockcast
