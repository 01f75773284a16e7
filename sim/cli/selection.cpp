// A name that is not there is an error of usage here: in a file it would be one of the file.

#include "sim/cli/selection.hpp"

#include "models/check.hpp"
#include "sim/cli/catalog.hpp"
#include "sim/cli/values.hpp"

#include <algorithm>

namespace lockcast {

namespace {

constexpr std::int64_t scale_max = 1'000'000'000;

std::string quoted_for_yaml(const std::string& text) {
  std::string out = "'";
  for (const char c : text) { out.append(c == '\'' ? 2 : 1, c); }
  return out + "'";
}

// A machine of the catalog, or a path.
void check_machine(const std::string& name) {
  if (name.ends_with(".yaml")) { return; }
  std::vector<std::string> known;
  for (const CatalogEntry& entry : catalog()) {
    if (entry.kind == FileKind::machine) { known.push_back(entry.name); }
  }
  if (std::find(known.begin(), known.end(), name) != known.end()) { return; }
  throw InputError("--machine: unknown machine " + yaml::quote(name) + "; 'lockcast list machines' lists them" +
                       did_you_mean(name, {known.begin(), known.end()}),
                   ExitCode::usage);
}

// Keeps of `all` what was asked for, in the order of the scenario.
template <class Value, class Text>
void keep(const std::string& option, std::vector<Value>& all, const std::vector<Value>& asked, const Text& text) {
  if (asked.empty()) { return; }
  std::vector<std::string> names;
  for (const Value& value : all) { names.push_back(text(value)); }
  for (const Value& value : asked) {
    if (std::find(all.begin(), all.end(), value) != all.end()) { continue; }
    std::string listed;
    for (const std::string& name : names) { listed.append(listed.empty() ? "" : ", ").append(name); }
    throw InputError("--" + option + ": the scenario has no " + option + " " + yaml::quote(text(value)) +
                         "; expected " + (names.empty() ? "no --" + option : "one of " + listed) +
                         did_you_mean(text(value), {names.begin(), names.end()}),
                     ExitCode::usage);
  }
  std::erase_if(all, [&](const Value& value) { return std::find(asked.begin(), asked.end(), value) == asked.end(); });
}

}  // namespace

std::vector<Assignment> sets_of(const Arguments& given) {
  std::vector<Assignment> sets = read_assignments(given.values("set"));
  if (const auto machine = given.value("machine")) {
    check_machine(*machine);
    sets.emplace_back("machine", quoted_for_yaml(*machine));
  }
  return sets;
}

Scenario scenario_of(const Arguments& given, const std::vector<Assignment>& sets) {
  return load_scenario(find_file(given.operands()[0], {FileKind::scenario}), sets, data_folders());
}

void make_free(const Arguments& given, Scenario& scenario) {
  const std::vector<std::string> asked = read_list("free", given.values("free"));
  if (asked.empty()) { return; }
  scenario.measured.clear();  // on a real machine nothing is free
  const Program program = scenario.program(scenario.cases().front());
  std::vector<std::string> known{"lines", "preemption"};
  for (const LockGroup& group : program.locks) { known.push_back(group.name); }
  for (const std::string& name : asked) {
    if (name == "lines") {
      scenario.machine.coherence.free = true;
      scenario.machine.coherence.home_occupancy.value = Picos{0};
      scenario.machine.coherence.third_leg.value = Picos{0};
      scenario.machine.coherence.halted_owner.value = Picos{0};
      scenario.machine.coherence.line_queue = false;
    } else if (name == "preemption") {
      scenario.machine.scheduler.preemption = Preemption::none;
    } else if (std::find(known.begin(), known.end(), name) != known.end()) {
      scenario.free_locks.push_back(name);
    } else {
      throw InputError("--free: the workload has no lock " + yaml::quote(name) +
                           "; expected a lock's name, 'lines' or 'preemption'" +
                           did_you_mean(name, {known.begin(), known.end()}),
                       ExitCode::usage);
    }
  }
}

void select_points(const Arguments& given, Scenario& scenario) {
  keep("variant", scenario.variants, read_list("variant", given.values("variant")),
       [](const std::string& name) { return name; });
  keep("tables", scenario.tables, read_list("tables", given.values("tables")),
       [](const std::string& name) { return name; });
  keep("scale", scenario.scales, read_numbers("scale", given.values("scale"), 1, scale_max),
       [](std::int64_t scale) { return std::to_string(scale); });
  const std::vector<std::int64_t> clients = read_numbers("clients", given.values("clients"), 1, clients_max);
  if (!clients.empty()) { scenario.clients = clients; }
}

}  // namespace lockcast
