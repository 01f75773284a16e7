#pragma once
// One simulated run of one point: a server with its backends, warmed up, then measured. Everything it returns is a sum
// or a count over the measured window, so replications can be added.

#include "sim/engine/simgrid_world.hpp"
#include "sim/memory/sim_env.hpp"
#include "sim/os/trace.hpp"
#include "sim/run/cpu_profile.hpp"
#include "sim/workload/scenario.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lockcast {

struct ReplicationOptions {
  std::uint64_t seed = 1;
  Picos warmup{200ms};
  Picos measured{1s};
  Messages messages = Messages::inner;
  KernelKind kernel = KernelKind::inner;  // simgrid: only without a network
  bool profile = false;                   // also collect what Profile holds
  std::optional<TraceWindow> trace = {};  // also record what every thread does then
};

struct LockTotals {
  std::string name;
  LockCounters counters;
};

struct HotLine {
  std::string what;  // the locks and arrays that live on it
  std::uint64_t transfers = 0;
  double waited_s = 0;
};

// Lines with the same contents taken together: an array, a lock group, or what shares lines with it.
struct LineGroup {
  std::string what;
  std::uint64_t lines = 0;
  std::uint64_t transfers = 0;
  double waited_s = 0;
};

struct ScanTotals {
  std::string what;  // procedure and array
  std::uint64_t runs = 0;
  std::uint64_t lines = 0;
  std::uint64_t misses = 0;
  double moved_s = 0;
};

struct LockQuantiles {
  double wait_p50_s = 0;
  double wait_p99_s = 0;
  double hold_p50_s = 0;
  double hold_p99_s = 0;
};

// What `--explain` adds.
struct Profile {
  std::vector<CpuProfile::Row> cpu;
  std::vector<LockQuantiles> locks;  // in the order of Replication::locks
  std::vector<LineGroup> lines;      // most waited for first
  std::vector<ScanTotals> scans;
  std::uint64_t context_switches = 0;  // as vmstat counts them, into idleness and back too
  double wanting_s = 0;                // summed over all threads: running, or waiting for a core
};

struct Replication {
  std::uint64_t transactions = 0;
  double tps = 0;
  double measured_s = 0;
  double latency_p50_s = 0;
  double latency_p95_s = 0;
  double latency_p99_s = 0;
  std::array<double, category_count> spent_s{};  // summed over backends
  double cpu_idle = 0;                           // share of all cores
  double network_busy = 0;                       // share of the narrow server, 0 without one
  std::uint64_t switches = 0;
  std::uint64_t preemptions = 0;
  std::uint64_t scans = 0;
  std::uint64_t scan_misses = 0;
  std::vector<LockTotals> locks;
  // [a x locks + b]: while holding one of group a, backends slept so long in the queue of one of group b.
  std::vector<double> slept_inside_s;
  std::vector<HotLine> hottest;  // most waited for first
  std::uint64_t events = 0;
  std::uint64_t ties = 0;  // at one instant with the event before; counted by KernelKind::simgrid only
  std::uint64_t digest = 0;
  std::optional<Profile> profile;
  std::optional<Trace> trace;  // threads: the backends, those of a local client, the processes of the program
};

Replication replicate(const Machine& machine, const Rig& rig, const Program& program,
                      const ReplicationOptions& options);

}  // namespace lockcast
