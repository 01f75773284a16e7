#pragma once
// Cores, run queues, preemption, sleeps and semaphores of one server. Each core has a run queue ordered by (priority,
// arrival); an idle core steals. A clock tick on all cores charges whoever runs, counts quanta, and re-evaluates
// priorities every few ticks: use weakens a priority and decays once a second by 2L/(2L+1), L being runnable threads
// per core (4.3BSD; HP-UX keeps this scheme). A woken thread preempts only if its priority is strictly better, or not
// at all under SCHED_NOAGE, where every thread keeps the best priority and only the quantum counts.
// Left out: per-core load balancing beyond stealing, processor sets, real-time classes.

#include "models/machine.hpp"
#include "models/rng.hpp"
#include "sim/engine/engine.hpp"
#include "sim/os/task.hpp"

#include <cstdint>
#include <vector>

namespace lockcast {

struct SchedulerCounters {
  std::uint64_t switches = 0;
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

  // Puts every task on the machine at time 0, spread over the cores.
  void start();

  // Called by the running task itself.
  void block(Task& task, Category why);  // until wake(), then until a core runs it
  void sleep(Task& task, Picos duration, Category why);
  void wait(Task& task, Category why);  // semaphore: takes a token, blocking while there is none
  void preemption_point(Task& task) {
    if (task.preempt_pending) [[unlikely]] { yield(task); }
  }

  // Called from anywhere.
  void wake(Task& task);
  void post(Task& task);  // semaphore: adds a token
  [[nodiscard]] Picos wake_cost() const { return wake_cost_; }
  [[nodiscard]] Picos block_cost() const { return block_cost_; }

  // Private work takes longer when more cores are busy (loaded memory latency), and when the core's other hardware
  // threads are busy at its beginning.
  [[nodiscard]] Picos stretched(Picos work, CoreId thread) const {
    double factor = stretch_[busy_cores_];
    if (threads_per_core_ > 1) [[unlikely]] { factor *= smt_stretch_[busy_siblings(index(thread))]; }
    return Picos{static_cast<std::int64_t>(static_cast<double>(work.count()) * factor)};
  }

  void reset_counters();
  [[nodiscard]] SchedulerCounters counters() const;
  [[nodiscard]] std::uint32_t cores() const { return static_cast<std::uint32_t>(cores_.size()); }

 private:
  struct Core {
    std::uint32_t running = none;
    std::uint32_t last = none;  // the task whose state is still loaded
    Picos busy_since{0};
    std::vector<std::uint32_t> queue;
  };
  static constexpr std::uint32_t none = 0xffffffffU;

  void yield(Task& task);
  void preempt(Core& core);
  void enqueue(Task& task, std::uint32_t core);
  void dispatch(std::uint32_t core, bool was_idle);
  void place(Task& task);
  [[nodiscard]] std::uint32_t busy_siblings(std::uint32_t thread) const;
  [[nodiscard]] std::uint32_t idle_core_for(std::uint32_t core) const;
  [[nodiscard]] std::uint32_t nearest_idle(std::uint32_t core, bool whole_core) const;
  [[nodiscard]] bool better(const Task& a, const Task& b) const;
  std::uint32_t take_best(std::uint32_t core);
  [[nodiscard]] std::vector<std::uint32_t>::iterator best_of(std::vector<std::uint32_t>& queue, Picos waiting_since);
  void reconsider_priority(Task& task) const;
  void tick();
  void decay();

  Engine& kernel_;
  const Machine& machine_;
  std::vector<Task>& tasks_;
  std::vector<Core> cores_;
  std::vector<double> stretch_;
  std::uint32_t threads_per_core_;
  std::vector<double> smt_stretch_;  // by busy siblings
  bool ageing_;
  bool preemptive_;
  Picos wake_cost_;
  Picos block_cost_;
  SlotId tick_slot_;
  std::int64_t ticks_ = 0;
  std::int64_t ticks_per_second_;
  std::uint32_t busy_cores_ = 0;
  std::uint32_t idle_cores_;
  std::uint32_t queued_ = 0;
  std::uint64_t arrivals_ = 0;
  Rng random_;
  SchedulerCounters counters_;
};

}  // namespace lockcast
