#pragma once
// A study file of a calibration: which scenarios' calibrate rows count, which parameters of which hand-written files
// are free. A file is fitted once for all scenarios that read it, so there is one set per machine and one PostgreSQL
// for all machines; files that are copies of one thing (a machine under two names, a rig in several scenarios) share a
// parameter when they are named together. What a variant, a kind of tables or a scale changes is nobody else's and
// cannot be free.

#include "models/units.hpp"
#include "sim/yaml/free_parameter.hpp"
#include "sim/yaml/keys.hpp"
#include "sim/yaml/overlay.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace lockcast {

inline constexpr std::size_t free_parameters_max = 24;

// What a study file may say.
extern const yaml::KeyTable calibration_table;

// A free parameter, with its prior: the hand-written value and interval.
struct FreeEntry {
  std::vector<std::size_t> files;  // indexes of CalibrationStudy::files; all get the same value
  std::string path;
  yaml::FreeParameter prior;
  std::vector<double> grid;  // for what only a cliff sees: tried one by one instead of by derivatives
  yaml::Mark mark;

  [[nodiscard]] double half_width() const { return (prior.interval.high - prior.interval.low) / 2; }
};

// How long each point is simulated.
struct CalibrationWindow {
  std::uint32_t replications = 2;
  Picos warmup{};
  Picos measure{};
};

struct CalibrationStudy {
  std::string name;
  std::string question;
  std::vector<std::string> scenarios;  // paths
  std::vector<std::string> files;      // paths of what is fitted
  std::vector<FreeEntry> free;
  double error_scale = 0;  // a forecast off by this share weighs as much as a parameter half an interval off its prior
  double null_share = 0;   // directions with a singular value below this share of the largest are not identified
  int iterations = 0;
  CalibrationWindow fit;
  CalibrationWindow check;

  // "opteron-6128-32: cpu.work_scale"
  [[nodiscard]] std::string name_of(std::size_t parameter) const;
};

// Reads the files it names too, without any overlay: priors are what people wrote.
CalibrationStudy read_calibration_study(const yaml::Node& document);

}  // namespace lockcast
