#pragma once
// One visit to a point: a guard, a native run, a guard. A guard asks how far apart the CPUs are at this moment and who
// else is on them; what lies between two guards that disagree is thrown away. Leaves out hardware performance counters
// and the hypervisor's account of stolen time, which a virtual machine need not have, or keeps at zero.

#include "validate/native_run.hpp"

#include <optional>
#include <string>
#include <vector>

namespace lockcast {

struct Guard {
  std::optional<double> line_ns;  // one way of a ping-pong between the first two CPUs; none: there is only one CPU
  double lost_share = 0;          // of the time of the CPU that lost most to others
};

struct Visit {
  Guard before;
  NativePoint native;
  Guard after;

  // What the simulation of this visit goes by.
  [[nodiscard]] std::optional<double> line_ns() const;
  // Why it says nothing about the program; empty: it does.
  [[nodiscard]] std::string discarded() const;
};

// Of a look of 2 ms. Another process takes turns of milliseconds and costs half of it or all; a single interrupt of the
// hypervisor costs 5 % and is a part of this host, which the probe measured with it.
inline constexpr double guard_lost_share_max = 0.2;
// Two latencies of one regime differ by less than this factor: by the address within a cache, not by the cache.
inline constexpr double same_regime = 1.33;
[[nodiscard]] bool same_distance(std::optional<double> one, std::optional<double> other);

// A few milliseconds on these CPUs.
Guard take_guard(const std::vector<int>& cpus);

// Others use the CPUs in bursts of seconds: waits for the end of one, at most so long. Returns how long it waited.
std::chrono::milliseconds wait_for_quiet(const std::vector<int>& cpus, std::chrono::milliseconds limit);

Visit visit(const Program& program, const WorkLoop& work_loop, const NativePointOptions& options,
            const std::vector<int>& cpus);

}  // namespace lockcast
