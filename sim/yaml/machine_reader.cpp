// A machine file by its tables, and what the tables cannot say.

#include "sim/yaml/machine_reader.hpp"

#include "sim/yaml/hop_matrix.hpp"
#include "sim/yaml/machine_keys.hpp"
#include "sim/yaml/reader.hpp"

#include <bit>

namespace lockcast::yaml {

namespace {

using namespace machine_keys;

Topology read_topology(const Node& node) {
  MapReader map(node, topology_table);
  Topology topology;
  topology.packages = map.count<std::uint32_t>("packages");
  topology.dies_per_package = map.count<std::uint32_t>("dies_per_package");
  topology.cores_per_die = map.count<std::uint32_t>("cores_per_die");
  if (const Node* threads = map.optional("threads_per_core")) {
    topology.threads_per_core = map.count<std::uint32_t>("threads_per_core");
    if (!std::has_single_bit(topology.threads_per_core)) {
      fail(threads->mark, std::to_string(topology.threads_per_core) + " hardware threads to a core", "1, 2, 4 or 8");
    }
  }
  if (topology.threads() > cores_max) {
    fail(node.mark, "a machine of " + std::to_string(topology.threads()) + " hardware threads",
         "at most " + std::to_string(cores_max));
  }
  if (const Node* hops = map.optional("hops")) {
    if (const Node* group = map.optional("packages_per_group")) {
      fail(group->mark, "packages_per_group beside hops", "one of the two: the rule or the matrix");
    }
    // The matrix is of one box, and the machine may be several of them, or less than one.
    std::uint32_t packages_per_box = topology.packages;
    if (map.optional("packages_per_box") != nullptr) {
      packages_per_box = map.count<std::uint32_t>("packages_per_box");
    }
    topology.hops = read_hops(*hops, topology, packages_per_box);
  } else {
    if (const Node* box = map.optional("packages_per_box")) {
      fail(box->mark, "packages_per_box without hops", "a matrix of hops, which it is the size of");
    }
    topology.packages_per_group = map.count<std::uint32_t>("packages_per_group");
  }
  map.finish();
  return topology;
}

CpuModel read_cpu(const Node& node, std::uint32_t threads_per_core) {
  MapReader map(node, cpu_table);
  CpuModel cpu;
  cpu.work_scale = map.ratio_parameter("work_scale");
  cpu.loaded_slowdown = map.ratio_parameter("loaded_slowdown");
  if (const Node* smt = threads_per_core > 1 ? &map.required("smt_slowdown") : map.optional("smt_slowdown")) {
    cpu.smt_slowdown = map.ratio_parameter("smt_slowdown");
    if (threads_per_core > 1 && cpu.smt_slowdown.value > threads_per_core) {
      fail(smt->mark, "smt_slowdown above the " + std::to_string(threads_per_core) + " threads of a core",
           "at most what taking turns would cost");
    }
  }
  cpu.hit = map.duration_parameter("hit");
  cpu.atomic_hit = map.duration_parameter("atomic_hit");
  cpu.poll = map.duration_parameter("poll");
  cpu.pause = map.duration_parameter("pause");
  if (map.optional("branch_miss") != nullptr) { cpu.branch_miss = map.duration_parameter("branch_miss"); }
  // A spin loop that costs nothing would never let time pass.
  if (cpu.poll.value < Picos{1} || cpu.atomic_hit.value < Picos{1}) {
    fail(node.mark, "poll and atomic_hit must take some time", "at least 1 ps");
  }
  map.finish();
  return cpu;
}

std::array<Duration, distance_count> read_distances(const Node& node, std::string_view what) {
  MapReader map(node, distance_table, what);
  std::array<Duration, distance_count> result{};
  for (std::size_t d = static_cast<std::size_t>(Distance::same_die); d < distance_count; ++d) {
    result[d] = map.duration_parameter(distance_names[d]);
  }
  map.finish();
  return result;
}

// One parameter for all distances, or a map of them.
std::array<Duration, distance_count> read_any_distance(const Node& node, std::string_view what) {
  if (node.find(distance_names.back()) != nullptr) { return read_distances(node, what); }
  std::array<Duration, distance_count> result;
  result.fill(read_duration_parameter(node, what));
  return result;
}

CoherenceChoice read_coherence(const Node& node) {
  MapReader map(node, coherence_table);
  CoherenceChoice choice;
  choice.model = map.choice("model");
  choice.parameters.transfer = read_distances(map.required("transfer"), "transfer");
  choice.parameters.memory = read_distances(map.required("memory"), "memory");
  if (const Node* extra = map.optional("write_extra")) {
    choice.parameters.write_extra = read_any_distance(*extra, "write_extra");
  }
  choice.parameters.invalidate = read_any_distance(map.required("invalidate"), "invalidate");
  choice.parameters.atomic_extra = map.duration_parameter("atomic_extra");
  if (map.optional("home") != nullptr) {
    choice.home = map.choice<HomePlacement>("home");
    choice.third_leg = map.duration_parameter("third_leg");
  } else if (map.optional("third_leg") != nullptr) {
    choice.third_leg = map.duration_parameter("third_leg");
  }
  if (map.optional("halted_owner") != nullptr) { choice.halted_owner = map.duration_parameter("halted_owner"); }
  if (map.optional("directory_pass") != nullptr) { choice.directory_pass = map.duration_parameter("directory_pass"); }
  if (map.optional("ping_pong") != nullptr) { choice.ping_pong = map.duration_parameter("ping_pong"); }
  choice.home_occupancy = map.duration_parameter("home_occupancy");
  choice.near_bias = map.ratio_parameter("near_bias");
  choice.line_queue = map.on_off("line_queue");
  choice.migrating_reads = map.on_off("migrating_reads");
  map.finish();
  return choice;
}

void read_hp_ux(MapReader& map, SchedulerModel& model) {
  map.also(hp_ux_table);
  model.quantum_ticks = map.count_parameter("quantum_ticks");
  model.priority_ticks = map.count_parameter("priority_ticks");
  model.use_per_priority = map.count_parameter("use_per_priority");
  model.priority_levels = map.count_parameter("priority_levels");
  model.preemption = map.choice<Preemption>("preemption");
  model.wake_placement = map.choice<WakePlacement>("wake_placement");
  model.steal_after = map.duration_parameter("steal_after");
}

void read_cfs(MapReader& map, CfsModel& model) {
  map.also(cfs_table);
  model.sched_latency = map.duration_parameter("sched_latency");
  model.min_granularity = map.duration_parameter("min_granularity");
  model.wakeup_preemption = map.on_off("wakeup_preemption");
  model.wakeup_granularity = map.duration_parameter("wakeup_granularity");
  model.sleeper_credit = map.duration_parameter("sleeper_credit");
  model.wake_affine = map.choice<WakeAffine>("wake_affine");
  model.migration_cost = map.duration_parameter("migration_cost");
  model.newidle_balance = map.choice<NewIdle>("newidle_balance");
  model.die_balance_interval = map.duration_parameter("die_balance_interval");
  model.machine_balance_interval = map.duration_parameter("machine_balance_interval");
  model.busy_factor = map.count_parameter("busy_factor");
}

SchedulerModel read_scheduler(const Node& node) {
  MapReader map(node, scheduler_table);
  SchedulerModel model;
  model.policy = map.choice<SchedulerPolicy>("policy");
  model.tick = map.duration_parameter("tick");
  if (model.tick.value < Picos{100us}) {
    fail(map.required("tick").mark, "a clock tick shorter than 100 us", "100 us to 1 s");
  }
  switch (model.policy) {
    case SchedulerPolicy::hp_ux: read_hp_ux(map, model); break;
    case SchedulerPolicy::cfs: read_cfs(map, model.cfs); break;
  }
  model.context_switch = map.duration_parameter("context_switch");
  model.idle_exit = map.duration_parameter("idle_exit");
  model.wake_latency = map.duration_parameter("wake_latency");
  model.wake_cost = map.duration_parameter("wake_cost");
  model.block_cost = map.duration_parameter("block_cost");
  if (map.optional("empty_wake_cost") != nullptr) { model.empty_wake_cost = map.duration_parameter("empty_wake_cost"); }
  model.sleep_slack = map.duration_parameter("sleep_slack");
  model.sleep_tick = map.duration_parameter("sleep_tick");
  map.finish();
  return model;
}

GovernorModel read_governor(const Node& node) {
  MapReader map(node, governor_table);
  GovernorModel model;
  map.choice("kind");
  MapReader steps(map.required("steps"), step_table);
  const Node& values = steps.required("values");
  for (const Node& step : read_sequence(values, "clock steps")) {
    model.steps_khz.push_back(read_kilohertz(step, "clock step", clock_step.low, clock_step.high));
    if (model.steps_khz.size() > 1 && model.steps_khz.back() <= model.steps_khz[model.steps_khz.size() - 2]) {
      fail(step.mark, "clock step '" + step.text + "' is not above the one before", "rising steps");
    }
  }
  if (model.steps_khz.empty()) { fail(values.mark, "no clock steps", "at least one"); }
  model.steps_origin = steps.choice<Origin>("origin");
  const Node& reference = steps.required("reference");
  model.steps_reference = steps.text("reference");
  if (model.steps_reference.find_first_not_of(" \t\n") == std::string::npos) {
    fail(reference.mark, "clock steps reference is empty", "where the steps come from");
  }
  steps.finish();
  const Node& sampling = map.required("sampling");
  model.sampling = map.duration_parameter("sampling");
  if (model.sampling.value < Picos{100us}) { fail(sampling.mark, "a sampling period below 100 us", "100 us to 1 h"); }
  model.up_threshold = map.ratio_parameter("up_threshold");
  const Node& differential = map.required("down_differential");
  model.down_differential = map.ratio_parameter("down_differential");
  if (model.down_differential.value >= model.up_threshold.value) {
    fail(differential.mark, "down_differential is not below up_threshold", "a smaller one");
  }
  map.finish();
  return model;
}

SemaphoreSetModel read_semaphore_set(const Node& node) {
  MapReader map(node, semaphore_set_table);
  SemaphoreSetModel model;
  model.size = map.count_parameter("size");
  model.service = map.duration_parameter("service");
  map.finish();
  return model;
}

DiskModel read_disk(const Node& node) {
  MapReader map(node, disk_table);
  DiskModel model;
  model.sync = map.duration_parameter("sync");
  map.finish();
  return model;
}

}  // namespace

constinit const KeyTable machine_table{"machine file", file_keys};

Machine read_machine(const Node& document) {
  MapReader map(document, machine_table);
  map.choice("schema");
  Machine machine;
  machine.file = *document.mark.file;
  machine.name = map.name("name");
  machine.summary = map.text("summary");
  machine.line_bytes = map.bytes<std::uint32_t>("line");
  if ((machine.line_bytes & (machine.line_bytes - 1)) != 0) {
    fail(map.required("line").mark, "a cache line that is no power of two", "64 B or 128 B");
  }
  machine.topology = read_topology(map.required("topology"));
  machine.cpu = read_cpu(map.required("cpu"), machine.topology.threads_per_core);
  machine.coherence = read_coherence(map.required("coherence"));
  machine.scheduler = read_scheduler(map.required("scheduler"));
  if (const Node* governor = map.optional("governor")) { machine.governor = read_governor(*governor); }
  if (const Node* set = map.optional("semaphore_set")) { machine.semaphore_sets = read_semaphore_set(*set); }
  if (const Node* disk = map.optional("disk")) { machine.disk = read_disk(*disk); }
  map.finish();
  return machine;
}

}  // namespace lockcast::yaml
