#pragma once
// What it costs to put a thread to sleep and to wake it, by futex as every lock library on Linux does. A wake-up of a
// sleeper on an idle CPU is an inter-processor interrupt and the end of a halt; in a virtual machine both leave it.
// Left out: other ways to sleep (semop, sockets), whose system calls cost more.

#include <cstdint>
#include <vector>

namespace lockcast::probe {

// Nanoseconds, one value per wake-up.
struct WakeUps {
  std::vector<double> latency;  // from the waker's call to the sleeper's next instruction
  std::vector<double> cost;     // until the waker's call returns
};

// The sleeper has slept for about `asleep_us` when it is woken, on a CPU of its own or beside a thread that spins
// there. Tries that found it awake are left out. Throws (host cannot) when threads cannot be started or bound.
WakeUps measure_wake_ups(int waker_cpu, int sleeper_cpu, std::uint32_t wake_ups, std::uint32_t asleep_us,
                         bool target_is_busy);

struct FutexCalls {
  double empty_wake = 0;    // nobody sleeps there
  double refused_wait = 0;  // the value has changed: the call returns at once (EAGAIN)
  double same_cpu_hop = 0;  // two threads of one CPU wake each other in turn, one way
};
FutexCalls measure_futex_calls(int cpu, std::uint32_t hops);

}  // namespace lockcast::probe
