// The schema of a machine file, in the order in which it is written.

#include "sim/yaml/machine_reader.hpp"

#include "sim/yaml/hop_matrix.hpp"
#include "sim/yaml/reader.hpp"

#include <bit>

namespace lockcast::yaml {

namespace {

constexpr std::int64_t packages_max = 1024;
constexpr std::int64_t cores_max = 4096;

Topology read_topology(const Node& node) {
  MapReader map(node, "topology");
  Topology topology;
  topology.packages = static_cast<std::uint32_t>(read_count(map.required("packages"), "packages", 1, packages_max));
  topology.dies_per_package =
      static_cast<std::uint32_t>(read_count(map.required("dies_per_package"), "dies_per_package", 1, 64));
  topology.cores_per_die =
      static_cast<std::uint32_t>(read_count(map.required("cores_per_die"), "cores_per_die", 1, 256));
  if (const Node* threads = map.optional("threads_per_core")) {
    topology.threads_per_core = static_cast<std::uint32_t>(read_count(*threads, "threads_per_core", 1, 8));
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
    if (const Node* box = map.optional("packages_per_box")) {
      packages_per_box = static_cast<std::uint32_t>(read_count(*box, "packages_per_box", 1, packages_max));
    }
    topology.hops = read_hops(*hops, topology, packages_per_box);
  } else {
    if (const Node* box = map.optional("packages_per_box")) {
      fail(box->mark, "packages_per_box without hops", "a matrix of hops, which it is the size of");
    }
    topology.packages_per_group = static_cast<std::uint32_t>(
        read_count(map.required("packages_per_group"), "packages_per_group", 1, packages_max));
  }
  map.finish();
  return topology;
}

CpuModel read_cpu(const Node& node, std::uint32_t threads_per_core) {
  MapReader map(node, "cpu");
  CpuModel cpu;
  cpu.work_scale = read_ratio_parameter(map.required("work_scale"), "work_scale", 0.01, 100);
  cpu.loaded_slowdown = read_ratio_parameter(map.required("loaded_slowdown"), "loaded_slowdown", 0, 10);
  if (const Node* smt = threads_per_core > 1 ? &map.required("smt_slowdown") : map.optional("smt_slowdown")) {
    // All threads of a core together do at least the work of one, and none is hurried by a sibling.
    cpu.smt_slowdown = read_ratio_parameter(*smt, "smt_slowdown", 1, 8);
    if (threads_per_core > 1 && cpu.smt_slowdown.value > threads_per_core) {
      fail(smt->mark, "smt_slowdown above the " + std::to_string(threads_per_core) + " threads of a core",
           "at most what taking turns would cost");
    }
  }
  cpu.hit = read_duration_parameter(map.required("hit"), "hit");
  cpu.atomic_hit = read_duration_parameter(map.required("atomic_hit"), "atomic_hit");
  cpu.poll = read_duration_parameter(map.required("poll"), "poll");
  cpu.pause = read_duration_parameter(map.required("pause"), "pause");
  // A spin loop that costs nothing would never let time pass.
  if (cpu.poll.value < Picos{1} || cpu.atomic_hit.value < Picos{1}) {
    fail(node.mark, "poll and atomic_hit must take some time", "at least 1 ps");
  }
  map.finish();
  return cpu;
}

std::array<Duration, distance_count> read_distances(const Node& node, std::string_view what) {
  MapReader map(node, what);
  std::array<Duration, distance_count> result{};
  for (std::size_t d = static_cast<std::size_t>(Distance::same_die); d < distance_count; ++d) {
    result[d] = read_duration_parameter(map.required(distance_names[d]), distance_names[d]);
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
  MapReader map(node, "coherence");
  CoherenceChoice choice;
  std::array<std::string_view, coherence_models.size()> names;
  for (std::size_t i = 0; i < names.size(); ++i) { names[i] = coherence_models[i].name; }
  choice.model = read_choice(map.required("model"), "coherence model", names);
  choice.parameters.transfer = read_distances(map.required("transfer"), "transfer");
  choice.parameters.memory = read_distances(map.required("memory"), "memory");
  if (const Node* extra = map.optional("write_extra")) {
    choice.parameters.write_extra = read_any_distance(*extra, "write_extra");
  }
  choice.parameters.invalidate = read_any_distance(map.required("invalidate"), "invalidate");
  choice.parameters.atomic_extra = read_duration_parameter(map.required("atomic_extra"), "atomic_extra");
  if (const Node* home = map.optional("home")) {
    choice.home = static_cast<HomePlacement>(read_choice(*home, "home", home_placement_names));
    choice.third_leg = read_duration_parameter(map.required("third_leg"), "third_leg");
  } else if (const Node* leg = map.optional("third_leg")) {
    choice.third_leg = read_duration_parameter(*leg, "third_leg");
  }
  if (const Node* halted = map.optional("halted_owner")) {
    choice.halted_owner = read_duration_parameter(*halted, "halted_owner");
  }
  choice.home_occupancy = read_duration_parameter(map.required("home_occupancy"), "home_occupancy");
  choice.near_bias = read_ratio_parameter(map.required("near_bias"), "near_bias", 0, 1);
  choice.line_queue = read_switch(map.required("line_queue"), "line_queue");
  choice.migrating_reads = read_switch(map.required("migrating_reads"), "migrating_reads");
  map.finish();
  return choice;
}

void read_hp_ux(MapReader& map, SchedulerModel& model) {
  model.quantum_ticks = read_count_parameter(map.required("quantum_ticks"), "quantum_ticks", 1, 100000);
  model.priority_ticks = read_count_parameter(map.required("priority_ticks"), "priority_ticks", 1, 100000);
  model.use_per_priority = read_count_parameter(map.required("use_per_priority"), "use_per_priority", 1, 100000);
  model.priority_levels = read_count_parameter(map.required("priority_levels"), "priority_levels", 0, 100000);
  model.preemption = static_cast<Preemption>(read_choice(map.required("preemption"), "preemption", preemption_names));
  model.wake_placement =
      static_cast<WakePlacement>(read_choice(map.required("wake_placement"), "wake_placement", wake_placement_names));
  model.steal_after = read_duration_parameter(map.required("steal_after"), "steal_after");
}

void read_cfs(MapReader& map, CfsModel& model) {
  const auto duration = [&map](std::string_view key) { return read_duration_parameter(map.required(key), key); };
  model.sched_latency = duration("sched_latency");
  model.min_granularity = duration("min_granularity");
  model.wakeup_preemption = read_switch(map.required("wakeup_preemption"), "wakeup_preemption");
  model.wakeup_granularity = duration("wakeup_granularity");
  model.sleeper_credit = duration("sleeper_credit");
  model.wake_affine =
      static_cast<WakeAffine>(read_choice(map.required("wake_affine"), "wake_affine", wake_affine_names));
  model.migration_cost = duration("migration_cost");
  model.newidle_balance =
      static_cast<NewIdle>(read_choice(map.required("newidle_balance"), "newidle_balance", new_idle_names));
  model.die_balance_interval = duration("die_balance_interval");
  model.machine_balance_interval = duration("machine_balance_interval");
  model.busy_factor = read_count_parameter(map.required("busy_factor"), "busy_factor", 1, 100000);
}

SchedulerModel read_scheduler(const Node& node) {
  MapReader map(node, "scheduler");
  SchedulerModel model;
  model.policy =
      static_cast<SchedulerPolicy>(read_choice(map.required("policy"), "scheduler policy", scheduler_policy_names));
  model.tick = read_duration_parameter(map.required("tick"), "tick");
  if (model.tick.value < Picos{100us}) {
    fail(map.required("tick").mark, "a clock tick shorter than 100 us", "100 us to 1 s");
  }
  switch (model.policy) {
    case SchedulerPolicy::hp_ux: read_hp_ux(map, model); break;
    case SchedulerPolicy::cfs: read_cfs(map, model.cfs); break;
  }
  model.context_switch = read_duration_parameter(map.required("context_switch"), "context_switch");
  model.idle_exit = read_duration_parameter(map.required("idle_exit"), "idle_exit");
  model.wake_latency = read_duration_parameter(map.required("wake_latency"), "wake_latency");
  model.wake_cost = read_duration_parameter(map.required("wake_cost"), "wake_cost");
  model.block_cost = read_duration_parameter(map.required("block_cost"), "block_cost");
  model.sleep_slack = read_duration_parameter(map.required("sleep_slack"), "sleep_slack");
  model.sleep_tick = read_duration_parameter(map.required("sleep_tick"), "sleep_tick");
  map.finish();
  return model;
}

GovernorModel read_governor(const Node& node) {
  MapReader map(node, "governor");
  GovernorModel model;
  constexpr std::array<std::string_view, 1> kinds{"ondemand"};
  read_choice(map.required("kind"), "governor", kinds);
  MapReader steps(map.required("steps"), "clock steps");
  const Node& values = steps.required("values");
  for (const Node& step : read_sequence(values, "clock steps")) {
    model.steps_khz.push_back(read_kilohertz(step, "clock step", 1'000, 100'000'000));
    if (model.steps_khz.size() > 1 && model.steps_khz.back() <= model.steps_khz[model.steps_khz.size() - 2]) {
      fail(step.mark, "clock step '" + step.text + "' is not above the one before", "rising steps");
    }
  }
  if (model.steps_khz.empty()) { fail(values.mark, "no clock steps", "at least one"); }
  constexpr std::span in_files(origin_names.data(), origin_names.size() - 1);  // without `set`
  model.steps_origin = static_cast<Origin>(read_choice(steps.required("origin"), "clock steps origin", in_files));
  const Node& reference = steps.required("reference");
  model.steps_reference = read_string(reference, "clock steps reference");
  if (model.steps_reference.find_first_not_of(" \t\n") == std::string::npos) {
    fail(reference.mark, "clock steps reference is empty", "where the steps come from");
  }
  steps.finish();
  const Node& sampling = map.required("sampling");
  model.sampling = read_duration_parameter(sampling, "sampling");
  if (model.sampling.value < Picos{100us}) { fail(sampling.mark, "a sampling period below 100 us", "100 us to 1 h"); }
  model.up_threshold = read_ratio_parameter(map.required("up_threshold"), "up_threshold", 0.01, 1);
  const Node& differential = map.required("down_differential");
  model.down_differential = read_ratio_parameter(differential, "down_differential", 0, 1);
  if (model.down_differential.value >= model.up_threshold.value) {
    fail(differential.mark, "down_differential is not below up_threshold", "a smaller one");
  }
  map.finish();
  return model;
}

SemaphoreSetModel read_semaphore_set(const Node& node) {
  MapReader map(node, "semaphore_set");
  SemaphoreSetModel model;
  model.size = read_count_parameter(map.required("size"), "size", 1, 1'000'000);
  model.service = read_duration_parameter(map.required("service"), "service");
  map.finish();
  return model;
}

}  // namespace

Machine read_machine(const Node& document) {
  MapReader map(document, "machine file");
  constexpr std::array<std::string_view, 1> schemas{"lockcast/machine/1"};
  read_choice(map.required("schema"), "schema", schemas);
  Machine machine;
  machine.file = *document.mark.file;
  machine.name = read_name(map.required("name"), "name");
  machine.summary = read_string(map.required("summary"), "summary");
  machine.line_bytes = static_cast<std::uint32_t>(read_bytes(map.required("line"), "line", 16, 1024));
  if ((machine.line_bytes & (machine.line_bytes - 1)) != 0) {
    fail(map.required("line").mark, "a cache line that is no power of two", "64 B or 128 B");
  }
  machine.topology = read_topology(map.required("topology"));
  machine.cpu = read_cpu(map.required("cpu"), machine.topology.threads_per_core);
  machine.coherence = read_coherence(map.required("coherence"));
  machine.scheduler = read_scheduler(map.required("scheduler"));
  if (const Node* governor = map.optional("governor")) { machine.governor = read_governor(*governor); }
  if (const Node* set = map.optional("semaphore_set")) { machine.semaphore_sets = read_semaphore_set(*set); }
  map.finish();
  return machine;
}

}  // namespace lockcast::yaml
