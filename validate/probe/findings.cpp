// Filtering before averaging.

#include "validate/probe/findings.hpp"

#include <algorithm>

namespace lockcast::probe {

namespace {

// With fewer quiet ones than this, disturbed ones are better than none.
constexpr std::size_t quiet_observations_min = 3;

}  // namespace

void Findings::add(Quantity quantity, Distance distance, const Observation& observation) {
  if (std::isfinite(observation.value)) { observations_[{quantity, distance}].push_back(observation); }
}

bool Findings::has(Quantity quantity, Distance distance) const { return observations_.contains({quantity, distance}); }

const std::vector<Observation>& Findings::observations(Quantity quantity, Distance distance) const {
  static const std::vector<Observation> none;
  const auto found = observations_.find({quantity, distance});
  return found == observations_.end() ? none : found->second;
}

std::vector<Regime> Findings::regimes(Distance distance) const {
  std::vector<double> values;
  for (const Observation& seen : observations(Quantity::ping_pong, distance)) { values.push_back(seen.value); }
  return regimes_of(values);
}

Conclusion Findings::conclude(Quantity quantity, Distance distance) const {
  const std::vector<Observation>& all = observations(quantity, distance);
  const std::vector<Regime> line_regimes = regimes(distance);
  std::vector<double> quiet;
  std::vector<double> any;
  for (const Observation& seen : all) {
    const double line_ns = quantity == Quantity::ping_pong ? seen.value : seen.line_ns;
    const bool other_regime = entry_of(quantity).by_line && !line_regimes.empty() && line_ns > 0 &&
                              !belongs(main_regime(line_regimes), line_ns);
    if (other_regime) { continue; }
    any.push_back(seen.value);
    if (seen.quiet) { quiet.push_back(seen.value); }
  }
  Conclusion conclusion;
  conclusion.quiet = quiet.size() >= std::min(quiet_observations_min, any.size());
  const std::vector<double>& taken = conclusion.quiet ? quiet : any;
  conclusion.spread = spread_of(taken);
  conclusion.left_out = all.size() - taken.size();
  return conclusion;
}

}  // namespace lockcast::probe
