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
bool is_at(const StoredPoint& stored, const PointTask& task) {
  const ForecastRow& row = stored.row;
  return std::tie(row.scenario, row.machine, row.tables, row.scale, row.variant, row.clients) ==
         std::tie(task.scenario->name, task.scenario->machine.name, task.point.tables, task.point.scale,
                  task.point.variant, task.point.clients);
}

const StoredPoint* stored_at(const PointTask& task, const std::vector<StoredPoint>& stored) {
  const auto found = std::find_if(stored.begin(), stored.end(), [&](const StoredPoint& s) { return is_at(s, task); });
  return found == stored.end() ? nullptr : &*found;
}

}  // namespace

std::vector<SweepPoint> points_of(const Scenario& scenario, Messages messages, const PredictOptions& options,
                                  const std::string& program) {
  std::vector<SweepPoint> points;
  for (const Case& point : scenario.cases()) {
    const PointTask task{&scenario, point, messages};
    points.push_back({task, identify(task, options, program)});
  }
  return points;
}

SweepPlan plan(const std::vector<SweepPoint>& points, const std::vector<StoredPoint>& stored) {
  SweepPlan plan;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const StoredPoint* known = stored_at(points[i].task, stored);
    if (known != nullptr && known->key == points[i].identity.key) {
      plan.finished.push_back(i);
      continue;
    }
    plan.to_run.push_back(i);
    if (known != nullptr) {
      plan.outdated.push_back({i, differences(known->configuration, points[i].identity.configuration)});
    }
  }
  std::stable_sort(plan.to_run.begin(), plan.to_run.end(), [&](std::size_t a, std::size_t b) {
    return relative_cost(points[a].task) > relative_cost(points[b].task);
  });
  return plan;
}

std::size_t refresh_measurements(const std::vector<SweepPoint>& points, const std::vector<StoredPoint>& stored,
                                 const ResultText& text, Store& store) {
  std::size_t count = 0;
  for (const SweepPoint& point : points) {
    const StoredPoint* known = stored_at(point.task, stored);
    if (known == nullptr || known->key != point.identity.key) { continue; }
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
               forecast_row(*tasks[task].scenario, result), text.make(result)},
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

ForecastRow forecast_row(const Scenario& scenario, const PointResult& result) {
  ForecastRow row;
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
