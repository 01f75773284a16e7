// Threads that look at the clock.

#include "validate/probe/disturbance.hpp"

#include "validate/pinning.hpp"
#include "validate/probe/timing.hpp"

#include <algorithm>

namespace lockcast::probe {

namespace {

double lost_here(std::chrono::microseconds duration) {
  constexpr std::chrono::microseconds smallest_gap{5};
  const Clock::time_point begin = Clock::now();
  Clock::time_point last = begin;
  Clock::duration lost{0};
  while (last - begin < duration) {
    const Clock::time_point now = Clock::now();
    if (now - last > smallest_gap) { lost += now - last; }
    last = now;
  }
  return std::chrono::duration<double>(lost) / std::chrono::duration<double>(last - begin);
}

}  // namespace

double lost_share(const std::vector<int>& cpus, std::chrono::microseconds duration) {
  std::vector<double> lost(cpus.size(), 0);
  {
    std::vector<BoundThread> threads;
    threads.reserve(cpus.size());
    for (std::size_t i = 0; i < cpus.size(); ++i) {
      threads.emplace_back(cpus[i], [&lost, i, duration](bool /*bound*/) { lost[i] = lost_here(duration); });
    }
  }
  return *std::max_element(lost.begin(), lost.end());
}

}  // namespace lockcast::probe
