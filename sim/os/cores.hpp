#pragma once
// The cores of one server and their run queues, as every part of the operating system sees them. Cores of a die have
// consecutive numbers.

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
  explicit Cores(const Topology& topology) : all(topology.cores()), per_die(topology.cores() / topology.dies()) {
    for (Core& core : all) { core.queue.reserve(8); }
  }

  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(all.size()); }
  [[nodiscard]] bool is_idle(std::uint32_t core) const { return all[core].running == no_index; }
  [[nodiscard]] std::uint32_t die_first(std::uint32_t core) const { return core / per_die * per_die; }
  // Runnable threads, the running one included.
  [[nodiscard]] std::uint32_t load(std::uint32_t core) const {
    return static_cast<std::uint32_t>(all[core].queue.size()) + (is_idle(core) ? 0 : 1);
  }
  // The first idle core of a die by number, or none.
  [[nodiscard]] std::uint32_t first_idle(std::uint32_t die_first) const {
    for (std::uint32_t core = die_first; core < die_first + per_die; ++core) {
      if (is_idle(core)) { return core; }
    }
    return no_index;
  }

  std::vector<Core> all;
  std::uint32_t per_die;
  std::uint32_t busy = 0;
  std::uint32_t queued = 0;  // in all queues
};

}  // namespace lockcast
