#pragma once
// A rig's way to its remote client: a link, whose latency and bandwidth the outer world gives, and a narrow server -
// one interrupt handler and driver that every packet passes - with random service. With a constant service time the
// server paces the backends perfectly, never more of them run than there are cores, and there is no cliff at all.
// The client's own thinking is part of the link's round trip.

#include "models/rng.hpp"
#include "models/units.hpp"
#include "sim/workload/scenario.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace lockcast {

class NetworkPath {
 public:
  NetworkPath(const NetworkModel& model, std::uint64_t seed)
      : spread_(model.spread),
        mean_(model.service.value),
        free_at_(static_cast<std::size_t>(model.width.value)),
        random_(stream(seed, 0, Purpose::network)) {}

  // A request that reaches the server at `arrival` (never earlier than the one before) leaves it when?
  Picos pass(Picos arrival) {
    auto free = std::min_element(free_at_.begin(), free_at_.end());
    const Picos service = drawn();
    *free = std::max(arrival, *free) + service;
    busy_ += service;
    return *free;
  }

  [[nodiscard]] Picos busy() const { return busy_; }
  [[nodiscard]] std::size_t width() const { return free_at_.size(); }
  void reset_counters() { busy_ = Picos{0}; }

 private:
  Picos drawn() {
    switch (spread_) {
      case Spread::constant: break;
      case Spread::uniform: return random_.uniform_around(mean_);
      case Spread::exponential: return random_.exponential(mean_);
    }
    return mean_;
  }

  Spread spread_;
  Picos mean_;
  std::vector<Picos> free_at_;
  Rng random_;
  Picos busy_{0};
};

}  // namespace lockcast
