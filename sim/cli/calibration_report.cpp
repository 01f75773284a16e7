// Errors are in-sample by construction; the report says so before it shows them.

#include "sim/cli/calibration_report.hpp"

#include "sim/report/numbers.hpp"
#include "sim/report/text_table.hpp"
#include "sim/study/statistics.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace lockcast {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 3> fate_names{"fitted", "from its grid", "held at its prior"};
constexpr std::size_t report_width = 120;
// Short windows that differ from full ones, or from another seed, by more than this have misled the fit.
constexpr double misleading = 0.1;

// "hpux-spinlock" of scenarios/published/hpux-spinlock.yaml.
std::string scenario_name(const CalibrationReport& report, std::size_t scenario) {
  const std::string& path = report.study.scenarios[scenario];
  const std::size_t begin = path.rfind('/') + 1;
  return path.substr(begin, path.rfind('.') - begin);
}

std::string row_text(const CalibrationReport& report, const CalibrationRow& row) {
  std::string text = row.point.tables;
  for (const std::string& part : {row.point.scale != 0 ? "scale " + std::to_string(row.point.scale) : std::string{},
                                  row.point.variant, std::to_string(row.point.clients) + " clients"}) {
    if (!part.empty()) { text.append(text.empty() ? "" : ", ").append(part); }
  }
  return scenario_name(report, row.scenario) + ": " + text;
}

struct SeriesErrors {
  std::string name;
  ErrorStatistics before;
  ErrorStatistics after;
};

// By series and scenario, because one series may have rigs on several machines; "all" comes last.
std::vector<SeriesErrors> errors_of(const CalibrationReport& report) {
  std::vector<SeriesErrors> result;
  const auto add = [&](const std::string& name, const auto& belongs) {
    std::vector<double> before;
    std::vector<double> after;
    for (std::size_t i = 0; i < report.rows.size(); ++i) {
      if (!belongs(report.rows[i])) { continue; }
      before.push_back(magnitude(report.calibration.before[i] / report.rows[i].tps - 1));
      after.push_back(magnitude(report.calibration.after[i] / report.rows[i].tps - 1));
    }
    result.push_back({name, statistics_of(std::move(before)), statistics_of(std::move(after))});
  };
  for (std::size_t s = 0; s < report.study.scenarios.size(); ++s) {
    const auto of_scenario = [&](const CalibrationRow& row) { return row.scenario == s; };
    const auto first = std::find_if(report.rows.begin(), report.rows.end(), of_scenario);
    add(first->series + ", " + scenario_name(report, s), of_scenario);
  }
  if (report.study.scenarios.size() > 1) {
    add("all", [](const CalibrationRow&) { return true; });
  }
  return result;
}

std::string bounds_text(const Bounds<double>& bounds, yaml::Quantity quantity) {
  return yaml::print_free_value(bounds.low, quantity) + " to " + yaml::print_free_value(bounds.high, quantity);
}

// What a reader should not overlook about one parameter.
std::string remark(const FreeEntry& entry, const FittedParameter& fitted) {
  if (fitted.fate == Fate::held) { return ""; }
  if (fitted.at_bound) { return "at the bound of its range"; }
  const bool outside = fitted.value < entry.prior.interval.low || fitted.value > entry.prior.interval.high;
  return outside ? "outside its prior interval" : "";
}

std::string parameters_table(const CalibrationReport& report) {
  TextTable table({{"parameter", Align::left},
                   {"value"},
                   {"interval", Align::left},
                   {"prior"},
                   {"prior interval", Align::left},
                   {"range", Align::left},
                   {"how", Align::left},
                   {"", Align::left}});
  for (std::size_t i = 0; i < report.study.free.size(); ++i) {
    const FreeEntry& entry = report.study.free[i];
    const FittedParameter& fitted = report.calibration.parameters[i];
    const yaml::Quantity quantity = entry.prior.quantity;
    table.row({report.study.name_of(i), yaml::print_free_value(fitted.value, quantity),
               bounds_text(fitted.interval, quantity), yaml::print_free_value(entry.prior.value, quantity),
               bounds_text(entry.prior.interval, quantity), bounds_text(entry.prior.range, quantity),
               std::string(fate_names[static_cast<std::size_t>(fitted.fate)]), remark(entry, fitted)});
  }
  return table.text(false, 0, 240);
}

std::string errors_table(const CalibrationReport& report) {
  TextTable table({{"|predicted / measured - 1| of what was fitted on", Align::left},
                   {"points"},
                   {"median before"},
                   {"after"},
                   {"mean before"},
                   {"after"}});
  for (const SeriesErrors& errors : errors_of(report)) {
    table.row({errors.name, std::to_string(errors.before.points), percent(errors.before.median, 1),
               percent(errors.after.median, 1), percent(errors.before.mean, 1), percent(errors.after.mean, 1)});
  }
  return table.text();
}

std::string rows_table(const CalibrationReport& report) {
  TextTable table({{"calibrate row", Align::left},
                   {"measured"},
                   {"before"},
                   {"error"},
                   {"after"},
                   {"error"},
                   {"in short windows"},
                   {"", Align::left}});
  for (std::size_t i = 0; i < report.rows.size(); ++i) {
    const double before = report.calibration.before[i];
    const double after = report.calibration.after[i];
    const double fit = report.calibration.fit_tps[i];
    table.row({row_text(report, report.rows[i]), rounded_tps(report.rows[i].tps), rounded_tps(before),
               signed_percent(before / report.rows[i].tps - 1), rounded_tps(after),
               signed_percent(after / report.rows[i].tps - 1), rounded_tps(fit),
               magnitude(fit / after - 1) > misleading ? "the fit saw something else" : ""});
  }
  return table.text(false, 0, 200);
}

std::string steps_table(const CalibrationReport& report) {
  TextTable table({{"step", Align::left}, {"cost"}, {"mean error, short windows"}});
  for (const CalibrationStep& step : report.calibration.steps) {
    table.row({step.what, grouped(step.cost, 2), percent(step.mean_error, 1)});
  }
  return table.text();
}

std::string window_text(const CalibrationWindow& window) {
  return std::to_string(window.replications) + " x " + grouped(seconds(window.measure) * 1e3, 0) + " ms after " +
         grouped(seconds(window.warmup) * 1e3, 0) + " ms";
}

}  // namespace

std::string calibration_as_text(const CalibrationReport& report) {
  const Calibration& c = report.calibration;
  const auto label = [](std::string_view name, const std::string& text) {
    std::string first(name);
    first.append(11 - std::min<std::size_t>(10, first.size()), ' ');
    return wrapped(text, first, report_width);
  };
  std::size_t fitted = 0;
  for (const FittedParameter& parameter : c.parameters) { fitted += parameter.fate == Fate::held ? 0 : 1; }
  std::string text = label("study", report.study.name) + label("", report.study.question);
  text += label("fit", std::to_string(fitted) + " of " + std::to_string(report.study.free.size()) +
                           " free parameters on " + std::to_string(report.rows.size()) +
                           " rows of role calibrate, all with the same weight: an error of " +
                           percent(report.study.error_scale, 1) + " as much as half a prior interval; seed " +
                           std::to_string(report.seed) + ", windows of " + window_text(report.study.fit));
  text += label("noise", percent(c.noise, 1) + " of a forecast between seeds at the start" +
                             (c.noise_singular > 0
                                  ? "; it could make a singular value of " + grouped(c.noise_singular, 2) + " by itself"
                                  : ""));
  std::string noisy;
  for (std::size_t i = 0; i < report.rows.size(); ++i) {
    if (c.row_noise[i] > misleading) { noisy += (noisy.empty() ? "" : "; ") + row_text(report, report.rows[i]); }
  }
  if (!noisy.empty()) { text += label("", "two seeds differ by more than " + percent(misleading) + " at " + noisy); }
  text += label("end", c.converged ? "nothing got better any more"
                                   : "the iterations were used up before the fit had settled (--iterations)");
  text += "\n" + steps_table(report) + "\n" + parameters_table(report) + "\n";
  if (!c.singular_values.empty()) {
    std::string values;
    for (const double value : c.singular_values) { values += (values.empty() ? "" : ", ") + grouped(value, 2); }
    text +=
        wrapped("Singular values of the rows' Jacobian, per half prior interval: " + values + ".", "", report_width);
  }
  for (const std::string& direction : c.unseen) {
    text += wrapped("Not seen by the rows (below " + percent(report.study.null_share, 1) +
                        " of the largest singular value): " + direction + ".",
                    "", report_width);
  }
  for (const std::string& failure : c.failures) {
    text += wrapped("On the way a row could not be forecast: " + failure + ".", "", report_width);
  }
  text += "\nIn full windows of " + window_text(report.study.check) + ", in-sample:\n" + errors_table(report) + "\n" +
          rows_table(report);
  return text;
}

std::string calibration_as_json(const CalibrationReport& report) {
  constexpr int schema_version = 1;
  const Calibration& c = report.calibration;
  Json json{{"schema_version", schema_version},
            {"version", LOCKCAST_VERSION},
            {"study", report.study.name},
            {"seed", report.seed},
            {"error_scale", report.study.error_scale},
            {"noise", c.noise},
            {"noise_singular_value", c.noise_singular},
            {"converged", c.converged},
            {"singular_values", c.singular_values},
            {"not_seen", c.unseen},
            {"failures", c.failures}};
  json["steps"] = Json::array();
  for (const CalibrationStep& step : c.steps) {
    json["steps"].push_back({{"step", step.what}, {"cost", step.cost}, {"mean_error", step.mean_error}});
  }
  json["parameters"] = Json::array();
  for (std::size_t i = 0; i < report.study.free.size(); ++i) {
    const FreeEntry& entry = report.study.free[i];
    const FittedParameter& fitted = c.parameters[i];
    const auto print = [&](double value) { return yaml::print_free_value(value, entry.prior.quantity); };
    const auto pair = [&](const Bounds<double>& bounds) { return Json{print(bounds.low), print(bounds.high)}; };
    Json files = Json::array();
    for (const std::size_t file : entry.files) { files.push_back(report.study.files[file]); }
    json["parameters"].push_back({{"files", std::move(files)},
                                  {"path", entry.path},
                                  {"value", print(fitted.value)},
                                  {"interval", pair(fitted.interval)},
                                  {"prior", print(entry.prior.value)},
                                  {"prior_interval", pair(entry.prior.interval)},
                                  {"range", pair(entry.prior.range)},
                                  {"how", fate_names[static_cast<std::size_t>(fitted.fate)]},
                                  {"at_bound", fitted.at_bound}});
  }
  json["errors"] = Json::array();
  for (const SeriesErrors& errors : errors_of(report)) {
    json["errors"].push_back({{"of", errors.name},
                              {"points", errors.before.points},
                              {"median_before", errors.before.median},
                              {"median_after", errors.after.median},
                              {"mean_before", errors.before.mean},
                              {"mean_after", errors.after.mean}});
  }
  json["rows"] = Json::array();
  for (std::size_t i = 0; i < report.rows.size(); ++i) {
    const CalibrationRow& row = report.rows[i];
    json["rows"].push_back({{"series", row.series},
                            {"tables", row.point.tables},
                            {"scale", row.point.scale},
                            {"variant", row.point.variant},
                            {"clients", row.point.clients},
                            {"measured_tps", row.tps},
                            {"noise", c.row_noise[i]},
                            {"fit_window_tps", c.fit_tps[i]},
                            {"before_tps", c.before[i]},
                            {"after_tps", c.after[i]}});
  }
  return json.dump(2) + "\n";
}

}  // namespace lockcast
