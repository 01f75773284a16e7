// Threads of one CPU.

#include "validate/probe/scheduling_costs.hpp"

#include "models/check.hpp"
#include "validate/pinning.hpp"
#include "validate/probe/statistics.hpp"
#include "validate/probe/timing.hpp"

#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <ctime>
#include <memory>
#include <mutex>

namespace lockcast::probe {

namespace {

std::uint64_t switches_of_this_thread() {
  rusage usage{};
  CHECK(getrusage(RUSAGE_THREAD, &usage) == 0, "getrusage failed");
  return static_cast<std::uint64_t>(usage.ru_nvcsw) + static_cast<std::uint64_t>(usage.ru_nivcsw);
}

// Beside somebody else's thread a yield lasts as long as that runs. So each is timed alone, and only those count after
// which the thread had not been away. None: not measured.
double yield_alone() {
  constexpr int yields = 300;
  constexpr std::chrono::milliseconds limit{20};
  std::vector<double> values;
  std::vector<double> clock;
  const Clock::time_point start = Clock::now();
  for (int i = 0; i < yields && Clock::now() - start < limit; ++i) {
    const std::uint64_t switches = switches_of_this_thread();
    const Clock::time_point before = Clock::now();
    const Clock::time_point begin = Clock::now();
    sched_yield();
    const Clock::time_point end = Clock::now();
    if (switches_of_this_thread() != switches) { continue; }
    values.push_back(nanoseconds(end - begin));
    clock.push_back(nanoseconds(begin - before));
  }
  return values.empty() ? not_measured : std::max(0.0, median(std::move(values)) - median(std::move(clock)));
}

}  // namespace

SwitchCosts measure_switches(int cpu, std::chrono::milliseconds duration) {
  SwitchCosts costs;
  std::atomic<bool> bound{true};
  {
    BoundThread thread(cpu, [&](bool ok) {
      if (!ok) { bound.store(false); }
      costs.yield_alone = yield_alone();
    });
  }
  if (!bound.load()) { no_binding(cpu, cpu); }

  // Whether a yield switches is the kernel's affair, so switches are counted, in stretches short enough for a median.
  constexpr int yields_per_stretch = 20;
  // A slice of somebody else's is longer; then the stretch says nothing about a switch.
  constexpr double stretch_ns_max = 1e6;
  std::atomic<int> here{0};
  std::atomic<bool> stop{false};
  std::mutex mutex;
  std::vector<double> per_switch;
  const Clock::time_point end = Clock::now() + duration;
  const auto life = [&](bool /*ok*/) {
    here.fetch_add(1);
    while (here.load() < 2 && !stop.load()) { sched_yield(); }
    std::vector<double> mine;
    while (Clock::now() < end && !stop.load()) {
      const std::uint64_t before = switches_of_this_thread();
      const Clock::time_point begin = Clock::now();
      for (int i = 0; i < yields_per_stretch; ++i) { sched_yield(); }
      const double elapsed = nanoseconds(Clock::now() - begin);
      const std::uint64_t away = switches_of_this_thread() - before;
      // While this thread is away, the other one makes as many yields.
      if (away > yields_per_stretch / 2 && elapsed < stretch_ns_max) {
        const auto switches = static_cast<double>(away);
        mine.push_back((elapsed - (yields_per_stretch + switches) * costs.yield_alone) / (2 * switches));
      }
    }
    stop.store(true);
    const std::scoped_lock guard(mutex);
    per_switch.insert(per_switch.end(), mine.begin(), mine.end());
  };
  {
    std::vector<BoundThread> threads;
    threads.reserve(2);
    struct Release {
      std::atomic<bool>& stop;
      std::vector<BoundThread>& threads;
      ~Release() {
        if (threads.size() < 2) { stop.store(true); }
      }
    } const release{stop, threads};
    threads.emplace_back(cpu, life);
    threads.emplace_back(cpu, life);
  }
  costs.context_switch =
      per_switch.empty() || std::isnan(costs.yield_alone) ? not_measured : std::max(0.0, median(per_switch));
  return costs;
}

std::vector<double> measure_slices(int cpu, std::uint32_t threads, std::chrono::milliseconds duration) {
  constexpr std::chrono::microseconds shortest_absence{250};
  std::atomic<bool> stop{false};
  std::mutex mutex;
  std::vector<double> slices;
  const auto life = [&](bool /*ok*/) {
    std::vector<double> mine;
    const Clock::time_point end = Clock::now() + duration;
    Clock::time_point last = Clock::now();
    Clock::time_point since = last;
    bool whole = false;  // the first stretch began before this thread did
    while (last < end && !stop.load(std::memory_order_relaxed)) {
      const Clock::time_point now = Clock::now();
      if (now - last > shortest_absence) {
        if (whole) { mine.push_back(nanoseconds(last - since)); }
        since = now;
        whole = true;
      }
      last = now;
    }
    stop.store(true);
    const std::scoped_lock guard(mutex);
    slices.insert(slices.end(), mine.begin(), mine.end());
  };
  {
    std::vector<BoundThread> spinners;
    spinners.reserve(threads);
    for (std::uint32_t i = 0; i < threads; ++i) { spinners.emplace_back(cpu, life); }
  }
  return slices;
}

std::vector<double> measure_overshoot(int cpu, std::chrono::microseconds sleep, std::uint32_t times) {
  std::vector<double> late;
  {
    BoundThread thread(cpu, [&](bool /*ok*/) {
      const timespec asked{.tv_sec = 0, .tv_nsec = static_cast<long>(sleep.count()) * 1000};
      for (std::uint32_t i = 0; i < times; ++i) {
        const Clock::time_point begin = Clock::now();
        if (clock_nanosleep(CLOCK_MONOTONIC, 0, &asked, nullptr) != 0) { continue; }
        late.push_back(nanoseconds(Clock::now() - begin - sleep));
      }
    });
  }
  return late;
}

}  // namespace lockcast::probe
