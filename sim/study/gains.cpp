// A tie in a forecast is never a right sign or order: it did not say.

#include "sim/study/gains.hpp"

#include "sim/study/variants.hpp"

#include <algorithm>
#include <iterator>
#include <set>

namespace lockcast {

namespace {

Rows measured_of(const Rows& cell) {
  Rows measured;
  std::copy_if(cell.begin(), cell.end(), std::back_inserter(measured),
               [](const ForecastRow* row) { return row->measured.has_value(); });
  return measured;
}

const ForecastRow* find_variant(const Rows& cell, const std::set<std::string>& parts) {
  const auto found =
      std::find_if(cell.begin(), cell.end(), [&](const ForecastRow* row) { return parts_of(row->variant) == parts; });
  return found == cell.end() ? nullptr : *found;
}

// What a variant changes that the baseline does not.
std::set<std::string> changes_of(const ForecastRow& row, const ForecastRow& baseline) {
  std::set<std::string> changes = parts_of(row.variant);
  for (const std::string& part : parts_of(baseline.variant)) { changes.erase(part); }
  return changes;
}

void count_order(const Rows& measured, Share& order) {
  for (std::size_t i = 0; i < measured.size(); ++i) {
    for (std::size_t j = i + 1; j < measured.size(); ++j) {
      const ForecastRow& a = *measured[i];
      const ForecastRow& b = *measured[j];
      const auto [low, high] = std::minmax(a.measured->tps, b.measured->tps);
      if (high / low - 1 <= order_gap) { continue; }
      order.count(a.measured->tps < b.measured->tps ? a.tps < b.tps : a.tps > b.tps);
    }
  }
}

}  // namespace

const ForecastRow* baseline_of(const Rows& cell) {
  const Rows measured = measured_of(cell);
  const Rows& among = measured.empty() ? cell : measured;
  if (among.empty()) { return nullptr; }
  std::vector<std::string> names;
  for (const ForecastRow* row : among) { names.push_back(row->variant); }
  const std::string first = in_table_order(names).front();
  return *std::find_if(among.begin(), among.end(), [&](const ForecastRow* row) { return row->variant == first; });
}

std::vector<Gain> gains_of(const Rows& cell) {
  const Rows measured = measured_of(cell);
  std::vector<Gain> gains;
  const ForecastRow* baseline = baseline_of(measured);
  for (const ForecastRow* row : measured) {
    if (row == baseline) { continue; }
    gains.push_back({row, baseline, row->tps / baseline->tps, row->measured->tps / baseline->measured->tps});
  }
  return gains;
}

GainScore score_gains(const std::string& name, const std::vector<Rows>& cells) {
  GainScore score;
  score.name = name;
  ErrorBag lockcast;
  ErrorBag unchanged;
  for (const Rows& cell : cells) {
    for (const Gain& gain : gains_of(cell)) {
      lockcast.add(gain.row->clients, gain.error());
      unchanged.add(gain.row->clients, 1 / gain.measured - 1);
      const double measured = gain.measured - 1;
      const double predicted = gain.predicted - 1;
      const bool same_sign = measured > 0 ? predicted > 0 : predicted < 0;
      if (magnitude(measured) > gain_large) { score.sign_large.count(same_sign); }
      if (magnitude(measured) > gain_small) { score.sign_small.count(same_sign); }
      if (magnitude(measured) < gain_small) { score.no_effect.count(magnitude(predicted) <= no_effect_max); }
    }
    count_order(measured_of(cell), score.order);
  }
  score.lockcast = lockcast.split();
  score.unchanged = unchanged.split();
  return score;
}

std::vector<Interaction> interactions_of(const Rows& cell) {
  std::vector<Interaction> found;
  const ForecastRow* baseline = baseline_of(cell);
  for (std::size_t i = 0; i < cell.size(); ++i) {
    for (std::size_t j = i + 1; j < cell.size(); ++j) {
      const std::set<std::string> first = changes_of(*cell[i], *baseline);
      const std::set<std::string> second = changes_of(*cell[j], *baseline);
      std::set<std::string> together = first;
      together.insert(second.begin(), second.end());
      if (first.empty() || second.empty() || together.size() != first.size() + second.size()) { continue; }
      // Written with the baseline's own changes ("pgproc-split+flexlocks+clog32") or without ("a+b" beside "master").
      const std::set<std::string> base = parts_of(baseline->variant);
      std::set<std::string> with_base = together;
      with_base.insert(base.begin(), base.end());
      const ForecastRow* both = find_variant(cell, with_base);
      if (both == nullptr) { both = find_variant(cell, together); }
      if (both == nullptr) { continue; }
      const auto over_product = [&](const auto& tps_of) {
        return tps_of(*both) * tps_of(*baseline) / (tps_of(*cell[i]) * tps_of(*cell[j]));
      };
      Interaction interaction{both, baseline, cell[i]->variant, cell[j]->variant, 0, {}};
      interaction.predicted = over_product([](const ForecastRow& row) { return row.tps; });
      if (both->measured && baseline->measured && cell[i]->measured && cell[j]->measured) {
        interaction.measured = over_product([](const ForecastRow& row) { return row.measured->tps; });
      }
      found.push_back(std::move(interaction));
    }
  }
  return found;
}

}  // namespace lockcast
