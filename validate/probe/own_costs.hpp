#pragma once
// What a thread pays without anybody else: spin hints, polls, atomics on a line it owns, clock, system call, private
// work. Each is a loop timed as a whole. Out-of-order execution hides much of an atomic that nothing depends on, so
// there are three figures for it: back to back, dependent (line_costs.hpp), and between fences.

#include <cstdint>
#include <vector>

namespace lockcast::probe {

// Nanoseconds.
struct OwnCosts {
  double pause = 0;            // the spin hint of an exchange loop
  double branch_miss = 0;      // a branch that nobody can predict, mispredicted
  double poll = 0;             // one iteration of NativeEnv::spin_until
  double exchange = 0;         // back to back
  double fenced_exchange = 0;  // between two fences that let nothing overtake, less those fences
  double clock = 0;            // reading it
  double system_call = 0;      // the emptiest
  double work_step = 0;        // one step of WorkLoop
};

// Throws (host cannot) when a thread cannot be started or bound.
OwnCosts measure_own_costs(int cpu);

// Of a native run: no work, no lock. Runs on the first CPU of this process.
double measure_empty_transaction();

// How long the same private work takes on each of these CPUs while all do it, relative to one alone; `dependent` is the
// latency-bound loop native runs use, the other keeps a core's units busy and shows who shares them.
struct Slowdown {
  double dependent = 1;
  double throughput = 1;
};
Slowdown measure_slowdown(const std::vector<int>& cpus);

}  // namespace lockcast::probe
