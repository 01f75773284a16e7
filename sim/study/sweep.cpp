// Rows are put when their point is complete, by this process alone; workers never see the file.

#include "sim/study/sweep.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace lockcast {

namespace {

std::optional<MeasuredTps> measured_tps(const std::optional<MeasuredPoint>& measured) {
  if (!measured) { return std::nullopt; }
  return MeasuredTps{measured->tps, measured->low, measured->high, measured->role};
}

std::optional<MeasuredPoint> measured_at(const PointTask& task) {
  const auto found = task.scenario->measured.find(task.point);
  return found == task.scenario->measured.end() ? std::nullopt : std::optional(found->second);
}

// A file has one row for each of these.
ForecastRow place_of(const SweepPoint& point) {
  ForecastRow row;
  row.scenario = point.task.scenario->name;
  row.machine = point.task.scenario->machine.name;
  row.settings = point.settings;
  row.tables = point.task.point.tables;
  row.scale = point.task.point.scale;
  row.variant = point.task.point.variant;
  row.clients = point.task.point.clients;
  return row;
}

auto place(const ForecastRow& row) {
  return std::tie(row.scenario, row.machine, row.settings, row.tables, row.scale, row.variant, row.clients);
}

}  // namespace

std::vector<SweepPoint> points_of(const Scenario& scenario, Messages messages, const PredictOptions& options,
                                  const std::string& program, const std::string& settings) {
  std::vector<SweepPoint> points;
  for (const Case& point : scenario.cases()) {
    const PointTask task{&scenario, point, messages};
    points.push_back({task, identify(task, options, program, settings), settings});
  }
  return points;
}

StoredAt stored_in(const Store& store) {
  return [&store](const SweepPoint& point) { return store.find(place_of(point)); };
}

SweepPlan plan(const std::vector<SweepPoint>& points, const std::vector<StoredPoint>& stored) {
  return plan(points, [&](const SweepPoint& point) -> std::optional<StoredPoint> {
    const ForecastRow row = place_of(point);
    const auto found =
        std::find_if(stored.begin(), stored.end(), [&](const StoredPoint& s) { return place(s.row) == place(row); });
    return found == stored.end() ? std::nullopt : std::optional(*found);
  });
}

SweepPlan plan(const std::vector<SweepPoint>& points, const StoredAt& stored) {
  SweepPlan plan;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::optional<StoredPoint> known = stored(points[i]);
    if (known && known->key == points[i].identity.key) {
      plan.finished.push_back(i);
      continue;
    }
    plan.to_run.push_back(i);
    if (known) { plan.outdated.push_back({i, differences(known->configuration, points[i].identity.configuration)}); }
  }
  std::stable_sort(plan.to_run.begin(), plan.to_run.end(), [&](std::size_t a, std::size_t b) {
    return relative_cost(points[a].task) > relative_cost(points[b].task);
  });
  return plan;
}

std::size_t refresh_measurements(const std::vector<SweepPoint>& points, const ResultText& text, Store& store) {
  std::size_t count = 0;
  for (const SweepPoint& point : points) {
    const std::optional<StoredPoint> known = store.find(place_of(point));
    if (!known || known->key != point.identity.key) { continue; }
    const std::optional<MeasuredPoint> now = measured_at(point.task);
    if (known->row.measured == measured_tps(now)) { continue; }
    StoredPoint changed = *known;
    changed.row.measured = measured_tps(now);
    changed.result = text.measured_again(changed.result, now);
    store.put(changed, {point.identity.machine, point.identity.workload});
    ++count;
  }
  return count;
}

SweepOutcome run_sweep(const std::vector<SweepPoint>& points, const SweepPlan& plan, const PredictOptions& options,
                       const ResultText& text, Store& store, const std::function<void(const Progress&)>& progress) {
  std::vector<PointTask> tasks;
  for (const std::size_t point : plan.to_run) { tasks.push_back(points[point].task); }
  SweepOutcome outcome;
  PoolEvents events;
  events.finished = [&](std::size_t task, const PointResult& result) {
    const Identity& identity = points[plan.to_run[task]].identity;
    store.put({identity.key, identity.configuration, identity.machine.key, identity.workload.key,
               forecast_row(*tasks[task].scenario, result, points[plan.to_run[task]].settings), text.make(result)},
              {identity.machine, identity.workload});
  };
  events.failed = [&](std::size_t task, const InputError& error) {
    outcome.failures.push_back({plan.to_run[task], error.what(), error.code()});
  };
  events.progress = progress;
  outcome.interrupted = !run_points(tasks, options, events);
  std::sort(outcome.failures.begin(), outcome.failures.end(),
            [](const SweepFailure& a, const SweepFailure& b) { return a.point < b.point; });
  return outcome;
}

ForecastRow forecast_row(const Scenario& scenario, const PointResult& result, const std::string& settings) {
  ForecastRow row;
  row.settings = settings;
  row.series = scenario.series;
  row.scenario = scenario.name;
  row.machine = scenario.machine.name;
  row.workload = scenario.workload;
  row.tables = result.point.tables;
  row.scale = result.point.scale;
  row.variant = result.point.variant;
  row.clients = result.point.clients;
  row.cores = result.cores;
  row.tps = result.tps;
  row.tps_low = result.tps_low;
  row.tps_high = result.tps_high;
  row.measured = measured_tps(result.measured);
  row.regime = regime_names[static_cast<std::size_t>(result.regime)];
  row.cpu_idle = result.cpu_idle;
  row.limit = result.limit;
  row.latency_us = result.latency_s * 1e6;
  for (std::size_t i = 0; i < category_count; ++i) { row.spent_us[i] = result.share[i] * result.latency_s * 1e6; }

  double transactions = 0;
  for (const Replication& r : result.replications) { transactions += static_cast<double>(r.transactions); }
  for (std::size_t i = 0; i < result.replications.front().locks.size(); ++i) {
    double wait_s = 0;
    for (const Replication& r : result.replications) { wait_s += seconds(r.locks[i].counters.wait); }
    row.lock_waits.push_back({result.replications.front().locks[i].name, wait_s * 1e6 / transactions});
  }
  return row;
}

}  // namespace lockcast
