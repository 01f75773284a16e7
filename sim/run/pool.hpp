#pragma once
// Simulates points, of one scenario or of many, by a crew of workers: replications until each point has enough of them.
// What a point comes to depends on the point and the seed, never on how many workers there were, which one finished
// first, or which other points there are.

#include "sim/run/predict.hpp"

#include <functional>
#include <vector>

namespace lockcast {

struct PointTask {
  const Scenario* scenario = nullptr;  // outlives the run
  Case point;
  Messages messages = Messages::inner;
};

// Called in the process that called run_points, between two messages of its workers.
struct PoolEvents {
  std::function<void(std::size_t task, PointResult result)> finished;
  // The point is given up. If this throws, so does run_points.
  std::function<void(std::size_t task, const InputError& error)> failed;
  std::function<void(const Progress&)> progress;  // may be empty
};

// How long a point takes compared with others, before anything is known about it: simulating costs what those do who
// can run at once.
double relative_cost(const PointTask& task);

// Starts the points in the order given; `options.messages` is each task's own. False when interrupted before the end.
bool run_points(const std::vector<PointTask>& tasks, const PredictOptions& options, const PoolEvents& events);

}  // namespace lockcast
