#pragma once
// What the replications of one point say together: throughput with its interval, where the time went, what limits it.

#include "sim/run/replication.hpp"

#include <optional>
#include <string>
#include <vector>

namespace lockcast {

enum class Regime : std::uint8_t { linear, line_bound, queue_bound, core_bound, preemption_collapse };
inline constexpr std::array<std::string_view, 5> regime_names{"linear", "line-bound", "queue-bound", "core-bound",
                                                              "preemption-collapse"};

// A point whose replications fall into two groups: the share and the range of each instead of one false interval.
struct TwoRegimes {
  double low_share = 0;
  double low_min = 0, low_max = 0;
  double high_min = 0, high_max = 0;
};

struct PointResult {
  Case point;
  std::uint32_t cores = 0;
  std::vector<Replication> replications;
  double tps = 0;
  double tps_low = 0;  // 95 % interval between replications
  double tps_high = 0;
  double tps_geometric = 0;
  std::optional<TwoRegimes> two_regimes;
  std::array<double, category_count> share{};  // of mean latency, sums to 1
  double latency_s = 0;                        // clients / tps
  double preempted_holds = 0;                  // share of holds that contained a preemption
  double cpu_idle = 0;
  double network_busy = 0;
  Regime regime = Regime::linear;
  std::string limit;  // what limits this point, in words
  std::optional<MeasuredPoint> measured;
  std::optional<double> error;  // tps / measured - 1
};

// True when replications differ by more than 10 %: such a point goes on to more of them.
bool disagree(const std::vector<Replication>& replications);
// Half width of the 95 % interval relative to the mean.
double relative_precision(const std::vector<Replication>& replications);

PointResult summarize(const Scenario& scenario, const Case& point, std::vector<Replication> replications);

}  // namespace lockcast
