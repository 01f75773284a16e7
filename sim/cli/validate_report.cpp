#include "sim/cli/validate_report.hpp"

#include "sim/report/numbers.hpp"
#include "sim/report/text_table.hpp"
#include "validate/probe/statistics.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace lockcast {

namespace {

using Json = nlohmann::ordered_json;
constexpr std::size_t width = 120;
constexpr std::array<std::string_view, 3> verdict_words{"pass", "fail", "machine too noisy"};

std::string_view class_name(PointClass point_class) { return point_class_names[static_cast<std::size_t>(point_class)]; }

std::string verdict_of(const JudgedPoint& point, double tolerance) {
  if (!point.outcome.unusable.empty()) { return "unusable: " + point.outcome.unusable; }
  const double limit = point.point_class == PointClass::fifo_collapse ? collapse_tolerance : tolerance;
  return std::abs(point.outcome.error) <= limit ? "ok" : "off";
}

// The least fair visit: of short ones, the others were perhaps lucky.
struct Fairness {
  double slowest_to_fastest = 1;
  double jain = 1;
};
Fairness fairness_of(const NativeSessionPoint& point) {
  Fairness fairness;
  for (const Visit& visit : point.visits) {
    fairness.slowest_to_fastest = std::min(fairness.slowest_to_fastest, visit.native.fairness);
    fairness.jain = std::min(fairness.jain, visit.native.jain);
  }
  return fairness;
}

std::vector<double> guards_of(const NativeSession& session) {
  std::vector<double> guards;
  for (const NativeSessionPoint& point : session.points) {
    for (const Visit& visit : point.visits) {
      for (const Guard* guard : {&visit.before, &visit.after}) {
        if (guard->line_ns) { guards.push_back(*guard->line_ns); }
      }
    }
  }
  return guards;
}

std::size_t visits_of(const NativeSession& session) {
  std::size_t count = 0;
  for (const NativeSessionPoint& point : session.points) { count += point.visits.size(); }
  return count;
}

std::size_t discarded_visits_of(const NativeSession& session) {
  std::size_t count = 0;
  for (const NativeSessionPoint& point : session.points) { count += point.visits.size() - point.usable_visits(); }
  return count;
}

std::string regime_line(const NativeSession& session) {
  const std::vector<double> guards = guards_of(session);
  if (guards.empty()) { return "lines: one CPU, they never travel"; }
  std::string line = "lines, one way, " + std::to_string(guards.size()) + " guards:";
  for (const probe::Regime& regime : probe::regimes_of(guards)) {
    line += " " + grouped(regime.low, 1) + "-" + grouped(regime.high, 1) + " ns " + percent(regime.share) + ";";
  }
  line.back() = '.';
  return line;
}

std::string host_line(const NativeHost& host) {
  return "host: " + host.cpu_model + ", " + std::to_string(host.cpus.size()) +
         (host.cpus.size() == 1 ? " CPU" : " CPUs") + " allowed, " +
         (host.virtual_machine ? "virtual machine (hypervisor flag)" : "no hypervisor flag") + ", " + host.kernel;
}

std::string label(const JudgedPoint& point) {
  return point.group + (point.variant.empty() ? "" : ", " + point.variant);
}

std::string class_table(const ValidateReport& report, PointClass point_class, bool colour) {
  TextTable table({{"point", Align::left},
                   {"line ns"},
                   {"predicted"},
                   {"measured"},
                   {"error"},
                   {"native"},
                   {"min/max"},
                   {"Jain"},
                   {"verdict", Align::left}});
  for (std::size_t i = 0; i < report.forecast.points.size(); ++i) {
    const JudgedPoint& point = report.forecast.points[i];
    if (point.point_class != point_class) { continue; }
    const NativeSessionPoint& visited = report.session.points[i];
    const PointOutcome& outcome = point.outcome;
    const bool usable = outcome.unusable.empty();
    const Fairness fairness = fairness_of(visited);
    std::vector<double> lines;
    for (const Visit& visit : visited.visits) {
      if (visit.line_ns() && (!usable || visit.discarded().empty())) { lines.push_back(*visit.line_ns()); }
    }
    const std::string verdict = verdict_of(point, report.tolerance);
    table.row({label(point), lines.empty() ? "-" : grouped(probe::median(lines), 1), rounded_tps(outcome.predicted),
               rounded_tps(outcome.measured), usable ? signed_percent(outcome.error) : "-",
               outcome.native_error ? percent(*outcome.native_error, 1) : "-", grouped(fairness.slowest_to_fastest, 2),
               grouped(fairness.jain, 2), Cell(verdict, verdict != "ok")});
  }
  return table.text(colour, 0, width);
}

std::string summary_line(std::string_view name, const ClassSummary& summary) {
  std::string line = std::string(name) + ": " + std::to_string(summary.usable) + " of " +
                     std::to_string(summary.points) + " points usable";
  if (summary.usable > 0) {
    line += ", |error| median " + percent(summary.median, 1) + ", 90 % below " + percent(summary.p90, 1);
  }
  return line + "\n";
}

std::string summaries(const ValidateReport& report) {
  const Judgement& judgement = report.judgement;
  std::string text = summary_line("all but FIFO collapse", judgement.all);
  for (const ClassSummary& summary : judgement.classes) {
    text += summary_line("  " + std::string(class_name(summary.point_class)), summary);
  }
  text += "native against native: " +
          (judgement.native_error ? "median " + percent(*judgement.native_error, 1) : std::string("no two visits")) +
          "; " + std::to_string(discarded_visits_of(report.session)) + " of " +
          std::to_string(visits_of(report.session)) + " visits discarded\n";
  text += "which variant is faster: " + std::to_string(judgement.signs.right) + " of " +
          std::to_string(judgement.signs.clear) + " clear differences (> " + percent(clear_difference) +
          ") predicted\n";
  for (const std::string& wrong : judgement.signs.wrong) { text += "  not: " + wrong + "\n"; }
  return text;
}

std::string verdict_line(const Judgement& judgement) {
  std::string line = "verdict: " + std::string(verdict_words[static_cast<std::size_t>(judgement.kind)]);
  for (std::size_t i = 0; i < judgement.reasons.size(); ++i) { line += (i == 0 ? " - " : "; ") + judgement.reasons[i]; }
  return line;
}

Json number_or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json json_of(const ClassSummary& summary) {
  return {{"points", summary.points},
          {"usable", summary.usable},
          {"error_median", summary.usable > 0 ? Json(summary.median) : Json(nullptr)},
          {"error_p90", summary.usable > 0 ? Json(summary.p90) : Json(nullptr)}};
}

Json json_of(const Visit& visit) {
  const std::string discarded = visit.discarded();
  return {{"line_ns_before", number_or_null(visit.before.line_ns)},
          {"line_ns_after", number_or_null(visit.after.line_ns)},
          {"lost_share", std::max(visit.before.lost_share, visit.after.lost_share)},
          {"tps", visit.native.tps},
          {"epoch_tps", visit.native.epoch_tps},
          {"transactions", visit.native.transactions},
          {"fairness", visit.native.fairness},
          {"jain", visit.native.jain},
          {"cpu_share", visit.native.cpu_share},
          {"foreign_share", visit.native.foreign_share},
          {"involuntary_switches", visit.native.involuntary_switches},
          {"discarded", discarded.empty() ? Json(nullptr) : Json(discarded)}};
}

}  // namespace

std::string validate_table(const ValidateReport& report, bool colour) {
  std::string text = wrapped(host_line(report.host), "", width);
  text += wrapped("machine: " + report.machine.name + " (" + report.machine.summary + ")", "", width);
  for (const std::string& note : report.notes) { text += wrapped(note, "note: ", width); }
  text += wrapped(regime_line(report.session), "", width);
  for (const ClassSummary& summary : report.judgement.classes) {
    text +=
        "\n" + std::string(class_name(summary.point_class)) + "\n" + class_table(report, summary.point_class, colour);
  }
  return text + "\n" + summaries(report) + wrapped(verdict_line(report.judgement), "", width);
}

std::string validate_csv(const ValidateReport& report) {
  std::string text =
      "scenario,tables,variant,scale,clients,class,predicted_tps,measured_tps,error,native_error,fairness,jain,visits,"
      "usable_visits,verdict\n";
  for (std::size_t i = 0; i < report.forecast.points.size(); ++i) {
    const JudgedPoint& point = report.forecast.points[i];
    const NativeSessionPoint& visited = report.session.points[i];
    const Fairness fairness = fairness_of(visited);
    const bool usable = point.outcome.unusable.empty();
    std::string verdict = verdict_of(point, report.tolerance);
    std::ranges::replace(verdict, ',', ';');
    std::string class_word(class_name(point.point_class));
    std::ranges::replace(class_word, ',', ';');
    text += report.scenarios[visited.scenario].name + "," + visited.point.tables + "," + visited.point.variant + "," +
            (visited.point.scale == 0 ? "" : std::to_string(visited.point.scale)) + "," +
            std::to_string(visited.point.clients) + "," + class_word + "," + plain(point.outcome.predicted) + "," +
            plain(point.outcome.measured) + "," + (usable ? plain(point.outcome.error) : "") + "," +
            (point.outcome.native_error ? plain(*point.outcome.native_error) : "") + "," +
            plain(fairness.slowest_to_fastest) + "," + plain(fairness.jain) + "," +
            std::to_string(visited.visits.size()) + "," + std::to_string(visited.usable_visits()) + "," + verdict +
            "\n";
  }
  return text;
}

std::string validate_json(const ValidateReport& report) {
  constexpr int schema_version = 2;
  Json json;
  json["schema_version"] = schema_version;
  json["version"] = LOCKCAST_VERSION;
  json["machine"] = report.machine.name;
  json["host"] = {{"cpu_model", report.host.cpu_model},
                  {"cpus", report.host.cpus.size()},
                  {"virtual_machine", report.host.virtual_machine},
                  {"kernel", report.host.kernel}};
  json["notes"] = report.notes;
  json["options"] = {{"seed", report.seed}, {"tolerance", report.tolerance}};
  json["regimes"] = Json::array();
  if (const std::vector<double> guards = guards_of(report.session); !guards.empty()) {
    for (const probe::Regime& regime : probe::regimes_of(guards)) {
      json["regimes"].push_back({{"line_ns_low", regime.low}, {"line_ns_high", regime.high}, {"share", regime.share}});
    }
  }
  json["points"] = Json::array();
  for (std::size_t i = 0; i < report.forecast.points.size(); ++i) {
    const JudgedPoint& point = report.forecast.points[i];
    const NativeSessionPoint& visited = report.session.points[i];
    Json one;
    one["scenario"] = report.scenarios[visited.scenario].name;
    one["tables"] = visited.point.tables.empty() ? Json(nullptr) : Json(visited.point.tables);
    one["variant"] = visited.point.variant.empty() ? Json(nullptr) : Json(visited.point.variant);
    one["scale"] = visited.point.scale == 0 ? Json(nullptr) : Json(visited.point.scale);
    one["clients"] = visited.point.clients;
    one["class"] = class_name(point.point_class);
    one["predicted_tps"] = point.outcome.predicted;
    one["measured_tps"] = point.outcome.measured;
    one["error"] = point.outcome.unusable.empty() ? Json(point.outcome.error) : Json(nullptr);
    one["native_error"] = number_or_null(point.outcome.native_error);
    one["verdict"] = verdict_of(point, report.tolerance);
    one["visits"] = Json::array();
    for (const Visit& visit : visited.visits) { one["visits"].push_back(json_of(visit)); }
    json["points"].push_back(std::move(one));
  }
  const Judgement& judgement = report.judgement;
  json["all"] = json_of(judgement.all);
  json["classes"] = Json::object();
  for (const ClassSummary& summary : judgement.classes) {
    json["classes"][std::string(class_name(summary.point_class))] = json_of(summary);
  }
  json["native_error_median"] = number_or_null(judgement.native_error);
  json["signs"] = {
      {"clear", judgement.signs.clear}, {"right", judgement.signs.right}, {"wrong", judgement.signs.wrong}};
  json["verdict"] = verdict_words[static_cast<std::size_t>(judgement.kind)];
  json["reasons"] = judgement.reasons;
  return json.dump(2) + "\n";
}

}  // namespace lockcast
