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
#include "sim/report/trace.hpp"
#include "sim/yaml/reader.hpp"

#include <array>
#include <cstdio>

namespace lockcast {

namespace {

const Command simulate_description{
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
            {"trace", "FILE",
             "what every core and backend did in a window of one point, for ui.perfetto.dev or chrome://tracing"},
            {"trace-window", "TIME", "how long a window (5 ms)"},
            {"trace-from", "TIME", "where it begins in the measured time (0 s)"},
            {"free", "WHAT", "what if it cost nothing: a lock's name, 'lines' or 'preemption'", true},
            jobs_option(),
            {"format", "table|json|csv", "(table)"},
            {"out,o", "FILE", "write there instead of stdout; the file appears whole or not at all"}},
    .examples =
        "simulate scenarios/published/hpux-spinlock.yaml --scale 100 --variant tas,ttas-in-loop\n"
        "simulate hpux-spinlock --scale 100 --clients 8..64..8 --measure '200 ms' --format csv\n"
        "simulate hpux-spinlock --scale 100 --clients 48 --set machine.coherence.invalidate='200 ns'\n"
        "simulate hpux-spinlock --scale 100 --clients 48 --free ProcArrayLock,preemption --explain\n"
        "simulate hpux-spinlock --scale 100 --variant tas --clients 48 --trace trace.json --trace-window '2 ms'\n",
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

std::optional<TraceWindow> trace_window_of(const Arguments& given, Picos measured) {
  for (const char* option : {"trace-window", "trace-from"}) {
    if (given.has(option) && !given.has("trace")) {
      throw InputError(std::string("--") + option + ": is of use only with --trace FILE", ExitCode::usage);
    }
  }
  if (!given.has("trace")) { return std::nullopt; }
  TraceWindow window{.length = std::min(measured, Picos{5ms})};
  if (const auto from = given.value("trace-from")) { window.from = read_time("trace-from", *from, Picos{0}, measured); }
  if (const auto length = given.value("trace-window")) {
    window.length = read_time("trace-window", *length, Picos{1}, measured);
  }
  if (window.from + window.length > measured) {
    throw InputError("--trace-window: it ends " + yaml::print_duration(window.from + window.length - measured) +
                         " after the measured time of " + yaml::print_duration(measured) +
                         "; expected an earlier --trace-from, a shorter window or a longer --measure",
                     ExitCode::usage);
  }
  return window;
}

void check_is_one(const std::vector<Case>& points) {
  if (points.size() == 1) { return; }
  throw InputError("--trace: " + std::to_string(points.size()) +
                       " points are asked for; expected one: choose it with --variant, --tables, --scale and --clients",
                   ExitCode::usage);
}

void write_trace(Output& output, const PredictOptions& options, const Scenario& scenario, const PointResult& result) {
  const Trace& trace = *result.replications.front().trace;
  output.write(trace_as_json(trace, scenario, result.point, options.warmup));
  if (!trace.is_cut) { return; }
  std::fprintf(stderr, "lockcast: the trace is full (%zu slices and wake-ups); it ends after %s of %s\n",
               TraceLog::entries_max, yaml::print_duration(trace.end - trace.begin).c_str(),
               yaml::print_duration(options.trace->length).c_str());
}

}  // namespace

const Command& simulate_command() { return simulate_description; }

int simulate_verb(const std::vector<std::string>& arguments) {
  const Arguments given(simulate_description, arguments);
  if (given.help()) {
    print(help_text(simulate_description));
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
  options.trace = trace_window_of(given, options.measured);
  if (options.trace) { check_is_one(points); }
  std::optional<Output> trace_output;
  if (options.trace) { trace_output.emplace(given.value("trace")); }
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
  if (trace_output && !prediction.points.empty()) {
    write_trace(*trace_output, options, scenario, prediction.points.front());
  }
  return static_cast<int>(prediction.interrupted ? ExitCode::interrupted : ExitCode::ok);
}

}  // namespace lockcast
