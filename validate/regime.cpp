#include "validate/regime.hpp"

#include <cmath>

namespace lockcast {

namespace {

constexpr double step = 1.06;

void scale(Duration& cost, double factor) {
  const auto scaled = [factor](Picos value) {
    return Picos{std::llround(static_cast<double>(value.count()) * factor)};
  };
  cost.value = scaled(cost.value);
  cost.interval = {scaled(cost.interval.low), scaled(cost.interval.high)};
  cost.range = {scaled(cost.range.low), scaled(cost.range.high)};
}

}  // namespace

void scale_lines(Machine& machine, double factor) {
  CoherenceChoice& coherence = machine.coherence;
  CoherenceParameters& costs = coherence.parameters;
  for (auto* by_distance : {&costs.transfer, &costs.write_extra, &costs.invalidate}) {
    for (Duration& cost : *by_distance) { scale(cost, factor); }
  }
  for (Duration* cost : {&costs.atomic_extra, &coherence.third_leg, &coherence.home_occupancy, &coherence.ping_pong}) {
    scale(*cost, factor);
  }
}

double nearest_step(double factor) { return std::pow(step, std::round(std::log(factor) / std::log(step))); }

}  // namespace lockcast
