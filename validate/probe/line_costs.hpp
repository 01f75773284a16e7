#pragma once
// What one access to a line costs by the state the line is in and who has it, in the vocabulary of ccbench (David,
// Guerraoui & Trigonakis, SOSP 2013). Two bound threads: an owner brings some dozens of lines into a state, then the
// requester walks them, each access depending on the one before, so the walk takes the sum of the latencies and one
// clock read times all. A store has no result to depend on: each is followed by fences, and what store and fences cost
// on own lines is subtracted (x86 only; elsewhere no fence waits for the line). Left out: states that the caller's
// caches do not have (what MESI calls shared, MOESI may call owned), and what an access costs while others
// want the same line (hammer.hpp).

#include "validate/probe/timing.hpp"

#include <array>
#include <cstdint>
#include <optional>

namespace lockcast::probe {

inline constexpr std::array<std::uint32_t, 7> scan_lines{1, 2, 4, 8, 16, 32, 64};

// Nanoseconds.
struct LineCosts {
  double load_modified = not_measured;    // the owner wrote it
  double store_modified = not_measured;   // the same
  double atomic_modified = not_measured;  // the same, compare-and-swap
  double store_shared = not_measured;     // both have a clean or shared copy
  double atomic_shared = not_measured;
  double atomic_after_load = not_measured;       // the requester has just read what the owner wrote
  double load_memory = not_measured;             // flushed from all caches; not measured where a program cannot flush
  double load_halted = not_measured;             // as load_modified, but the owner's CPU has gone idle
  std::array<double, scan_lines.size()> scan{};  // so many lines the owner wrote, read without dependence, in all

  double own_load = not_measured;
  double own_atomic = not_measured;
  double own_store_fenced = not_measured;
};

struct LineCostOptions {
  std::uint32_t repeats = 15;
  bool halted = true;                // takes 3 ms
  std::optional<int> home_cpu = {};  // the CPU whose memory the lines are in; none: the owner's
};

// Medians over the repeats. Throws (host cannot) when threads cannot be started or bound.
LineCosts measure_line_costs(int owner_cpu, int requester_cpu, const LineCostOptions& options = {});

// Only the own_ values, and load_memory; for a process with one CPU.
LineCosts measure_own_lines(int cpu, std::uint32_t repeats = 15);

}  // namespace lockcast::probe
