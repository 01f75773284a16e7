#pragma once
// Forecasts a list of points: replications in worker processes, more of them where they disagree. The result depends on
// the points and the seed, never on how many workers there were or which one finished first.

#include "sim/run/point.hpp"

#include <functional>
#include <vector>

namespace lockcast {

class Crew;

struct PredictOptions {
  std::uint64_t seed = 1;
  std::uint32_t jobs = 1;
  Crew* crew = nullptr;  // none: `jobs` processes of this host
  double precision = 0;  // relative half width of the 95 % interval to reach; 0: the minimum is enough
  Picos warmup{100ms};
  Picos measured{1s};
  Messages messages = Messages::inner;
  KernelKind kernel = KernelKind::inner;
  bool profile = false;
  std::optional<TraceWindow> trace = {};  // of each point's first replication
  std::uint32_t replications_min = 4;
  std::uint32_t replications_disagreeing = 8;
  std::uint32_t replications_max = 32;
};

// What the parent knows whenever a replication is finished.
struct Progress {
  std::size_t points_done = 0;
  std::size_t points_failed = 0;
  std::size_t points = 0;
  std::size_t replications_done = 0;
  std::size_t replications_planned = 0;
  double cost_done = 0;  // of the replications, in proportion to the time they take
  double cost_planned = 0;
};

struct Prediction {
  std::vector<PointResult> points;  // in the order asked for; only finished ones
  bool interrupted = false;
};

Prediction predict(const Scenario& scenario, const std::vector<Case>& points, const PredictOptions& options,
                   const std::function<void(const Progress&)>& progress);

// Asks a running predict to stop as soon as it can; safe in a signal handler.
void interrupt_prediction();

}  // namespace lockcast
