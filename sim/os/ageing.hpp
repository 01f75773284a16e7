#pragma once
// Ageing priorities of HP-UX time-share: use of a core weakens a thread's priority and decays once a second by
// 2L/(2L+1), L being runnable threads per core (4.3BSD; HP-UX keeps this scheme).

#include "models/machine.hpp"
#include "sim/os/task.hpp"

#include <algorithm>
#include <vector>

namespace lockcast::ageing {

inline void reconsider(const SchedulerModel& model, Task& task) {
  const auto weaker = static_cast<std::int64_t>(task.use) / model.use_per_priority.value;
  task.priority = static_cast<std::uint32_t>(std::min(weaker, model.priority_levels.value));
}

inline void decay(const SchedulerModel& model, std::vector<Task>& tasks, double load) {
  const double factor = 2.0 * load / (2.0 * load + 1.0);
  for (Task& task : tasks) {
    task.use = static_cast<std::uint32_t>(static_cast<double>(task.use) * factor);
    reconsider(model, task);
  }
}

// What an equal share of the machine accumulates: u = share x ticks per second / (1 - decay), with L taken as 1. A
// running system has a history, so initial use is drawn around it.
inline double equilibrium(std::size_t cores, std::size_t threads, std::int64_t ticks_per_second) {
  const double share = std::min(1.0, static_cast<double>(cores) / static_cast<double>(threads));
  return share * static_cast<double>(ticks_per_second) * 3.0;
}

}  // namespace lockcast::ageing
