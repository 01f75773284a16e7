#pragma once
// What a reader of measured numbers must know about the host and no measurement tells: virtual or not, clock governor,
// hyper-threading, a CPU quota, and the kernel's clock. Read from /proc and /sys, whose files may be missing.

#include <cstdint>
#include <optional>
#include <string>

namespace lockcast::probe {

struct HostQuality {
  std::string cpu_model;
  std::string kernel;
  bool virtual_machine = false;
  std::string governor;               // empty: the system tells none
  std::optional<bool> hyper_threads;  // in use, as the system tells it
  std::optional<double> quota_cpus;   // CPU time a second that a cgroup allows
  double tick_ns = 0;                 // of the kernel's clock interrupt; 0: unknown
  bool fine_timers = true;            // sleeps are not tied to the tick
  double timer_slack_ns = 0;          // of this thread; 0: unknown
};
HostQuality host_quality();

// Clock ticks that the hypervisor says it took from all CPUs, so far; none where /proc does not tell.
std::optional<std::uint64_t> stolen_ticks();

// "max 100000" or "150000 100000" -> none or 1.5. Of a cgroup's cpu.max.
std::optional<double> quota_of(const std::string& cpu_max);

}  // namespace lockcast::probe
