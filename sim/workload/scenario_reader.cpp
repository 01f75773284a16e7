// scenarios/*.yaml -> Scenario. The workload may be a library file, stand in the scenario itself, or both: what the
// scenario says is then laid over the library, key by key.

#include "sim/workload/compile.hpp"
#include "sim/workload/free.hpp"
#include "sim/workload/language.hpp"
#include "sim/workload/library.hpp"
#include "sim/workload/measured.hpp"
#include "sim/workload/scenario.hpp"
#include "sim/yaml/machine_reader.hpp"
#include "sim/yaml/reader.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

namespace lockcast {

namespace {

namespace fs = std::filesystem;

std::string beside(const std::string& file, const std::string& path) {
  return fs::path(path).is_absolute() ? path : (fs::path(file).parent_path() / path).lexically_normal().string();
}

std::string machine_path(const yaml::Node* where, const std::string& name, const std::vector<std::string>& folders) {
  if (name.ends_with(".yaml")) { return where != nullptr ? beside(*where->mark.file, name) : name; }
  std::vector<std::string> known;
  for (const std::string& folder : folders) {
    const fs::path path = fs::path(folder) / "machines" / (name + ".yaml");
    std::error_code error;
    if (fs::exists(path, error)) { return path.string(); }
    for (const fs::directory_entry& entry : fs::directory_iterator(fs::path(folder) / "machines", error)) {
      if (entry.path().extension() == ".yaml" && !entry.path().string().ends_with(yaml::overlay_ending)) {
        known.push_back(entry.path().stem().string());
      }
    }
  }
  std::sort(known.begin(), known.end());
  const std::string hint = did_you_mean(name, {known.begin(), known.end()});
  if (where != nullptr) {
    yaml::fail(where->mark, "unknown machine '" + name + "'",
               "the name of a file in machines/, or a path ending in .yaml", hint);
  }
  throw InputError("unknown machine '" + name +
                   "'; expected the name of a file in machines/, or a path ending in .yaml" + hint);
}

NetworkModel read_network(const yaml::Node& node) {
  yaml::MapReader map(node, network_table);
  NetworkModel network;
  network.latency = map.duration_parameter("latency");
  network.bandwidth_bytes_per_second = map.bytes("bandwidth_per_second");
  network.message_bytes = map.bytes("message");
  yaml::MapReader server(map.required("server"), network_server_table);
  network.width = server.count_parameter("width");
  network.service = server.duration_parameter("service");
  network.spread = server.choice<Spread>("distribution");
  server.finish();
  map.finish();
  return network;
}

// client: {local: {...}}
LocalClientModel read_local_client(const yaml::Node& node) {
  yaml::MapReader client(node, client_table);
  yaml::MapReader map(client.required("local"), local_client_table);
  LocalClientModel local;
  if (map.optional("threads") != nullptr) { local.threads = map.count<std::uint32_t>("threads"); }
  local.work = map.duration_parameter("work");
  local.spread = map.choice<Spread>("distribution");
  map.finish();
  client.finish();
  return local;
}

Rig read_rig(const yaml::Node* node, const Machine& machine) {
  Rig rig;
  if (node == nullptr) { return rig; }
  yaml::MapReader map(*node, rig_table);
  map.text("source");
  const yaml::Node& scheduling = map.required("scheduling");
  rig.scheduling = map.choice<SchedulingClass>("scheduling");
  if (rig.scheduling == SchedulingClass::noage && machine.scheduler.policy != SchedulerPolicy::hp_ux) {
    yaml::fail(scheduling.mark,
               "scheduler policy '" +
                   std::string(scheduler_policy_names[static_cast<std::size_t>(machine.scheduler.policy)]) +
                   "' has no class noage",
               "scheduling: time-share");
  }
  const yaml::Node* network = map.optional("network");
  const yaml::Node* client = map.optional("client");
  if (network != nullptr && client != nullptr) {
    yaml::fail(client->mark, "a local client beside a network", "one of 'client' and 'network'");
  }
  if (network != nullptr) { rig.network = read_network(*network); }
  if (client != nullptr) { rig.local = read_local_client(*client); }
  if (map.optional("connections") != nullptr) { rig.connections = map.count<std::uint32_t>("connections"); }
  map.finish();
  return rig;
}

// A key as a value, so that it can be read like one.
yaml::Node name_node(const yaml::Entry& entry) {
  yaml::Node name;
  name.kind = yaml::Node::Kind::scalar;
  name.text = entry.key;
  name.mark = entry.mark;
  return name;
}

// One difference laid over the other, each the file's own or the library's.
void add_variant(const std::string& name, const yaml::Node& library, yaml::Node& variants) {
  if (variants.find(name) != nullptr) { return; }
  yaml::Node combined;
  combined.kind = yaml::Node::Kind::map;
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find('+', begin), name.size());
    const std::string part = name.substr(begin, end - begin);
    const yaml::Node* difference = std::as_const(variants).find(part);
    if (difference == nullptr) { difference = library.find(part); }
    if (difference == nullptr) {
      std::vector<std::string_view> known;
      for (const yaml::Node* from : {std::as_const(library).kind == yaml::Node::Kind::map ? &library : nullptr,
                                     static_cast<const yaml::Node*>(&variants)}) {
        if (from == nullptr) { continue; }
        for (const yaml::Entry& entry : from->entries) {
          if (std::find(known.begin(), known.end(), entry.key) == known.end()) { known.push_back(entry.key); }
        }
      }
      std::string listed;
      for (const std::string_view one : known) { listed.append(listed.empty() ? "" : ", ").append(one); }
      throw InputError("--variant: neither the scenario nor its workload has a variant " + yaml::quote(part) +
                           "; expected " +
                           (listed.empty() ? "no --variant" : "one of " + listed + ", or several joined by '+'") +
                           did_you_mean(part, known),
                       ExitCode::usage);
    }
    yaml::merge(combined, *difference);
    begin = end + 1;
  }
  variants.kind = yaml::Node::Kind::map;
  variants.entries.push_back({name, variants.mark, combined});
}

std::int64_t scale_number(const yaml::Entry& entry) {
  return yaml::read_count(name_node(entry), "scale", 1, 1'000'000'000);
}

}  // namespace

Machine load_machine(const std::string& name_or_path, const std::vector<Assignment>& sets,
                     const std::vector<std::string>& folders, const yaml::Overlays& overlays) {
  yaml::Node tree = yaml::parse_file(machine_path(nullptr, name_or_path, folders), overlays);
  for (const auto& [path, value] : sets) {
    if (path.starts_with("machine.")) { yaml::assign(tree, path.substr(8), value); }
  }
  return yaml::read_machine(tree);
}

Scenario load_scenario(const std::string& path, const std::vector<Assignment>& sets,
                       const std::vector<std::string>& folders, const LoadOptions& options) {
  Scenario scenario;
  scenario.file = path;
  scenario.scenario_tree = yaml::parse_file(path, options.overlays);
  std::vector<Assignment> machine_sets;
  for (const auto& [key, value] : sets) {
    if (key.starts_with("machine.")) {
      machine_sets.emplace_back(key.substr(8), value);
    } else if (key.starts_with("workload.")) {
      scenario.workload_sets.emplace_back(key.substr(9), value);
    } else {
      yaml::assign(scenario.scenario_tree, key, value);
    }
  }
  const yaml::Node& tree = scenario.scenario_tree;
  yaml::MapReader map(tree, scenario_table);
  map.choice("schema");
  scenario.name = map.name("name");
  scenario.question = map.text("question");

  const yaml::Node& machine = map.required("machine");
  scenario.machine_tree = yaml::parse_file(machine_path(&machine, map.text("machine"), folders), options.overlays);
  for (const auto& [key, value] : machine_sets) { yaml::assign(scenario.machine_tree, key, value); }
  scenario.machine = yaml::read_machine(scenario.machine_tree);

  scenario.workload_tree.kind = yaml::Node::Kind::map;
  scenario.workload_tree.mark = tree.mark;
  scenario.workload = scenario.name;
  Library library;
  if (map.optional("workload") != nullptr) {
    library = read_library(yaml::parse_file(beside(path, map.text("workload")), options.overlays), options.overlays);
    scenario.workload_tree = library.workload;
    scenario.workload = library.name;
  }
  yaml::Node own = scenario.workload_tree;
  own.entries.clear();
  for (const yaml::Entry& entry : tree.entries) {
    if (std::find(workload_keys.begin(), workload_keys.end(), entry.key) != workload_keys.end()) {
      map.required(entry.key);
      own.entries.push_back(entry);
    }
  }
  for (const std::string_view key : workload_keys) { map.optional(key); }
  yaml::merge(scenario.workload_tree, own);

  scenario.variant_trees = chosen_differences(map.optional("variants"), "variants", library.variants);
  for (const yaml::Entry& entry : library.variants.entries) { scenario.library_variants.push_back(entry.key); }
  for (const std::string& name : options.more_variants) { add_variant(name, library.variants, scenario.variant_trees); }
  for (const yaml::Entry& entry : scenario.variant_trees.entries) { scenario.variants.push_back(entry.key); }
  scenario.tables_trees = chosen_differences(map.optional("tables"), "tables", library.tables);
  for (const yaml::Entry& entry : scenario.tables_trees.entries) {
    scenario.tables.push_back(yaml::read_name(name_node(entry), "tables"));
  }
  if (const yaml::Node* scales = map.optional("scales")) {
    check_differences(*scales, "scales");
    scenario.scale_trees = *scales;
    for (const yaml::Entry& entry : scales->entries) { scenario.scales.push_back(scale_number(entry)); }
  }
  for (const yaml::Node& clients : yaml::read_sequence(map.required("clients"), "clients")) {
    scenario.clients.push_back(yaml::read_count(clients, "clients", 1, clients_max));
  }
  scenario.rig = read_rig(map.optional("rig"), scenario.machine);
  if (const yaml::Node* gaps = map.optional("known_gaps")) {
    for (const yaml::Node& gap : yaml::read_sequence(*gaps, "known_gaps")) {
      scenario.known_gaps.push_back(yaml::read_string(gap, "known gap"));
    }
  }
  if (const yaml::Node* measured = map.optional("measured")) {
    yaml::MapReader source(*measured, measured_table);
    const yaml::Node& file = source.required("file");
    scenario.series = source.name("series");
    std::vector<std::string> without;
    if (const yaml::Node* variants = source.optional("without")) {
      for (const yaml::Node& variant : yaml::read_sequence(*variants, "without")) {
        without.push_back(yaml::read_name(variant, "variant"));
      }
    }
    source.finish();
    scenario.measured = read_measured({.path = beside(path, yaml::read_string(file, "file")),
                                       .series = scenario.series,
                                       .machine = scenario.machine.name,
                                       .workload = scenario.workload,
                                       .without = std::move(without),
                                       .only_calibrate_rows = options.only_calibrate_rows,
                                       .mark = file.mark});
  }
  map.finish();

  // Everything a point would trip over is found now, not after the first points have run.
  for (const Case& point : scenario.cases()) {
    const Program program = scenario.program(point);
    if (program.has_roundtrip && !scenario.rig.has_client()) {
      yaml::fail(tree.mark, "the transaction makes a round trip, but there is no client",
                 "rig: {network: {...}} or rig: {client: {local: {...}}}");
    }
  }
  return scenario;
}

PointTrees trees_of(const Scenario& scenario, const Case& point) {
  CHECK(scenario.free_locks.empty() && !scenario.machine.coherence.free, "what is free is not in the trees");
  const yaml::Node* rig = scenario.scenario_tree.find("rig");
  return {scenario.machine_tree, scenario.workload_at(point), rig != nullptr ? *rig : yaml::Node{}};
}

Scenario scenario_from(PointTrees trees) {
  Scenario scenario;
  scenario.machine_tree = std::move(trees.machine);
  scenario.machine = yaml::read_machine(scenario.machine_tree);
  scenario.workload_tree = std::move(trees.workload);
  scenario.scenario_tree.kind = yaml::Node::Kind::map;
  if (trees.rig.kind != yaml::Node::Kind::null) {
    const yaml::Mark mark = trees.rig.mark;
    scenario.scenario_tree.entries.push_back({"rig", mark, std::move(trees.rig)});
  }
  scenario.rig = read_rig(std::as_const(scenario.scenario_tree).find("rig"), scenario.machine);
  return scenario;
}

std::vector<Case> Scenario::cases() const {
  std::vector<Case> result;
  const std::vector<std::int64_t> all_scales = scales.empty() ? std::vector<std::int64_t>{0} : scales;
  const std::vector<std::string> all_variants = variants.empty() ? std::vector<std::string>{""} : variants;
  const std::vector<std::string> all_tables = tables.empty() ? std::vector<std::string>{""} : tables;
  for (const std::string& of_tables : all_tables) {
    for (const std::int64_t scale : all_scales) {
      for (const std::int64_t count : clients) {
        for (const std::string& variant : all_variants) {
          result.push_back({variant, scale, static_cast<std::uint32_t>(count), of_tables});
        }
      }
    }
  }
  return result;
}

yaml::Node Scenario::workload_at(const Case& point) const {
  yaml::Node tree = workload_tree;
  if (!point.tables.empty()) { yaml::merge(tree, *tables_trees.find(point.tables)); }
  if (point.scale != 0) { yaml::merge(tree, *scale_trees.find(std::to_string(point.scale))); }
  if (!point.variant.empty()) { yaml::merge(tree, *variant_trees.find(point.variant)); }
  for (const auto& [path, value] : workload_sets) { yaml::assign(tree, path, value); }
  return tree;
}

namespace {

// What a scan's mispredicted branches take on this machine becomes part of its work per entry. A pipeline refill is not
// a path length, so the machine's work_scale does not apply to it.
void price_branch_misses(Program& program, const Machine& machine, const yaml::Mark& where) {
  for (Op& op : program.code) {
    if (op.code != Opcode::scan || program.scans[op.target].branch_misses == 0) { continue; }
    if (!machine.cpu.branch_miss) {
      yaml::fail(where, "machine '" + machine.name + "' does not say what a mispredicted branch costs",
                 "cpu.branch_miss, because the workload's scans have branch_misses");
    }
    const double refill = static_cast<double>(machine.cpu.branch_miss->value.count());
    const double nominal = program.scans[op.target].branch_misses * refill / machine.cpu.work_scale.value;
    op.duration += Picos{static_cast<std::int64_t>(nominal)};
  }
}

// A log that does not say how long its disk takes is on the machine's.
void attach_logs(Program& program, const Machine& machine, const yaml::Mark& where) {
  for (Wal& wal : program.wals) {
    if (wal.sync) { continue; }
    if (!machine.disk) {
      yaml::fail(where, "machine '" + machine.name + "' does not say how long its disk takes to make a write safe",
                 "disk: {sync: {...}}, because the workload's log '" + wal.name + "' is on it");
    }
    wal.sync = machine.disk->sync.value;
  }
}

}  // namespace

Program Scenario::program(const Case& point) const {
  if (rig.connections && *rig.connections < point.clients) {
    const yaml::Node& connections = *scenario_tree.find("rig")->find("connections");
    yaml::fail(connections.mark,
               std::to_string(*rig.connections) + " connections for " + std::to_string(point.clients) + " clients",
               "at least one for each client");
  }
  Program program = compile(workload_at(point), point.clients, rig.connections);
  price_branch_misses(program, machine, machine_tree.mark);
  attach_logs(program, machine, machine_tree.mark);
  for (const std::string& lock : free_locks) {
    // A variant may lack a lock that another has.
    make_lock_free(program, lock);
  }
  return program;
}

}  // namespace lockcast
