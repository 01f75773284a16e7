// show MACHINE|SCENARIO: everything a run would use, after --set.

#include "sim/report/show.hpp"

#include "models/check.hpp"
#include "sim/cli/catalog.hpp"
#include "sim/cli/options.hpp"
#include "sim/cli/output.hpp"
#include "sim/cli/selection.hpp"
#include "sim/cli/values.hpp"
#include "sim/cli/verbs.hpp"
#include "sim/report/numbers.hpp"
#include "sim/report/text_table.hpp"
#include "sim/yaml/machine_reader.hpp"

#include <algorithm>

namespace lockcast {

namespace {

const Command show_description{
    .usage = "show MACHINE|SCENARIO [OPTIONS]",
    .about =
        "Prints a machine, or a scenario and one of its transactions, with where every number comes from. The\n"
        "name of a parameter, after 'machine.' or 'workload.', is what --set takes.",
    .options = {{"set", "PATH=VALUE", "change one value, as for 'simulate'", true},
                {"no-fitted", "", "without what 'calibrate' has found (NAME.fitted.yaml, origin 'fitted')"},
                {"tables", "NAME", "of the transaction shown (the first)"},
                {"variant", "NAME", "of the transaction shown (the first)"},
                {"scale", "N", "of the transaction shown (the first)"},
                {"clients", "N", "of the transaction shown (the first)"}},
    .examples =
        "show textbook-32\nshow hpux-spinlock --variant tas --clients 32\n"
        "show textbook-32 --set machine.cpu.poll='8 ns'\n",
    .operands_min = 1,
    .operands_max = 1};

std::string labelled(std::string_view label, std::string_view text) {
  constexpr std::size_t margin = 10;
  std::string first(label);
  first.append(margin - std::min(margin, first.size()), ' ');
  return wrapped(text, first, 120);
}

// The parameters of `tree` without the keys that a title has already shown.
yaml::Node without(const yaml::Node& tree, const std::vector<std::string_view>& keys) {
  yaml::Node rest = tree;
  std::erase_if(rest.entries,
                [&](const yaml::Entry& entry) { return std::find(keys.begin(), keys.end(), entry.key) != keys.end(); });
  return rest;
}

std::string machine_shown(const Machine& machine, const yaml::Node& tree) {
  return labelled("machine", topology_text(machine)) + labelled("", machine.summary) + labelled("file", machine.file) +
         "\n" + parameters_text(without(tree, {"schema", "name", "summary"}));
}

std::string show_machine(const std::string& path, const std::vector<Assignment>& sets, const yaml::Overlays& overlays) {
  yaml::Node tree = yaml::parse_file(path, overlays);
  for (const auto& [key, value] : sets) {
    constexpr std::string_view prefix = "machine.";
    if (!key.starts_with(prefix)) {
      throw InputError("--set " + yaml::quote(key) + ": expected a path that begins with machine.", ExitCode::usage);
    }
    yaml::assign(tree, std::string_view(key).substr(prefix.size()), value);
  }
  return machine_shown(yaml::read_machine(tree), tree);
}

template <class Items>
std::string items_text(const Items& items) {
  std::string text;
  for (const auto& item : items) {
    text += text.empty() ? "" : ", ";
    if constexpr (std::is_same_v<std::decay_t<decltype(item)>, std::string>) {
      text += item;
    } else {
      text += std::to_string(item);
    }
  }
  return text.empty() ? "-" : text;
}

std::string scenario_text(const Scenario& scenario, const Case& point) {
  std::string text =
      labelled("scenario", scenario.name) + labelled("", scenario.question) + labelled("file", scenario.file);
  text += labelled("workload", scenario.workload) + labelled("machine", topology_text(scenario.machine));
  if (!scenario.tables.empty()) { text += labelled("tables", items_text(scenario.tables)); }
  text += labelled("variants", items_text(scenario.variants)) + labelled("scales", items_text(scenario.scales));
  text +=
      labelled("clients", items_text(scenario.clients)) + labelled("points", std::to_string(scenario.cases().size()));
  if (!scenario.measured.empty()) {
    text += labelled("measured", std::to_string(scenario.measured.size()) + " points of series " + scenario.series);
  }
  for (const std::string& gap : scenario.known_gaps) { text += labelled("gap", gap); }
  if (const yaml::Node* rig = scenario.scenario_tree.find("rig")) { text += "\nrig:\n" + parameters_text(*rig); }

  const yaml::Node workload = scenario.workload_at(point);
  const Program program = scenario.program(point);
  std::string name = point.variant.empty() ? "" : point.variant + ", ";
  if (!point.tables.empty()) { name += point.tables + " tables, "; }
  if (point.scale != 0) { name += "scale " + std::to_string(point.scale) + ", "; }
  name += std::to_string(point.clients) + (point.clients == 1 ? " client" : " clients");
  if (const yaml::Node* constants = workload.find("constants")) {
    text += "\nconstants of " + name + ":\n" + parameters_text(*constants);
  }
  text += "\nplacement of " + name + " on " + std::to_string(scenario.machine.line_bytes) + " B lines:\n" +
          placement_text(program, scenario.machine.line_bytes);
  return text + "\ntransaction of " + name + ", procedures inlined:\n" + operations_text(program);
}

}  // namespace

const Command& show_command() { return show_description; }

int show_verb(const std::vector<std::string>& arguments) {
  const Arguments given(show_description, arguments);
  if (given.help()) {
    print(help_text(show_description));
    return 0;
  }
  const std::string path = find_file(given.operands()[0], {FileKind::machine, FileKind::scenario});
  const std::vector<Assignment> sets = sets_of(given);
  switch (kind_of(yaml::parse_file(path))) {
    case FileKind::machine:
      for (const char* option : {"tables", "variant", "scale", "clients"}) {
        if (given.value(option)) {
          throw InputError(std::string("--") + option + " is for scenarios, not machines", ExitCode::usage);
        }
      }
      print(show_machine(path, sets, load_options_of(given).overlays));
      return 0;
    case FileKind::include:
    case FileKind::workload: throw InputError(yaml::quote(path) + " is a workload; show a scenario that uses it");
    case FileKind::calibration:
    case FileKind::overlay: throw InputError(yaml::quote(path) + " is for 'calibrate'; show what it is about");
    case FileKind::study:
      throw InputError(yaml::quote(path) + " is a study; show the scenario that it is about, or run it with its verb");
    case FileKind::scenario: break;
  }
  const Scenario scenario = load_scenario(path, sets, data_folders(), load_options_of(given));
  Scenario selected = scenario;
  select_points(given, selected);
  print(scenario_text(scenario, selected.cases().front()));
  return 0;
}

}  // namespace lockcast
