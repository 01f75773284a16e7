#pragma once
// Threads that exchange one word as fast as they can. The owner of a line keeps hitting until a request reaches it, so
// it comes and goes in bursts, the longer the farther the next owner; and who gets it next need not be who has waited
// longest. Each exchange returns who had the word before, so bursts and hand-overs are counted without a clock.

#include <chrono>
#include <cstdint>
#include <vector>

namespace lockcast::probe {

// Counted in blocks of some thousand exchanges; a block in which the word never changed hands had no opponent (he was
// preempted) and says nothing. All zero and empty when a thread has no block that says something.
struct Hammering {
  double ns_per_exchange = 0;                         // of all threads together
  double burst = 0;                                   // exchanges in a row by one thread, on average
  std::vector<double> thread_burst;                   // of each thread
  std::vector<std::vector<std::uint64_t>> handovers;  // [from][to]
};

// For `duration`, or up to ten times that until all threads have met. Precondition: at least two CPUs, each once.
// Throws (host cannot) when threads cannot be started or bound.
Hammering hammer(const std::vector<int>& cpus, std::chrono::microseconds duration);

// How much likelier a near thread is to come next than if all waiting ones were alike, as `near_bias` of a machine:
// the share of hand-overs that go to the nearest whoever waited longer. `near` says for [from][to] whether `to` is
// among the nearest of `from`. not_measured where nobody has both near and far ones.
double near_bias_of(const Hammering& hammering, const std::vector<std::vector<bool>>& near);

}  // namespace lockcast::probe
