#pragma once
// Who gets a contended line next. Requests wait in order of (arrival, sequence); with probability `near_bias` the one
// nearest to the current owner is served instead of the oldest (test-and-set locks favour neighbours: Radovic &
// Hagersten, HPCA 2003).
// 0 is first come, first served. It moves throughput by tens of percent, so it is a machine parameter, never an
// accident of the event order.

#include "models/rng.hpp"
#include "models/topology.hpp"

#include <cstdint>

namespace lockcast {

// `next_of(r)` walks the waiting requests in order from `first`, ending with `end`; `core_of(r)` is the requester's
// core.
template <class Request, class NextOf, class CoreOf>
constexpr Request arbitrate(Request first, Request end, CoreId owner, const Topology& topology, double near_bias,
                            Rng& rng, NextOf next_of, CoreOf core_of) {
  if (near_bias <= 0 || rng.uniform() >= near_bias) { return first; }
  Request best = first;
  Distance best_distance = topology.distance(owner, core_of(first));
  for (Request request = next_of(first); request != end; request = next_of(request)) {
    const Distance distance = topology.distance(owner, core_of(request));
    if (distance < best_distance) {
      best = request;
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace lockcast
