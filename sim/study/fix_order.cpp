#include "sim/study/fix_order.hpp"

namespace lockcast {

std::optional<double> FixOrder::tps(FixSet set) const {
  const auto found = tps_.find(set);
  return found == tps_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<double> FixOrder::gain(FixSet set) const {
  const std::optional<double> with = tps(set);
  const std::optional<double> base = tps(0);
  return with && base && *base > 0 ? std::optional(*with / *base) : std::nullopt;
}

std::optional<double> FixOrder::interaction(std::size_t a, std::size_t b) const {
  const std::optional<double> one = gain(only(a));
  const std::optional<double> other = gain(only(b));
  const std::optional<double> both = gain(only(a) | only(b));
  return one && other && both && *one * *other > 0 ? std::optional(*both / (*one * *other)) : std::nullopt;
}

std::vector<FixStep> FixOrder::walk(std::vector<FixSet>& missing) const {
  std::vector<FixStep> steps;
  FixSet set = 0;
  while (true) {
    std::optional<FixStep> best;
    for (std::size_t fix = 0; fix < fixes_; ++fix) {
      const FixSet with = set | only(fix);
      if (with == set) { continue; }
      if (is_open(with)) { missing.push_back(with); }
      const std::optional<double> after = tps(with);
      const double before = tps_.at(set);
      if (!after) { continue; }
      const double gain = before > 0 ? *after / before : 1;
      if (!best || gain > best->gain) { best = FixStep{fix, with, gain}; }
    }
    if (!best || !missing.empty()) { return steps; }
    steps.push_back(*best);
    set = best->set;
  }
}

std::vector<FixSet> FixOrder::wanted() const {
  std::vector<FixSet> sets;
  const auto want = [&](FixSet set) {
    if (is_open(set)) { sets.push_back(set); }
  };
  want(0);
  for (std::size_t a = 0; a < fixes_; ++a) {
    want(only(a));
    for (std::size_t b = a + 1; b < fixes_; ++b) { want(only(a) | only(b)); }
  }
  if (!sets.empty()) { return sets; }
  const std::vector<FixStep> all = walk(sets);
  if (!sets.empty() || all.empty()) { return sets; }
  for (std::size_t fix = 0; fix < fixes_; ++fix) {
    if (has(all.back().set, fix)) { want(all.back().set & ~only(fix)); }
  }
  return sets;
}

std::vector<FixStep> FixOrder::steps() const {
  std::vector<FixSet> missing;
  return walk(missing);
}

std::optional<double> FixOrder::last_gain(std::size_t fix) const {
  const std::vector<FixStep> all = steps();
  if (all.empty() || !has(all.back().set, fix)) { return std::nullopt; }
  const std::optional<double> without = tps(all.back().set & ~only(fix));
  const std::optional<double> with = tps(all.back().set);
  return with && without && *without > 0 ? std::optional(*with / *without) : std::nullopt;
}

}  // namespace lockcast
