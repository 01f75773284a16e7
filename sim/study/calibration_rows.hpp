#pragma once
// What a fit may see of the measurements, and the only way for it to see them. Scenarios come from here with rows of
// role calibrate taken out of them and nothing measured left in them: a row to be forecast is not even read (see
// LoadOptions::only_calibrate_rows), and a row has no role that anybody could mistake.

#include "sim/workload/scenario.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace lockcast {

struct CalibrationRow {
  std::size_t scenario = 0;  // index
  std::string series;
  Case point;
  double tps = 0;
};

// Reads a scenario for a fit; its `measured` is empty.
Scenario load_unmeasured(const std::string& path, const std::vector<std::string>& folders,
                         const yaml::Overlays& overlays);

// The calibrate rows of these scenario files, in the order of the scenarios and their points. A scenario without any is
// an InputError.
std::vector<CalibrationRow> calibration_rows(const std::vector<std::string>& scenarios,
                                             const std::vector<std::string>& folders, const yaml::Overlays& overlays);

}  // namespace lockcast
