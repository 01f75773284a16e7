#pragma once
// The keys of a machine file, in the order in which it is written. Internal to sim/yaml: everybody else sees
// machine_table (keys.hpp).

#include "models/machine.hpp"
#include "sim/yaml/keys.hpp"

#include <array>

namespace lockcast::yaml::machine_keys {

inline constexpr std::int64_t packages_max = 1024;
inline constexpr std::int64_t cores_max = 4096;

inline constexpr Value hop_count = form::count(0, 2);
inline constexpr Value hop_row = form::list(hop_count);
inline constexpr std::array topology_keys{
    form::required("packages", form::count(1, packages_max)),
    form::required("dies_per_package", form::count(1, 64)),
    form::required("cores_per_die", form::count(1, 256)),
    form::optional("threads_per_core", form::count(1, 8)),
    form::optional("hops", form::list(hop_row)),
    form::optional("packages_per_box", form::count(1, packages_max)),
    form::optional("packages_per_group", form::count(1, packages_max)),
};
inline constexpr KeyTable topology_table{"topology", topology_keys};

inline constexpr Value duration = form::parameter(form::duration());
inline constexpr Value tick_count = form::parameter(form::count(1, 100000));

inline constexpr std::array cpu_keys{
    form::required("work_scale", form::parameter(form::ratio(0.01, 100))),
    form::required("loaded_slowdown", form::parameter(form::ratio(0, 10))),
    // All threads of a core together do at least the work of one, and none is hurried by a sibling.
    form::optional("smt_slowdown", form::parameter(form::ratio(1, 8))),
    form::required("hit", duration),
    form::required("atomic_hit", duration),
    form::required("poll", duration),
    form::required("pause", duration),
    form::optional("branch_miss", duration),
};
inline constexpr KeyTable cpu_table{"cpu", cpu_keys};

inline constexpr std::array distance_keys{
    form::required(distance_names[1], duration),
    form::required(distance_names[2], duration),
    form::required(distance_names[3], duration),
    form::required(distance_names[4], duration),
};
static_assert(distance_keys.size() + 1 == distance_names.size());
inline constexpr KeyTable distance_table{"distances", distance_keys};
inline constexpr std::array any_distance_forms{form::map(distance_table), duration};

inline constexpr auto coherence_names = [] {
  std::array<std::string_view, coherence_models.size()> names;
  for (std::size_t i = 0; i < names.size(); ++i) { names[i] = coherence_models[i].name; }
  return names;
}();
inline constexpr std::array coherence_keys{
    form::required("model", form::choice(coherence_names), "coherence model"),
    form::required("transfer", form::map(distance_table)),
    form::required("memory", form::map(distance_table)),
    form::optional("write_extra", form::any_of(any_distance_forms)),
    form::required("invalidate", form::any_of(any_distance_forms)),
    form::required("atomic_extra", duration),
    form::optional("home", form::choice(home_placement_names)),
    form::optional("third_leg", duration),
    form::optional("halted_owner", duration),
    form::optional("directory_pass", duration),
    form::optional("ping_pong", duration),
    form::required("home_occupancy", duration),
    form::required("near_bias", form::parameter(form::ratio(0, 1))),
    form::required("line_queue", form::on_off()),
    form::required("migrating_reads", form::on_off()),
};
inline constexpr KeyTable coherence_table{"coherence", coherence_keys};

inline constexpr std::array hp_ux_keys{
    form::required("quantum_ticks", tick_count),
    form::required("priority_ticks", tick_count),
    form::required("use_per_priority", tick_count),
    form::required("priority_levels", form::parameter(form::count(0, 100000))),
    form::required("preemption", form::choice(preemption_names)),
    form::required("wake_placement", form::choice(wake_placement_names)),
    form::required("steal_after", duration),
};
inline constexpr KeyTable hp_ux_table{"scheduler", hp_ux_keys};

inline constexpr std::array cfs_keys{
    form::required("sched_latency", duration),
    form::required("min_granularity", duration),
    form::required("wakeup_preemption", form::on_off()),
    form::required("wakeup_granularity", duration),
    form::required("sleeper_credit", duration),
    form::required("wake_affine", form::choice(wake_affine_names)),
    form::required("migration_cost", duration),
    form::required("newidle_balance", form::choice(new_idle_names)),
    form::required("die_balance_interval", duration),
    form::required("machine_balance_interval", duration),
    form::required("busy_factor", tick_count),
};
inline constexpr KeyTable cfs_table{"scheduler", cfs_keys};

// In the order of SchedulerPolicy.
inline constexpr std::array policy_tables{&hp_ux_table, &cfs_table};
static_assert(policy_tables.size() == scheduler_policy_names.size());
inline constexpr std::array scheduler_keys{
    form::required("policy", form::choice(scheduler_policy_names), "scheduler policy"),
    form::required("tick", duration),
    form::required("context_switch", duration),
    form::required("idle_exit", duration),
    form::required("wake_latency", duration),
    form::required("wake_cost", duration),
    form::required("block_cost", duration),
    form::optional("empty_wake_cost", duration),
    form::required("sleep_slack", duration),
    form::required("sleep_tick", duration),
};
inline constexpr KeyTable scheduler_table{
    .what = "scheduler", .keys = scheduler_keys, .by = "policy", .kinds = policy_tables};

inline constexpr Value clock_step = form::kilohertz(1'000, 100'000'000);
inline constexpr std::array step_keys{
    form::required("values", form::list(clock_step)),
    form::required("origin", form::choice(file_origins), "clock steps origin"),
    form::required("reference", form::text(), "clock steps reference"),
};
inline constexpr KeyTable step_table{"clock steps", step_keys};
inline constexpr std::array<std::string_view, 1> governor_names{"ondemand"};
inline constexpr std::array governor_keys{
    form::required("kind", form::choice(governor_names), "governor"),
    form::required("steps", form::map(step_table)),
    form::required("sampling", duration),
    form::required("up_threshold", form::parameter(form::ratio(0.01, 1))),
    form::required("down_differential", form::parameter(form::ratio(0, 1))),
};
inline constexpr KeyTable governor_table{"governor", governor_keys};

inline constexpr std::array semaphore_set_keys{
    form::required("size", form::parameter(form::count(1, 1'000'000))),
    form::required("service", duration),
};
inline constexpr KeyTable semaphore_set_table{"semaphore_set", semaphore_set_keys};

inline constexpr std::array disk_keys{form::required("sync", duration)};
inline constexpr KeyTable disk_table{"disk", disk_keys};

inline constexpr std::array<std::string_view, 1> schemas{"lockcast/machine/1"};
inline constexpr std::array file_keys{
    form::required("schema", form::choice(schemas)),
    form::required("name", form::name()),
    form::required("summary", form::text()),
    form::required("line", form::bytes(16, 1024)),
    form::required("topology", form::map(topology_table)),
    form::required("cpu", form::map(cpu_table)),
    form::required("coherence", form::map(coherence_table)),
    form::required("scheduler", form::map(scheduler_table)),
    form::optional("governor", form::map(governor_table)),
    form::optional("semaphore_set", form::map(semaphore_set_table)),
    form::optional("disk", form::map(disk_table)),
};

}  // namespace lockcast::yaml::machine_keys
