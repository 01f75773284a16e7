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
  Duration hit;         // an ordinary access to a line in the own cache
  Duration atomic_hit;  // a read-modify-write on a line owned exclusively
  Duration poll;        // one iteration of a plain-load spin loop, its spin hint included
  Duration pause;       // the spin hint of an exchange loop
};

struct CoherenceChoice {
  std::size_t model = 0;  // index into coherence_models
  CoherenceParameters parameters;
  Duration home_occupancy;
  Ratio near_bias;
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

  [[nodiscard]] CostTable costs() const { return coherence_models[coherence.model].make(coherence.parameters); }
};

}  // namespace lockcast
