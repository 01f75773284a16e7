// The title, one row per point, and where a transaction's time goes.

#include "sim/report/numbers.hpp"
#include "sim/report/show.hpp"
#include "sim/report/table_parts.hpp"
#include "sim/report/text_table.hpp"
#include "sim/report/totals.hpp"
#include "sim/yaml/overlay.hpp"
#include "sim/yaml/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace lockcast {

namespace {

constexpr std::string_view margin = "           ";

std::string labelled(std::string_view label, std::string_view text) {
  return wrapped(text, fmt::format("{:<{}}", label, margin.size()), report_width);
}

std::string run_of(const Report& report) {
  const PredictOptions& o = report.options;
  std::size_t least = SIZE_MAX;
  std::size_t most = 0;
  for (const PointResult& p : report.prediction.points) {
    least = std::min(least, p.replications.size());
    most = std::max(most, p.replications.size());
  }
  const std::string count = most == 0       ? "no"
                            : least == most ? std::to_string(most)
                                            : fmt::format("{} to {}", least, most);
  std::string text = fmt::format("seed {}, {} replications of {} after {} of warm-up", o.seed, count,
                                 yaml::print_duration(o.measured), yaml::print_duration(o.warmup));
  if (o.precision > 0) { text += fmt::format(", until the interval is within +-{} %", plain(o.precision * 100)); }
  return text;
}

std::string interval_of(const PointResult& p) {
  if (!p.two_regimes) {
    return p.replications.size() < 2 ? "-" : rounded_tps(p.tps_low) + " to " + rounded_tps(p.tps_high);
  }
  const TwoRegimes& two = *p.two_regimes;
  const auto all = static_cast<double>(p.replications.size());
  const auto low = std::round(two.low_share * all);
  const auto group = [&](double count, double least, double most) {
    return fmt::format("{}/{}: {}", count, all, short_range(least, most));
  };
  return group(low, two.low_min, two.low_max) + ", " + group(all - low, two.high_min, two.high_max);
}

// What the columns of a run depend on.
struct Shape {
  bool variants = false;
  bool measured = false;
  bool two_regimes = false;
};

Shape shape_of(const std::vector<PointResult>& points) {
  Shape shape;
  for (const PointResult& p : points) {
    shape.variants = shape.variants || !p.point.variant.empty();
    shape.measured = shape.measured || p.measured.has_value();
    shape.two_regimes = shape.two_regimes || p.two_regimes.has_value();
  }
  return shape;
}

void push_measured(std::vector<Cell>& cells, const PointResult& p) {
  if (!p.measured) {
    for (int i = 0; i < 3; ++i) { cells.emplace_back(i == 2 ? "" : "-"); }
    return;
  }
  cells.emplace_back(rounded_tps(p.measured->tps));
  cells.emplace_back(signed_percent(*p.error) + (is_wrong(p) ? " !" : "  "), is_wrong(p));
  cells.emplace_back(p.measured->role);
}

// The points of a run stand in blocks.
struct Block {
  std::string tables;
  std::int64_t scale = 0;

  [[nodiscard]] bool has(const PointResult& p) const { return p.point.tables == tables && p.point.scale == scale; }
  friend bool operator==(const Block&, const Block&) = default;
};

std::string points_of(const Block& block, const std::vector<PointResult>& points, const Shape& shape, bool colour) {
  std::vector<Column> columns{{"clients"}};
  if (shape.variants) { columns.push_back({"variant", Align::left}); }
  columns.push_back({"tps"});
  columns.push_back({"95 % interval", Align::left});
  if (shape.measured) {
    columns.push_back({"measured"});
    columns.push_back({"error  "});
    columns.push_back({"role", Align::left});
  }
  columns.push_back({"idle"});
  columns.push_back({"regime", Align::left});
  columns.push_back({"limited by", Align::left});
  TextTable table(std::move(columns));
  for (const PointResult& p : points) {
    if (!block.has(p)) { continue; }
    std::vector<Cell> cells{std::to_string(p.point.clients)};
    if (shape.variants) { cells.emplace_back(p.point.variant); }
    cells.emplace_back(rounded_tps(p.tps));
    cells.emplace_back(interval_of(p));
    if (shape.measured) { push_measured(cells, p); }
    cells.emplace_back(percent(p.cpu_idle));
    cells.emplace_back(std::string(regime_names[static_cast<std::size_t>(p.regime)]));
    cells.emplace_back(p.limit);
    table.row(std::move(cells));
  }
  return table.text(colour, 0, report_width);
}

std::string stack_of(const Block& block, const std::vector<PointResult>& points, const Shape& shape) {
  std::vector<Column> columns{{"clients"}};
  if (shape.variants) { columns.push_back({"variant", Align::left}); }
  columns.push_back({"latency"});
  // Few workloads wait for a disk.
  const bool has_disk =
      std::ranges::any_of(points, [](const PointResult& p) { return spent_per_transaction_s(p, Category::disk) > 0; });
  static_assert(static_cast<std::size_t>(Category::disk) + 1 == category_count);
  const std::size_t shown = has_disk ? category_count : category_count - 1;
  for (std::size_t i = 0; i < shown; ++i) { columns.push_back({std::string(category_names[i])}); }
  for (const char* quantile : {"p50", "p95", "p99"}) { columns.push_back({quantile}); }
  TextTable table(std::move(columns));
  for (const PointResult& p : points) {
    if (!block.has(p)) { continue; }
    std::vector<Cell> cells{std::to_string(p.point.clients)};
    if (shape.variants) { cells.emplace_back(p.point.variant); }
    cells.emplace_back(micros(p.latency_s));
    for (std::size_t i = 0; i < shown; ++i) {
      cells.emplace_back(micros(spent_per_transaction_s(p, static_cast<Category>(i))));
    }
    for (const auto quantile :
         {&Replication::latency_p50_s, &Replication::latency_p95_s, &Replication::latency_p99_s}) {
      cells.emplace_back(micros(mean_of(p, quantile), 0));
    }
    table.row(std::move(cells));
  }
  return table.text(false, 0, report_width);
}

std::vector<Block> blocks_of(const std::vector<PointResult>& points) {
  std::vector<Block> blocks;
  for (const PointResult& p : points) {
    const Block block{p.point.tables, p.point.scale};
    if (std::find(blocks.begin(), blocks.end(), block) == blocks.end()) { blocks.push_back(block); }
  }
  return blocks;
}

std::string heading(const Block& block, const std::string& rest) {
  std::string words = block.tables.empty() ? "" : block.tables + " tables";
  if (block.scale != 0) { words += fmt::format("{}scale {}", words.empty() ? "" : ", ", block.scale); }
  if (!rest.empty()) { words += (words.empty() ? "" : ": ") + rest; }
  return words.empty() ? "\n" : "\n" + words + "\n";
}

}  // namespace

std::string name_of(const Case& point) {
  std::string name = point.variant.empty() ? "" : point.variant + ", ";
  if (!point.tables.empty()) { name += point.tables + " tables, "; }
  if (point.scale != 0) { name += fmt::format("scale {}, ", point.scale); }
  return name + fmt::format("{} client{}", point.clients, point.clients == 1 ? "" : "s");
}

std::string describe(const NetworkChoice& choice) {
  if (!choice.has_network) { return "none, the load is local"; }
  std::string text = choice.messages == Messages::inner ? "inner events with the latency of SimGrid's route"
                                                        : "SimGrid communications over SimGrid's link";
  const std::string share = percent(choice.link_share, choice.link_share < 0.1 ? 1 : 0);
  return text + fmt::format(" ({}the load is at most {} of the link)", choice.asked_for ? "as asked; " : "", share);
}

std::string describe(KernelKind kernel) {
  return kernel == KernelKind::inner ? "the inner kernel"
                                     : "SimGrid: an actor per backend and timer, as a check of the inner kernel";
}

// Nobody should have to guess whether a forecast stands on hand-written or on fitted values.
std::string fitted_text(const Scenario& s) {
  std::string text;
  for (const yaml::Node* tree : {&s.scenario_tree, &s.machine_tree, &s.workload_tree}) {
    for (const auto& [file, values] : yaml::overlaid_values(*tree)) {
      text += labelled(text.empty() ? "fitted" : "",
                       fmt::format("{} value{} from {}", values, values == 1 ? "" : "s", file));
    }
  }
  return text;
}

std::string title_text(const Report& report) {
  const Scenario& s = report.scenario;
  std::string text = labelled("scenario", s.name) + labelled("", s.question);
  text += labelled("machine", topology_text(s.machine)) + labelled("", s.machine.summary);
  text += labelled("workload", s.workload + (s.measured.empty() ? "" : "; measured: series " + s.series));
  text += fitted_text(s);
  text += labelled("run", run_of(report));
  text += labelled("messages", describe(report.network));
  if (!report.free.empty()) { text += labelled("free", fmt::format("{}", fmt::join(report.free, ", "))); }
  if (report.options.kernel != KernelKind::inner) { text += labelled("kernel", describe(report.options.kernel)); }
  for (const auto& [path, value] : report.sets) { text += labelled("set", yaml::quote(path + "=" + value)); }
  return text;
}

std::string points_text(const Report& report, bool colour) {
  const std::vector<PointResult>& points = report.prediction.points;
  const Shape shape = shape_of(points);
  std::string text;
  for (const Block& block : blocks_of(points)) { text += heading(block, "") + points_of(block, points, shape, colour); }
  if (shape.two_regimes) {
    text +=
        "Where two ranges stand for the interval, the replications fell into two groups: how many of them, and their "
        "tps.\n";
  }
  return text;
}

std::string stack_text(const Report& report) {
  const std::vector<PointResult>& points = report.prediction.points;
  std::string text;
  for (const Block& block : blocks_of(points)) {
    text += heading(block, "us per transaction: mean latency, where it goes, and quantiles of latency");
    text += stack_of(block, points, shape_of(points));
  }
  return text;
}

std::string as_table(const Report& report, bool colour) {
  std::string text = title_text(report);
  if (report.prediction.interrupted) { text += labelled("", "interrupted: only finished points are shown"); }
  if (report.prediction.points.empty()) { return text + "\nno point was finished\n"; }
  return text + points_text(report, colour) + stack_text(report) +
         (report.options.profile ? explain_text(report) : details_text(report)) + summary_text(report, colour);
}

}  // namespace lockcast
