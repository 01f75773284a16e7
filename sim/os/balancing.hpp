#pragma once
// Which core gives a thread to another in CFS. Balancing moves one thread at a time, the one its core would run next.
// Left out: moving several at once, longer intervals after a balanced look, and the test whether a thread's cache is
// still hot.

#include "sim/os/cores.hpp"

namespace lockcast {

// The core with most runnable threads among `count` cores from `first` on that has one to give to `taker`: a waiting
// one, and two more than a taker that is busy itself. Of equals the next one after the taker by number; or none.
inline std::uint32_t busiest_for(const Cores& cores, std::uint32_t taker, std::uint32_t first, std::uint32_t count) {
  std::uint32_t most = cores.is_idle(taker) ? 0 : cores.load(taker) + 1;
  std::uint32_t busiest = no_index;
  for (std::uint32_t step = 1; step < count; ++step) {
    const std::uint32_t core = first + (taker - first + step) % count;
    if (cores.all[core].queue.empty() || cores.load(core) <= most) { continue; }
    most = cores.load(core);
    busiest = core;
  }
  return busiest;
}

// Of each die only one core looks beyond it: the first idle one, or the first of all when none is idle.
inline bool looks_beyond_die(const Cores& cores, std::uint32_t core) {
  const std::uint32_t die_first = cores.die_first(core);
  const std::uint32_t idle = cores.first_idle(die_first);
  return core == (idle != no_index ? idle : die_first);
}

}  // namespace lockcast
