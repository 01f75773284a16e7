// Small files, read once.

#include "validate/probe/host_quality.hpp"

#include "validate/native_run.hpp"

#include <sys/prctl.h>

#include <ctime>
#include <fstream>
#include <sstream>

namespace lockcast::probe {

namespace {

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

double resolution_ns(clockid_t clock) {
  timespec resolution{};
  if (clock_getres(clock, &resolution) != 0) { return 0; }
  return static_cast<double>(resolution.tv_sec) * 1e9 + static_cast<double>(resolution.tv_nsec);
}

// The tightest quota on the way from this process's cgroup (version 2) to the root.
std::optional<double> cgroup_quota() {
  std::ifstream groups("/proc/self/cgroup");
  std::optional<double> tightest;
  for (std::string line; std::getline(groups, line);) {
    if (!line.starts_with("0::")) { continue; }
    std::string path = line.substr(3);
    for (;;) {
      const std::optional<double> quota = quota_of(first_line("/sys/fs/cgroup" + path + "/cpu.max"));
      if (quota && (!tightest || *quota < *tightest)) { tightest = quota; }
      const std::size_t slash = path.rfind('/');
      if (path.empty() || slash == std::string::npos) { break; }
      path.resize(slash);
    }
  }
  return tightest;
}

}  // namespace

std::optional<double> quota_of(const std::string& cpu_max) {
  std::istringstream words(cpu_max);
  double quota = 0;
  double period = 0;
  if (!(words >> quota >> period) || !(period > 0)) { return std::nullopt; }
  return quota / period;
}

std::optional<std::uint64_t> stolen_ticks() {
  std::istringstream words(first_line("/proc/stat"));
  std::string name;
  std::uint64_t value = 0;
  words >> name;
  for (int field = 0; field < 8; ++field) { words >> value; }  // user nice system idle iowait irq softirq steal
  if (!words || name != "cpu") { return std::nullopt; }
  return value;
}

HostQuality host_quality() {
  const NativeHost host = native_host();
  HostQuality quality;
  quality.cpu_model = host.cpu_model;
  quality.kernel = host.kernel;
  quality.virtual_machine = host.virtual_machine;
  quality.governor =
      first_line("/sys/devices/system/cpu/cpu" + std::to_string(host.cpus.front()) + "/cpufreq/scaling_governor");
  const std::string active = first_line("/sys/devices/system/cpu/smt/active");
  if (!active.empty()) { quality.hyper_threads = active == "1"; }
  quality.quota_cpus = cgroup_quota();
  quality.tick_ns = resolution_ns(CLOCK_MONOTONIC_COARSE);
  constexpr double fine_ns = 1000;
  quality.fine_timers = resolution_ns(CLOCK_MONOTONIC) <= fine_ns;
  if (const int slack = prctl(PR_GET_TIMERSLACK); slack > 0) { quality.timer_slack_ns = slack; }
  return quality;
}

}  // namespace lockcast::probe
