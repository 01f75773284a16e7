#pragma once
// Why a point comes out as it does: the profiles of its replications added up, in the words of the tools people hold in
// their hands - LWLOCK_STATS, perf top, pg_stat_activity, vmstat.

#include "sim/run/point.hpp"

#include <string>
#include <vector>

namespace lockcast {

struct LockExplanation {
  LockTotals totals;
  LockQuantiles quantiles;  // mean over the replications of each one's quantile
  double caused_s = 0;      // sleep of all backends due to it, see run/blame.hpp
};

struct WaitEvent {
  std::string name;  // "LWLock:ProcArrayLock", "Client:ClientRead", "CPU"
  double share = 0;  // of the backends' time
};

// One line of `vmstat`, as averages.
struct Vmstat {
  double r = 0;  // threads that run or want to
  double cs = 0;
  double us = 0, sy = 0, id = 0;  // shares of all CPUs
};

struct Explanation {
  double transactions = 0;
  std::vector<LockExplanation> locks;  // most waited for first
  std::vector<LineGroup> lines;        // most waited for first
  std::vector<ScanTotals> scans;
  std::vector<CpuProfile::Row> cpu;  // most time first
  std::vector<WaitEvent> events;     // largest share first
  Vmstat vmstat;
};

// Precondition: the replications were made with a profile. `cpus`: hardware threads of the machine.
Explanation explain(const PointResult& point, const Program& program, std::uint32_t cpus);

// Procedures named after system calls: their CPU time is the system's.
inline bool is_system(const std::string& procedure) { return procedure.starts_with("sys_"); }

}  // namespace lockcast
