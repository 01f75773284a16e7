// Filtering before averaging.

#include "validate/probe/findings.hpp"

#include "validate/probe/disturbance.hpp"

#include <algorithm>

namespace lockcast::probe {

namespace {

// With fewer undisturbed ones than this, slightly disturbed ones are better than none.
constexpr std::size_t observations_min = 3;

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
  std::vector<Observation> taken;
  for (const Observation& seen : all) {
    const bool other_regime = entry_of(quantity).by_line && !line_regimes.empty() && seen.line_ns > 0 &&
                              !belongs(main_regime(line_regimes), seen.line_ns);
    if (!other_regime) { taken.push_back(seen); }
  }
  std::ranges::stable_sort(taken, {}, &Observation::lost_share);
  const auto quiet = static_cast<std::size_t>(
      std::ranges::count_if(taken, [](const Observation& seen) { return seen.lost_share <= lost_share_max; }));
  Conclusion conclusion;
  conclusion.quiet = quiet >= std::min(observations_min, taken.size());
  taken.resize(conclusion.quiet ? quiet : std::min(taken.size(), std::max(observations_min, taken.size() / 3)));
  std::vector<double> values;
  for (const Observation& seen : taken) { values.push_back(seen.value); }
  conclusion.spread = spread_of(values);
  conclusion.left_out = all.size() - taken.size();
  return conclusion;
}

}  // namespace lockcast::probe
