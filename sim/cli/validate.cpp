// validate [SCENARIO...]: runs every point on this host, then simulates it as the host was at that moment, and judges.
// First the host, while no worker disturbs it.

#include "models/check.hpp"
#include "sim/cli/interrupt.hpp"
#include "sim/cli/native_forecast.hpp"
#include "sim/cli/options.hpp"
#include "sim/cli/output.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/selection.hpp"
#include "sim/cli/validate_report.hpp"
#include "sim/cli/values.hpp"
#include "sim/cli/verbs.hpp"
#include "sim/report/numbers.hpp"
#include "validate/probe/host_machine.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

namespace lockcast {

namespace {

const Command validate_description{
    .usage = "validate [SCENARIO...] [OPTIONS]",
    .about =
        "Runs the points of scenarios on this host, simulates them, and says how far the simulation is off. SCENARIO "
        "is\n"
        "a file, a folder or a name from 'lockcast list' (scenarios/validate). Without --machine this host is probed\n"
        "first (half a minute). Every visit to a point stands between two looks at how far apart the CPUs are and who\n"
        "else uses them; what was disturbed is visited again. Thread counts above 4 times the CPUs of this process "
        "are\n"
        "left out unless --threads asks for them. Exit code 1: an error is above the tolerance; 4: the machine is too\n"
        "noisy to say. Needs no privilege. Keep the host idle meanwhile.",
    .options = {{"tables", "A,B", "only these kinds of tables", true},
                {"variant", "A,B", "only these variants", true},
                {"scale", "N,M", "only these scales", true},
                {"threads", "LIST", "these thread counts instead of the files' clients: 1,2,4 or 1..4..1", true},
                {"pin", "spread|free", "threads to the CPUs in turn, or wherever the kernel puts them (spread)"},
                {"rounds", "N", "2N visits to every point (1)"},
                {"tolerance", "SHARE", "of the median error of all points and of every class (10%)"},
                {"machine", "NAME", "a machine file written by 'lockcast probe' on this host, instead of probing"},
                {"set", "PATH=VALUE", "change one value of the scenarios; with --machine also machine.*", true},
                {"seed", "N", "of all random numbers, native and simulated (1)"},
                {"jobs,j", "N", "worker processes of the simulation (one per CPU of this process)"},
                {"brief", "", "a few milliseconds for everything: to see that it works, not to believe it"},
                {"format", "table|csv|json", "(table)"}},
    .examples =
        "validate\n"
        "validate hot-spinlock --machine machines/my-box.yaml --threads 1,2\n"
        "validate scenarios/validate/futex-mutex.yaml --rounds 3 --format json\n",
    .operands_min = 0,
    .operands_max = 1000};

constexpr std::array<std::string_view, 3> validate_formats{"table", "csv", "json"};
constexpr std::array<std::string_view, 2> pin_names{"spread", "free"};
constexpr std::size_t threads_per_cpu_max = 4;

// Leaves out thread counts that nobody asked for and this host is too small for. Returns a note, or "".
std::string leave_out_large(std::vector<Scenario>& scenarios, std::size_t cpus) {
  const auto limit = static_cast<std::int64_t>(threads_per_cpu_max * cpus);
  std::set<std::int64_t> left_out;
  for (Scenario& scenario : scenarios) {
    for (const std::int64_t count : scenario.clients) {
      if (count > limit) { left_out.insert(count); }
    }
    std::erase_if(scenario.clients, [limit](std::int64_t count) { return count > limit; });
  }
  std::erase_if(scenarios, [](const Scenario& scenario) { return scenario.clients.empty(); });
  if (scenarios.empty()) {
    throw InputError("every thread count is above " + std::to_string(limit) + ", " +
                         std::to_string(threads_per_cpu_max) + " times the CPUs of this process; expected --threads",
                     ExitCode::host_cannot);
  }
  std::string counts;
  for (const std::int64_t count : left_out) { counts += (counts.empty() ? "" : ", ") + std::to_string(count); }
  if (counts.empty()) { return ""; }
  return "left out: " + counts + " threads, more than " + std::to_string(threads_per_cpu_max) + " times " +
         std::to_string(cpus) + (cpus == 1 ? " CPU" : " CPUs") + "; --threads runs them";
}

std::vector<Scenario> selected_scenarios(const Arguments& given, const std::vector<Assignment>& sets) {
  std::vector<Scenario> scenarios = scenarios_of(given, sets);
  select_points(given, scenarios);
  const std::vector<std::int64_t> threads = read_numbers("threads", given.values("threads"), 1, clients_max);
  if (!threads.empty()) {
    for (Scenario& scenario : scenarios) { scenario.clients = threads; }
  }
  return scenarios;
}

// What is probed is not to be changed: that would be a forecast of another host.
void refuse_machine_sets_without_file(const Arguments& given, const std::vector<Assignment>& sets) {
  if (given.has("machine")) { return; }
  for (const auto& [path, value] : sets) {
    if (path != "machine" && !path.starts_with("machine.")) { continue; }
    throw InputError("--set " + path + ": this host is probed; expected --machine FILE beside it", ExitCode::usage);
  }
}

// What a reader must know about a file that perhaps describes another machine.
std::vector<std::string> machine_notes(const Machine& machine, const NativeHost& host) {
  std::vector<std::string> notes;
  if (machine.coherence.ping_pong.value == Picos{0} && host.cpus.size() > 1) {
    notes.push_back("machine file " + machine.name +
                    " does not say at which line latency it was measured "
                    "(coherence.ping_pong): it is taken as it is, whatever the guards say");
  }
  if (machine.topology.threads() != host.cpus.size()) {
    notes.push_back("machine file " + machine.name + " has " + std::to_string(machine.topology.threads()) +
                    " CPUs, this process may use " + std::to_string(host.cpus.size()) +
                    ": it describes another machine, and shapes may agree, levels cannot");
  }
  return notes;
}

// None when interrupted.
std::optional<Machine> probed_machine(bool brief, std::vector<std::string>& notes, ProgressLine& line) {
  probe::SessionOptions options;
  options.brief = brief;
  if (brief) { options.rounds = 1; }
  const probe::Session session = probe::measure_host(options, [&](std::string_view what, double share) {
    line.show("  probing " + percent(share) + ": " + std::string(what));
    return !EndOnInterrupt::came();
  });
  if (EndOnInterrupt::came() || session.rounds == 0) { return std::nullopt; }
  notes = probe::quality_notes(session);
  return probe::machine_of(session, "this-host");
}

int exit_code_of(VerdictKind kind) {
  switch (kind) {
    case VerdictKind::pass: return static_cast<int>(ExitCode::ok);
    case VerdictKind::fail: return static_cast<int>(ExitCode::check_failed);
    case VerdictKind::too_noisy: break;
  }
  return static_cast<int>(ExitCode::host_cannot);
}

}  // namespace

const Command& validate_command() { return validate_description; }

int validate_verb(const std::vector<std::string>& arguments) {
  Arguments given(validate_description, arguments);
  if (given.help()) {
    print(help_text(validate_description));
    return 0;
  }
  const std::size_t format = read_one_of("format", given.value("format").value_or("table"), validate_formats);
  const NativeHost host = native_host();
  NativeSessionOptions options;
  options.brief = given.has("brief");
  options.pinned = pin_names[read_one_of("pin", given.value("pin").value_or("spread"), pin_names)] == "spread";
  constexpr std::uint64_t rounds_max = 1000;
  if (const auto text = given.value("rounds")) {
    options.rounds = static_cast<std::uint32_t>(read_number("rounds", *text, 1, rounds_max));
  }
  if (const auto text = given.value("seed")) { options.seed = read_number("seed", *text, 0, UINT64_MAX); }
  const double tolerance = read_share("tolerance", given.value("tolerance").value_or("10%"));
  NativeForecastOptions forecast_options{.seed = options.seed, .brief = options.brief};
  forecast_options.jobs = static_cast<std::uint32_t>(host.cpus.size());
  constexpr std::uint64_t jobs_max = 1024;
  if (const auto text = given.value("jobs")) {
    forecast_options.jobs = static_cast<std::uint32_t>(read_number("jobs", *text, 1, jobs_max));
  }
  if (given.operands().empty()) { given.replace_operands({"scenarios/validate"}); }
  const std::vector<Assignment> sets = sets_of(given);
  refuse_machine_sets_without_file(given, sets);
  std::vector<Scenario> scenarios = selected_scenarios(given, sets);
  std::vector<std::string> notes;
  const std::string left_out = given.has("threads") ? "" : leave_out_large(scenarios, host.cpus.size());
  std::vector<NativeSessionPoint> points = native_points(scenarios);

  Machine machine = scenarios.front().machine;
  NativeSession session;
  {
    ProgressLine line;
    const EndOnInterrupt handler;
    if (given.has("machine")) {
      notes = machine_notes(machine, host);
    } else {
      std::optional<Machine> probed = probed_machine(options.brief, notes, line);
      if (!probed) { return static_cast<int>(ExitCode::interrupted); }
      machine = std::move(*probed);
    }
    session = run_session(std::move(points), host, options, [&](std::string_view what, double share) {
      line.show("  on this host " + percent(share) + ": " + std::string(what));
      return !EndOnInterrupt::came();
    });
  }
  if (session.interrupted) { return static_cast<int>(ExitCode::interrupted); }
  if (!left_out.empty()) { notes.push_back(left_out); }
  if (session.waited > std::chrono::seconds{1}) {
    notes.push_back("waited " + std::to_string(session.waited.count() / 1000) + " s for others to leave the CPUs");
  }
  NativeForecast forecast;
  {
    ProgressLine line;
    const InterruptHandler handler;
    forecast = forecast_session(scenarios, machine, session, host, forecast_options,
                                [&](const Progress& progress) { line.show(progress); });
  }
  if (forecast.interrupted) { return static_cast<int>(ExitCode::interrupted); }
  const Judgement judgement = judgement_of(forecast.points, tolerance);
  const ValidateReport report{scenarios, host,      machine,   std::move(notes), session,
                              forecast,  judgement, tolerance, options.seed};
  if (validate_formats[format] == "json") {
    print(validate_json(report));
  } else {
    print(validate_formats[format] == "csv" ? validate_csv(report) : validate_table(report, colour_wanted()));
  }
  return exit_code_of(judgement.kind);
}

}  // namespace lockcast
