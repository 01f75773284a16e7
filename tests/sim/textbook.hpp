#pragma once
// machines/textbook-32.yaml, with changes given by the test: the only machine tests depend on.

#include "sim/workload/scenario.hpp"

#include <string>
#include <vector>

namespace lockcast {

// Keys count from the machine file: {"coherence.transfer.same_die", "0 ns"}.
using Changes = std::vector<Assignment>;

inline Machine textbook(const Changes& changes = {}) {
  Changes sets;
  for (const auto& [path, value] : changes) { sets.emplace_back("machine." + path, value); }
  return load_machine("textbook-32", sets, {LOCKCAST_SOURCE_DIR});
}

inline Changes operator+(Changes changes, const Changes& more) {
  changes.insert(changes.end(), more.begin(), more.end());
  return changes;
}

// As many cores on one die, so that all of them are equally distant.
inline Changes one_die(std::uint32_t cores) {
  return {{"topology.packages", "1"},
          {"topology.dies_per_package", "1"},
          {"topology.packages_per_group", "1"},
          {"topology.cores_per_die", std::to_string(cores)}};
}

// Every transfer and every ordinary access to memory for nothing. Atomics in the own cache must cost something.
inline const Changes free_transfers{{"coherence.model", "constant"},
                                    {"coherence.transfer.same_die", "0 ns"},
                                    {"coherence.home_occupancy", "0 ns"},
                                    {"cpu.hit", "0 ns"},
                                    {"cpu.atomic_hit", "1 ps"}};

// An operating system that costs nothing.
inline const Changes free_scheduling{{"scheduler.context_switch", "0 us"}, {"scheduler.idle_exit", "0 us"},
                                     {"scheduler.wake_latency", "0 us"},   {"scheduler.wake_cost", "0 us"},
                                     {"scheduler.block_cost", "0 us"},     {"scheduler.sleep_slack", "0 us"}};

// Linux's scheduler instead, with the kernel's constants, and for nothing.
inline const Changes cfs{{"scheduler",
                          "{policy: cfs, tick: 1 ms, sched_latency: 24 ms, min_granularity: 3 ms, "
                          "wakeup_preemption: off, wakeup_granularity: 4 ms, sleeper_credit: 12 ms, "
                          "wake_affine: hint, migration_cost: 0.5 ms, newidle_balance: die, "
                          "die_balance_interval: 1 ms, machine_balance_interval: 8 ms, busy_factor: 32, "
                          "context_switch: 0 us, idle_exit: 0 us, wake_latency: 0 us, wake_cost: 0 us, "
                          "block_cost: 0 us, sleep_slack: 0 us, sleep_tick: 0 ms}"}};

// The clock steps of an Opteron 6128.
inline const Changes ondemand{{"governor",
                               "{kind: ondemand, steps: {values: [0.8 GHz, 1 GHz, 1.2 GHz, 1.5 GHz, 2 GHz], "
                               "origin: assumed, reference: a test}, sampling: 10 ms, up_threshold: 0.8, "
                               "down_differential: 0.05}"}};

inline Changes semaphore_sets(const std::string& size, const std::string& service) {
  return {{"semaphore_set", "{size: " + size + ", service: " + service + "}"}};
}

}  // namespace lockcast
