#pragma once
// One machine: topology, costs and chosen models, every number with its origin. Read from machines/NAME.yaml by
// sim/yaml.

#include "models/coherence/coherence.hpp"
#include "models/governor.hpp"
#include "models/parameter.hpp"
#include "models/topology.hpp"

#include <optional>
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
  // A mispredicted branch, for workloads that say how many they have; absent in machines nobody asked it of.
  std::optional<Duration> branch_miss;
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
  // What it costs more when the core that must supply the line is halted.
  Duration halted_owner;
  // A pass of a message through the home's directory, where a transfer ends with the requester telling the home, and
  // only then is the next request for the line served; until its probe arrives the owner keeps hitting. No reference:
  // the home goes on without being told, and the window is what its occupancy gives (home_agent.hpp).
  Duration directory_pass;
  // One way of a ping-pong between two near CPUs while the costs above were measured: not simulated, but whoever
  // measures it again on that host knows by how much lines have become slower or faster. No reference: unknown.
  Duration ping_pong;
  Duration home_occupancy;
  Ratio near_bias;
  bool free = false;       // what if moving a line cost nothing
  bool line_queue = true;  // off: ablation, requests to one line overlap freely
  bool migrating_reads = false;
};

// How threads share cores: HP-UX's scheme, which is 4.3BSD's (ageing priorities, quanta), or Linux's CFS of 2009-2011.
enum class SchedulerPolicy : std::uint8_t { hp_ux, cfs };
inline constexpr std::array<std::string_view, 2> scheduler_policy_names{"hp-ux", "cfs"};

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

// Which wake-ups draw a thread to the core of its waker: those that announce that the waker is about to sleep (the hint
// WF_SYNC, which a socket write gives and a semop does not), or those after which the waker's queue is no longer than
// the thread's own (wake_affine() of the kernel, which takes the hint as one thread less).
enum class WakeAffine : std::uint8_t { hint, load };
inline constexpr std::array<std::string_view, 2> wake_affine_names{"hint", "load"};

// How far a core that has just become idle looks for a thread to take.
enum class NewIdle : std::uint8_t { die, machine };
inline constexpr std::array<std::string_view, 2> new_idle_names{"die", "machine"};

// Names and rules as in kernel/sched.c and kernel/sched_fair.c.
struct CfsModel {
  Duration sched_latency;    // in this time every runnable thread of a core runs once,
  Duration min_granularity;  // unless that left less than this for each
  bool wakeup_preemption = false;
  Duration wakeup_granularity;  // a woken thread preempts one that is this far ahead of it
  Duration sleeper_credit;      // a woken thread may be this far behind the others of its core
  WakeAffine wake_affine = WakeAffine::hint;
  Duration migration_cost;  // a core whose idle periods are shorter than this on average takes no thread at once
  NewIdle newidle_balance = NewIdle::die;
  Duration die_balance_interval;      // an idle core looks for a thread to take this often in its die...
  Duration machine_balance_interval;  // ...and the first idle core of a die this often on the whole machine
  Count busy_factor;                  // a busy core looks so many times less often
};

struct SchedulerModel {
  SchedulerPolicy policy = SchedulerPolicy::hp_ux;
  Duration tick;  // clock interrupt: charges, quanta and priorities are counted at it
  // hp-ux
  Count quantum_ticks;
  Count priority_ticks;    // priorities are re-evaluated every so many ticks
  Count use_per_priority;  // ticks of use that weaken a priority by one
  Count priority_levels;   // weakest - best priority
  Preemption preemption = Preemption::full;
  WakePlacement wake_placement = WakePlacement::idle_core;
  Duration
      steal_after;  // an idle core takes a thread from another's queue only after it waited there this long (its cache
                    // is cold by then)
  CfsModel cfs;
  // both
  Duration context_switch;
  Duration idle_exit;     // an idle core becomes able to run
  Duration wake_latency;  // from the post to the run queue of the target core
  Duration wake_cost;     // paid by who posts
  Duration block_cost;    // paid by who blocks
  // Paid by who posts to somebody who does not sleep. Present: semaphores are counters in user memory with a futex. A
  // token that is there is taken without the kernel; one that comes while the waiter is on its way to sleep keeps it
  // awake; and a sleeper is off the queue before the waker pays for waking it. Absent: every call enters the kernel
  // and costs the same whoever sleeps, as with System V semaphores.
  std::optional<Duration> empty_wake_cost;
  Duration sleep_slack;  // a timed sleep ends this much late...
  Duration sleep_tick;   // ...or, if not zero, at the first multiple of this: sleepers wake in phase
};

// The kernel's lock of one System V semaphore array: calls to semaphores of one array are served one by one. PostgreSQL
// puts the semaphores of so many backends into one array.
struct SemaphoreSetModel {
  Count size;
  Duration service;
};

// The disk of the write-ahead log. Under asynchronous commit its time decides how many transactions are not yet safe,
// and so how often their states are looked up.
struct DiskModel {
  Duration sync;  // of one write that must be safe, beside its pages
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
  std::optional<GovernorModel> governor;            // none: every core always has its highest clock
  std::optional<SemaphoreSetModel> semaphore_sets;  // none: semaphore calls never meet
  std::optional<DiskModel> disk;                    // none: only for workloads that write no log, or say themselves

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
