// Groups by name, in the order of their first row, except variants, which have an order of their own.

#include "sim/study/score.hpp"

#include "sim/study/variants.hpp"

#include <algorithm>

namespace lockcast {

namespace {

constexpr std::size_t worst_shown = 5;

template <class Chosen>
GroupScore score_group(const std::string& name, const std::vector<ForecastRow>& rows,
                       const std::vector<BaselineForecast>& rivals, const Chosen& chosen) {
  ErrorBag lockcast;
  ErrorBag keep_last;
  ErrorBag beside_keep_last;
  ErrorBag usl;
  ErrorBag beside_usl;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const ForecastRow& row = rows[i];
    if (!row.measured || !chosen(row)) { continue; }
    lockcast.add(row.clients, *row.error());
    if (rivals[i].keep_last) {
      keep_last.add(row.clients, *rivals[i].keep_last / row.measured->tps - 1);
      beside_keep_last.add(row.clients, *row.error());
    }
    if (rivals[i].usl) {
      usl.add(row.clients, *rivals[i].usl / row.measured->tps - 1);
      beside_usl.add(row.clients, *row.error());
    }
  }
  return {name, lockcast.split(), {keep_last.split(), beside_keep_last.split()}, {usl.split(), beside_usl.split()}};
}

std::string series_name(const ForecastRow& row) { return table_of(row).series + ", " + row.machine; }

std::vector<std::string> measured_names(const std::vector<ForecastRow>& rows, std::string (*name)(const ForecastRow&)) {
  std::vector<std::string> names;
  for (const ForecastRow& row : rows) {
    if (row.measured && std::find(names.begin(), names.end(), name(row)) == names.end()) { names.push_back(name(row)); }
  }
  return names;
}

void score_intervals(const std::vector<ForecastRow>& rows, Score& score) {
  for (const ForecastRow& row : rows) {
    if (!row.measured) { continue; }
    const MeasuredTps& measured = *row.measured;
    if (measured.low && measured.high) {
      score.inside_measured.count(*measured.low <= row.tps && row.tps <= *measured.high);
    }
    score.inside_forecast.count(row.tps_low <= measured.tps && measured.tps <= row.tps_high);
  }
}

std::vector<Miss> worst_of(const std::vector<ForecastRow>& rows, const std::vector<BaselineForecast>& rivals) {
  std::vector<Miss> misses;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].measured) { misses.push_back({&rows[i], rivals[i]}); }
  }
  std::stable_sort(misses.begin(), misses.end(), [](const Miss& a, const Miss& b) {
    return magnitude(*a.row->error()) > magnitude(*b.row->error());
  });
  misses.resize(std::min(misses.size(), worst_shown));
  return misses;
}

std::vector<Gain> worst_gains_of(const std::vector<Rows>& cells) {
  std::vector<Gain> gains;
  for (const Rows& cell : cells) {
    const std::vector<Gain> of_cell = gains_of(cell);
    gains.insert(gains.end(), of_cell.begin(), of_cell.end());
  }
  std::stable_sort(gains.begin(), gains.end(),
                   [](const Gain& a, const Gain& b) { return magnitude(a.error()) > magnitude(b.error()); });
  gains.resize(std::min(gains.size(), worst_shown));
  return gains;
}

std::optional<double> wait_for(const ForecastRow& row, std::string_view lock) {
  for (const LockWait& wait : row.lock_waits) {
    if (wait.name == lock) { return wait.us_per_tx; }
  }
  return std::nullopt;
}

LockWait leading_wait(const ForecastRow& row) {
  return *std::max_element(row.lock_waits.begin(), row.lock_waits.end(),
                           [](const LockWait& a, const LockWait& b) { return a.us_per_tx < b.us_per_tx; });
}

std::vector<Bottleneck> bottlenecks_of(const std::vector<Rows>& cells) {
  std::vector<Bottleneck> found;
  for (const Rows& cell : cells) {
    if (cell.front()->tables != "permanent" || cell.front()->clients < clients_high) { continue; }
    const ForecastRow* before = baseline_of(cell);
    for (const ForecastRow* after : cell) {
      if (after == before || before->lock_waits.empty() || after->lock_waits.empty()) { continue; }
      Bottleneck bottleneck{before, after, {}, leading_wait(*before), leading_wait(*after)};
      for (const std::string_view lock : bottleneck_locks) {
        bottleneck.locks.push_back({std::string(lock), wait_for(*before, lock), wait_for(*after, lock)});
      }
      found.push_back(std::move(bottleneck));
    }
  }
  return found;
}

}  // namespace

Score score_of(const std::vector<ForecastRow>& rows) {
  const std::vector<BaselineForecast> rivals = baseline_forecasts(rows);
  const std::vector<Rows> cells = cells_of(rows);
  Score score;
  score.rows = rows.size();
  score.measured = static_cast<std::size_t>(
      std::count_if(rows.begin(), rows.end(), [](const ForecastRow& row) { return row.measured.has_value(); }));
  score.total = score_group("all", rows, rivals, [](const ForecastRow&) { return true; });
  for (const std::string role : {"calibrate", "predict"}) {
    score.roles.push_back(
        score_group(role, rows, rivals, [&](const ForecastRow& row) { return row.measured->role == role; }));
  }
  for (const std::string& name : measured_names(rows, &series_name)) {
    const auto is_of_series = [&](const ForecastRow& row) { return series_name(row) == name; };
    score.series.push_back(score_group(name, rows, rivals, is_of_series));
    std::vector<Rows> of_series;
    std::copy_if(cells.begin(), cells.end(), std::back_inserter(of_series),
                 [&](const Rows& cell) { return is_of_series(*cell.front()); });
    score.series_gains.push_back(score_gains(name, of_series));
  }
  for (const std::string& name :
       in_table_order(measured_names(rows, [](const ForecastRow& row) { return row.variant; }))) {
    score.variants.push_back(
        score_group(name, rows, rivals, [&](const ForecastRow& row) { return row.variant == name; }));
  }
  score_intervals(rows, score);
  score.worst = worst_of(rows, rivals);
  score.gains = score_gains("all", cells);
  score.worst_gains = worst_gains_of(cells);
  for (const Rows& cell : cells) {
    const std::vector<Interaction> of_cell = interactions_of(cell);
    score.interactions.insert(score.interactions.end(), of_cell.begin(), of_cell.end());
  }
  score.has_lock_waits =
      std::any_of(rows.begin(), rows.end(), [](const ForecastRow& row) { return !row.lock_waits.empty(); });
  score.bottlenecks = bottlenecks_of(cells);
  return score;
}

}  // namespace lockcast
