#pragma once
// What all probes time with, and how far apart things must lie that shall not share a line.

#include <chrono>
#include <cstddef>
#include <limits>

namespace lockcast::probe {

using Clock = std::chrono::steady_clock;

inline double nanoseconds(Clock::duration duration) {
  return std::chrono::duration<double, std::nano>(duration).count();
}

// Prefetchers fetch lines of 64 bytes in pairs, and some machines have lines of 128.
inline constexpr std::size_t pair_of_lines = 128;

// No number: this host or this moment did not show it.
inline constexpr double not_measured = std::numeric_limits<double>::quiet_NaN();

}  // namespace lockcast::probe
