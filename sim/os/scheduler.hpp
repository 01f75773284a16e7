#pragma once
// Cores, run queues, preemption, sleeps and semaphores of one server: the mechanism, and which policy decides where.
// hp-ux: run queues ordered by (priority, arrival); an idle core steals. A clock tick on all cores charges whoever
// runs, counts quanta, and re-evaluates priorities every few ticks (ageing.hpp). A woken thread preempts only if its
// priority is strictly better, or not at all under SCHED_NOAGE, where every thread keeps the best priority and only the
// quantum counts.
// cfs: run queues ordered by virtual runtime (fair.hpp); wake-ups search one die (placement.hpp); idle cores take
// threads only so often (balancing.hpp).
// Left out: processor sets, real-time classes. A computation already begun keeps its duration when its core's clock
// changes or it is moved to a core with another.

#include "models/machine.hpp"
#include "models/rng.hpp"
#include "sim/engine/engine.hpp"
#include "sim/os/clocks.hpp"
#include "sim/os/cores.hpp"
#include "sim/os/placement.hpp"
#include "sim/os/semaphore_sets.hpp"
#include "sim/os/task.hpp"

#include <cstdint>
#include <vector>

namespace lockcast {

struct SchedulerCounters {
  std::uint64_t switches = 0;       // to another thread than ran there last; these cost something
  std::uint64_t idle_switches = 0;  // into idleness and back to the same thread; vmstat counts them as well
  std::uint64_t preemptions = 0;
  std::uint64_t preempted_holds = 0;
  std::uint64_t steals = 0;
  Picos busy{0};  // summed over cores
};

class Scheduler {
 public:
  Scheduler(Engine& kernel, const Machine& machine, SchedulingClass scheduling, std::vector<Task>& tasks,
            std::uint64_t seed);
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  // Puts every task on the machine at time 0, spread over the cores (cfs: over the dies).
  void start();

  // Called by the running task itself.
  void block(Task& task, Category why);  // until wake(), then until a core runs it
  void sleep(Task& task, Picos duration, Category why);
  void wait(Task& task, Category why);  // semaphore: takes a token, blocking while there is none
  void preemption_point(Task& task) {
    if (task.preempt_pending) [[unlikely]] { yield(task); }
  }

  // The same in the steps of a futex, where the machine has it. take_token: false when there is none. add_token: true
  // when its owner slept; it is then off the queue, and who added wakes it once that is paid for.
  [[nodiscard]] bool has_futex() const { return machine_.scheduler.empty_wake_cost.has_value(); }
  static bool take_token(Task& task) {
    if (task.tokens == 0) { return false; }
    --task.tokens;
    return true;
  }
  static bool add_token(Task& task) {
    ++task.tokens;
    const bool slept = task.waiting && task.state == Task::State::blocked;
    task.waiting = task.waiting && !slept;
    return slept;
  }
  [[nodiscard]] Picos empty_wake_cost(const Task& task) const {
    return at_clock(task, machine_.scheduler.empty_wake_cost->value);
  }

  // Called from anywhere.
  void wake(Task& task, Wake wake = {});
  void post(Task& task, Wake wake = {});  // semaphore: adds a token
  // A call to the semaphore of this backend reaches the kernel now: what it costs the caller.
  SemaphoreSets::Turn semaphore_call(BackendId owner) { return semaphore_sets_.call(owner, kernel_.now()); }
  [[nodiscard]] Picos wake_cost(const Task& task) const { return at_clock(task, wake_cost_); }
  [[nodiscard]] Picos block_cost(const Task& task) const { return at_clock(task, block_cost_); }

  // Private work takes longer when more cores are busy (loaded memory latency), when the core's other hardware threads
  // are busy at its beginning, and when the core's clock is low.
  [[nodiscard]] Picos stretched(const Task& task, Picos work) const {
    double factor = stretch_[cores_.busy] * clocks_.stretch(task.core);
    if (cores_.per_core > 1) [[unlikely]] { factor *= smt_stretch_[cores_.busy_siblings(index(task.core))]; }
    return Picos{static_cast<std::int64_t>(static_cast<double>(work.count()) * factor)};
  }

  void reset_counters();
  [[nodiscard]] SchedulerCounters counters() const;
  [[nodiscard]] std::uint32_t cores() const { return cores_.count(); }
  // All hardware threads of a core are idle.
  [[nodiscard]] bool is_halted(std::uint32_t core) const {
    const std::uint32_t thread = core * cores_.per_core;
    return cores_.is_idle(thread) && (cores_.per_core == 1 || cores_.busy_siblings(thread) == 0);
  }
  [[nodiscard]] const Clocks& clocks() const { return clocks_; }

 private:
  [[nodiscard]] Picos at_clock(const Task& task, Picos cost) const {
    return Picos{static_cast<std::int64_t>(static_cast<double>(cost.count()) * clocks_.stretch(task.core))};
  }
  [[nodiscard]] bool is_fair() const { return machine_.scheduler.policy == SchedulerPolicy::cfs; }
  void yield(Task& task);
  void preempt(Core& core);
  Core& leave_core(Task& task);
  void enqueue(Task& task, std::uint32_t core);
  void dispatch(std::uint32_t core, bool was_idle);
  void place(Task& task, Wake wake);
  void put(Task& task, std::uint32_t core);
  [[nodiscard]] bool better(const Task& a, const Task& b) const;
  [[nodiscard]] bool beats_running(const Task& woken, const Core& core) const;
  [[nodiscard]] std::vector<std::uint32_t>::iterator best_of(std::vector<std::uint32_t>& queue, Picos waiting_since);
  std::uint32_t remove_best(std::uint32_t core, Picos waiting_since);
  std::uint32_t next_for(std::uint32_t core, bool was_idle);
  std::uint32_t steal(std::uint32_t core);
  std::uint32_t take_when_newly_idle(std::uint32_t core);
  bool pull(std::uint32_t core, std::uint32_t first, std::uint32_t count);
  void balance(std::uint32_t core);
  void record_wake(const Task& task, Wake wake) const;
  void tick();
  void tick_ageing();
  void tick_fair();
  void sample_clocks();

  Engine& kernel_;
  const Machine& machine_;
  std::vector<Task>& tasks_;
  Cores cores_;
  Clocks clocks_;
  SemaphoreSets semaphore_sets_;
  std::vector<double> stretch_;
  std::vector<double> smt_stretch_;  // by busy siblings
  bool ageing_;
  bool preemptive_;
  Picos wake_cost_;
  Picos block_cost_;
  SlotId tick_slot_;
  SlotId sample_slot_{};
  std::int64_t ticks_ = 0;
  std::int64_t ticks_per_second_;
  std::uint64_t arrivals_ = 0;
  Rng random_;
  SchedulerCounters counters_;
};

}  // namespace lockcast
