// A name that is not there is an error of usage here: in a file it would be one of the file.

#include "sim/cli/selection.hpp"

#include "models/check.hpp"
#include "sim/cli/catalog.hpp"
#include "sim/cli/values.hpp"
#include "sim/study/fixes.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

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

// Keeps of every scenario's values what was asked for, in the order of the scenario; true where nothing is left. A
// value that none of the scenarios has is a slip.
template <class Value, class Text>
std::vector<bool> keep(const std::string& option, std::vector<Scenario>& scenarios,
                       std::vector<Value> Scenario::*values, const std::vector<Value>& asked, const Text& text) {
  std::vector<bool> nothing_left(scenarios.size(), false);
  if (asked.empty()) { return nothing_left; }
  std::vector<Value> all;
  for (const Scenario& scenario : scenarios) {
    for (const Value& value : scenario.*values) {
      if (std::find(all.begin(), all.end(), value) == all.end()) { all.push_back(value); }
    }
  }
  std::vector<std::string> names;
  names.reserve(all.size());
  for (const Value& value : all) { names.push_back(text(value)); }
  for (const Value& value : asked) {
    if (std::find(all.begin(), all.end(), value) != all.end()) { continue; }
    std::string listed;
    for (const std::string& name : names) { listed.append(listed.empty() ? "" : ", ").append(name); }
    std::string what = "--" + option + ": ";
    what.append(scenarios.size() == 1 ? "the scenario has no " : "no scenario has a ").append(option);
    throw InputError(what + " " + yaml::quote(text(value)) + "; expected " +
                         (names.empty() ? "no --" + option : "one of " + listed) +
                         did_you_mean(text(value), {names.begin(), names.end()}),
                     ExitCode::usage);
  }
  for (std::size_t i = 0; i < scenarios.size(); ++i) {
    std::erase_if(scenarios[i].*values,
                  [&](const Value& value) { return std::find(asked.begin(), asked.end(), value) == asked.end(); });
    nothing_left[i] = (scenarios[i].*values).empty();
  }
  return nothing_left;
}

std::string as_it_is(const std::string& text) { return text; }

std::vector<bool> keep_variants(const Arguments& given, std::vector<Scenario>& scenarios) {
  return keep("variant", scenarios, &Scenario::variants, read_list("variant", given.values("variant")), as_it_is);
}
std::vector<bool> keep_tables(const Arguments& given, std::vector<Scenario>& scenarios) {
  return keep("tables", scenarios, &Scenario::tables, read_list("tables", given.values("tables")), as_it_is);
}
std::vector<bool> keep_scales(const Arguments& given, std::vector<Scenario>& scenarios) {
  return keep("scale", scenarios, &Scenario::scales, read_numbers("scale", given.values("scale"), 1, scale_max),
              [](std::int64_t scale) { return std::to_string(scale); });
}

// The scenario files that an operand means: a file, a name, or all of a folder.
std::vector<std::string> scenario_files(const std::string& operand) {
  std::error_code error;
  for (const std::string& folder : data_folders()) {
    const std::filesystem::path path =
        folder == "." ? std::filesystem::path(operand) : folder / std::filesystem::path(operand);
    if (operand.empty() || !std::filesystem::is_directory(path, error)) { continue; }
    std::vector<std::string> files;
    for (const std::string& file : yaml_files_below(path.string())) {
      if (kind_of(yaml::parse_file(file)) == FileKind::scenario) { files.push_back(file); }
    }
    if (files.empty()) { throw InputError(yaml::quote(operand) + ": no scenario below this folder"); }
    return files;
  }
  return {find_file(operand, {FileKind::scenario})};
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

LoadOptions load_options_of(const Arguments& given) {
  LoadOptions options;
  options.overlays.beside = !given.has("no-fitted");
  return options;
}

Scenario scenario_of(const Arguments& given, const std::vector<Assignment>& sets) {
  return load_scenario(find_file(given.operands()[0], {FileKind::scenario}), sets, data_folders(),
                       load_options_of(given));
}

void make_free(const Arguments& given, Scenario& scenario) {
  for (const std::string& name : read_list("free", given.values("free"))) { make_free(scenario, name); }
}

std::vector<Scenario> scenarios_of(const Arguments& given, const std::vector<Assignment>& sets) {
  std::vector<Scenario> scenarios;
  for (const std::string& operand : given.operands()) {
    for (const std::string& file : scenario_files(operand)) {
      Scenario scenario = load_scenario(file, sets, data_folders(), load_options_of(given));
      const auto same = std::find_if(scenarios.begin(), scenarios.end(),
                                     [&](const Scenario& other) { return other.name == scenario.name; });
      if (same != scenarios.end()) {
        throw InputError("two scenarios are called " + yaml::quote(scenario.name) + ": " + same->file + " and " + file,
                         ExitCode::usage);
      }
      scenarios.push_back(std::move(scenario));
    }
  }
  return scenarios;
}

void select_points(const Arguments& given, std::vector<Scenario>& scenarios) {
  const std::array<std::vector<bool>, 3> nothing_left{keep_variants(given, scenarios), keep_tables(given, scenarios),
                                                      keep_scales(given, scenarios)};
  for (std::size_t i = scenarios.size(); i-- > 0;) {
    if (std::any_of(nothing_left.begin(), nothing_left.end(), [&](const auto& option) { return option[i]; })) {
      scenarios.erase(scenarios.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  const std::vector<std::int64_t> clients = read_numbers("clients", given.values("clients"), 1, clients_max);
  if (clients.empty()) { return; }
  for (Scenario& scenario : scenarios) { scenario.clients = clients; }
}

void select_points(const Arguments& given, Scenario& scenario) {
  std::vector<Scenario> one;
  one.push_back(std::move(scenario));
  select_points(given, one);  // what is asked for exists, so something is left
  scenario = std::move(one.front());
}

void select_tables_and_scales(const Arguments& given, Scenario& scenario) {
  std::vector<Scenario> one;
  one.push_back(std::move(scenario));
  keep_tables(given, one);
  keep_scales(given, one);
  scenario = std::move(one.front());
}

}  // namespace lockcast
