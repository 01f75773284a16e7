#pragma once
// What all probes time with, and how far apart things must lie that shall not share a line.

#include <chrono>
#include <cstddef>

namespace lockcast::probe {

using Clock = std::chrono::steady_clock;

inline double nanoseconds(Clock::duration duration) {
  return std::chrono::duration<double, std::nano>(duration).count();
}

// Prefetchers fetch lines of 64 bytes in pairs, and some machines have lines of 128.
inline constexpr std::size_t pair_of_lines = 128;

}  // namespace lockcast::probe
