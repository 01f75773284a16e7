// Replications are of equal length, so sums and plain means say the same.

#include "sim/report/totals.hpp"

#include <algorithm>

namespace lockcast {

namespace {

double per_transaction(const PointResult& point, std::uint64_t Replication::*count) {
  std::uint64_t sum = 0;
  for (const Replication& r : point.replications) { sum += r.*count; }
  const std::uint64_t transactions = transactions_of(point);
  return transactions > 0 ? static_cast<double>(sum) / static_cast<double>(transactions) : 0;
}

}  // namespace

std::uint64_t transactions_of(const PointResult& point) {
  std::uint64_t sum = 0;
  for (const Replication& r : point.replications) { sum += r.transactions; }
  return sum;
}

double mean_of(const PointResult& point, double Replication::*value) {
  double sum = 0;
  for (const Replication& r : point.replications) { sum += r.*value; }
  return point.replications.empty() ? 0 : sum / static_cast<double>(point.replications.size());
}

double switches_per_transaction(const PointResult& point) { return per_transaction(point, &Replication::switches); }
double preemptions_per_transaction(const PointResult& point) {
  return per_transaction(point, &Replication::preemptions);
}

double misses_per_scan(const PointResult& point) {
  const double scans = per_transaction(point, &Replication::scans);
  return scans > 0 ? per_transaction(point, &Replication::scan_misses) / scans : 0;
}

double spent_per_transaction_s(const PointResult& point, Category category) {
  return point.share[static_cast<std::size_t>(category)] * point.latency_s;
}

std::vector<LockTotals> lock_totals(const PointResult& point) {
  std::vector<LockTotals> totals;
  for (const Replication& r : point.replications) {
    if (totals.empty()) {
      totals = r.locks;
      continue;
    }
    for (std::size_t i = 0; i < totals.size(); ++i) { totals[i].counters += r.locks[i].counters; }
  }
  return totals;
}

std::vector<LineTotals> line_totals(const PointResult& point) {
  std::vector<LineTotals> totals;
  for (const Replication& r : point.replications) {
    for (const HotLine& line : r.hottest) {
      const auto known =
          std::find_if(totals.begin(), totals.end(), [&](const LineTotals& t) { return t.line.what == line.what; });
      LineTotals& sum = known != totals.end() ? *known : totals.emplace_back(LineTotals{{line.what, 0, 0}, 0});
      sum.line.transfers += line.transfers;
      sum.line.waited_s += line.waited_s;
      sum.transactions += r.transactions;
    }
  }
  std::stable_sort(totals.begin(), totals.end(),
                   [](const LineTotals& a, const LineTotals& b) { return a.line.waited_s > b.line.waited_s; });
  return totals;
}

}  // namespace lockcast
