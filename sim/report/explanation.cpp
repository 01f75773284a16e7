// Replications are of equal length, so their books are added.

#include "sim/report/explanation.hpp"

#include "sim/locks/lock_list.hpp"
#include "sim/report/totals.hpp"
#include "sim/run/blame.hpp"

#include <algorithm>

namespace lockcast {

namespace {

// Adds up rows of equal name in the order of their first appearance.
template <class Row, class Name, class Add>
void merge(std::vector<Row>& sums, const std::vector<Row>& rows, Name name, Add add) {
  for (const Row& row : rows) {
    const auto known = std::find_if(sums.begin(), sums.end(), [&](const Row& sum) { return sum.*name == row.*name; });
    if (known == sums.end()) {
      sums.push_back(row);
    } else {
      add(*known, row);
    }
  }
}

LockQuantiles mean_quantiles(const PointResult& point, std::size_t lock) {
  LockQuantiles mean;
  const auto share = 1.0 / static_cast<double>(point.replications.size());
  for (const Replication& r : point.replications) {
    const LockQuantiles& q = r.profile->locks[lock];
    mean.wait_p50_s += q.wait_p50_s * share;
    mean.wait_p99_s += q.wait_p99_s * share;
    mean.hold_p50_s += q.hold_p50_s * share;
    mean.hold_p99_s += q.hold_p99_s * share;
  }
  return mean;
}

std::vector<LockExplanation> lock_explanations(const PointResult& point) {
  std::vector<LockExplanation> result;
  const std::vector<LockTotals> totals = lock_totals(point);
  const std::vector<double> caused = sleep_caused_s(point.replications);
  for (std::size_t i = 0; i < totals.size(); ++i) {
    result.push_back({totals[i], mean_quantiles(point, i), caused[i]});
  }
  std::stable_sort(result.begin(), result.end(), [](const LockExplanation& a, const LockExplanation& b) {
    return a.totals.counters.wait > b.totals.counters.wait;
  });
  return result;
}

// What pg_stat_activity would show of active backends. Waiting for a core is no wait event: it looks like running.
std::vector<WaitEvent> wait_events(const PointResult& point, const Program& program) {
  double all = 0;
  std::array<double, category_count> spent{};
  for (const Replication& r : point.replications) {
    for (std::size_t i = 0; i < category_count; ++i) {
      spent[i] += r.spent_s[i];
      all += r.spent_s[i];
    }
  }
  const auto of = [&](Category category) { return spent[static_cast<std::size_t>(category)]; };
  std::vector<WaitEvent> events{
      {"CPU: running", (of(Category::work) + of(Category::transfer) + of(Category::spin)) / all},
      {"CPU: runnable, no core", of(Category::runnable) / all},
      {"Client:ClientRead", of(Category::client) / all},
      {"Timeout:SpinDelay", of(Category::backoff) / all},
      {"IO:WALSync", of(Category::disk) / all}};
  const std::vector<LockTotals> totals = lock_totals(point);
  for (std::size_t i = 0; i < totals.size(); ++i) {
    // A kind with a shared mode is an LWLock of some sort.
    const std::string type = AllLocks::traits[program.locks[i].kind].has_shared_mode ? "LWLock:" : "Lock:";
    events.push_back({type + totals[i].name, seconds(totals[i].counters.asleep) / all});
  }
  std::stable_sort(events.begin(), events.end(),
                   [](const WaitEvent& a, const WaitEvent& b) { return a.share > b.share; });
  std::erase_if(events, [](const WaitEvent& event) { return event.share <= 0; });
  return events;
}

Vmstat vmstat_of(const PointResult& point, const std::vector<CpuProfile::Row>& cpu, std::uint32_t cpus) {
  double time = 0;
  double wanting = 0;
  double switches = 0;
  for (const Replication& r : point.replications) {
    time += r.measured_s;
    wanting += r.profile->wanting_s;
    switches += static_cast<double>(r.profile->context_switches);
  }
  double user = 0;
  for (const CpuProfile::Row& row : cpu) { user += is_system(row.name) ? 0 : row.spent_s; }
  Vmstat line{.r = wanting / time, .cs = switches / time, .us = user / (time * cpus), .id = point.cpu_idle};
  line.sy = std::max(0.0, 1.0 - line.us - line.id);
  return line;
}

}  // namespace

Explanation explain(const PointResult& point, const Program& program, std::uint32_t cpus) {
  Explanation e;
  e.transactions = static_cast<double>(transactions_of(point));
  e.locks = lock_explanations(point);
  for (const Replication& r : point.replications) {
    merge(e.lines, r.profile->lines, &LineGroup::what, [](LineGroup& sum, const LineGroup& row) {
      sum.lines = std::max(sum.lines, row.lines);
      sum.transfers += row.transfers;
      sum.waited_s += row.waited_s;
    });
    merge(e.scans, r.profile->scans, &ScanTotals::what, [](ScanTotals& sum, const ScanTotals& row) {
      sum.runs += row.runs;
      sum.lines += row.lines;
      sum.misses += row.misses;
      sum.moved_s += row.moved_s;
    });
    merge(e.cpu, r.profile->cpu, &CpuProfile::Row::name,
          [](CpuProfile::Row& sum, const CpuProfile::Row& row) { sum.spent_s += row.spent_s; });
  }
  std::stable_sort(e.lines.begin(), e.lines.end(),
                   [](const LineGroup& a, const LineGroup& b) { return a.waited_s > b.waited_s; });
  std::stable_sort(e.cpu.begin(), e.cpu.end(),
                   [](const CpuProfile::Row& a, const CpuProfile::Row& b) { return a.spent_s > b.spent_s; });
  e.events = wait_events(point, program);
  e.vmstat = vmstat_of(point, e.cpu, cpus);
  return e;
}

}  // namespace lockcast
