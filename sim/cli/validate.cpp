// validate SCENARIO: runs every point on this host, then simulates it, and lines both up. First the host, while no
// worker disturbs it. Leaves out a tolerance: without a machine file of this host the two can only agree in shape.

#include "models/check.hpp"
#include "sim/cli/options.hpp"
#include "sim/cli/output.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/selection.hpp"
#include "sim/cli/values.hpp"
#include "sim/cli/verbs.hpp"
#include "sim/report/numbers.hpp"
#include "sim/report/text_table.hpp"
#include "sim/run/predict.hpp"
#include "validate/native_run.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <optional>

namespace lockcast {

namespace {

using Json = nlohmann::ordered_json;

const Command validate_description{
    .usage = "validate SCENARIO [OPTIONS]",
    .about =
        "Runs the points of a scenario on this host, simulates them, and prints both side by side. SCENARIO is a file\n"
        "or a name from 'lockcast list'. Client counts above 4 times the CPUs of this process are left out unless\n"
        "--clients asks for them: a fair lock then hands over once in a time slice. Keep the host idle meanwhile.",
    .options = {{"tables", "A,B", "only these kinds of tables", true},
                {"variant", "A,B", "only these variants", true},
                {"scale", "N,M", "only these scales", true},
                {"clients", "LIST", "these client counts instead of the file's: 1,2,4 or 1..4..1", true},
                {"machine", "NAME", "simulate another machine: a name from 'lockcast list machines', or a file"},
                {"set", "PATH=VALUE", "change one value of the scenario, machine.* or workload.*; see 'show'", true},
                {"seed", "N", "of all random numbers, native and simulated (1)"},
                {"jobs,j", "N", "worker processes of the simulation (one per CPU of this process)"},
                {"format", "table|json", "(table)"}},
    .examples =
        "validate hot-spinlock\n"
        "validate scenarios/reader-mostly-lwlock.yaml --clients 1,2 --format json\n",
    .operands_min = 1,
    .operands_max = 1};

constexpr std::array<std::string_view, 2> validate_formats{"table", "json"};
constexpr std::size_t threads_per_cpu_max = 4;
// A disturbance lasts seconds and a point a fraction of one, so an unusable point is worth another try.
constexpr std::uint32_t tries_max = 3;

struct Selection {
  Scenario scenario;
  std::vector<Case> points;
  std::vector<std::int64_t> left_out;  // client counts
};

struct Row {
  Case point;
  NativePoint native;
  std::uint32_t tries = 0;
  const PointResult* simulated = nullptr;  // null: interrupted before
};

struct HostComparison {
  const Selection& selection;
  const NativeHost& host;
  const PredictOptions& options;
  std::vector<Row> rows;
};

// Leaves out client counts that nobody asked for and this host is too small for.
void leave_out_large(Selection& selection, std::size_t cpus) {
  const auto limit = static_cast<std::int64_t>(threads_per_cpu_max * cpus);
  std::vector<std::int64_t>& clients = selection.scenario.clients;
  const auto first = std::stable_partition(clients.begin(), clients.end(), [&](auto count) { return count <= limit; });
  selection.left_out.assign(first, clients.end());
  clients.erase(first, clients.end());
  if (clients.empty()) {
    throw InputError(selection.scenario.file + ": every client count is above " + std::to_string(limit) + ", " +
                         std::to_string(threads_per_cpu_max) + " times the CPUs of this process; expected --clients",
                     ExitCode::host_cannot);
  }
}

// Everything that cannot run natively is found here, before anything runs.
Selection selection_of(const Arguments& given, const std::vector<Assignment>& sets, const NativeHost& host) {
  Selection selection{scenario_of(given, sets), {}, {}};
  Scenario& scenario = selection.scenario;
  select_points(given, scenario);
  if (!given.value("clients")) { leave_out_large(selection, host.cpus.size()); }
  selection.points = scenario.cases();
  for (const Case& point : selection.points) {
    try {
      check_native(scenario.program(point));
    } catch (const InputError& error) { throw InputError(scenario.file + ": " + error.what(), error.code()); }
  }
  return selection;
}

// A busy neighbour can only make a step look slow, and a step that looks slow makes all work too short; so the fastest
// of several measurements counts.
WorkLoop calibrated_work_loop() {
  constexpr int measurements = 20;
  double picos_per_step = WorkLoop::measure().picos_per_step();
  for (int i = 1; i < measurements; ++i) {
    picos_per_step = std::min(picos_per_step, WorkLoop::measure().picos_per_step());
  }
  return WorkLoop(picos_per_step);
}

std::vector<Row> run_natively(const Selection& selection, std::uint64_t seed) {
  const WorkLoop work_loop = calibrated_work_loop();
  NativePointOptions options;
  options.seed = seed;
  std::vector<Row> rows;
  for (const Case& point : selection.points) {
    const Program program = selection.scenario.program(point);
    Row& row = rows.emplace_back(Row{point, {}, 0, nullptr});
    do {
      row.native = run_native(program, work_loop, options);
      ++row.tries;
    } while (!row.native.unusable.empty() && row.tries < tries_max);
  }
  return rows;
}

std::optional<double> ratio_of(const Row& row) {
  if (row.simulated == nullptr || !(row.native.tps > 0)) { return std::nullopt; }
  return row.simulated->tps / row.native.tps;
}

// Plainly: this is no measure of accuracy.
std::string caveat(const Scenario& scenario) {
  return "simulated on " + scenario.machine.name + " (" + scenario.machine.summary +
         "); native on this host: shapes may agree, levels need a machine file of this host";
}

std::string native_host_line(const NativeHost& host) {
  return "host: " + host.cpu_model + ", " + std::to_string(host.cpus.size()) +
         (host.cpus.size() == 1 ? " CPU" : " CPUs") + " allowed, " +
         (host.virtual_machine ? "virtual machine (hypervisor flag)" : "no hypervisor flag") + ", " + host.kernel;
}

std::string left_out_line(const Selection& selection, const NativeHost& host) {
  std::string counts;
  for (const std::int64_t count : selection.left_out) {
    counts += (counts.empty() ? "" : ", ") + std::to_string(count);
  }
  return "left out: " + counts + " clients, more than " + std::to_string(threads_per_cpu_max) + " times " +
         std::to_string(host.cpus.size()) + " CPUs; --clients runs them";
}

std::string comparison_as_table(const HostComparison& comparison, bool colour) {
  const Scenario& scenario = comparison.selection.scenario;
  constexpr std::size_t width = 120;
  std::string text = scenario.name + ": " + scenario.question + "\n" + native_host_line(comparison.host) + "\n" +
                     wrapped(caveat(scenario), "", width);
  if (!comparison.selection.left_out.empty()) { text += left_out_line(comparison.selection, comparison.host) + "\n"; }
  const bool has_tables = !scenario.tables.empty();
  const bool has_variants = !scenario.variants.empty();
  const bool has_scales = !scenario.scales.empty();
  std::vector<Column> columns;
  if (has_tables) { columns.push_back({"tables", Align::left}); }
  if (has_variants) { columns.push_back({"variant", Align::left}); }
  if (has_scales) { columns.push_back({"scale"}); }
  for (const char* heading : {"clients", "simulated tps", "native tps", "native spread", "simulated/native"}) {
    columns.push_back({heading});
  }
  columns.push_back({"usable", Align::left});
  TextTable table(std::move(columns));
  for (const Row& row : comparison.rows) {
    const std::optional<double> ratio = ratio_of(row);
    std::vector<Cell> cells;
    if (has_tables) { cells.emplace_back(row.point.tables); }
    if (has_variants) { cells.emplace_back(row.point.variant); }
    if (has_scales) { cells.emplace_back(std::to_string(row.point.scale)); }
    cells.emplace_back(std::to_string(row.point.clients));
    cells.emplace_back(row.simulated == nullptr ? "-" : rounded_tps(row.simulated->tps));
    cells.emplace_back(rounded_tps(row.native.tps));
    cells.emplace_back(percent(row.native.spread, 1));
    cells.emplace_back(ratio ? grouped(*ratio, 2) : "-");
    const bool usable = row.native.unusable.empty();
    cells.emplace_back(usable ? "yes" : "no: " + row.native.unusable, !usable);
    table.row(std::move(cells));
  }
  return text + "\n" + table.text(colour, 0, width);
}

nlohmann::ordered_json json_of(const Row& row) {
  const NativePoint& native = row.native;
  const PointResult* simulated = row.simulated;
  const std::optional<double> ratio = ratio_of(row);
  Json json;
  json["tables"] = row.point.tables.empty() ? Json(nullptr) : Json(row.point.tables);
  json["variant"] = row.point.variant.empty() ? Json(nullptr) : Json(row.point.variant);
  json["scale"] = row.point.scale == 0 ? Json(nullptr) : Json(row.point.scale);
  json["clients"] = row.point.clients;
  json["simulated"] = nullptr;
  if (simulated != nullptr) {
    json["simulated"] = {{"tps", simulated->tps}, {"tps_low", simulated->tps_low}, {"tps_high", simulated->tps_high}};
  }
  json["native"] = {{"tps", native.tps},
                    {"spread", native.spread},
                    {"deviation_max", native.deviation_max},
                    {"epoch_tps", native.epoch_tps},
                    {"transactions", native.transactions},
                    {"fairness", native.fairness},
                    {"cpu_share", native.cpu_share},
                    {"spinning", native.spinning},
                    {"foreign_share", native.foreign_share},
                    {"involuntary_switches", native.involuntary_switches},
                    {"tries", row.tries}};
  json["simulated_over_native"] = ratio ? Json(*ratio) : Json(nullptr);
  json["usable"] = native.unusable.empty();
  json["unusable_because"] = native.unusable.empty() ? Json(nullptr) : Json(native.unusable);
  return json;
}

std::string comparison_as_json(const HostComparison& comparison, const std::vector<Assignment>& sets,
                               bool interrupted) {
  constexpr int schema_version = 1;
  const Scenario& scenario = comparison.selection.scenario;
  const NativeHost& host = comparison.host;
  Json json;
  json["schema_version"] = schema_version;
  json["version"] = LOCKCAST_VERSION;
  json["scenario"] = scenario.name;
  json["question"] = scenario.question;
  json["machine"] = scenario.machine.name;
  json["host"] = {{"cpu_model", host.cpu_model},
                  {"cpus", host.cpus.size()},
                  {"virtual_machine", host.virtual_machine},
                  {"kernel", host.kernel}};
  json["caveat"] = caveat(scenario);
  json["left_out_clients"] = comparison.selection.left_out;
  json["interrupted"] = interrupted;
  Json all_sets = Json::array();
  for (const auto& [path, value] : sets) { all_sets.push_back({{"path", path}, {"value", value}}); }
  json["options"] = {{"seed", comparison.options.seed}, {"sets", std::move(all_sets)}};
  json["points"] = Json::array();
  for (const Row& row : comparison.rows) { json["points"].push_back(json_of(row)); }
  return json.dump(2) + "\n";
}

}  // namespace

const Command& validate_command() { return validate_description; }

int validate_verb(const std::vector<std::string>& arguments) {
  const Arguments given(validate_description, arguments);
  if (given.help()) {
    print(help_text(validate_description));
    return 0;
  }
  const std::size_t format = read_one_of("format", given.value("format").value_or("table"), validate_formats);
  const NativeHost host = native_host();
  PredictOptions options;
  options.jobs = static_cast<std::uint32_t>(host.cpus.size());
  constexpr std::uint64_t jobs_max = 1024;
  if (const auto text = given.value("jobs")) {
    options.jobs = static_cast<std::uint32_t>(read_number("jobs", *text, 1, jobs_max));
  }
  if (const auto text = given.value("seed")) { options.seed = read_number("seed", *text, 0, UINT64_MAX); }
  const std::vector<Assignment> sets = sets_of(given);
  const Selection selection = selection_of(given, sets, host);

  HostComparison comparison{selection, host, options, run_natively(selection, options.seed)};
  Prediction prediction;
  {
    ProgressLine line;
    prediction = predict(selection.scenario, selection.points, options, [&](const Progress& p) { line.show(p); });
  }
  for (Row& row : comparison.rows) {
    const auto found = std::find_if(prediction.points.begin(), prediction.points.end(),
                                    [&](const PointResult& result) { return result.point == row.point; });
    if (found != prediction.points.end()) { row.simulated = &*found; }
  }
  print(validate_formats[format] == "json" ? comparison_as_json(comparison, sets, prediction.interrupted)
                                           : comparison_as_table(comparison, colour_wanted()));
  return static_cast<int>(prediction.interrupted ? ExitCode::interrupted : ExitCode::ok);
}

}  // namespace lockcast
