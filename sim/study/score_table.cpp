// The score for people: first how far off, then against whom, then what a change does, then where it went wrong.

#include "sim/report/numbers.hpp"
#include "sim/report/text_table.hpp"
#include "sim/study/score_report.hpp"

#include <fmt/format.h>

namespace lockcast {

namespace {

constexpr std::size_t score_width = 140;
// A forecast, or a gain, further off than this stands out.
constexpr double stands_out_above = 0.15;

bool is_wrong(double error) { return magnitude(error) > stands_out_above; }
std::string marked(double error) { return signed_percent(error) + (is_wrong(error) ? " !" : "  "); }

// Headings of the two parts.
const std::string heading_below = fmt::format("below {}: ", clients_high);
const std::string heading_above = fmt::format("{}+: ", clients_high);

void push_statistics(std::vector<Cell>& cells, const ErrorStatistics& errors, bool with_p90 = true) {
  const bool none = errors.points == 0;
  cells.emplace_back(none ? "-" : std::to_string(errors.points));
  cells.emplace_back(none ? "-" : percent(errors.median, 1));
  cells.emplace_back(none ? "-" : percent(errors.mean, 1));
  if (with_p90) { cells.emplace_back(none ? "-" : percent(errors.p90, 1)); }
}

std::string of(const Share& share) { return share.total == 0 ? "-" : fmt::format("{}/{}", share.right, share.total); }

std::string place_of(const ForecastRow& row) {
  return name_of(table_of(row)) + fmt::format(", {} client{}", row.clients, row.clients == 1 ? "" : "s");
}

std::string errors_text(const Score& score) {
  TextTable table({{"|predicted / measured - 1|", Align::left},
                   {"points"},
                   {"median"},
                   {"mean"},
                   {"p90"},
                   {heading_below + "points"},
                   {"median"},
                   {"mean"},
                   {"p90"},
                   {heading_above + "points"},
                   {"median"},
                   {"mean"},
                   {"p90"}});
  const auto row = [&](const std::string& kind, const GroupScore& group) {
    std::vector<Cell> cells{kind + group.name};
    for (const ErrorStatistics& part : {group.lockcast.all, group.lockcast.below, group.lockcast.above}) {
      push_statistics(cells, part);
    }
    table.row(std::move(cells));
  };
  row("", score.total);
  for (const GroupScore& group : score.roles) { row("role ", group); }
  for (const GroupScore& group : score.series) { row("series ", group); }
  for (const GroupScore& group : score.variants) {
    if (!group.name.empty()) { row("variant ", group); }
  }
  return table.text(false, 0, score_width);
}

std::string scoreboard_text(const Score& score) {
  TextTable table({{"scoreboard", Align::left},
                   {"clients", Align::left},
                   {"points"},
                   {"median"},
                   {"mean"},
                   {"p90"},
                   {"Lockcast on these: median"},
                   {"mean"},
                   {"p90"}});
  const auto rows = [&](const std::string& name, const Rivalry& rivalry) {
    const auto row = [&](const std::string& clients, const ErrorStatistics& rival, const ErrorStatistics& ours) {
      std::vector<Cell> cells{name, clients};
      push_statistics(cells, rival);
      std::vector<Cell> beside;
      push_statistics(beside, ours);
      cells.insert(cells.end(), beside.begin() + 1, beside.end());
      table.row(std::move(cells));
    };
    row("all", rivalry.rival.all, rivalry.lockcast.all);
    row(fmt::format("{}+", clients_high), rivalry.rival.above, rivalry.lockcast.above);
  };
  rows("keep-last", score.total.keep_last);
  for (const GroupScore& role : score.roles) { rows("keep-last, role " + role.name, role.keep_last); }
  for (const GroupScore& role : score.roles) { rows("USL, role " + role.name, role.usl); }
  std::string text = "\n" + table.text(false, 0, score_width);
  text += wrapped(
      "Lockcast may be fitted to rows of role calibrate, not to those of role predict. keep-last knows the measured "
      "value "
      "of the next smaller client count of the very curve it forecasts, whatever its role.",
      "  ", score_width);
  text += wrapped(
      "USL, role calibrate is fitted to the very points it is scored on, three numbers for each curve; USL, role "
      "predict "
      "is the fitted curve of the table's baseline, which knows nothing of the change.",
      "  ", score_width);
  return text;
}

std::string gains_text(const Score& score) {
  if (score.gains.lockcast.all.points == 0) {
    return "\nno cell has two measured variants: nothing is said of gains\n";
  }
  TextTable table({{"|predicted gain / measured gain - 1|", Align::left},
                   {heading_above + "points"},
                   {"median"},
                   {"mean"},
                   {"'no change'"},
                   {"mean"},
                   {heading_below + "points"},
                   {"median"},
                   {"mean"},
                   {"'no change'"},
                   {"mean"}});
  TextTable counts({{"direction, order, no effect", Align::left},
                    {"sign right, gain > 10 %"},
                    {"gain > 3 %"},
                    {"order right, gap > 5 %"},
                    {"gain < 3 %: forecast within 5 %"}});
  const auto row = [&](const std::string& kind, const GainScore& gains) {
    if (gains.lockcast.all.points == 0) { return; }
    std::vector<Cell> cells{kind + gains.name};
    push_statistics(cells, gains.lockcast.above, false);
    std::vector<Cell> beside;
    push_statistics(beside, gains.unchanged.above, false);
    cells.insert(cells.end(), beside.begin() + 1, beside.end());
    push_statistics(cells, gains.lockcast.below, false);
    beside.clear();
    push_statistics(beside, gains.unchanged.below, false);
    cells.insert(cells.end(), beside.begin() + 1, beside.end());
    table.row(std::move(cells));
    counts.row({kind + gains.name, of(gains.sign_large), of(gains.sign_small), of(gains.order), of(gains.no_effect)});
  };
  row("", score.gains);
  for (const GainScore& gains : score.series_gains) { row("series ", gains); }
  return "\n" + table.text(false, 0, score_width) + "\n" + counts.text(false, 0, score_width);
}

std::string intervals_text(const Score& score) {
  std::string text = fmt::format(
      "\n{} measurements lie inside their forecast's 95 % interval (it is that of the "
      "simulation's random numbers alone)\n",
      of(score.inside_forecast));
  if (score.inside_measured.total > 0) {
    text += fmt::format("{} forecasts lie inside measured low..high, where that is given\n", of(score.inside_measured));
  }
  return text;
}

std::string optional_error(const std::optional<double>& forecast, double measured) {
  return forecast ? signed_percent(*forecast / measured - 1) : "-";
}

std::string worst_text(const Score& score, bool colour) {
  TextTable points({{"the worst points", Align::left},
                    {"variant", Align::left},
                    {"predicted"},
                    {"measured"},
                    {"error  "},
                    {"keep-last"},
                    {"USL"},
                    {"role", Align::left}});
  for (const Miss& miss : score.worst) {
    const ForecastRow& row = *miss.row;
    const double measured = row.measured->tps;
    points.row({place_of(row),
                row.variant,
                rounded_tps(row.tps),
                rounded_tps(measured),
                {marked(*row.error()), is_wrong(*row.error())},
                optional_error(miss.rivals.keep_last, measured),
                optional_error(miss.rivals.usl, measured),
                row.measured->role});
  }
  std::string text = "\n" + points.text(colour, 0, score_width);
  if (score.worst_gains.empty()) { return text; }
  TextTable gains({{"the worst gains", Align::left},
                   {"variant", Align::left},
                   {"over", Align::left},
                   {"predicted"},
                   {"measured"},
                   {"error  "}});
  for (const Gain& gain : score.worst_gains) {
    gains.row({place_of(*gain.row),
               gain.row->variant,
               gain.baseline->variant,
               "x" + grouped(gain.predicted, 2),
               "x" + grouped(gain.measured, 2),
               {marked(gain.error()), is_wrong(gain.error())}});
  }
  return text + "\n" + gains.text(colour, 0, score_width);
}

std::string interactions_text(const Score& score) {
  if (score.interactions.empty()) { return {}; }
  TextTable table({{"both together over the product of each", Align::left},
                   {"variant", Align::left},
                   {"over", Align::left},
                   {"predicted"},
                   {"measured"}});
  for (const Interaction& interaction : score.interactions) {
    table.row({place_of(*interaction.together), interaction.together->variant, interaction.baseline->variant,
               "x" + grouped(interaction.predicted, 3),
               interaction.measured ? "x" + grouped(*interaction.measured, 3) : "-"});
  }
  return "\n" + table.text(false, 0, score_width);
}

std::string micros_or_none(const std::optional<double>& value) { return value ? grouped(*value, 1) : "none"; }

std::string bottlenecks_text(const Score& score) {
  if (!score.has_lock_waits) { return "\nno lock waits in this file: whether the bottleneck moves cannot be told\n"; }
  if (score.bottlenecks.empty()) { return {}; }
  std::vector<Column> columns{{"does the bottleneck move? us of wait per transaction", Align::left},
                              {"variant", Align::left}};
  for (const std::string_view lock : bottleneck_locks) {
    columns.push_back({std::string(lock) + ": before"});
    columns.push_back({"after"});
  }
  columns.push_back({"longest before", Align::left});
  columns.push_back({"longest after", Align::left});
  TextTable table(std::move(columns));
  for (const Bottleneck& bottleneck : score.bottlenecks) {
    std::vector<Cell> cells{place_of(*bottleneck.after), bottleneck.after->variant};
    for (const LockChange& lock : bottleneck.locks) {
      cells.emplace_back(micros_or_none(lock.before_us));
      cells.emplace_back(micros_or_none(lock.after_us));
    }
    cells.emplace_back(bottleneck.leading_before.name);
    cells.emplace_back(bottleneck.leading_after.name);
    table.row(std::move(cells));
  }
  return "\n" + table.text(false, 0, score_width);
}

}  // namespace

std::string score_as_table(const Score& score, bool only_scoreboard, bool colour) {
  std::string text = fmt::format("{} forecasts, {} beside a measurement\n", score.rows, score.measured);
  if (score.measured == 0) { return text + "nothing to score\n" + bottlenecks_text(score); }
  text += "\n";
  if (only_scoreboard) { return text.erase(text.size() - 1) + scoreboard_text(score); }
  return text + errors_text(score) + scoreboard_text(score) + gains_text(score) + intervals_text(score) +
         worst_text(score, colour) + interactions_text(score) + bottlenecks_text(score);
}

}  // namespace lockcast
