#pragma once
// Many points, kept as they finish: which there are, which of them a result file already holds, and the rest simulated.
// What is in the file afterwards depends on the points alone: not on the number of workers, and not on how often
// somebody ended the program before.

#include "sim/run/pool.hpp"
#include "sim/study/identity.hpp"
#include "sim/study/store.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace lockcast {

struct SweepPoint {
  PointTask task;
  Identity identity;
  std::string settings = {};  // of the sweep's axes
};

// All points of a scenario. `scenario` must outlive them.
std::vector<SweepPoint> points_of(const Scenario& scenario, Messages messages, const PredictOptions& options,
                                  const std::string& program, const std::string& settings = {});

// A point that the file holds with a result of something else.
struct Outdated {
  std::size_t point = 0;
  std::vector<std::string> differences;  // keys of the configuration
};

// Numbers are indexes of points.
struct SweepPlan {
  std::vector<std::size_t> finished;
  std::vector<std::size_t> to_run;  // dearest first, so that the last ones are short and all workers end together
  std::vector<Outdated> outdated;   // among to_run
};

// What is stored at the place of a point; none: nothing.
using StoredAt = std::function<std::optional<StoredPoint>(const SweepPoint&)>;
StoredAt stored_in(const Store& store);

SweepPlan plan(const std::vector<SweepPoint>& points, const StoredAt& stored);
SweepPlan plan(const std::vector<SweepPoint>& points, const std::vector<StoredPoint>& stored);

// How results become text: this folder knows no report.
struct ResultText {
  std::function<std::string(const PointResult&)> make;
  std::function<std::string(const std::string& text, const std::optional<MeasuredPoint>&)> measured_again;
};

// Stored forecasts whose scenarios bring other measurements than before get the new ones. How many that were.
std::size_t refresh_measurements(const std::vector<SweepPoint>& points, const ResultText& text, Store& store);

struct SweepFailure {
  std::size_t point = 0;
  std::string message;
  ExitCode code = ExitCode::internal;
};

struct SweepOutcome {
  std::vector<SweepFailure> failures;  // in the order of the points
  bool interrupted = false;
};

// Simulates plan.to_run. A point that fails leaves no row, and the others go on.
SweepOutcome run_sweep(const std::vector<SweepPoint>& points, const SweepPlan& plan, const PredictOptions& options,
                       const ResultText& text, Store& store, const std::function<void(const Progress&)>& progress);

ForecastRow forecast_row(const Scenario& scenario, const PointResult& result, const std::string& settings = {});

}  // namespace lockcast
