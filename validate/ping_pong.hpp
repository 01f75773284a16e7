#pragma once
// How long a cache line takes from one CPU to another, measured by two threads that answer each other on it. A guard:
// two virtual CPUs may be threads of one core now, share a cache a second later, and then not even that, so whoever
// measures something else asks this immediately before and after. One way contains a load miss of the waiter and the
// upgrade with which it answers: it is no single cost of a machine file, see validate/probe for those.

#include <chrono>
#include <cstdint>

namespace lockcast {

struct TransferSample {
  double median_ns = 0;  // one way, median over lines of the median over batches
  // (slowest line - fastest line) / median. Lines of one cache differ by where in it their address lies, 25 to 60 % on
  // chips whose L3 is in slices; between hardware threads of a core, or between far caches, they hardly do.
  double spread = 0;
  std::uint32_t batches = 0;  // per line
};

// Alternates over a few fresh lines, in batches, for about `duration` (600 us are enough) after a short warm-up, and at
// least once over all lines. Binds two threads of its own; the caller's stays where it is and sleeps. The CPUs must be
// two that this process may use; throws InputError (host cannot) where threads cannot be started or bound.
TransferSample measure_transfer(int cpu_a, int cpu_b, std::chrono::microseconds duration);

}  // namespace lockcast
