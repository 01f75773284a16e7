// How wrong the run was, rows that a fit has seen apart from rows it has not, and what the scenario's authors know is
// missing.

#include "sim/report/numbers.hpp"
#include "sim/report/table_parts.hpp"
#include "sim/report/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lockcast {

namespace {

// Where published tables of machines of this size begin to bend: an average over both sides hides the harder one.
constexpr std::uint32_t clients_low_max = 24;

struct Errors {
  std::vector<double> magnitudes;

  [[nodiscard]] std::string count() const { return magnitudes.empty() ? "-" : std::to_string(magnitudes.size()); }
  [[nodiscard]] std::string median() const {
    if (magnitudes.empty()) { return "-"; }
    std::vector<double> sorted = magnitudes;
    std::sort(sorted.begin(), sorted.end());
    const std::size_t half = sorted.size() / 2;
    return percent(sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2, 1);
  }
  [[nodiscard]] std::string mean() const {
    if (magnitudes.empty()) { return "-"; }
    double sum = 0;
    for (const double m : magnitudes) { sum += m; }
    return percent(sum / static_cast<double>(magnitudes.size()), 1);
  }
};

template <class Filter>
Errors errors_of(const std::vector<PointResult>& points, const Filter& filter) {
  Errors errors;
  for (const PointResult& p : points) {
    if (p.error && filter(p)) { errors.magnitudes.push_back(std::max(*p.error, -*p.error)); }
  }
  return errors;
}

std::string errors_text(const std::vector<PointResult>& points) {
  const std::string limit = std::to_string(clients_low_max);
  TextTable table({{"|predicted / measured - 1|", Align::left},
                   {"points"},
                   {"median"},
                   {"mean"},
                   {"to " + limit + " clients: points"},
                   {"median"},
                   {"mean"},
                   {"above " + limit + ": points"},
                   {"median"},
                   {"mean"}});
  for (const std::string role : {"calibrate", "predict"}) {
    std::vector<Cell> cells{role};
    for (int part = 0; part < 3; ++part) {
      const Errors errors = errors_of(points, [&](const PointResult& p) {
        const bool low = p.point.clients <= clients_low_max;
        return p.measured->role == role && (part == 0 || low == (part == 1));
      });
      cells.insert(cells.end(), {errors.count(), errors.median(), errors.mean()});
    }
    table.row(std::move(cells));
  }
  return table.text(false, 0, report_width);
}

}  // namespace

std::string summary_text(const Report& report, bool colour) {
  const std::vector<PointResult>& points = report.prediction.points;
  std::string text;
  const PointResult* worst = nullptr;
  std::size_t measured = 0;
  std::size_t wrong = 0;
  for (const PointResult& p : points) {
    if (!p.error) { continue; }
    ++measured;
    wrong += is_wrong(p) ? 1 : 0;
    const auto magnitude = [](const PointResult& q) { return std::max(*q.error, -*q.error); };
    if (worst == nullptr || magnitude(p) > magnitude(*worst)) { worst = &p; }
  }
  if (worst != nullptr) {
    text.append("\n").append(errors_text(points));
    text += fmt::format("{} of {} points are off by more than {} ({}); the worst: {}, predicted {}, measured {}, {}\n",
                        wrong, measured, percent(error_max), colour ? "!, in red" : "!", name_of(worst->point),
                        rounded_tps(worst->tps), rounded_tps(worst->measured->tps), signed_percent(*worst->error));
  }
  if (!report.scenario.known_gaps.empty()) {
    text += "\nKnown gaps:\n";
    for (const std::string& gap : report.scenario.known_gaps) { text += wrapped(gap, "  - ", 120); }
  }
  return text;
}

}  // namespace lockcast
