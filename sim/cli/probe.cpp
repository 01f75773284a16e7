// probe: measures this host and writes a machine file. The measuring is in validate/probe; here are the table for
// people and the order in which things are written.

#include "models/check.hpp"
#include "sim/cli/interrupt.hpp"
#include "sim/cli/options.hpp"
#include "sim/cli/output.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/values.hpp"
#include "sim/cli/verbs.hpp"
#include "sim/report/numbers.hpp"
#include "sim/report/text_table.hpp"
#include "sim/yaml/machine_reader.hpp"
#include "sim/yaml/reader.hpp"
#include "validate/probe/core_matrix.hpp"
#include "validate/probe/host_machine.hpp"
#include "validate/probe/machine_yaml.hpp"

#include <cstdio>
#include <filesystem>

namespace lockcast {

namespace {

const Command probe_description{
    .usage = "probe [OPTIONS]",
    .about =
        "Measures this host: its topology, what cache lines cost between its CPUs by state and operation, spin hints,\n"
        "atomics, wake-ups, context switches, time slices, sleeps. Needs no privilege; uses the CPUs this process may\n"
        "use (taskset and cgroups count) and about a minute. Keep the host idle meanwhile. Prints what was measured;\n"
        "with -o also writes a machine file that every verb takes as --machine.",
    .options = {{"out,o", "FILE", "write the machine file; the machine is called like the file: machines/NAME.yaml"},
                {"rounds", "N", "visit every quantity N times (24); fewer when that takes more than 100 s"},
                {"export-core-matrix", "CSV",
                 "write ns between any two CPUs, one way, as core-to-core-latency --csv does"},
                {"brief", "", "a few milliseconds for everything: to see that it works, not to believe it"}},
    .examples =
        "probe -o machines/my-box.yaml\n"
        "simulate scenarios/hot-spinlock.yaml --machine machines/my-box.yaml\n"
        "probe --export-core-matrix cores.csv\n"};

constexpr std::size_t probe_width = 120;
constexpr std::string_view unnamed = "this-host";

// What the machine will be called, from the file's name; found wrong before anything is measured.
std::string machine_name(const std::string& path) {
  const std::string name = std::filesystem::path(path).stem().string();
  yaml::Node node;
  node.kind = yaml::Node::Kind::scalar;
  node.text = name;
  node.mark = {std::make_shared<const std::string>(path), 1, 1};
  try {
    return yaml::read_name(node, "name");
  } catch (const InputError&) {
    throw InputError("--out " + yaml::quote(path) + ": the machine would be called " + yaml::quote(name) +
                         "; expected a file name of letters, digits, '-', '_', '.' and '+' after a letter or '_'",
                     ExitCode::usage);
  }
}

std::string in_unit(double value, probe::Unit unit) {
  constexpr double thousand = 1000;
  if (unit == probe::Unit::ratio) { return grouped(value, 2); }
  if (value < 10) { return grouped(value, 2) + " ns"; }
  if (value < thousand) { return grouped(value, 1) + " ns"; }
  if (value < thousand * thousand) { return grouped(value / thousand, 2) + " us"; }
  return grouped(value / (thousand * thousand), 2) + " ms";
}

std::string table_of(const probe::Session& session, bool colour) {
  TextTable table({{"what", Align::left},
                   {"between", Align::left},
                   {"value"},
                   {"10 % of visits below"},
                   {"90 %"},
                   {"visits"},
                   {"quality", Align::left}});
  for (const probe::QuantityEntry& entry : probe::quantities) {
    for (std::size_t d = 0; d < distance_count; ++d) {
      const auto distance = static_cast<Distance>(d);
      if (!session.findings.has(entry.quantity, distance)) { continue; }
      const probe::Conclusion conclusion = session.findings.conclude(entry.quantity, distance);
      if (conclusion.spread.samples == 0) { continue; }
      std::string quality = conclusion.quiet ? "" : "disturbed";
      if (conclusion.quiet && conclusion.left_out > 0) { quality = std::to_string(conclusion.left_out) + " left out"; }
      table.row({std::string(entry.name), entry.by_line ? std::string(distance_names[d]) : "",
                 in_unit(conclusion.spread.median, entry.unit), in_unit(conclusion.spread.low, entry.unit),
                 in_unit(conclusion.spread.high, entry.unit), std::to_string(conclusion.spread.samples),
                 Cell(quality, !conclusion.quiet)});
    }
  }
  return table.text(colour, 0, probe_width);
}

std::string shape_of(const Topology& topology) {
  const auto counted = [](std::uint32_t count, const char* noun) {
    return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
  };
  return counted(topology.packages, "package") + " x " + counted(topology.dies_per_package, "last-level cache") +
         " x " + counted(topology.cores_per_die, "core") + " x " + counted(topology.threads_per_core, "thread");
}

std::string host_line(const probe::Session& session) {
  return session.host.cpu_model + ", " + session.host.kernel + "; " + shape_of(session.arrangement.topology);
}

std::vector<std::string> head_of(const probe::Session& session, const std::vector<std::string>& notes) {
  std::vector<std::string> head;
  head.push_back("Measured by 'lockcast probe' " LOCKCAST_VERSION " on " + host_line(session) + "; " +
                 std::to_string(session.rounds) + " rounds in " + grouped(session.elapsed_s) + " s.");
  head.emplace_back(
      "Values are medians over visits, intervals hold 10 to 90 % of them, ranges go from half the least to twice the "
      "most that was seen.");
  for (const std::string& note : notes) { head.push_back("- " + note + "."); }
  std::string scan;
  for (std::size_t d = 0; d < distance_count; ++d) {
    const auto distance = static_cast<Distance>(d);
    if (!session.findings.has(probe::Quantity::scan_1, distance)) { continue; }
    scan += std::string(scan.empty() ? "" : "; ") + std::string(distance_names[d]) + ":";
    for (auto q = static_cast<std::size_t>(probe::Quantity::scan_1);
         q <= static_cast<std::size_t>(probe::Quantity::scan_64); ++q) {
      const auto seen = session.findings.conclude(static_cast<probe::Quantity>(q), distance).spread;
      scan += " " + (seen.samples > 0 ? grouped(seen.median) : "-");
    }
  }
  if (!scan.empty()) {
    head.push_back("Reading 1, 2, 4, 8, 16, 32, 64 lines that another CPU wrote took, in ns, " + scan +
                   ". Misses overlap; no key of this file says so.");
  }
  return head;
}

// Also the last check: a file that the reader does not take is an error of ours.
std::string machine_text(const probe::Session& session, const std::string& name,
                         const std::vector<std::string>& notes) {
  const std::string text = probe::machine_yaml(probe::machine_of(session, name), head_of(session, notes));
  try {
    static_cast<void>(yaml::read_machine(yaml::parse_text(text, name + ".yaml")));
  } catch (const InputError& error) { CHECK(false, std::string("the machine file is wrong: ") + error.what()); }
  return text;
}

std::size_t occurrences(const std::string& text, const std::string& words) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(words, at)) != std::string::npos; at += words.size()) { ++count; }
  return count;
}

std::string origins_line(const std::string& text) {
  std::string words;
  for (const std::string_view origin : origin_names) {
    const std::size_t count = occurrences(text, "origin: " + std::string(origin) + ",");
    if (count == 0) { continue; }
    words += (words.empty() ? "" : ", ") + std::to_string(count) + " " + std::string(origin);
  }
  return words;
}

}  // namespace

const Command& probe_command() { return probe_description; }

int probe_verb(const std::vector<std::string>& arguments) {
  const Arguments given(probe_description, arguments);
  if (given.help()) {
    print(help_text(probe_description));
    return 0;
  }
  constexpr std::uint64_t rounds_max = 10'000;
  probe::SessionOptions options;
  options.brief = given.has("brief");
  if (options.brief) { options.rounds = 1; }
  if (const auto text = given.value("rounds")) {
    options.rounds = static_cast<std::uint32_t>(read_number("rounds", *text, 1, rounds_max));
  }
  const std::optional<std::string> path = given.value("out");
  const std::string name = path ? machine_name(*path) : std::string(unnamed);
  const std::optional<std::string> matrix_path = given.value("export-core-matrix");
  std::optional<Output> file;
  if (path) { file.emplace(path); }
  std::optional<Output> matrix_file;
  if (matrix_path) { matrix_file.emplace(matrix_path); }

  probe::Session session;
  std::string matrix;
  {
    ProgressLine line;
    const EndOnInterrupt handler;
    session = probe::measure_host(options, [&](std::string_view what, double share) {
      line.show("  probing " + percent(share) + ": " + std::string(what));
      return !EndOnInterrupt::came();
    });
    if (matrix_file && !EndOnInterrupt::came()) {
      probe::MatrixOptions matrix_options;
      if (options.brief) { matrix_options.budget = std::chrono::seconds{0}; }
      matrix = probe::csv(probe::measure_matrix(session.arrangement.cpus, matrix_options,
                                                [&](double share) { line.show("  core matrix " + percent(share)); }));
    }
  }
  const ExitCode code = !EndOnInterrupt::came() ? ExitCode::ok : ExitCode::interrupted;
  if (session.rounds == 0) { return static_cast<int>(code); }
  const std::vector<std::string> notes = probe::quality_notes(session);
  const std::string text = machine_text(session, name, notes);
  for (const std::string& note : notes) { std::fputs(wrapped(note, "lockcast probe: ", probe_width).c_str(), stderr); }
  if (file) { file->write(text); }
  if (matrix_file && !matrix.empty()) { matrix_file->write(matrix); }
  std::string out = wrapped(host_line(session) + "; " + std::to_string(session.rounds) + " rounds in " +
                                grouped(session.elapsed_s) + " s",
                            "", probe_width) +
                    "\n" + table_of(session, colour_wanted());
  if (path) { out += "\nwritten: " + *path + " (values: " + origins_line(text) + ")\n"; }
  if (!matrix.empty()) { out += "written: " + *matrix_path + "\n"; }
  print(out);
  return static_cast<int>(code);
}

}  // namespace lockcast
