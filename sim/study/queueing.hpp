#pragma once
// Two analytic forecasters that stand beside a simulation, and what each of them leaves out.

#include <cstdint>
#include <vector>

namespace lockcast {

// Mean value analysis of a closed network (Reiser & Lavenberg 1980): queueing alone. Demands
// are those of one client alone. It misses what grows with the number of waiters: line transfers, spinning, wake-ups,
// preemption; and shared holds never wait.
struct Station {
  double demand_s = 0;        // of a transaction at all its servers together
  std::uint32_t servers = 1;  // one queue before so many; above 1 by the mean number there, which is an approximation
  std::uint32_t copies = 1;   // equal stations that a transaction visits equally often; the demand is of all together
};
double mva_tps(const std::vector<Station>& stations, double think_s, std::uint32_t clients);

// The Markov model of non-scalable spinlocks (Boyd-Wickizer, Kaashoek, Morris & Zeldovich, "Non-scalable locks are
// dangerous", 2012). State k: cores that wait or hold. Arrivals (n - k) / a, service 1 / (s + c k / 2), because the
// home serves the waiters' re-reads one by one and the next owner is on average half-way down the list. It misses
// all but one lock: its queue of sleepers, exclusive requests of waiters that spin by exchange, preemption.
struct NonScalableLock {
  double section_s = 0;  // s
  double re_read_s = 0;  // c
  double between_s = 0;  // a: mean time between a release and the next request
  [[nodiscard]] double acquisitions_per_second(std::uint32_t cores) const;
};

}  // namespace lockcast
