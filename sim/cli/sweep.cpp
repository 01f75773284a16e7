// sweep SCENARIO...: many points into one result file. Everything that can be wrong is found before the first of them
// is simulated.

#include "sim/study/sweep.hpp"

#include "models/check.hpp"
#include "sim/cli/interrupt.hpp"
#include "sim/cli/options.hpp"
#include "sim/cli/output.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/run_options.hpp"
#include "sim/cli/selection.hpp"
#include "sim/cli/values.hpp"
#include "sim/cli/verbs.hpp"
#include "sim/report/numbers.hpp"
#include "sim/report/records.hpp"
#include "sim/report/text_table.hpp"
#include "sim/run/network_choice.hpp"
#include "sim/study/program.hpp"
#include "sim/study/score_report.hpp"
#include "sim/study/statistics.hpp"
#include "sim/study/store.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <set>

namespace lockcast {

namespace {

const Command command{
    .usage = "sweep SCENARIO... --out RESULTS.sqlite [OPTIONS]",
    .about =
        "Predicts the points of many scenarios and keeps each in a result file as soon as it is finished. SCENARIO is "
        "a\n"
        "file, a name from 'lockcast list', or a folder: all scenarios below it. With --resume, points that the file\n"
        "already holds are not simulated again, and without SCENARIO the file is printed as it is. A point that fails "
        "is\n"
        "reported with the command that repeats it, and the others go on. Exits with 5 if any failed (70 if the fault "
        "is\n"
        "the program's), with 130 if interrupted; what is finished is kept either way.",
    .options =
        std::vector<Option>{{"out,o", "FILE", "the result file (SQLite), made if there is none"},
                            {"resume", "", "go on with a result file: only points that it does not hold"},
                            {"replace", "",
                             "with --resume: points that it holds with other options, seed, machine, workload or "
                             "program are made again"},
                            {"dry-run", "", "only say how many points there are, and how many are finished"}} +
        selection_options() + run_options() +
        std::vector<Option>{jobs_option(),
                            {"format", "table|json|csv", "a line per scenario, or every point in full (table)"}},
    .examples =
        "sweep scenarios/published --out results.sqlite --resume\n"
        "sweep hpux-spinlock procarraylock-integrity --out quick.sqlite --measure '200 ms' --clients 1,32,80\n"
        "sweep scenarios/published --out results.sqlite --resume --dry-run\n"
        "sweep --out results.sqlite --resume --format csv\n",
    .operands_min = 0,
    .operands_max = std::numeric_limits<std::size_t>::max()};

[[noreturn]] void fail(const std::string& what) { throw InputError(what, ExitCode::usage); }

std::string counted(std::size_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

// What a shell takes for one word.
std::string for_shell(const std::string& word) {
  constexpr std::string_view harmless = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:%@";
  if (!word.empty() && word.find_first_not_of(harmless) == std::string::npos) { return word; }
  std::string out = "'";
  for (const char c : word) { out += c == '\'' ? "'\\''" : std::string(1, c); }
  return out + "'";
}

// The command that simulates this point alone, and comes to the same.
std::string repeating(const SweepPoint& point, const Arguments& given) {
  const Case& at = point.task.point;
  std::string text = "lockcast simulate " + for_shell(point.task.scenario->file);
  const auto add = [&](const std::string& option, const std::string& value) {
    text += " --" + option + " " + for_shell(value);
  };
  if (!at.tables.empty()) { add("tables", at.tables); }
  if (at.scale != 0) { add("scale", std::to_string(at.scale)); }
  if (!at.variant.empty()) { add("variant", at.variant); }
  add("clients", std::to_string(at.clients));
  if (point.task.scenario->rig.network) { add("network", point.task.messages == Messages::inner ? "inner" : "full"); }
  for (const std::string option : {"machine", "set", "seed", "precision", "warmup", "measure"}) {
    for (const std::string& value : given.values(option)) { add(option, value); }
  }
  return text;
}

void refuse_outdated(const SweepPlan& plan, const std::vector<SweepPoint>& points, const std::string& file) {
  if (plan.outdated.empty()) { return; }
  const Outdated& first = plan.outdated.front();
  std::string differences;
  for (const std::string& key : first.differences) { differences.append(differences.empty() ? "" : ", ").append(key); }
  const PointTask& task = points[first.point].task;
  fail(yaml::quote(file) + " holds " + counted(plan.outdated.size(), "point") +
       " of these with another configuration (" + task.scenario->name + ", " + counted(task.point.clients, "client") +
       ": other " + differences + "); expected the same as before, --replace to make them again, or another file");
}

// Refused rather than overwritten or mixed: a night's work may be in it.
void check_can_begin(const Arguments& given, const std::string& file, std::size_t stored) {
  if (stored > 0 && !given.has("resume")) {
    fail(yaml::quote(file) + " already holds " + counted(stored, "point") +
         "; expected --resume to go on with it, or the path of a new file");
  }
}

// A line per scenario, then what all together are worth.
std::string summary(const std::vector<StoredPoint>& stored) {
  TextTable table({{"scenario", Align::left},
                   {"machine", Align::left},
                   {"points"},
                   {"measured"},
                   {"median |error|"},
                   {"worst"},
                   {"where", Align::left}});
  for (std::size_t begin = 0; begin < stored.size();) {
    const ForecastRow& first = stored[begin].row;
    std::size_t end = begin;
    std::vector<double> errors;
    const ForecastRow* worst = nullptr;
    for (;
         end < stored.size() && stored[end].row.scenario == first.scenario && stored[end].row.machine == first.machine;
         ++end) {
      const ForecastRow& row = stored[end].row;
      if (!row.measured) { continue; }
      errors.push_back(std::fabs(*row.error()));
      if (worst == nullptr || errors.back() > std::fabs(*worst->error())) { worst = &row; }
    }
    std::string where;
    if (worst != nullptr) {
      for (const std::string& part : {worst->variant, worst->tables.empty() ? "" : worst->tables + " tables",
                                      worst->scale != 0 ? "scale " + std::to_string(worst->scale) : std::string{},
                                      counted(worst->clients, "client")}) {
        if (!part.empty()) { where.append(where.empty() ? "" : ", ").append(part); }
      }
    }
    table.row({first.scenario, first.machine, std::to_string(end - begin), std::to_string(errors.size()),
               errors.empty() ? "-" : percent(statistics_of(errors).median, 1),
               worst != nullptr ? signed_percent(*worst->error()) : "-", where});
    begin = end;
  }
  std::vector<ForecastRow> rows;
  rows.reserve(stored.size());
  for (const StoredPoint& point : stored) { rows.push_back(point.row); }
  const Score score = score_of(rows);
  if (score.total.lockcast.all.points == 0) { return table.text(); }
  return table.text() + "\n" + score_as_table(score, true, false);
}

std::string rendered(const std::vector<StoredPoint>& stored, std::string_view format) {
  if (format == "table") { return summary(stored); }
  std::vector<PointRecord> records;
  records.reserve(stored.size());
  for (const StoredPoint& p : stored) {
    records.push_back({p.row.series, p.row.scenario, p.row.machine, p.row.workload, p.result, p.configuration});
  }
  return format == "csv" ? as_csv(records) : as_json(records, LOCKCAST_VERSION);
}

std::string dry_run(const std::vector<Scenario>& scenarios, const std::vector<SweepPoint>& points,
                    const SweepPlan& plan) {
  TextTable table({{"scenario", Align::left}, {"points"}, {"finished"}, {"outdated"}, {"to run"}});
  const auto count = [&](const std::string& scenario, const auto& numbers, const auto& number_of) {
    return std::to_string(std::count_if(numbers.begin(), numbers.end(), [&](const auto& entry) {
      return scenario.empty() || points[number_of(entry)].task.scenario->name == scenario;
    }));
  };
  const auto same = [](std::size_t point) { return point; };
  const auto add = [&](const std::string& name, const std::string& all, const std::string& scenario) {
    table.row({name, all, count(scenario, plan.finished, same),
               count(scenario, plan.outdated, [](const Outdated& outdated) { return outdated.point; }),
               count(scenario, plan.to_run, same)});
  };
  for (const Scenario& scenario : scenarios) {
    add(scenario.name, std::to_string(scenario.cases().size()), scenario.name);
  }
  add("all", std::to_string(points.size()), "");
  return table.text();
}

std::vector<SweepPoint> expand(const std::vector<Scenario>& scenarios, const PredictOptions& options) {
  const std::string program = std::string(LOCKCAST_VERSION) + "+" + model_fingerprint;
  std::vector<SweepPoint> points;
  for (const Scenario& scenario : scenarios) {
    const NetworkChoice network = choose_network(scenario, scenario.cases(), std::nullopt);
    for (SweepPoint& point : points_of(scenario, network.messages, options, program)) {
      points.push_back(std::move(point));
    }
  }
  return points;
}

ExitCode report_failures(const SweepOutcome& outcome, const std::vector<SweepPoint>& points, const Arguments& given) {
  ExitCode code = ExitCode::ok;
  for (const SweepFailure& failure : outcome.failures) {
    const SweepPoint& point = points[failure.point];
    std::fprintf(stderr, "lockcast: %s: %s; repeat with: %s\n", point.task.scenario->name.c_str(),
                 failure.message.c_str(), repeating(point, given).c_str());
    if (code != ExitCode::internal) {
      code = failure.code == ExitCode::internal ? ExitCode::internal : ExitCode::unfinished;
    }
  }
  return code;
}

}  // namespace

const Command& sweep_command() { return command; }

int sweep_verb(const std::vector<std::string>& arguments) {
  const Arguments given(command, arguments);
  if (given.help()) {
    print(help_text(command));
    return 0;
  }
  const std::string_view format =
      format_names[read_one_of("format", given.value("format").value_or("table"), format_names)];
  const PredictOptions options = predict_options_of(given);
  const std::vector<Assignment> sets = sets_of(given);
  if (!given.has("out")) { fail("missing --out RESULTS.sqlite; usage: lockcast " + command.usage); }
  const std::string file = *given.value("out");
  if (given.has("replace") && !given.has("resume")) { fail("--replace is of use only with --resume"); }
  if (given.operands().empty()) {
    if (!given.has("resume") || given.has("dry-run")) { fail("missing SCENARIO; usage: lockcast " + command.usage); }
    print(rendered(Store(file, Store::Opening::existing).points(), format));
    return 0;
  }

  std::vector<Scenario> scenarios = scenarios_of(given, sets);
  select_points(given, scenarios);
  const std::vector<SweepPoint> points = expand(scenarios, options);
  if (points.empty()) { fail("no scenario has a point with all that is asked for"); }

  if (given.has("dry-run")) {
    std::vector<StoredPoint> stored;
    if (std::filesystem::exists(file)) { stored = Store(file, Store::Opening::existing).points(); }
    print(dry_run(scenarios, points, plan(points, stored)));
    return 0;
  }

  Store store(file, Store::Opening::existing_or_new);
  std::vector<StoredPoint> stored = store.points();
  check_can_begin(given, file, stored.size());
  const SweepPlan todo = plan(points, stored);
  if (!given.has("replace")) { refuse_outdated(todo, points, file); }
  const ResultText text{&point_text, &measured_again};
  refresh_measurements(points, stored, text, store);
  SweepOutcome outcome;
  {
    const InterruptHandler handler;
    ProgressLine line;
    outcome = run_sweep(points, todo, options, text, store, [&](const Progress& progress) { line.show(progress); });
  }
  const ExitCode code = report_failures(outcome, points, given);

  std::set<std::string> asked;
  for (const SweepPoint& point : points) { asked.insert(point.identity.key); }
  stored = store.points();
  std::erase_if(stored, [&](const StoredPoint& point) { return !asked.contains(point.key); });
  print(rendered(stored, format));
  if (outcome.interrupted) {
    std::fprintf(stderr, "lockcast: interrupted; %s holds %zu of %s, --resume goes on\n", yaml::quote(file).c_str(),
                 stored.size(), counted(points.size(), "point").c_str());
    return static_cast<int>(ExitCode::interrupted);
  }
  return static_cast<int>(code);
}

}  // namespace lockcast
