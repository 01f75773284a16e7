// simulate SCENARIO: which points, how exactly, in which form.

#include "models/check.hpp"
#include "sim/cli/interrupt.hpp"
#include "sim/cli/options.hpp"
#include "sim/cli/output.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/run_options.hpp"
#include "sim/cli/selection.hpp"
#include "sim/cli/values.hpp"
#include "sim/cli/verbs.hpp"
#include "sim/report/report.hpp"

#include <array>
#include <cstdio>

namespace lockcast {

namespace {

const Command command{
    .usage = "simulate SCENARIO [OPTIONS]",
    .about =
        "Predicts the points of a scenario and says what limits each. SCENARIO is a file or a name from 'lockcast "
        "list'.",
    .options =
        selection_options() + run_options() +
        std::vector<Option>{
            {"network", "inner|full", "messages as inner events, or as SimGrid communications (chosen from the load)"},
            {"kernel", "inner|simgrid",
             "what serves events: the inner kernel, or as a check of it SimGrid actors, far slower (inner)"},
            {"explain", "", "why: for every point its locks, lines, scans, CPU profile and wait events"},
            {"free", "WHAT", "what if it cost nothing: a lock's name, 'lines' or 'preemption'", true},
            jobs_option(),
            {"format", "table|json|csv", "(table)"},
            {"out,o", "FILE", "write there instead of stdout; the file appears whole or not at all"}},
    .examples =
        "simulate scenarios/published/hpux-spinlock.yaml --scale 100 --variant tas,ttas-in-loop\n"
        "simulate hpux-spinlock --scale 100 --clients 8..64..8 --measure '200 ms' --format csv\n"
        "simulate hpux-spinlock --scale 100 --clients 48 --set machine.coherence.invalidate='200 ns'\n"
        "simulate hpux-spinlock --scale 100 --clients 48 --free ProcArrayLock,preemption --explain\n",
    .operands_min = 1,
    .operands_max = 1};

constexpr std::array<std::string_view, 2> message_names{"inner", "full"};

NetworkChoice network_of(const Arguments& given, const Scenario& scenario, const std::vector<Case>& points) {
  std::optional<Messages> asked;
  if (const auto text = given.value("network")) {
    asked = static_cast<Messages>(read_one_of("network", *text, message_names));
    if (!scenario.rig.network) {
      throw InputError("--network: the scenario has no network; its load is local", ExitCode::usage);
    }
  }
  return choose_network(scenario, points, asked);
}

// SimGrid is either the kernel, with a clock of picoseconds, or the network, with a clock of seconds in which a
// picosecond would be rounded away.
KernelKind kernel_of(const Arguments& given, const Scenario& scenario) {
  const auto kind =
      static_cast<KernelKind>(read_one_of("kernel", given.value("kernel").value_or("inner"), kernel_names));
  if (kind == KernelKind::simgrid && scenario.rig.network) {
    throw InputError(
        "--kernel simgrid: the scenario's clients are behind a network, which is SimGrid's too, and its one clock per "
        "process would have to count picoseconds for the kernel and seconds for the link; expected a scenario without "
        "rig.network, or --kernel inner",
        ExitCode::usage);
  }
  return kind;
}

}  // namespace

const Command& simulate_command() { return command; }

int simulate_verb(const std::vector<std::string>& arguments) {
  const Arguments given(command, arguments);
  if (given.help()) {
    print(help_text(command));
    return 0;
  }
  const std::size_t format = read_one_of("format", given.value("format").value_or("table"), format_names);
  PredictOptions options = predict_options_of(given);
  const std::vector<Assignment> sets = sets_of(given);
  Scenario scenario = scenario_of(given, sets);
  options.kernel = kernel_of(given, scenario);
  make_free(given, scenario);
  select_points(given, scenario);
  const std::vector<Case> points = scenario.cases();
  const NetworkChoice network = network_of(given, scenario, points);
  options.messages = network.messages;
  Output output(given.value("out"));

  // The table and the JSON document say it themselves.
  if (format_names[format] == "csv") { std::fprintf(stderr, "messages: %s\n", describe(network).c_str()); }
  if (format_names[format] == "csv" && options.kernel != KernelKind::inner) {
    std::fprintf(stderr, "kernel: %s\n", describe(options.kernel).c_str());
  }
  Prediction prediction;
  {
    const InterruptHandler handler;
    ProgressLine line;
    prediction = predict(scenario, points, options, [&](const Progress& progress) { line.show(progress); });
  }
  const Report report{scenario, options, network, sets, prediction, read_list("free", given.values("free"))};
  output.write(format_names[format] == "json"  ? as_json(report, LOCKCAST_VERSION)
               : format_names[format] == "csv" ? as_csv(report)
                                               : as_table(report, output.is_stdout() && colour_wanted()));
  return static_cast<int>(prediction.interrupted ? ExitCode::interrupted : ExitCode::ok);
}

}  // namespace lockcast
