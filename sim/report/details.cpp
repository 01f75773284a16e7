// Locks and cache lines of a few points, in PostgreSQL's words: shacq, exacq, blk and spindelay as its LWLOCK_STATS
// prints them.

#include "sim/report/numbers.hpp"
#include "sim/report/table_parts.hpp"
#include "sim/report/text_table.hpp"
#include "sim/report/totals.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lockcast {

namespace {

constexpr std::size_t points_max = 3;
constexpr std::size_t locks_max = 5;
constexpr std::size_t lines_max = 5;

double magnitude(const std::optional<double>& error) { return error ? std::max(*error, -*error) : -1; }

double linear_share(const PointResult& p) {
  return p.share[static_cast<std::size_t>(Category::work)] + p.share[static_cast<std::size_t>(Category::client)];
}

// The worst prediction, then the points that lose most of their time.
std::vector<const PointResult*> interesting(const std::vector<PointResult>& points) {
  std::vector<const PointResult*> chosen;
  const auto worst = std::max_element(points.begin(), points.end(), [](const PointResult& a, const PointResult& b) {
    return magnitude(a.error) < magnitude(b.error);
  });
  if (worst != points.end() && worst->error) { chosen.push_back(&*worst); }
  std::vector<const PointResult*> bent;
  for (const PointResult& p : points) {
    if (p.regime != Regime::linear && (chosen.empty() || &p != chosen.front())) { bent.push_back(&p); }
  }
  std::stable_sort(bent.begin(), bent.end(),
                   [](const PointResult* a, const PointResult* b) { return linear_share(*a) < linear_share(*b); });
  for (const PointResult* p : bent) {
    if (chosen.size() < points_max) { chosen.push_back(p); }
  }
  return chosen;
}

std::string mean_micros(Picos sum, std::uint64_t count) {
  return count == 0 ? "-" : micros(seconds(sum) / static_cast<double>(count), 2);
}

std::string locks_text(const PointResult& point, double transactions) {
  std::vector<LockTotals> locks = lock_totals(point);
  std::stable_sort(locks.begin(), locks.end(),
                   [](const LockTotals& a, const LockTotals& b) { return a.counters.wait > b.counters.wait; });
  TextTable table({{"lock", Align::left},
                   {"shacq/tx"},
                   {"exacq/tx"},
                   {"blk/tx"},
                   {"spindelay/tx"},
                   {"wait us/tx"},
                   {"mean wait us"},
                   {"mean hold us"}});
  for (std::size_t i = 0; i < std::min(locks_max, locks.size()); ++i) {
    const LockCounters& c = locks[i].counters;
    if (c.shacq + c.exacq == 0) { continue; }
    table.row({locks[i].name, per_transaction(c.shacq, transactions), per_transaction(c.exacq, transactions),
               per_transaction(c.blk, transactions), per_transaction(c.spindelay, transactions),
               micros(seconds(c.wait) / transactions, 2), mean_micros(c.wait, c.shacq + c.exacq + c.delegated),
               mean_micros(c.hold, c.shacq + c.exacq)});
  }
  return table.empty() ? "" : table.text(false, 2, report_width);
}

}  // namespace

std::string per_transaction(std::uint64_t count, double transactions) {
  if (count == 0) { return "-"; }
  const std::string text = grouped(static_cast<double>(count) / transactions, 3);
  return text == "0.000" ? "<0.001" : text;
}

std::string heading_of(const PointResult& p) {
  std::string text = fmt::format("{}: {} tps, {}", name_of(p.point), rounded_tps(p.tps),
                                 regime_names[static_cast<std::size_t>(p.regime)]);
  if (p.measured) {
    text += fmt::format("; measured {}, {}{}", rounded_tps(p.measured->tps), signed_percent(*p.error),
                        is_wrong(p) ? " !" : "");
  }
  return text;
}

std::string hottest_lines_text(const PointResult& point) {
  constexpr std::size_t what_max = 80;
  TextTable table({{"hottest lines", Align::left}, {"transfers/tx"}, {"mean wait us"}});
  const std::vector<LineTotals> lines = line_totals(point);
  for (std::size_t i = 0; i < std::min(lines_max, lines.size()); ++i) {
    const auto& [line, transactions] = lines[i];
    table.row({cut(line.what, what_max), per_transaction(line.transfers, static_cast<double>(transactions)),
               micros(line.waited_s / static_cast<double>(line.transfers), 2)});
  }
  return table.empty() ? "" : table.text(false, 2, report_width);
}

std::string system_text(const PointResult& p) {
  std::string text =
      fmt::format("  per transaction: {} switches to another process, {} preemptions; {} of all holds preempted",
                  grouped(switches_per_transaction(p), 2), grouped(preemptions_per_transaction(p), 3),
                  percent(p.preempted_holds, 2));
  if (p.network_busy > 0) { text += fmt::format("; network server {} busy", percent(p.network_busy)); }
  const double misses = misses_per_scan(p);
  if (misses > 0) { text += fmt::format("; {} misses per scan", grouped(misses, 1)); }
  return text + "\n";
}

std::string details_text(const Report& report) {
  std::string text;
  for (const PointResult* point : interesting(report.prediction.points)) {
    text += "\n" + heading_of(*point) + "\n";
    text += system_text(*point);
    text += locks_text(*point, static_cast<double>(transactions_of(*point)));
    text += hottest_lines_text(*point);
  }
  return text;
}

}  // namespace lockcast
