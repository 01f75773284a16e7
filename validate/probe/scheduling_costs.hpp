#pragma once
// What sharing a CPU costs and how the kernel shares it: context switch, time slices of two and of three threads that
// all want it, and how late a timed sleep ends. Seen from outside, by threads that look at the clock; the kernel's own
// settings are root's to read.

#include <chrono>
#include <cstdint>
#include <vector>

namespace lockcast::probe {

// Nanoseconds; not_measured (timing.hpp) where others had the CPU all the time, or no yield ever switched.
struct SwitchCosts {
  double yield_alone = 0;     // sched_yield with nobody to yield to
  double context_switch = 0;  // what a yield costs more when another thread of the CPU runs next
};
SwitchCosts measure_switches(int cpu, std::chrono::milliseconds duration);

// How long a thread runs before another one of its CPU gets it, nanoseconds; pauses below a quarter of a millisecond
// are interrupts and other short visitors. May be empty when the duration was too short.
std::vector<double> measure_slices(int cpu, std::uint32_t threads, std::chrono::milliseconds duration);

// How much later than asked a sleep of this length ends, nanoseconds.
std::vector<double> measure_overshoot(int cpu, std::chrono::microseconds sleep, std::uint32_t times);

}  // namespace lockcast::probe
