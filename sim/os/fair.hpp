#pragma once
// Virtual runtime and time slices of CFS (kernel/sched_fair.c of Linux 2.6.32 to 3.x), for threads of equal weight: who
// has had least of its core runs next, and nobody runs longer than its share of a period while others wait. Left out:
// weights, groups, buddies, the start debit of new threads.

#include "models/machine.hpp"
#include "sim/os/cores.hpp"
#include "sim/os/task.hpp"

#include <algorithm>
#include <vector>

namespace lockcast::fair {

// How long one of `runnable` threads may run while the others wait (sched_slice).
inline Picos slice(const CfsModel& model, std::uint32_t runnable) {
  return std::max(model.sched_latency.value / runnable, model.min_granularity.value);
}

// The running thread has had its core until now (update_curr). The minimum of a core follows whoever is furthest
// behind.
inline void charge(Core& core, std::vector<Task>& tasks, Picos now) {
  Task& running = tasks[core.running];
  if (now <= running.charged_until) { return; }  // still being switched to
  running.vruntime += now - running.charged_until;
  running.charged_until = now;
  Picos behind = running.vruntime;
  for (const std::uint32_t waiting : core.queue) { behind = std::min(behind, tasks[waiting].vruntime); }
  core.vruntime_min = std::max(core.vruntime_min, behind);
}

// A vruntime has a meaning only beside those of its core.
inline void move(Task& task, const Core& from, const Core& to) { task.vruntime += to.vruntime_min - from.vruntime_min; }

// A thread that slept does not save up its time beyond the credit (place_entity).
inline void woken(const CfsModel& model, Task& task, const Core& core) {
  task.vruntime = std::max(task.vruntime, core.vruntime_min - model.sleeper_credit.value);
}

inline bool preempts(const CfsModel& model, const Task& woken, const Task& running) {
  return model.wakeup_preemption && running.vruntime - woken.vruntime > model.wakeup_granularity.value;
}

// The average follows an eighth of each idle period's difference and a long period at once (ttwu: avg_idle).
inline void idle_ended(const CfsModel& model, Core& core, Picos now) {
  const Picos most = 2 * model.migration_cost.value;
  const Picos period = now - core.idle_since;
  core.average_idle = period > most ? most : core.average_idle + (period - core.average_idle) / 8;
}

}  // namespace lockcast::fair
