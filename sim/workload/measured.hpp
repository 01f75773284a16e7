#pragma once
// Published measurements: a CSV of points, of which a scenario attaches one series.

#include "sim/workload/scenario.hpp"

#include <map>
#include <string>

namespace lockcast {

// Rows of `series` for this machine and workload. `mark` is where the scenario names the file.
std::map<Case, MeasuredPoint> read_measured(const std::string& path, const std::string& series,
                                            const std::string& machine, const std::string& workload,
                                            const yaml::Mark& mark);

}  // namespace lockcast
