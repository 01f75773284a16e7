#include "sim/study/difference_report.hpp"

#include "sim/report/numbers.hpp"
#include "sim/report/text_table.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace lockcast {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t difference_width = 160;
// Parts of the time that changed by less than this share of the latency before are left out of the waterfall.
constexpr double part_min = 0.005;

std::string name_of(const ForecastRow& row) {
  std::string name = row.scenario;
  for (const std::string& part :
       {row.settings, row.tables, row.scale != 0 ? "scale " + std::to_string(row.scale) : "", row.variant}) {
    if (!part.empty()) { name += ", " + part; }
  }
  return name + fmt::format(", {} clients", row.clients);
}

std::string sign_of(double us) { return (us < 0 ? "-" : "+") + grouped(us < 0 ? -us : us, 1); }

// A bar that begins where the one before ended.
std::string bar(double from, double to, double most) {
  constexpr double columns = 40;
  const auto at = [&](double us) { return static_cast<std::size_t>(us / most * columns + 0.5); };
  const std::size_t begin = at(std::min(from, to));
  const std::size_t end = std::max(at(std::max(from, to)), begin + 1);
  return std::string(begin, ' ') + std::string(end - begin, to < from ? '-' : '+');
}

std::string waterfall(const PointDifference& point) {
  const ForecastRow& a = point.a.row;
  const ForecastRow& b = point.b.row;
  std::string text = fmt::format("\n{}: {} -> {} tps ({}), us per transaction\n", name_of(a), rounded_tps(a.tps),
                                 rounded_tps(b.tps), signed_percent(point.change));
  if (a.latency_us <= 0 || b.latency_us <= 0) { return text + "  the files do not say where the time went\n"; }
  double most = std::max(a.latency_us, b.latency_us);
  double at = a.latency_us;
  std::string lines;
  double rest = 0;
  for (std::size_t i = 0; i < category_count; ++i) {
    const double change = b.spent_us[i] - a.spent_us[i];
    if (std::max(change, -change) < part_min * a.latency_us) {
      rest += change;
      continue;
    }
    most = std::max(most, at + change);
    at += change;
  }
  const auto add = [&](std::string_view name, const std::string& value, const std::string& drawn) {
    lines += fmt::format("  {:<14}{:>12}  {}\n", name, value, drawn);
  };
  add("before", grouped(a.latency_us, 1), bar(0, a.latency_us, most));
  at = a.latency_us;
  for (std::size_t i = 0; i < category_count; ++i) {
    const double change = b.spent_us[i] - a.spent_us[i];
    if (std::max(change, -change) < part_min * a.latency_us) { continue; }
    add(category_names[i], sign_of(change), bar(at, at + change, most));
    at += change;
  }
  if (std::max(rest, -rest) >= 0.05) { add("the rest", sign_of(rest), bar(at, at + rest, most)); }
  add("after", grouped(b.latency_us, 1), bar(0, b.latency_us, most));
  // The locks that are waited for more, or less.
  std::vector<std::pair<double, std::string>> locks;
  for (const LockWait& after : b.lock_waits) {
    const auto before = std::find_if(a.lock_waits.begin(), a.lock_waits.end(),
                                     [&](const LockWait& wait) { return wait.name == after.name; });
    const double change = after.us_per_tx - (before != a.lock_waits.end() ? before->us_per_tx : 0);
    if (std::max(change, -change) >= part_min * a.latency_us) { locks.emplace_back(change, after.name); }
  }
  std::sort(locks.begin(), locks.end(),
            [](const auto& x, const auto& y) { return std::max(x.first, -x.first) > std::max(y.first, -y.first); });
  for (std::size_t i = 0; i < std::min<std::size_t>(locks.size(), 5); ++i) {
    lines += fmt::format("  {} waiting for {}\n", sign_of(locks[i].first), locks[i].second);
  }
  if (a.limit != b.limit) { lines += "  limited by " + a.limit + ", then by " + b.limit + "\n"; }
  return text + lines;
}

}  // namespace

bool is_regression(const PointDifference& point, double tolerance) {
  return point.change < -tolerance && point.is_significant();
}

std::string as_table(const Comparison& comparison, double tolerance, bool why, bool colour) {
  TextTable table({{"point", Align::left},
                   {"before"},
                   {"after"},
                   {"change"},
                   {"95 % interval", Align::left},
                   {"", Align::left},
                   {"limited by", Align::left}});
  std::size_t up = 0;
  std::size_t down = 0;
  std::size_t paired = 0;
  for (const PointDifference& p : comparison.points) {
    const bool regression = is_regression(p, tolerance);
    up += p.is_significant() && p.change > 0 ? 1 : 0;
    down += p.is_significant() && p.change < 0 ? 1 : 0;
    paired += p.is_paired ? 1 : 0;
    table.row({name_of(p.a.row),
               rounded_tps(p.a.row.tps),
               rounded_tps(p.b.row.tps),
               {signed_percent(p.change), regression},
               signed_percent(p.low) + " to " + signed_percent(p.high),
               p.is_significant() ? (p.change < 0 ? "slower" : "faster") : "",
               p.a.row.limit == p.b.row.limit ? p.b.row.limit : p.a.row.limit + " -> " + p.b.row.limit});
  }
  std::string text = table.text(colour, 0, difference_width);
  text +=
      fmt::format("{} points: {} faster, {} slower, {} not to be told from chance; {} paired by their random numbers\n",
                  comparison.points.size(), up, down, comparison.points.size() - up - down, paired);
  if (comparison.across_machines) { text += "no machine is in both files: points are matched without it\n"; }
  if (comparison.only_in_a + comparison.only_in_b > 0) {
    text += fmt::format("only in the first file: {} points; only in the second: {}\n", comparison.only_in_a,
                        comparison.only_in_b);
  }
  if (!why) { return text; }
  for (const PointDifference& p : comparison.points) {
    if (p.is_significant()) { text += waterfall(p); }
  }
  return text;
}

std::string as_json(const Comparison& comparison, double tolerance, std::string_view version) {
  Json json{{"schema_version", 1},
            {"version", version},
            {"across_machines", comparison.across_machines},
            {"only_in_a", comparison.only_in_a},
            {"only_in_b", comparison.only_in_b},
            {"points", Json::array()}};
  for (const PointDifference& p : comparison.points) {
    Json stack = Json::object();
    for (std::size_t i = 0; i < category_count; ++i) {
      stack[std::string(category_names[i])] = p.b.row.spent_us[i] - p.a.row.spent_us[i];
    }
    const ForecastRow& r = p.a.row;
    json["points"].push_back({{"scenario", r.scenario},
                              {"machine", {r.machine, p.b.row.machine}},
                              {"settings", r.settings},
                              {"tables", r.tables},
                              {"scale", r.scale},
                              {"variant", r.variant},
                              {"clients", r.clients},
                              {"tps", {r.tps, p.b.row.tps}},
                              {"change", p.change},
                              {"interval", {p.low, p.high}},
                              {"paired", p.is_paired},
                              {"significant", p.is_significant()},
                              {"regression", is_regression(p, tolerance)},
                              {"latency_us", {r.latency_us, p.b.row.latency_us}},
                              {"latency_change_us", stack},
                              {"limit", {r.limit, p.b.row.limit}}});
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace lockcast
