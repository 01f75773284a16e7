// Every file under machines/ and scenarios/ is tested the moment it exists: it loads, it says where its numbers come
// from, and what it promises to compare with is there.

#include "models/check.hpp"
#include "sim/locks/lock_list.hpp"
#include "sim/workload/scenario.hpp"
#include "sim/yaml/machine_reader.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace lockcast::data_test {
namespace {

namespace fs = std::filesystem;
const fs::path root = LOCKCAST_SOURCE_DIR;

std::vector<std::string> files(const char* folder, const char* extension) {
  std::set<std::string> found;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / folder)) {
    if (entry.path().extension() == extension) { found.insert(entry.path().string()); }
  }
  return {found.begin(), found.end()};
}

std::string schema_of(const yaml::Node& document) {
  const yaml::Node* schema = document.find("schema");
  return schema != nullptr ? schema->text : "";
}

bool is_fitted_overlay(const std::string& path) { return path.ends_with(".fitted.yaml"); }

// All scenario files, loaded once.
const std::map<std::string, Scenario>& scenarios() {
  static const std::map<std::string, Scenario> loaded = [] {
    std::map<std::string, Scenario> result;
    for (const std::string& path : files("scenarios", ".yaml")) {
      if (schema_of(yaml::parse_file(path)) != "lockcast/scenario/1") { continue; }
      try {
        result.emplace(path, load_scenario(path, {}, {root.string()}));
      } catch (const InputError& error) { ADD_FAILURE() << error.what(); }
    }
    return result;
  }();
  return loaded;
}

// Calls visit(map, path within the file) for every map that looks like a parameter.
template <class Visit>
void for_each_parameter(const yaml::Node& node, const std::string& path, const Visit& visit) {
  for (const yaml::Entry& entry : node.entries) {
    const std::string name = path.empty() ? entry.key : path + "." + entry.key;
    if (entry.value.find("value") != nullptr) { visit(entry.value, name); }
    for_each_parameter(entry.value, name, visit);
  }
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    for_each_parameter(node.items[i], path + "." + std::to_string(i), visit);
  }
}

TEST(Data, every_yaml_file_is_of_a_kind_we_read) {
  const std::set<std::string> kinds{"lockcast/scenario/1", "lockcast/workload/1", "lockcast/include/1",
                                    "lockcast/calibration/1", "lockcast/study/1"};
  for (const std::string& path : files("scenarios", ".yaml")) {
    if (is_fitted_overlay(path)) { continue; }
    EXPECT_TRUE(kinds.contains(schema_of(yaml::parse_file(path)))) << path;
  }
  for (const std::string& path : files("machines", ".yaml")) {
    if (is_fitted_overlay(path)) { continue; }
    EXPECT_EQ(schema_of(yaml::parse_file(path)), "lockcast/machine/1") << path;
  }
}

TEST(Data, every_machine_loads_and_is_named_like_its_file) {
  int machines = 0;
  for (const std::string& path : files("machines", ".yaml")) {
    if (is_fitted_overlay(path)) { continue; }
    try {
      EXPECT_EQ(load_machine(path, {}, {}).name, fs::path(path).stem()) << path;
    } catch (const InputError& error) { ADD_FAILURE() << error.what(); }
    ++machines;
  }
  EXPECT_GE(machines, 2) << "textbook-32 and integrity-32 at least";
}

TEST(Data, every_scenario_loads_with_all_its_points_and_is_named_like_its_file) {
  for (const auto& [path, scenario] : scenarios()) {
    EXPECT_EQ(scenario.name, fs::path(path).stem()) << path;
    EXPECT_FALSE(scenario.cases().empty()) << path;
    const std::vector<Case> cases = scenario.cases();
    EXPECT_EQ(std::set<Case>(cases.begin(), cases.end()).size(), cases.size()) << path << ": a point twice";
  }
  EXPECT_GE(scenarios().size(), 1U);
}

// The file itself, its base and what they include.
void add_files(const fs::path& path, std::set<std::string>& found) {
  if (!found.insert(path.lexically_normal().string()).second) { return; }
  const yaml::Node document = yaml::parse_file(path.string());
  if (const yaml::Node* base = document.find("base")) {
    add_files(path.parent_path() / base->find("file")->text, found);
  }
  if (const yaml::Node* included = document.find("include")) {
    for (const yaml::Node& file : included->items) { add_files(path.parent_path() / file.text, found); }
  }
}

// A library is loaded with every scenario that names it, and with it its base and what is included; a file nobody names
// would never be compiled.
TEST(Data, every_workload_library_and_included_file_is_used_by_a_scenario_that_loads) {
  std::set<std::string> used;
  for (const auto& [path, scenario] : scenarios()) {
    const yaml::Node* library = scenario.scenario_tree.find("workload");
    if (library != nullptr) { add_files(fs::path(path).parent_path() / library->text, used); }
  }
  for (const std::string& path : files("scenarios", ".yaml")) {
    const std::string schema = schema_of(yaml::parse_file(path));
    if (schema == "lockcast/workload/1" || schema == "lockcast/include/1") { EXPECT_TRUE(used.contains(path)) << path; }
  }
}

// Variants and scales may change the value alone; what they change is checked as it results, when their points are
// loaded.
TEST(Data, every_parameter_says_where_it_comes_from) {
  int parameters = 0;
  for (const char* folder : {"machines", "scenarios"}) {
    for (const std::string& path : files(folder, ".yaml")) {
      if (is_fitted_overlay(path)) { continue; }
      for_each_parameter(yaml::parse_file(path), "", [&](const yaml::Node& parameter, const std::string& name) {
        for (const char* differences : {"variants.", "scales.", "tables."}) {
          if (name.starts_with(differences)) { return; }
        }
        ++parameters;
        for (const char* key : {"interval", "origin", "reference"}) {
          const yaml::Node* node = parameter.find(key);
          ASSERT_NE(node, nullptr) << path << ": " << name << " has no " << key;
          EXPECT_TRUE(node->kind != yaml::Node::Kind::scalar || !node->text.empty())
              << path << ": " << name << ", " << key;
        }
        const yaml::Node* origin = parameter.find("origin");
        EXPECT_NE(origin->text, "set") << path << ": " << name << ": that is for the command line";
      });
    }
  }
  EXPECT_GT(parameters, 50) << "the walk found the parameters at all";
}

// Overlays that scenarios load are read with them; one of a file nobody loads would never be.
TEST(Data, every_overlay_fits_the_file_it_lies_beside) {
  for (const char* folder : {"machines", "scenarios"}) {
    for (const std::string& path : files(folder, ".yaml")) {
      if (!is_fitted_overlay(path)) { continue; }
      try {
        const std::string base = path.substr(0, path.size() - yaml::overlay_ending.size()) + ".yaml";
        yaml::Node document = yaml::parse_file(base);
        yaml::apply_overlay(document, yaml::read_overlay(yaml::parse_file(path)));
      } catch (const InputError& error) { ADD_FAILURE() << error.what(); }
    }
  }
}

TEST(Data, every_measurement_a_scenario_names_belongs_to_one_of_its_points) {
  for (const auto& [path, scenario] : scenarios()) {
    if (scenario.series.empty()) { continue; }
    EXPECT_FALSE(scenario.measured.empty()) << path << ": no row of series " << scenario.series;
    const std::vector<Case> cases = scenario.cases();
    const std::set<Case> points(cases.begin(), cases.end());
    for (const auto& [point, measured] : scenario.measured) {
      EXPECT_TRUE(points.contains(point)) << path << ": measured but not simulated: " << point.variant << ", scale "
                                          << point.scale << ", " << point.clients << " clients";
      EXPECT_TRUE(!measured.low || *measured.low <= measured.tps) << path;
      EXPECT_TRUE(!measured.high || *measured.high >= measured.tps) << path;
    }
  }
}

TEST(Data, every_lock_kind_is_listed_once_with_a_summary_and_a_size) {
  std::set<std::string_view> names;
  for (const LockTraits& traits : AllLocks::traits) {
    EXPECT_TRUE(names.insert(traits.name).second) << traits.name << " twice";
    EXPECT_FALSE(traits.summary.empty()) << traits.name;
    EXPECT_GE(traits.bytes, 4U) << traits.name;
  }
}

// A header in sim/locks/ that defines traits and is not in the list would be a lock nobody can name.
TEST(Data, every_lock_header_is_in_the_list) {
  std::set<std::string> names;
  for (const LockTraits& traits : AllLocks::traits) { names.emplace(traits.name); }
  int headers = 0;
  for (const std::string& path : files("sim/locks", ".hpp")) {
    std::ifstream file(path);
    const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    for (std::size_t at = text.find("LockTraits traits{"); at != std::string::npos;
         at = text.find("LockTraits traits{", at + 1)) {
      const std::size_t begin = text.find('"', at) + 1;
      const std::string name = text.substr(begin, text.find('"', begin) - begin);
      EXPECT_TRUE(names.contains(name)) << path << ": '" << name << "' is missing from lock_list.hpp";
      ++headers;
    }
  }
  EXPECT_EQ(static_cast<std::size_t>(headers), AllLocks::count);
}

TEST(Data, every_lock_kind_compiles_as_the_kind_of_a_workload) {
  const fs::path path = fs::path(testing::TempDir()) / "lockcast_data_test_kinds.yaml";
  for (const LockTraits& traits : AllLocks::traits) {
    const std::string name(traits.name);
    std::ofstream(path)
        << "schema: lockcast/scenario/1\nname: kinds\nquestion: does it compile?\nmachine: textbook-32\n"
        << "locks: {L: {kind: " << name << "}}\n"
        << "transaction: [{acquire: {lock: L}}, {work: 1 us}, {release: L}]\nclients: [1]\n";
    try {
      const Scenario scenario = load_scenario(path.string(), {}, {root.string()});
      EXPECT_EQ(AllLocks::traits[scenario.program({"", 0, 1}).locks.at(0).kind].name, name);
    } catch (const InputError& error) { ADD_FAILURE() << name << ": " << error.what(); }
  }
  fs::remove(path);
}

}  // namespace
}  // namespace lockcast::data_test
