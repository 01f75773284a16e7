#include "sim/cli/native_forecast.hpp"

#include "validate/probe/statistics.hpp"
#include "validate/regime.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace lockcast {

namespace {

// One simulation: a scenario's points of one kind of length at one factor of line latency.
struct NativeBatch {
  std::size_t scenario = 0;
  bool oversubscribed = false;
  double factor = 1;

  friend auto operator<=>(const NativeBatch&, const NativeBatch&) = default;
};

double factor_of(const Machine& machine, std::optional<double> line_ns) {
  constexpr double picos = 1e3;
  if (!line_ns || machine.coherence.ping_pong.value == Picos{0}) { return 1; }
  return nearest_step(*line_ns * picos / static_cast<double>(machine.coherence.ping_pong.value.count()));
}

// Where a point has no usable visit it is simulated all the same, at the latency of those it has.
std::vector<const Visit*> visits_to_simulate(const NativeSessionPoint& point) {
  std::vector<const Visit*> usable;
  for (const Visit& visit : point.visits) {
    if (visit.discarded().empty()) { usable.push_back(&visit); }
  }
  if (usable.empty() && !point.visits.empty()) { usable.push_back(&point.visits.front()); }
  return usable;
}

PredictOptions predict_options(const NativeForecastOptions& options, bool oversubscribed) {
  PredictOptions predict;
  predict.seed = options.seed;
  predict.jobs = options.jobs;
  // As native visits: long enough for slices to matter where threads share a CPU.
  predict.warmup = oversubscribed ? Picos{300ms} : Picos{2ms};
  predict.measured = oversubscribed ? Picos{300ms} : Picos{20ms};
  predict.replications_min = 2;
  predict.replications_disagreeing = 4;
  predict.replications_max = 4;
  if (options.brief) {
    predict.warmup = Picos{1ms};
    predict.measured = oversubscribed ? Picos{20ms} : Picos{2ms};
  }
  return predict;
}

double private_share(const PointResult& result) { return result.share[static_cast<std::size_t>(Category::work)]; }

}  // namespace

NativeForecast forecast_session(const std::vector<Scenario>& scenarios, const Machine& machine,
                                const NativeSession& session, const NativeHost& host,
                                const NativeForecastOptions& options,
                                const std::function<void(const Progress&)>& progress) {
  const auto batch_of = [&](const NativeSessionPoint& point, const Visit& visit) {
    return NativeBatch{point.scenario, point.point.clients > host.cpus.size(), factor_of(machine, visit.line_ns())};
  };
  std::map<NativeBatch, std::set<Case>> batches;
  for (const NativeSessionPoint& point : session.points) {
    for (const Visit* visit : visits_to_simulate(point)) { batches[batch_of(point, *visit)].insert(point.point); }
  }
  NativeForecast forecast;
  std::map<NativeBatch, std::map<Case, PointResult>> results;
  for (const auto& [batch, cases] : batches) {
    Scenario scenario = scenarios[batch.scenario];
    scenario.machine = machine;
    scale_lines(scenario.machine, batch.factor);
    Prediction prediction =
        predict(scenario, {cases.begin(), cases.end()}, predict_options(options, batch.oversubscribed), progress);
    for (PointResult& result : prediction.points) {
      const Case point = result.point;
      results[batch].emplace(point, std::move(result));
    }
    if (prediction.interrupted) {
      forecast.interrupted = true;
      return forecast;
    }
  }
  for (const NativeSessionPoint& point : session.points) {
    JudgedPoint judged;
    judged.group = point.group;
    judged.variant = point.point.variant;
    std::vector<PairOfTps> pairs;
    std::vector<double> measured;
    std::vector<double> predicted;
    double share = 0;
    for (const Visit* visit : visits_to_simulate(point)) {
      const PointResult& result = results.at(batch_of(point, *visit)).at(point.point);
      share = private_share(result);
      for (const Replication& replication : result.replications) { predicted.push_back(replication.tps); }
      if (!visit->discarded().empty()) {
        judged.outcome.predicted = result.tps;
        continue;
      }
      pairs.push_back({visit->line_ns(), visit->native.tps, result.tps});
      measured.insert(measured.end(), visit->native.epoch_tps.begin(), visit->native.epoch_tps.end());
    }
    judged.point_class =
        class_of(point.point.clients, static_cast<std::uint32_t>(host.cpus.size()), point.spins_in_order, share);
    const double predicted_anyway = judged.outcome.predicted;
    if (judged.point_class == PointClass::fifo_collapse && !measured.empty()) {
      judged.outcome = collapse_outcome(measured, predicted);
    } else {
      judged.outcome = outcome_of(pairs);
    }
    if (pairs.empty()) {
      judged.outcome.predicted = predicted_anyway;
      if (!point.visits.empty()) {
        judged.outcome.measured = point.visits.front().native.tps;
        judged.outcome.unusable = point.visits.back().discarded();
      }
    }
    forecast.points.push_back(std::move(judged));
  }
  return forecast;
}

}  // namespace lockcast
