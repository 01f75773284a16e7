// Overlays as files: written by nobody else, read by sim/yaml/overlay.

#include "sim/study/calibrate.hpp"
#include "sim/yaml/overlay.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>

namespace lockcast {

namespace {

std::string in_percent(double share) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%d %%", static_cast<int>(share * 100 + 0.5));
  return buffer;
}

std::string data_of(const std::vector<CalibrationRow>& rows, const Calibration& calibration, std::uint64_t seed) {
  std::string series;
  std::vector<std::string> named;
  for (const CalibrationRow& row : rows) {
    if (std::find(named.begin(), named.end(), row.series) != named.end()) { continue; }
    named.push_back(row.series);
    series.append(series.empty() ? "" : ", ").append(row.series);
  }
  return std::to_string(rows.size()) + " calibrate rows of " + series + ": mean error " +
         in_percent(mean_error(rows, calibration.before)) + " before, " +
         in_percent(mean_error(rows, calibration.after)) + " after; seed " + std::to_string(seed);
}

}  // namespace

std::vector<OverlayFile> overlay_files(const CalibrationStudy& study, const std::vector<CalibrationRow>& rows,
                                       const Calibration& calibration, const std::string& date, std::uint64_t seed) {
  std::vector<OverlayFile> files;
  for (std::size_t f = 0; f < study.files.size(); ++f) {
    std::string parameters;
    for (std::size_t i = 0; i < study.free.size(); ++i) {
      const FreeEntry& entry = study.free[i];
      const FittedParameter& fitted = calibration.parameters[i];
      const bool has = std::find(entry.files.begin(), entry.files.end(), f) != entry.files.end();
      if (!has || fitted.fate == Fate::held) { continue; }
      const auto print = [&](double value) { return yaml::print_free_value(value, entry.prior.quantity); };
      parameters += "  " + entry.path + ": {value: " + print(fitted.value) + ", interval: [" +
                    print(fitted.interval.low) + ", " + print(fitted.interval.high) +
                    "], prior: " + print(entry.prior.value) + "}\n";
    }
    OverlayFile& file = files.emplace_back();
    file.path = yaml::overlay_path(study.files[f]);
    if (parameters.empty()) { continue; }
    file.text = "# Written by 'lockcast calibrate', to be laid over the file beside it; see machines/README.md.\n";
    file.text += "schema: " + std::string(yaml::overlay_schema) + "\n";
    file.text += "of: " + std::filesystem::path(study.files[f]).stem().string() + "\n";
    file.text += "study: " + study.name + "\ndate: " + date + "\n";
    file.text += "data: \"" + data_of(rows, calibration, seed) + "\"\nparameters:\n" + parameters;
  }
  return files;
}

}  // namespace lockcast
