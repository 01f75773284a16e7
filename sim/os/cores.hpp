#pragma once
// The cores of one server and their run queues, as every part of the operating system sees them: hardware threads,
// where a core has several. Those of a die have consecutive numbers, and within it those of a core.

#include "models/topology.hpp"

#include <cstdint>
#include <vector>

namespace lockcast {

// No task, and no core.
inline constexpr std::uint32_t no_index = 0xffffffffU;

struct Core {
  std::uint32_t running = no_index;
  std::uint32_t last = no_index;     // the task whose state is still loaded
  std::vector<std::uint32_t> queue;  // runnable, in order of arrival
  Picos busy_since{0};

  // Time awake, for the governor: a busy period begins when the core has left idle.
  Picos awake{0};
  Picos awake_since{0};

  // CFS
  Picos vruntime_min{0};  // never falls
  Picos picked_at{0};     // when the running task was
  Picos idle_since{0};
  Picos average_idle{0};
  Picos die_balanced{0};
  Picos machine_balanced{0};
};

struct Cores {
  explicit Cores(const Topology& topology)
      : all(topology.threads()), per_die(topology.threads() / topology.dies()), per_core(topology.threads_per_core) {
    for (Core& core : all) { core.queue.reserve(8); }
  }

  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(all.size()); }
  [[nodiscard]] bool is_idle(std::uint32_t core) const { return all[core].running == no_index; }
  [[nodiscard]] std::uint32_t die_first(std::uint32_t core) const { return core / per_die * per_die; }
  // Runnable threads, the running one included.
  [[nodiscard]] std::uint32_t load(std::uint32_t core) const {
    return static_cast<std::uint32_t>(all[core].queue.size()) + (is_idle(core) ? 0 : 1);
  }
  // The place of the nth thread of a die that takes one of every core before a second of any, as Linux numbers them.
  [[nodiscard]] std::uint32_t nth_of_die(std::uint32_t n) const {
    const std::uint32_t cores = per_die / per_core;
    return n % cores * per_core + n / cores;
  }
  // The first idle one of a die in that order, or none.
  [[nodiscard]] std::uint32_t first_idle(std::uint32_t die_first) const {
    for (std::uint32_t n = 0; n < per_die; ++n) {
      const std::uint32_t core = die_first + nth_of_die(n);
      if (is_idle(core)) { return core; }
    }
    return no_index;
  }
  [[nodiscard]] std::uint32_t busy_siblings(std::uint32_t core) const {
    const std::uint32_t first = core / per_core * per_core;
    std::uint32_t busy_ones = 0;
    for (std::uint32_t sibling = first; sibling < first + per_core; ++sibling) {
      if (sibling != core && !is_idle(sibling)) { ++busy_ones; }
    }
    return busy_ones;
  }

  std::vector<Core> all;
  std::uint32_t per_die;
  std::uint32_t per_core;
  std::uint32_t busy = 0;
  std::uint32_t queued = 0;  // in all queues
};

}  // namespace lockcast
