// The tables of --explain, one block per point.

#include "sim/report/explanation.hpp"
#include "sim/report/numbers.hpp"
#include "sim/report/table_parts.hpp"
#include "sim/report/text_table.hpp"
#include "sim/report/totals.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lockcast {

namespace {

constexpr std::size_t rows_max = 10;
constexpr std::size_t what_max = 80;
constexpr double shown_min = 0.0005;  // a share below it would read 0.0 %

// Times of a few nanoseconds are not none.
std::string us(double seconds) {
  const std::string text = micros(seconds, 2);
  return text == "-" && seconds > 0 ? "<0.01" : text;
}

std::string locks(const Explanation& e) {
  TextTable table({{"lock", Align::left},
                   {"shacq/tx"},
                   {"exacq/tx"},
                   {"blk/tx"},
                   {"spindelay/tx"},
                   {"wait us/tx"},
                   {"blamed us/tx"},
                   {"wait p50 us"},
                   {"p99"},
                   {"hold p50 us"},
                   {"p99"}});
  for (std::size_t i = 0; i < std::min(rows_max, e.locks.size()); ++i) {
    const auto& [totals, q, caused_s] = e.locks[i];
    const LockCounters& c = totals.counters;
    if (c.shacq + c.exacq == 0) { continue; }
    table.row({totals.name, per_transaction(c.shacq, e.transactions), per_transaction(c.exacq, e.transactions),
               per_transaction(c.blk, e.transactions), per_transaction(c.spindelay, e.transactions),
               us(seconds(c.wait) / e.transactions), us(caused_s / e.transactions), us(q.wait_p50_s), us(q.wait_p99_s),
               us(q.hold_p50_s), us(q.hold_p99_s)});
  }
  return table.empty() ? "" : table.text(false, 2, report_width);
}

std::string lines(const Explanation& e, const PointResult& point) {
  TextTable groups({{"cache lines of", Align::left}, {"lines"}, {"transfers/tx"}, {"wait us/tx"}, {"mean wait us"}});
  for (std::size_t i = 0; i < std::min(rows_max, e.lines.size()); ++i) {
    const LineGroup& group = e.lines[i];
    groups.row({cut(group.what, what_max), grouped(static_cast<double>(group.lines)),
                per_transaction(group.transfers, e.transactions), us(group.waited_s / e.transactions),
                us(group.waited_s / static_cast<double>(group.transfers))});
  }
  return (groups.empty() ? "" : groups.text(false, 2, report_width)) + hottest_lines_text(point);
}

std::string scans(const Explanation& e) {
  TextTable table({{"scans", Align::left}, {"scans/tx"}, {"lines/scan"}, {"misses/scan"}, {"us/scan"}, {"us/tx"}});
  for (const ScanTotals& s : e.scans) {
    if (s.runs == 0) { continue; }
    const auto runs = static_cast<double>(s.runs);
    table.row({s.what, per_transaction(s.runs, e.transactions), grouped(static_cast<double>(s.lines) / runs, 1),
               grouped(static_cast<double>(s.misses) / runs, 1), us(s.moved_s / runs), us(s.moved_s / e.transactions)});
  }
  return table.empty() ? "" : table.text(false, 2, report_width);
}

std::string cpu(const Explanation& e) {
  double all = 0;
  for (const CpuProfile::Row& row : e.cpu) { all += row.spent_s; }
  TextTable table({{"perf top", Align::left}, {"CPU"}, {"us/tx"}});
  for (std::size_t i = 0; i < std::min(rows_max, e.cpu.size()); ++i) {
    if (e.cpu[i].spent_s / all < shown_min) { break; }
    table.row({e.cpu[i].name, percent(e.cpu[i].spent_s / all, 1), us(e.cpu[i].spent_s / e.transactions)});
  }
  return table.empty() ? "" : table.text(false, 2, report_width);
}

std::string activity(const Explanation& e) {
  TextTable table({{"wait events", Align::left}, {"share"}});
  for (std::size_t i = 0; i < std::min(rows_max, e.events.size()); ++i) {
    if (e.events[i].share < shown_min) { break; }
    table.row({e.events[i].name, percent(e.events[i].share, 1)});
  }
  return table.empty() ? "" : table.text(false, 2, report_width);
}

std::string vmstat(const Vmstat& v) {
  return fmt::format("  vmstat: r {}, cs {}/s, us {}, sy {}, id {}\n", grouped(v.r, 1), grouped(v.cs), percent(v.us),
                     percent(v.sy), percent(v.id));
}

}  // namespace

std::string explain_text(const Report& report) {
  std::string text;
  for (const PointResult& point : report.prediction.points) {
    const Explanation e =
        explain(point, report.scenario.program(point.point), report.scenario.machine.topology.threads());
    text += fmt::format("\n{}; limited by {}\n", heading_of(point), point.limit) + system_text(point);
    text += locks(e) + lines(e, point) + scans(e) + cpu(e) + activity(e) + vmstat(e.vmstat);
  }
  return text;
}

}  // namespace lockcast
