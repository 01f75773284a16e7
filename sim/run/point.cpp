// Statistics between replications, the regime rule, and the sentence that names the limit.

#include "sim/run/point.hpp"

#include "sim/run/blame.hpp"
#include "sim/run/student.hpp"

#include <algorithm>
#include <cmath>

namespace lockcast {

namespace {

constexpr double disagreement_max = 0.10;
constexpr double linear_share_min = 0.70;
constexpr double preempted_holds_min = 0.01;
constexpr double saturated_min = 0.90;

struct Spread95 {
  double mean = 0;
  double half_width = 0;
};

Spread95 spread_of(const std::vector<Replication>& replications) {
  Spread95 result;
  const auto n = static_cast<double>(replications.size());
  for (const Replication& r : replications) { result.mean += r.tps / n; }
  if (replications.size() < 2) { return result; }
  double squares = 0;
  for (const Replication& r : replications) { squares += (r.tps - result.mean) * (r.tps - result.mean); }
  result.half_width = student_t(n - 1) * std::sqrt(squares / (n - 1) / n);
  return result;
}

// Own logarithm; the exponential by halving the argument and squaring the series.
double geometric_mean(const std::vector<Replication>& replications) {
  double sum = 0;
  for (const Replication& r : replications) {
    if (r.tps <= 0) { return 0; }
    sum += natural_log(r.tps);
  }
  const double x = sum / static_cast<double>(replications.size()) / 1024.0;
  double power = 1.0 + x * (1.0 + x / 2.0 * (1.0 + x / 3.0 * (1.0 + x / 4.0 * (1.0 + x / 5.0))));
  for (int i = 0; i < 10; ++i) { power *= power; }
  return power;
}

TwoRegimes split(const std::vector<Replication>& replications) {
  std::vector<double> tps;
  for (const Replication& r : replications) { tps.push_back(r.tps); }
  std::sort(tps.begin(), tps.end());
  std::size_t cut = 1;
  for (std::size_t i = 1; i < tps.size(); ++i) {
    if (tps[i] - tps[i - 1] > tps[cut] - tps[cut - 1]) { cut = i; }
  }
  return {static_cast<double>(cut) / static_cast<double>(tps.size()), tps.front(), tps[cut - 1], tps[cut], tps.back()};
}

double share_of(const PointResult& point, Category category) { return point.share[static_cast<std::size_t>(category)]; }

Regime regime_of(const PointResult& point) {
  const double linear =
      share_of(point, Category::work) + share_of(point, Category::client) + share_of(point, Category::disk);
  if (linear > linear_share_min) { return Regime::linear; }
  const double spinning = share_of(point, Category::spin) + share_of(point, Category::backoff);
  const double line = share_of(point, Category::transfer) + share_of(point, Category::spin);
  const double queue = share_of(point, Category::lock_queue);
  const double runnable = share_of(point, Category::runnable);
  if (spinning >= std::max({share_of(point, Category::transfer), queue, runnable}) &&
      point.preempted_holds >= preempted_holds_min) {
    return Regime::preemption_collapse;
  }
  if (line + share_of(point, Category::backoff) >= std::max(queue, runnable)) { return Regime::line_bound; }
  return queue >= runnable ? Regime::queue_bound : Regime::core_bound;
}

std::string percent(double share) { return std::to_string(static_cast<int>(std::lround(share * 100))) + " %"; }

// The lock whose acquisitions waited longest in all.
std::string slowest_lock(const std::vector<Replication>& replications) {
  std::vector<std::pair<double, std::string>> waits;
  for (std::size_t i = 0; i < replications.front().locks.size(); ++i) {
    double wait = 0;
    for (const Replication& r : replications) { wait += seconds(r.locks[i].counters.wait); }
    waits.emplace_back(-wait, replications.front().locks[i].name);
  }
  return waits.empty() ? std::string("no lock") : std::min_element(waits.begin(), waits.end())->second;
}

// The lock that backends slept longest for, in its own queue or behind a holder who slept in it.
std::string blamed_lock(const std::vector<Replication>& replications) {
  const std::vector<double> caused = sleep_caused_s(replications);
  const auto most = std::max_element(caused.begin(), caused.end());
  return caused.empty() ? std::string("no lock")
                        : replications.front().locks[static_cast<std::size_t>(most - caused.begin())].name;
}

std::string limit_of(const PointResult& point) {
  const double spinning = share_of(point, Category::spin) + share_of(point, Category::backoff);
  switch (point.regime) {
    case Regime::linear:
      if (point.network_busy >= saturated_min) { return "network server " + percent(point.network_busy) + " busy"; }
      if (point.cpu_idle < 1 - saturated_min) { return "cores " + percent(1 - point.cpu_idle) + " busy"; }
      if (share_of(point, Category::disk) >
          std::max(share_of(point, Category::client), share_of(point, Category::work))) {
        return "disk";
      }
      return share_of(point, Category::client) > share_of(point, Category::work) ? "client round trip"
                                                                                 : "work of one backend";
    case Regime::line_bound: return "cache lines of " + slowest_lock(point.replications);
    case Regime::queue_bound: return "queue of " + blamed_lock(point.replications);
    case Regime::core_bound: return "cores " + percent(1 - point.cpu_idle) + " busy";
    case Regime::preemption_collapse:
      return "spinning on " + slowest_lock(point.replications) + ", holders preempted; " + percent(spinning) +
             " of latency";
  }
  return {};
}

}  // namespace

bool disagree(const std::vector<Replication>& replications) {
  const auto [low, high] =
      std::minmax_element(replications.begin(), replications.end(),
                          [](const Replication& a, const Replication& b) { return a.tps < b.tps; });
  return high->tps > low->tps * (1 + disagreement_max);
}

double relative_precision(const std::vector<Replication>& replications) {
  const Spread95 spread = spread_of(replications);
  return spread.mean > 0 ? spread.half_width / spread.mean : 0;
}

PointResult summarize(const Scenario& scenario, const Case& point, std::vector<Replication> replications) {
  PointResult result;
  result.point = point;
  result.cores = scenario.machine.topology.cores();
  const Spread95 spread = spread_of(replications);
  result.tps = spread.mean;
  result.tps_low = std::max(0.0, spread.mean - spread.half_width);
  result.tps_high = spread.mean + spread.half_width;
  result.tps_geometric = geometric_mean(replications);
  if (replications.size() > 1 && disagree(replications)) { result.two_regimes = split(replications); }

  double all_spent = 0;
  std::uint64_t holds = 0;
  std::uint64_t preempted = 0;
  const auto n = static_cast<double>(replications.size());
  for (const Replication& r : replications) {
    for (std::size_t i = 0; i < category_count; ++i) {
      result.share[i] += r.spent_s[i];
      all_spent += r.spent_s[i];
    }
    for (const LockTotals& lock : r.locks) {
      holds += lock.counters.shacq + lock.counters.exacq;
      preempted += lock.counters.preempted;
    }
    result.cpu_idle += r.cpu_idle / n;
    result.network_busy += r.network_busy / n;
  }
  for (double& share : result.share) { share /= all_spent; }
  result.latency_s = result.tps > 0 ? point.clients / result.tps : 0;
  result.preempted_holds = holds > 0 ? static_cast<double>(preempted) / static_cast<double>(holds) : 0;
  result.replications = std::move(replications);
  result.regime = regime_of(result);
  result.limit = limit_of(result);
  if (const auto measured = scenario.measured.find(point); measured != scenario.measured.end()) {
    result.measured = measured->second;
    result.error = result.tps / measured->second.tps - 1;
  }
  return result;
}

}  // namespace lockcast
