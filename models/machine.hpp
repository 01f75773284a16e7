#pragma once
// One machine: topology, costs and chosen models, every number with its origin. Read from machines/NAME.yaml by
// sim/yaml.

#include "models/coherence/coherence.hpp"
#include "models/parameter.hpp"
#include "models/topology.hpp"

#include <string>

namespace lockcast {

struct CpuModel {
  // Duration of private work relative to the workload's nominal path lengths.
  Ratio work_scale;
  // Extra duration of private work when all cores are busy; linear in busy cores (loaded memory latency).
  Ratio loaded_slowdown;
  // Duration of private work when all threads of the core are busy, relative to one alone; linear in busy siblings.
  Ratio smt_slowdown;
  Duration hit;         // an ordinary access to a line in the own cache
  Duration atomic_hit;  // a read-modify-write on a line owned exclusively
  Duration poll;        // one iteration of a plain-load spin loop, its spin hint included
  Duration pause;       // the spin hint of an exchange loop
};

// Which die's memory and directory a line belongs to: the dies in turn, or the die of whoever touched the page first.
// For a shared memory segment that is the process that created and cleared it, wherever the users of it run.
enum class HomePlacement : std::uint8_t { interleaved, first_touch };
inline constexpr std::array<std::string_view, 2> home_placement_names{"interleaved", "first-touch"};

struct CoherenceChoice {
  std::size_t model = 0;  // index into coherence_models
  CoherenceParameters parameters;
  HomePlacement home = HomePlacement::interleaved;
  // Added to a transfer whose home is on a third die. Published transfer times are of two parties: the benchmark
  // allocates the line on the die of one of them, so they contain one way there and one back. With a third party the
  // request goes to the home, its probe on to the owner, the line to the requester: the legs that are longer than the
  // two-party way, and another pass through a directory.
  Duration third_leg;
  Duration home_occupancy;
  Ratio near_bias;
  bool free = false;       // what if moving a line cost nothing
  bool line_queue = true;  // off: ablation, requests to one line overlap freely
  bool migrating_reads = false;
};

// Who may take a core from a running thread before it blocks.
enum class Preemption : std::uint8_t { full, none };
inline constexpr std::array<std::string_view, 2> preemption_names{"full", "none"};

// Where a woken thread goes when the core it last ran on is busy: to the nearest idle core, or it queues there all the
// same and is left to stealing (a core that becomes idle takes a thread from another's queue).
enum class WakePlacement : std::uint8_t { idle_core, last_core };
inline constexpr std::array<std::string_view, 2> wake_placement_names{"idle-core", "last-core"};

// How the rig's operator started the server: HP-UX time-share ages priorities, SCHED_NOAGE keeps every thread at the
// best one.
enum class SchedulingClass : std::uint8_t { time_share, noage };
inline constexpr std::array<std::string_view, 2> scheduling_class_names{"time-share", "noage"};

struct SchedulerModel {
  Duration tick;  // clock interrupt: charges, quanta and priorities are counted at it
  Count quantum_ticks;
  Count priority_ticks;    // priorities are re-evaluated every so many ticks
  Count use_per_priority;  // ticks of use that weaken a priority by one
  Count priority_levels;   // weakest - best priority
  Preemption preemption = Preemption::full;
  WakePlacement wake_placement = WakePlacement::idle_core;
  Duration
      steal_after;  // an idle core takes a thread from another's queue only after it waited there this long (its cache
                    // is cold by then)
  Duration context_switch;
  Duration idle_exit;     // an idle core becomes able to run
  Duration wake_latency;  // from the post to the run queue of the target core
  Duration wake_cost;     // paid by who posts
  Duration block_cost;    // paid by who blocks
  Duration sleep_slack;   // a timed sleep ends this much late...
  Duration sleep_tick;    // ...or, if not zero, at the first multiple of this: sleepers wake in phase
};

struct Machine {
  std::string name;
  std::string summary;
  std::string file;
  Topology topology;
  std::uint32_t line_bytes = 64;
  CpuModel cpu;
  CoherenceChoice coherence;
  SchedulerModel scheduler;

  [[nodiscard]] CostTable costs() const {
    return coherence.free ? CostTable{} : coherence_models[coherence.model].make(coherence.parameters);
  }

  // Interleaved: line by line (HP ccNUMA overview, p. 5), so neighbouring lines have different homes. First touch: the
  // server's parent process runs on die 0.
  [[nodiscard]] std::uint32_t home_of(LineId line) const {
    return coherence.home == HomePlacement::first_touch ? 0 : index(line) % topology.dies();
  }
};

}  // namespace lockcast
