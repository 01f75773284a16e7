// One scenario's points through the pool, and the first failure ends them all.

#include "sim/run/predict.hpp"

#include "sim/run/pool.hpp"

#include <optional>

namespace lockcast {

Prediction predict(const Scenario& scenario, const std::vector<Case>& points, const PredictOptions& options,
                   const std::function<void(const Progress&)>& progress) {
  std::vector<PointTask> tasks;
  for (const Case& point : points) { tasks.push_back({&scenario, point, options.messages}); }
  std::vector<std::optional<PointResult>> results(points.size());
  PoolEvents events;
  events.finished = [&](std::size_t task, PointResult result) { results[task] = std::move(result); };
  events.failed = [](std::size_t, const InputError& error) { throw error; };
  events.progress = progress;
  Prediction prediction;
  prediction.interrupted = !run_points(tasks, options, events);
  for (std::optional<PointResult>& result : results) {
    if (result) { prediction.points.push_back(std::move(*result)); }
  }
  return prediction;
}

}  // namespace lockcast
