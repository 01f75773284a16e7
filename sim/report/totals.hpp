#pragma once
// Sums over the replications of one point, which all three forms of a report show.

#include "sim/run/point.hpp"

#include <string>
#include <vector>

namespace lockcast {

std::uint64_t transactions_of(const PointResult& point);
// Mean over the replications.
double mean_of(const PointResult& point, double Replication::*value);
double switches_per_transaction(const PointResult& point);
double preemptions_per_transaction(const PointResult& point);
// Lines that had to be fetched per scan; 0 without scans.
double misses_per_scan(const PointResult& point);
// Mean of the category within one transaction, in seconds.
double spent_per_transaction_s(const PointResult& point, Category category);

// In the order of the scenario.
std::vector<LockTotals> lock_totals(const PointResult& point);

// Lines of the same contents, most waited for first. A replication lists only its hottest lines, so `transactions`
// counts those of the replications that list this one.
struct LineTotals {
  HotLine line;
  std::uint64_t transactions = 0;
};
std::vector<LineTotals> line_totals(const PointResult& point);

}  // namespace lockcast
