#pragma once
// Forecasts of the calibrate rows under many values of the free parameters at once, through one pool of workers. A
// point is named by all it follows from (sim/study/identity), so what a parameter does not touch is not simulated
// again, and neither is what a journal holds. All values see the same random numbers. What comes out depends on values
// and seed alone.

#include "sim/run/pool.hpp"
#include "sim/study/calibration_rows.hpp"
#include "sim/study/calibration_study.hpp"
#include "sim/study/journal.hpp"

#include <functional>
#include <string>
#include <vector>

namespace lockcast {

struct CalibrationOptions {
  std::vector<std::string> folders;  // of data
  std::string program;               // the version of whatever simulates
  std::uint64_t seed = 1;
  std::uint32_t jobs = 1;
  bool beside = true;  // overlays of files that are not fitted here are loaded
  std::function<void(const Progress&)> progress;
};

// The value of each free parameter.
using FreeValues = std::vector<double>;

// One row after the other; empty when a point failed.
struct Forecasts {
  std::vector<double> tps;
  std::string failure;
};

class CalibrationRuns {
 public:
  CalibrationRuns(const CalibrationStudy& study, const std::vector<CalibrationRow>& rows,
                  const CalibrationOptions& options, Journal& journal);

  // Throws InputError of code interrupted when somebody ended it.
  std::vector<Forecasts> run(const std::vector<FreeValues>& candidates, const CalibrationWindow& window,
                             std::uint64_t seed);

  // Does any row's forecast follow from this parameter?
  [[nodiscard]] bool depends_on(std::size_t parameter, const FreeValues& values) const;

  // What is expected still, for the time left: candidates with short windows, and with those of the check.
  void expect(std::size_t fits, std::size_t checks);

 private:
  struct Loaded;
  [[nodiscard]] Loaded load(std::size_t scenario, const FreeValues& values) const;
  [[nodiscard]] bool reads(std::size_t scenario, const FreeEntry& entry) const;
  [[nodiscard]] FreeValues read_by(std::size_t scenario, const FreeValues& values) const;
  [[nodiscard]] std::string described(const FreeValues& values) const;
  void report(const Progress& batch, double scale) const;
  [[nodiscard]] double cost_of(const CalibrationWindow& window) const;

  const CalibrationStudy& study_;
  const std::vector<CalibrationRow>& rows_;
  const CalibrationOptions& options_;
  Journal& journal_;
  std::vector<std::vector<bool>> reads_file_;  // by scenario and file
  double cost_of_rows_ = 0;
  std::size_t points_done_ = 0;
  double cost_done_ = 0;
  double cost_expected_ = 0;
};

// The study's files with these values instead of their own, as a loader takes it.
yaml::Overlays overlays_of(const CalibrationStudy& study, const FreeValues& values, bool beside);

}  // namespace lockcast
