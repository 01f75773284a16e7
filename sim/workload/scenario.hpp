#pragma once
// A scenario as typed data: which machine, which workload, which points, what was measured. One Program per point is
// compiled from it; variants and scales are small differences of the workload tree, applied before anything is read.

#include "models/machine.hpp"
#include "sim/workload/language.hpp"
#include "sim/workload/program.hpp"
#include "sim/yaml/document.hpp"
#include "sim/yaml/overlay.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lockcast {

// The rig's network path: a link and the narrow server that every packet passes.
struct NetworkModel {
  Duration latency;  // one way, the client's own thinking included
  std::int64_t bandwidth_bytes_per_second = 0;
  std::int64_t message_bytes = 0;
  Count width;       // servers working side by side
  Duration service;  // per round trip
  Spread spread = Spread::exponential;
};

// A load generator on the server: its threads compete with the backends for the same cores.
struct LocalClientModel {
  std::optional<std::uint32_t> threads;  // none: one per client
  Duration work;                         // of a thread per reply and query
  Spread spread = Spread::constant;
};

// Where requests come from: over a network, from a local client, or (neither) the transaction is the whole load.
struct Rig {
  SchedulingClass scheduling = SchedulingClass::time_share;
  std::optional<NetworkModel> network;
  std::optional<LocalClientModel> local;
  std::optional<std::uint32_t> connections;  // active and idle ones; none: no idle ones

  [[nodiscard]] bool has_client() const { return network || local; }
};

struct MeasuredPoint {
  double tps = 0;
  std::optional<double> low;
  std::optional<double> high;
  std::string role;  // calibrate | predict
};

// Everything that varies inside one scenario.
struct Case {
  std::string variant;     // empty: the scenario has no variants
  std::int64_t scale = 0;  // 0: the scenario has no scales
  std::uint32_t clients = 1;
  std::string tables = {};  // empty: the scenario does not tell kinds of tables apart

  friend auto operator<=>(const Case&, const Case&) = default;
};

// path=value from the command line; the path begins with machine., workload., or a key of the scenario file.
using Assignment = std::pair<std::string, std::string>;

struct Scenario {
  std::string name;
  std::string file;
  std::string question;
  std::string series;  // of the published table, or empty
  std::string workload;
  std::vector<std::string> tables;
  std::vector<std::string> variants;
  std::vector<std::string> library_variants;  // all that the workload's library knows
  std::vector<std::int64_t> scales;
  std::vector<std::int64_t> clients;
  std::vector<std::string> known_gaps;
  Rig rig;
  Machine machine;
  std::map<Case, MeasuredPoint> measured;

  yaml::Node scenario_tree;  // as loaded and set: what a result's resolved configuration shows
  yaml::Node machine_tree;
  yaml::Node workload_tree;
  yaml::Node tables_trees;  // differences by name
  yaml::Node scale_trees;
  yaml::Node variant_trees;
  std::vector<Assignment> workload_sets;
  std::vector<std::string> free_locks;  // lock groups that cost nothing

  // All points in the order of the file: tables, scale, clients, variant.
  [[nodiscard]] std::vector<Case> cases() const;
  // The workload with all differences applied, as it is compiled.
  [[nodiscard]] yaml::Node workload_at(const Case& point) const;
  [[nodiscard]] Program program(const Case& point) const;
};

struct LoadOptions {
  yaml::Overlays overlays{};
  // Rows of any other role are passed over before their numbers are read.
  bool only_calibrate_rows = false;
  // Variants besides the file's: names of the workload's library or of the file, or several joined by '+'.
  std::vector<std::string> more_variants = {};
};

// `folders` are searched for machines/NAME.yaml after the scenario's own surroundings.
Scenario load_scenario(const std::string& path, const std::vector<Assignment>& sets,
                       const std::vector<std::string>& folders, const LoadOptions& options = {});
// What simulating one point of a loaded scenario takes, as trees, and the point again from them: without its file, its
// other points and what was measured.
struct PointTrees {
  yaml::Node machine;
  yaml::Node workload;
  yaml::Node rig;  // null: none
};
PointTrees trees_of(const Scenario& scenario, const Case& point);
Scenario scenario_from(PointTrees trees);

// machines/NAME.yaml, or a path.
Machine load_machine(const std::string& name_or_path, const std::vector<Assignment>& sets,
                     const std::vector<std::string>& folders, const yaml::Overlays& overlays = {});

}  // namespace lockcast
