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
constexpr std::size_t what_max = 60;

std::string rate(std::uint64_t count, double transactions) {
  if (count == 0) { return "-"; }
  const std::string text = grouped(static_cast<double>(count) / transactions, 3);
  return text == "0.000" ? "<0.001" : text;
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
    table.row({totals.name, rate(c.shacq, e.transactions), rate(c.exacq, e.transactions), rate(c.blk, e.transactions),
               rate(c.spindelay, e.transactions), micros(seconds(c.wait) / e.transactions, 2),
               micros(caused_s / e.transactions, 2), micros(q.wait_p50_s, 2), micros(q.wait_p99_s, 2),
               micros(q.hold_p50_s, 2), micros(q.hold_p99_s, 2)});
  }
  return table.empty() ? "" : table.text(false, 2, report_width);
}

std::string lines(const Explanation& e, const PointResult& point) {
  TextTable groups({{"lines of", Align::left}, {"lines"}, {"transfers/tx"}, {"us/tx"}, {"mean us"}});
  for (std::size_t i = 0; i < std::min(rows_max, e.lines.size()); ++i) {
    const LineGroup& group = e.lines[i];
    groups.row({cut(group.what, what_max), grouped(static_cast<double>(group.lines)),
                rate(group.transfers, e.transactions), micros(group.waited_s / e.transactions, 2),
                micros(group.waited_s / static_cast<double>(group.transfers), 2)});
  }
  TextTable single({{"hottest lines", Align::left}, {"transfers/tx"}, {"mean us"}});
  const std::vector<LineTotals> hottest = line_totals(point);
  for (std::size_t i = 0; i < std::min<std::size_t>(5, hottest.size()); ++i) {
    const auto& [line, transactions] = hottest[i];
    single.row({cut(line.what, what_max), rate(line.transfers, static_cast<double>(transactions)),
                micros(line.waited_s / static_cast<double>(line.transfers), 2)});
  }
  std::string text = groups.empty() ? "" : groups.text(false, 2, report_width);
  if (!single.empty()) { text += single.text(false, 2, report_width); }
  return text;
}

std::string scans(const Explanation& e) {
  TextTable table({{"scans", Align::left}, {"scans/tx"}, {"lines/scan"}, {"misses/scan"}, {"us/scan"}, {"us/tx"}});
  for (const ScanTotals& s : e.scans) {
    if (s.runs == 0) { continue; }
    const auto runs = static_cast<double>(s.runs);
    table.row({s.what, rate(s.runs, e.transactions), grouped(static_cast<double>(s.lines) / runs, 1),
               grouped(static_cast<double>(s.misses) / runs, 1), micros(s.moved_s / runs, 2),
               micros(s.moved_s / e.transactions, 2)});
  }
  return table.empty() ? "" : table.text(false, 2, report_width);
}

std::string cpu(const Explanation& e) {
  double all = 0;
  for (const CpuProfile::Row& row : e.cpu) { all += row.spent_s; }
  TextTable table({{"perf top", Align::left}, {"CPU"}, {"us/tx"}});
  for (std::size_t i = 0; i < std::min(rows_max, e.cpu.size()); ++i) {
    table.row({e.cpu[i].name, percent(e.cpu[i].spent_s / all, 1), micros(e.cpu[i].spent_s / e.transactions, 2)});
  }
  return table.empty() ? "" : table.text(false, 2, report_width);
}

std::string activity(const Explanation& e) {
  std::string text = "wait events:";
  for (std::size_t i = 0; i < std::min(rows_max, e.events.size()); ++i) {
    if (e.events[i].share < 0.0005) { break; }
    text += fmt::format("{} {} {}", i == 0 ? "" : ",", e.events[i].name, percent(e.events[i].share, 1));
  }
  return wrapped(text, "  ", report_width);
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
    text += fmt::format("\n{}: {} tps, {}, limited by {}\n", name_of(point.point), rounded_tps(point.tps),
                        regime_names[static_cast<std::size_t>(point.regime)], point.limit);
    text += locks(e) + lines(e, point) + scans(e) + cpu(e) + activity(e) + vmstat(e.vmstat);
  }
  return text;
}

}  // namespace lockcast
