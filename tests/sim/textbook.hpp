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

}  // namespace lockcast
