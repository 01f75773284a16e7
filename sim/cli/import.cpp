// import KIND FILE: what the folder sim/import knows to read, and the words that each kind needs besides.

#include "sim/import/import.hpp"

#include "models/check.hpp"
#include "sim/cli/options.hpp"
#include "sim/cli/output.hpp"
#include "sim/cli/values.hpp"
#include "sim/cli/verbs.hpp"
#include "sim/yaml/document.hpp"
#include "sim/yaml/reader.hpp"

#include <algorithm>
#include <array>

namespace lockcast {

namespace {

const Command import_description{
    .usage = "import pgbench|lwlock-stats|wait-events|core-matrix|hwloc FILE [OPTIONS]",
    .about =
        "Reads what people have already:\n"
        "  pgbench       its reports, one or many in a file  -> CSV of measured values for a scenario's 'measured'\n"
        "  lwlock-stats  stderr of LWLOCK_STATS backends     -> CSV of shacq, exacq, blk, spindelay per transaction\n"
        "  wait-events   samples of pg_stat_activity, CSV    -> CSV of shares\n"
        "  core-matrix   CSV of core-to-core-latency         -> a machine file\n"
        "  hwloc         XML of lstopo                       -> a machine file",
    .options = {{"series", "NAME", "pgbench: what the measurements are called"},
                {"machine", "NAME", "pgbench: where they were taken; core-matrix, hwloc: what to call the machine"},
                {"variant", "NAME", "pgbench: of the workload"},
                {"role", "calibrate|predict", "pgbench: what the rows are for"},
                {"tables", "NAME", "pgbench: kind of tables, if the scenario tells them apart"},
                {"workload", "NAME", "pgbench: instead of its own scripts' names (tpcb, tpcb-N, select-only)"},
                {"mode", "simple|extended|prepared", "pgbench: only runs in this query mode"},
                {"transactions", "N", "lwlock-stats: how many the backends did in all"},
                {"names", "as-written|9.1", "lwlock-stats: numbers as they are (as-written), or what 9.1 calls them"},
                {"threads-per-core", "N", "core-matrix: hardware threads of a core (1)"},
                {"out,o", "FILE", "where to (stdout)"}},
    .examples =
        "import pgbench runs.txt --series mine --machine box --variant master --role predict\n"
        "import lwlock-stats postgres.log --transactions 1200000 --names 9.1\n"
        "import wait-events samples.csv\n"
        "import core-matrix latency.csv --machine box --threads-per-core 2 --out machines/box.yaml\n"
        "import hwloc box.xml --machine box --out machines/box.yaml\n",
    .operands_min = 2,
    .operands_max = 2};

constexpr std::array<std::string_view, 2> role_names{"calibrate", "predict"};
constexpr std::array<std::string_view, 3> mode_names{"simple", "extended", "prepared"};
constexpr std::array<std::string_view, 2> lock_name_kinds{"as-written", "9.1"};

// One kind of file, and which options it takes.
struct ImportKind {
  std::string_view name;
  std::string (*import)(const std::string& path, const Arguments& given);
  std::vector<std::string> options;
};

std::string needed(const Arguments& given, const std::string& option) {
  const std::optional<std::string> value = given.value(option);
  if (!value) {
    throw InputError("missing --" + option + "; usage: lockcast " + import_description.usage, ExitCode::usage);
  }
  return *value;
}

// As machine and scenario files would have it.
std::string needed_name(const Arguments& given, const std::string& option) {
  yaml::Node node;
  node.kind = yaml::Node::Kind::scalar;
  node.text = needed(given, option);
  node.mark.file = std::make_shared<const std::string>("--" + option);
  try {
    return yaml::read_name(node, option);
  } catch (const InputError&) {
    throw InputError(
        "--" + option + " " + yaml::quote(node.text) + ": expected a name of letters, digits, '-', '_', '.'",
        ExitCode::usage);
  }
}

std::optional<std::string> one_of(const Arguments& given, const std::string& option,
                                  std::span<const std::string_view> names) {
  const std::optional<std::string> value = given.value(option);
  if (value) { read_one_of(option, *value, names); }
  return value;
}

std::string pgbench(const std::string& path, const Arguments& given) {
  needed(given, "role");
  return import_pgbench(path, {.series = needed_name(given, "series"),
                               .machine = needed_name(given, "machine"),
                               .variant = needed_name(given, "variant"),
                               .role = *one_of(given, "role", role_names),
                               .tables = given.value("tables").value_or(""),
                               .workload = given.value("workload"),
                               .mode = one_of(given, "mode", mode_names)});
}

std::string lwlock_stats(const std::string& path, const Arguments& given) {
  const std::uint64_t transactions = read_number("transactions", needed(given, "transactions"), 1, UINT64_MAX);
  const std::string names = one_of(given, "names", lock_name_kinds).value_or(std::string(lock_name_kinds[0]));
  return import_lwlock_stats(path, static_cast<double>(transactions),
                             names == lock_name_kinds[1] ? LwlockNames::of_9_1 : LwlockNames::as_written);
}

std::string wait_events(const std::string& path, const Arguments& given) {
  static_cast<void>(given);
  return import_wait_events(path);
}

std::string core_matrix(const std::string& path, const Arguments& given) {
  const auto threads =
      static_cast<std::uint32_t>(read_number("threads-per-core", given.value("threads-per-core").value_or("1"), 1, 8));
  return import_core_matrix(path, needed_name(given, "machine"), threads);
}

std::string hwloc(const std::string& path, const Arguments& given) {
  return import_hwloc(path, needed_name(given, "machine"));
}

const std::array<ImportKind, 5> import_kinds{
    {{"pgbench", &pgbench, {"series", "machine", "variant", "role", "tables", "workload", "mode"}},
     {"lwlock-stats", &lwlock_stats, {"transactions", "names"}},
     {"wait-events", &wait_events, {}},
     {"core-matrix", &core_matrix, {"machine", "threads-per-core"}},
     {"hwloc", &hwloc, {"machine"}}}};

const ImportKind& kind_named(const std::string& name) {
  const auto kind =
      std::find_if(import_kinds.begin(), import_kinds.end(), [&](const ImportKind& one) { return one.name == name; });
  if (kind != import_kinds.end()) { return *kind; }
  std::vector<std::string_view> names;
  for (const ImportKind& one : import_kinds) { names.push_back(one.name); }
  throw InputError("cannot import " + yaml::quote(name) +
                       "; expected pgbench, lwlock-stats, wait-events, core-matrix or hwloc" +
                       did_you_mean(name, names),
                   ExitCode::usage);
}

}  // namespace

const Command& import_command() { return import_description; }

int import_verb(const std::vector<std::string>& arguments) {
  const Arguments given(import_description, arguments);
  if (given.help()) {
    print(help_text(import_description));
    return 0;
  }
  const ImportKind& kind = kind_named(given.operands()[0]);
  for (const Option& option : import_description.options) {
    const std::string name = option.name.substr(0, option.name.find(','));
    if (name == "out" || !given.has(name)) { continue; }
    if (std::find(kind.options.begin(), kind.options.end(), name) == kind.options.end()) {
      throw InputError("--" + name + " is not for " + std::string(kind.name), ExitCode::usage);
    }
  }
  const std::string text = kind.import(given.operands()[1], given);
  Output(given.value("out")).write(text);
  return 0;
}

}  // namespace lockcast
