#pragma once
// The machine as it is at another line latency than the one it was probed at: virtual CPUs move between caches by the
// second. Everything a line costs on its way is longer by the same factor, and so is the time for which an owner goes
// on using a line that somebody has asked for. Costs inside a core, memory and the scheduler stay.

#include "models/machine.hpp"

#include <optional>
#include <vector>

namespace lockcast {

void scale_lines(Machine& machine, double factor);

// Simulating every latency that was ever measured would cost more than it tells. Neighbouring steps differ by 6 %,
// which changes no throughput by more than half of that.
[[nodiscard]] double nearest_step(double factor);

}  // namespace lockcast
