#pragma once
// How waits and holds of locks are distributed, by group of locks. Collected only when somebody asks for quantiles.

#include "sim/memory/latency.hpp"

#include <vector>

namespace lockcast {

struct LockProfile {
  std::vector<LatencyHistogram> wait;
  std::vector<LatencyHistogram> hold;

  void reset() {
    for (LatencyHistogram& histogram : wait) { histogram.reset(); }
    for (LatencyHistogram& histogram : hold) { histogram.reset(); }
  }
};

}  // namespace lockcast
