// fit usl FILE: the curve of the trade through what was measured.

#include "models/check.hpp"
#include "sim/cli/options.hpp"
#include "sim/cli/output.hpp"
#include "sim/cli/values.hpp"
#include "sim/cli/verbs.hpp"
#include "sim/report/numbers.hpp"
#include "sim/report/text_table.hpp"
#include "sim/study/rows.hpp"
#include "sim/study/statistics.hpp"

#include <nlohmann/json.hpp>

#include <array>

namespace lockcast {

namespace {

using Json = nlohmann::ordered_json;

const Command fit_description{
    .usage = "fit usl FILE [OPTIONS]",
    .about =
        "Fits the Universal Scalability Law, X(N) = gamma N / (1 + alpha (N-1) + beta N (N-1)) with alpha, beta >= 0,\n"
        "to each measured curve of FILE by least squares on log tps. FILE is a CSV file of 'lockcast simulate' or a\n"
        "table of measurements such as scenarios/published/pgsql-hackers-2011.csv. Errors are in-sample.",
    .options = {{"format", "table|json", "(table)"}},
    .examples =
        "fit usl result.csv\n"
        "fit usl scenarios/published/pgsql-hackers-2011.csv\n",
    .operands_min = 2,
    .operands_max = 2};

constexpr std::array<std::string_view, 2> fit_formats{"table", "json"};
constexpr std::array<std::string_view, 1> law_names{"usl"};

ErrorStatistics errors_of_law(const UslCurve& law, const MeasuredCurve& curve) {
  std::vector<double> errors;
  for (const UslPoint& point : curve.points) { errors.push_back(magnitude(law.tps(point.clients) / point.tps - 1)); }
  return statistics_of(std::move(errors));
}

std::string curves_as_table(const std::vector<MeasuredCurve>& curves) {
  TextTable table({{"curve", Align::left},
                   {"points"},
                   {"alpha"},
                   {"beta"},
                   {"gamma"},
                   {"peak at clients"},
                   {"median error"},
                   {"mean"}});
  for (const MeasuredCurve& curve : curves) {
    std::vector<Cell> cells{curve.name, std::to_string(curve.points.size())};
    if (const std::optional<UslCurve> law = fit_usl(curve.points)) {
      const ErrorStatistics errors = errors_of_law(*law, curve);
      const std::optional<double> peak = law->peak_clients();
      cells.insert(cells.end(),
                   {grouped(law->alpha, 6), grouped(law->beta, 8), grouped(law->gamma, 1),
                    peak ? grouped(*peak, 1) : "never", percent(errors.median, 1), percent(errors.mean, 1)});
    } else {
      for (int i = 0; i < 6; ++i) { cells.emplace_back("-"); }
    }
    table.row(std::move(cells));
  }
  return curves.empty() ? "nothing is measured in this file\n" : table.text();
}

std::string curves_as_json(const std::vector<MeasuredCurve>& curves) {
  constexpr int schema_version = 1;
  Json json;
  json["schema_version"] = schema_version;
  json["version"] = LOCKCAST_VERSION;
  json["law"] = "usl";
  json["curves"] = Json::array();
  for (const MeasuredCurve& curve : curves) {
    const std::optional<UslCurve> law = fit_usl(curve.points);
    Json entry{{"curve", curve.name}, {"points", curve.points.size()}};
    for (const char* key : {"alpha", "beta", "gamma", "peak_clients", "median_error", "mean_error"}) {
      entry[key] = nullptr;
    }
    if (law) {
      const ErrorStatistics errors = errors_of_law(*law, curve);
      entry["alpha"] = law->alpha;
      entry["beta"] = law->beta;
      entry["gamma"] = law->gamma;
      if (const std::optional<double> peak = law->peak_clients()) { entry["peak_clients"] = *peak; }
      entry["median_error"] = errors.median;
      entry["mean_error"] = errors.mean;
    }
    json["curves"].push_back(std::move(entry));
  }
  return json.dump(2) + "\n";
}

}  // namespace

const Command& fit_command() { return fit_description; }

int fit_verb(const std::vector<std::string>& arguments) {
  const Arguments given(fit_description, arguments);
  if (given.help()) {
    print(help_text(fit_description));
    return 0;
  }
  const std::string& law = given.operands().front();
  if (law != law_names.front()) {
    throw InputError(
        "fit " + yaml::quote(law) + ": expected usl" + did_you_mean(law, {law_names.begin(), law_names.end()}),
        ExitCode::usage);
  }
  const std::size_t format = read_one_of("format", given.value("format").value_or("table"), fit_formats);
  const std::vector<MeasuredCurve> curves = read_measured_curves(given.operands().back());
  print(fit_formats[format] == "json" ? curves_as_json(curves) : curves_as_table(curves));
  return static_cast<int>(ExitCode::ok);
}

}  // namespace lockcast
