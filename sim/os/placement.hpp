#pragma once
// Where a thread goes that became runnable, one rule per policy.

#include "models/machine.hpp"
#include "sim/os/cores.hpp"

namespace lockcast {

// Who woke a thread: the core it ran on (no_core: a timer or a device), and whether it said that it will sleep soon.
struct Wake {
  CoreId by = no_core;
  bool sync = false;
};

// HP-UX: an idle core, the last one first, then of its die, then onwards in core order, which is package order. None if
// all are busy, or if the machine leaves threads where they ran.
std::uint32_t idle_core_near(const Cores& cores, WakePlacement placement, std::uint32_t last);

// CFS of Linux 2.6.32 to 3.x (select_task_rq_fair and select_idle_sibling): a target, the waker's core or the last one;
// if that is busy, the first idle core of its die by number, never of another die; else the target's queue.
std::uint32_t fair_core(const Cores& cores, WakeAffine affine, std::uint32_t last, Wake wake);

// Where CFS puts a thread that just came to life: the idlest group of cores gets the next one, so threads are spread
// over the dies, then over the cores of each.
std::uint32_t spread_core(const Cores& cores, std::uint32_t number);

}  // namespace lockcast
