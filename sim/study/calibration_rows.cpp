#include "sim/study/calibration_rows.hpp"

#include "models/check.hpp"

#include <algorithm>

namespace lockcast {

namespace {

Scenario load(const std::string& path, const std::vector<std::string>& folders, const yaml::Overlays& overlays) {
  LoadOptions options;
  options.overlays = overlays;
  options.only_calibrate_rows = true;
  return load_scenario(path, {}, folders, options);
}

}  // namespace

Scenario load_unmeasured(const std::string& path, const std::vector<std::string>& folders,
                         const yaml::Overlays& overlays) {
  Scenario scenario = load(path, folders, overlays);
  scenario.measured.clear();
  return scenario;
}

std::vector<CalibrationRow> calibration_rows(const std::vector<std::string>& scenarios,
                                             const std::vector<std::string>& folders, const yaml::Overlays& overlays) {
  std::vector<CalibrationRow> rows;
  for (std::size_t i = 0; i < scenarios.size(); ++i) {
    const Scenario scenario = load(scenarios[i], folders, overlays);
    std::size_t found = 0;
    for (const Case& point : scenario.cases()) {
      const auto measured = scenario.measured.find(point);
      if (measured == scenario.measured.end()) { continue; }
      CHECK(measured->second.role == "calibrate", "a row to be forecast came to a fit");
      rows.push_back({i, scenario.series, point, measured->second.tps});
      ++found;
    }
    if (found != scenario.measured.size()) {
      throw InputError(scenarios[i] +
                       ": a measured row with role calibrate belongs to no point; expected every row of "
                       "the series to be among tables, scales, variants and clients");
    }
    if (found == 0) {
      throw InputError(scenarios[i] + ": no measured row has role calibrate; expected a scenario with some");
    }
  }
  return rows;
}

}  // namespace lockcast
