#pragma once
// The home agent: the directory slice or memory controller that every miss on a line passes. It handles one message at
// a time, and one number - its occupancy per message - gives three effects that were separate constants before:
//  - a storm on one line slows every other line of the same home, because messages queue;
//  - conflict cost: each further requester of a line being transferred is answered "retry", which costs one message, so
//    a transfer takes one occupancy longer per waiting requester;
//  - ownership window: after the next request starts, the owner keeps hitting until the probe reaches it. The agent
//    spends one occupancy on the request before the probe leaves, and request and probe each meet it at a random phase
//    of other work:
//    one occupancy plus a draw from [0, 4) occupancies. A fixed window would be a knife edge: all runs collapse or none
//    does. A home that waits to be told that a transfer has ended adds the way of that message and of the probe
//    (`directory_pass` of a machine, in sim/memory).

#include "models/rng.hpp"
#include "models/units.hpp"

#include <algorithm>

namespace lockcast {

struct HomeService {
  Picos start{0};      // the home begins with the request
  Picos retries{0};    // added to the transfer for conflicting requesters
  Picos home_free{0};  // when the home can begin with another message
};

constexpr HomeService serve_at_home(Picos now, Picos home_free, Picos occupancy, std::int64_t waiting) {
  HomeService service;
  service.start = std::max(now, home_free);
  service.retries = occupancy * waiting;
  service.home_free = service.start + occupancy + service.retries;
  return service;
}

constexpr Picos ownership_window(Picos occupancy, Rng& rng) { return occupancy + rng.uniform_around(2 * occupancy); }

}  // namespace lockcast
