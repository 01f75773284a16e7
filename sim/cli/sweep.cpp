// sweep SCENARIO...: many points into one result file. Everything that can be wrong is found before the first of them
// is simulated.

#include "sim/study/sweep.hpp"

#include "models/check.hpp"
#include "sim/cli/catalog.hpp"
#include "sim/cli/interrupt.hpp"
#include "sim/cli/mpirun.hpp"
#include "sim/cli/options.hpp"
#include "sim/cli/output.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/run_options.hpp"
#include "sim/cli/selection.hpp"
#include "sim/cli/study_file.hpp"
#include "sim/cli/values.hpp"
#include "sim/cli/verbs.hpp"
#include "sim/report/numbers.hpp"
#include "sim/report/records.hpp"
#include "sim/report/text_table.hpp"
#include "sim/run/network_choice.hpp"
#include "sim/study/axes.hpp"
#include "sim/study/cores.hpp"
#include "sim/study/program.hpp"
#include "sim/study/score_report.hpp"
#include "sim/study/statistics.hpp"
#include "sim/study/store.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <set>

namespace lockcast {

namespace {

const Command sweep_description{
    .usage = "sweep SCENARIO... --out RESULTS.sqlite [OPTIONS]",
    .about =
        "Predicts the points of many scenarios and keeps each in a result file as soon as it is finished. SCENARIO is "
        "a\n"
        "file, a name from 'lockcast list', a study, or a folder: all scenarios below it. With --resume, points that "
        "the file\n"
        "already holds are not simulated again, and without SCENARIO the file is printed as it is. A point that fails "
        "is\n"
        "reported with the command that repeats it, and the others go on. Exits with 5 if any failed (70 if the fault "
        "is\n"
        "the program's), with 130 if interrupted; what is finished is kept either way. Under mpirun the points are "
        "handed out "
        "to\n"
        "its other processes.",
    .options =
        std::vector<Option>{{"out,o", "FILE", "the result file (SQLite), made if there is none"},
                            {"resume", "", "go on with a result file: only points that it does not hold"},
                            {"replace", "",
                             "with --resume: points that it holds with other options, seed, machine, workload or "
                             "program are made again"},
                            {"dry-run", "", "only say how many points there are, and how many are finished"},
                            {"sweep", "PATH=VALUES",
                             "an axis: a path of --set, or 'cores', and its values: 1,2,4 or 5 ns..25 ns:5 ns or "
                             "8..256:log; several make a cross product",
                             true}} +
        selection_options() + run_options() +
        std::vector<Option>{jobs_option(),
                            {"format", "table|json|csv", "a line per scenario, or every point in full (table)"}},
    .examples =
        "sweep scenarios/published --out results.sqlite --resume\n"
        "sweep hpux-spinlock procarraylock-integrity --out quick.sqlite --measure '200 ms' --clients 1,32,80\n"
        "sweep scenarios/published --out results.sqlite --resume --dry-run\n"
        "sweep hot-spinlock --out hops.sqlite --sweep machine.coherence.transfer.two_hops='100 ns..400 ns:100 ns'\n"
        "sweep procarraylock-integrity --out c.sqlite --sweep cores=8..64:log --clients 8,32,64 --measure '200 ms'\n"
        "sweep --out results.sqlite --resume --format csv\n",
    .operands_min = 0,
    .operands_max = std::numeric_limits<std::size_t>::max()};

constexpr std::size_t settings_width = 200;

// What a shell takes for one word.
std::string for_shell(const std::string& word) {
  constexpr std::string_view harmless = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:%@";
  if (!word.empty() && word.find_first_not_of(harmless) == std::string::npos) { return word; }
  std::string out = "'";
  for (const char c : word) { out += c == '\'' ? "'\\''" : std::string(1, c); }
  return out + "'";
}

// The command that simulates this point alone, and comes to the same.
std::string repeating(const SweepPoint& point, const Arguments& given, const std::vector<Assignment>& more) {
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
  for (const Assignment& set : more) { add("set", set.first + "=" + set.second); }
  return text;
}

void refuse_outdated(const SweepPlan& plan, const std::vector<SweepPoint>& points, const std::string& file) {
  if (plan.outdated.empty()) { return; }
  const Outdated& first = plan.outdated.front();
  std::string differences;
  for (const std::string& key : first.differences) { differences.append(differences.empty() ? "" : ", ").append(key); }
  const PointTask& task = points[first.point].task;
  fail_usage(yaml::quote(file) + " holds " + counted(plan.outdated.size(), "point") +
             " of these with another configuration (" + task.scenario->name + ", " +
             counted(task.point.clients, "client") + ": other " + differences +
             "); expected the same as before, --replace to make them again, or another file");
}

// Refused rather than overwritten or mixed: a night's work may be in it.
void check_can_begin(const Arguments& given, const std::string& file, std::size_t stored) {
  if (stored > 0 && !given.has("resume")) {
    fail_usage(yaml::quote(file) + " already holds " + counted(stored, "point") +
               "; expected --resume to go on with it, or the path of a new file");
  }
}

// A line per scenario, then what all together are worth.
std::string summary(const std::vector<ForecastRow>& rows) {
  TextTable table({{"scenario", Align::left},
                   {"machine", Align::left},
                   {"points"},
                   {"measured"},
                   {"median |error|"},
                   {"worst"},
                   {"where", Align::left}});
  for (std::size_t begin = 0; begin < rows.size();) {
    const ForecastRow& first = rows[begin];
    std::size_t end = begin;
    std::vector<double> errors;
    const ForecastRow* worst = nullptr;
    for (; end < rows.size() && rows[end].scenario == first.scenario && rows[end].machine == first.machine; ++end) {
      const ForecastRow& row = rows[end];
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
  const Score score = score_of(rows);
  if (score.total.lockcast.all.points == 0) { return table.text(); }
  return table.text() + "\n" + score_as_table(score, true, false);
}

// A line per point: settings have no names to sum them up by.
std::string settings_table(const std::vector<ForecastRow>& rows) {
  TextTable table({{"settings", Align::left},
                   {"scenario", Align::left},
                   {"variant", Align::left},
                   {"tables", Align::left},
                   {"clients"},
                   {"cores"},
                   {"tps"},
                   {"95 % interval", Align::left},
                   {"regime", Align::left},
                   {"limited by", Align::left}});
  for (const ForecastRow& row : rows) {
    table.row({row.settings, row.scenario, row.variant, row.tables, std::to_string(row.clients),
               std::to_string(row.cores), rounded_tps(row.tps),
               rounded_tps(row.tps_low) + " to " + rounded_tps(row.tps_high), row.regime, row.limit});
  }
  return table.text(false, 0, settings_width);
}

PointRecord record_of(const StoredPoint& p) {
  return {p.row.series, p.row.scenario, p.row.machine, p.row.workload, p.result, p.configuration, p.row.settings};
}

// Of what is asked for; all of it if nothing is. Rows go out as they are read.
std::size_t print_stored(const Store& store, std::string_view format, const std::set<std::string>* asked) {
  std::size_t count = 0;
  std::vector<ForecastRow> rows;
  bool has_settings = false;
  if (format == "csv") { print(csv_header()); }
  if (format == "json") { print(json_begin(LOCKCAST_VERSION)); }
  store.for_each([&](StoredPoint& point) {
    if (asked != nullptr && !asked->contains(point.key)) { return; }
    if (format == "csv") {
      print(csv_row(record_of(point)));
    } else if (format == "json") {
      print(json_record(record_of(point), count == 0));
    } else {
      has_settings = has_settings || !point.row.settings.empty();
      rows.push_back(std::move(point.row));
    }
    ++count;
  });
  if (format == "json") { print(json_end(count == 0)); }
  if (format == "table") { print(has_settings ? settings_table(rows) : summary(rows)); }
  return count;
}

// What there is of each scenario.
struct Counts {
  std::size_t points = 0;
  std::size_t finished = 0;
  std::size_t outdated = 0;
  std::size_t to_run = 0;

  Counts& operator+=(const Counts& other) {
    points += other.points;
    finished += other.finished;
    outdated += other.outdated;
    to_run += other.to_run;
    return *this;
  }
};

std::string dry_run(const std::vector<std::pair<std::string, Counts>>& scenarios) {
  TextTable table({{"scenario", Align::left}, {"points"}, {"finished"}, {"outdated"}, {"to run"}});
  const auto add = [&](const std::string& name, const Counts& c) {
    table.row({name, std::to_string(c.points), std::to_string(c.finished), std::to_string(c.outdated),
               std::to_string(c.to_run)});
  };
  Counts all;
  for (const auto& [name, counts] : scenarios) {
    add(name, counts);
    all += counts;
  }
  add("all", all);
  return table.text();
}

// A setting as assignments; `cores` becomes the topology of such a machine.
std::vector<Assignment> sets_at(const Machine& machine, const std::vector<Assignment>& setting) {
  std::vector<Assignment> sets;
  for (const auto& [path, value] : assignments_of(setting)) {
    if (path != "cores") {
      sets.emplace_back(path, value);
      continue;
    }
    const std::uint64_t cores = read_number("sweep cores", value, 1, 4096);
    for (const Assignment& set : scaled_to(machine, static_cast<std::uint32_t>(cores)).sets) { sets.push_back(set); }
  }
  return sets;
}

// The scenarios of one setting of the axes.
std::vector<Scenario> scenarios_at(const Arguments& given, const std::vector<Assignment>& sets,
                                   const std::vector<Scenario>& base, const std::vector<Assignment>& setting) {
  if (setting.empty()) { return base; }
  std::vector<Scenario> scenarios;
  for (const Scenario& at : base) {
    std::vector<Assignment> all = sets;
    for (const Assignment& set : sets_at(at.machine, setting)) { all.push_back(set); }
    Scenario scenario = load_scenario(at.file, all, data_folders(), load_options_of(given));
    scenario.measured.clear();  // of another machine, or another program
    scenarios.push_back(std::move(scenario));
  }
  select_points(given, scenarios);
  return scenarios;
}

// Some settings with all that simulating them takes; the next ones take their place.
struct Batch {
  std::deque<Scenario> scenarios;  // points refer to them
  std::vector<SweepPoint> points;
  std::map<std::string, std::vector<Assignment>> setting_of;  // by its text

  void add(std::vector<Scenario> more, const std::vector<Assignment>& setting, const PredictOptions& options) {
    const std::string settings = settings_text(setting);
    setting_of[settings] = setting;
    const std::string program = std::string(LOCKCAST_VERSION) + "+" + model_fingerprint;
    for (Scenario& one : more) {
      const Scenario& scenario = scenarios.emplace_back(std::move(one));
      const NetworkChoice network = choose_network(scenario, scenario.cases(), std::nullopt);
      for (SweepPoint& point : points_of(scenario, network.messages, options, program, settings)) {
        points.push_back(std::move(point));
      }
    }
  }
};

// So many points at a time that workers rarely wait for the slowest, and so few that memory stays flat.
constexpr std::size_t batch_points = 96;

ExitCode report_failures(const SweepOutcome& outcome, const Arguments& given, const std::vector<Assignment>& sets,
                         const Batch& batch, ExitCode code) {
  // The machine before any axis, which `cores` scales.
  const auto loaded = [&](const SweepPoint& point) {
    return load_scenario(point.task.scenario->file, sets, data_folders(), load_options_of(given)).machine;
  };
  for (const SweepFailure& failure : outcome.failures) {
    const SweepPoint& point = batch.points[failure.point];
    std::fprintf(stderr, "lockcast: %s: %s; repeat with: %s\n", point.task.scenario->name.c_str(),
                 failure.message.c_str(),
                 repeating(point, given, sets_at(loaded(point), batch.setting_of.at(point.settings))).c_str());
    if (code != ExitCode::internal) {
      code = failure.code == ExitCode::internal ? ExitCode::internal : ExitCode::unfinished;
    }
  }
  return code;
}

// `crew`: who simulates; none: processes of this host.
int sweep(const std::vector<std::string>& arguments, Crew* crew) {
  Arguments given(sweep_description, arguments);
  if (given.help()) {
    print(help_text(sweep_description));
    return 0;
  }
  take_study(given, "sweep");
  const std::string_view format =
      format_names[read_one_of("format", given.value("format").value_or("table"), format_names)];
  PredictOptions options = predict_options_of(given);
  options.crew = crew;
  if (crew != nullptr && given.has("jobs")) {
    fail_usage("--jobs is of no use under mpirun; each process but the first is a worker");
  }
  const std::vector<Assignment> sets = sets_of(given);
  if (!given.has("out")) { fail_usage("missing --out RESULTS.sqlite; usage: lockcast " + sweep_description.usage); }
  const std::string file = *given.value("out");
  if (given.has("replace") && !given.has("resume")) { fail_usage("--replace is of use only with --resume"); }
  if (given.operands().empty()) {
    if (!given.has("resume") || given.has("dry-run")) {
      fail_usage("missing SCENARIO; usage: lockcast " + sweep_description.usage);
    }
    if (given.has("sweep")) {
      fail_usage("--sweep: there is no SCENARIO to sweep; usage: lockcast " + sweep_description.usage);
    }
    print_stored(Store(file, Store::Opening::existing), format, nullptr);
    return 0;
  }

  std::vector<Axis> axes;
  for (const std::string& text : given.values("sweep")) { axes.push_back(read_axis(text)); }
  const Settings settings(std::move(axes));
  const std::vector<Scenario> whole = scenarios_of(given, sets);
  std::vector<Scenario> base = whole;
  select_points(given, base);
  std::size_t points_of_setting = 0;
  for (const Scenario& scenario : base) { points_of_setting += scenario.cases().size(); }
  if (points_of_setting == 0) { fail_usage("no scenario has a point with all that is asked for"); }
  const auto at = [&](const std::vector<Assignment>& setting) {
    return setting.empty() ? base : scenarios_at(given, sets, whole, setting);
  };
  // A slip in any value is found before the first point; what only two values together get wrong, at its setting.
  if (!settings.axes().empty()) {
    for (const std::vector<Assignment>& sample : settings.samples()) { static_cast<void>(at(sample)); }
  }

  if (given.has("dry-run")) {
    std::unique_ptr<Store> store;
    if (std::filesystem::exists(file)) { store = std::make_unique<Store>(file, Store::Opening::existing); }
    std::vector<std::pair<std::string, Counts>> counts;
    for (const Scenario& scenario : base) {
      const std::size_t points = scenario.cases().size() * settings.count();
      counts.emplace_back(scenario.name, Counts{points, 0, 0, store == nullptr ? points : 0});
    }
    for (std::size_t i = 0; store != nullptr && i < settings.count(); ++i) {
      Batch batch;
      batch.add(at(settings.at(i)), settings.at(i), options);
      const SweepPlan some = plan(batch.points, stored_in(*store));
      for (auto& [name, count] : counts) {
        const auto is_of = [&, &of = name](std::size_t point) { return batch.points[point].task.scenario->name == of; };
        count.finished += static_cast<std::size_t>(std::count_if(some.finished.begin(), some.finished.end(), is_of));
        count.to_run += static_cast<std::size_t>(std::count_if(some.to_run.begin(), some.to_run.end(), is_of));
        count.outdated += static_cast<std::size_t>(std::count_if(some.outdated.begin(), some.outdated.end(),
                                                                 [&](const Outdated& o) { return is_of(o.point); }));
      }
    }
    print(dry_run(counts));
    return 0;
  }

  Store store(file, Store::Opening::existing_or_new);
  check_can_begin(given, file, store.size());
  const ResultText text{&point_text, &measured_again};
  const std::size_t all_points = points_of_setting * settings.count();
  std::size_t points_before = 0;
  std::set<std::string> asked;
  ExitCode code = ExitCode::ok;
  bool interrupted = false;
  {
    const InterruptHandler handler;
    ProgressLine line;
    for (std::size_t next = 0; next < settings.count() && !interrupted;) {
      Batch batch;
      do {
        const std::vector<Assignment> setting = settings.at(next++);
        batch.add(at(setting), setting, options);
      } while (next < settings.count() && batch.points.size() + points_of_setting <= batch_points);
      const SweepPlan todo = plan(batch.points, stored_in(store));
      if (!given.has("replace")) { refuse_outdated(todo, batch.points, file); }
      refresh_measurements(batch.points, text, store);
      const auto show = [&](const Progress& progress) {
        Progress of_all = progress;
        if (settings.count() > 1) {
          of_all.points = all_points;
          of_all.points_done += points_before;
          of_all.cost_done = 0;  // what the settings to come will cost is not known
        }
        line.show(of_all);
      };
      const SweepOutcome outcome = run_sweep(batch.points, todo, options, text, store, show);
      code = report_failures(outcome, given, sets, batch, code);
      interrupted = outcome.interrupted;
      points_before += batch.points.size();
      for (const SweepPoint& point : batch.points) { asked.insert(point.identity.key); }
    }
  }
  const std::size_t held = print_stored(store, format, &asked);
  if (interrupted) {
    std::fprintf(stderr, "lockcast: interrupted; %s holds %zu of %s, --resume goes on\n", yaml::quote(file).c_str(),
                 held, counted(all_points, "point").c_str());
    return static_cast<int>(ExitCode::interrupted);
  }
  return static_cast<int>(code);
}

}  // namespace

const Command& sweep_command() { return sweep_description; }

int sweep_verb(const std::vector<std::string>& arguments) {
  Mpirun mpirun;
  if (!mpirun.is_worker()) { return sweep(arguments, mpirun.crew()); }
  mpirun.work();
  return 0;
}

}  // namespace lockcast
