// Scheduling decisions. All of them follow from integers and the arrival order, never from the order of a container of
// addresses.

#include "sim/os/scheduler.hpp"

#include "sim/os/ageing.hpp"
#include "sim/os/balancing.hpp"
#include "sim/os/fair.hpp"

#include <algorithm>

namespace lockcast {

Scheduler::Scheduler(Engine& kernel, const Machine& machine, SchedulingClass scheduling, std::vector<Task>& tasks,
                     std::uint64_t seed)
    : kernel_(kernel),
      machine_(machine),
      tasks_(tasks),
      cores_(machine.topology),
      clocks_(machine.governor, cores_.count()),
      semaphore_sets_(machine.semaphore_sets, tasks.size()),
      stretch_(cores_.all.size() + 1),
      smt_stretch_(cores_.per_core, 1.0),
      ageing_(!is_fair() && scheduling == SchedulingClass::time_share && machine.scheduler.priority_levels.value > 0),
      preemptive_(machine.scheduler.preemption == Preemption::full),
      wake_cost_(machine.scheduler.wake_cost.value),
      block_cost_(machine.scheduler.block_cost.value),
      tick_slot_(kernel.add_timer([](void* self, std::uint32_t) { static_cast<Scheduler*>(self)->tick(); }, this, 0)),
      ticks_per_second_(std::max<std::int64_t>(1, Picos{1s} / machine.scheduler.tick.value)),
      random_(stream(seed, 0, Purpose::scheduler)) {
  const auto others_max = static_cast<double>(std::max<std::size_t>(1, cores_.all.size() - 1));
  for (std::size_t busy = 0; busy < stretch_.size(); ++busy) {
    const double others = busy > 0 ? static_cast<double>(busy - 1) : 0.0;
    stretch_[busy] = machine.cpu.work_scale.value * (1.0 + machine.cpu.loaded_slowdown.value * others / others_max);
  }
  for (std::size_t busy = 1; busy < smt_stretch_.size(); ++busy) {
    const double share = static_cast<double>(busy) / static_cast<double>(cores_.per_core - 1);
    smt_stretch_[busy] = 1.0 + (machine.cpu.smt_slowdown.value - 1.0) * share;
  }
  for (Core& core : cores_.all) { core.average_idle = 2 * machine.scheduler.cfs.migration_cost.value; }
  if (clocks_.governed()) {
    sample_slot_ =
        kernel.add_timer([](void* self, std::uint32_t) { static_cast<Scheduler*>(self)->sample_clocks(); }, this, 0);
  }
  for (Task& task : tasks_) {
    const auto wake_task = [](void* self, std::uint32_t id) {
      auto& scheduler = *static_cast<Scheduler*>(self);
      scheduler.wake(scheduler.tasks_[id]);
    };
    task.timer = kernel.add_timer(wake_task, this, index(task.id));
  }
}

void Scheduler::start() {
  const double use = ageing::equilibrium(cores_.all.size(), tasks_.size(), ticks_per_second_);
  for (Task& task : tasks_) {
    if (ageing_) {
      task.use = static_cast<std::uint32_t>(random_.uniform() * use);
      ageing::reconsider(machine_.scheduler, task);
    }
    task.quantum_ticks = machine_.scheduler.quantum_ticks.value;
    if (is_fair()) {
      task.core = CoreId{spread_core(cores_, index(task.id))};
      put(task, index(task.core));
    } else {
      task.core = CoreId{index(task.id) % cores_.count()};
      place(task, {});
    }
  }
  kernel_.schedule(tick_slot_, kernel_.now() + machine_.scheduler.tick.value);
  if (clocks_.governed()) { kernel_.schedule(sample_slot_, kernel_.now() + clocks_.sampling()); }
}

// --- Run queues ---

bool Scheduler::better(const Task& a, const Task& b) const {
  if (is_fair() && a.vruntime != b.vruntime) { return a.vruntime < b.vruntime; }
  return a.priority != b.priority ? a.priority < b.priority : a.queued_as < b.queued_as;
}

void Scheduler::enqueue(Task& task, std::uint32_t core) {
  if (index(task.core) != core) {
    fair::move(task, cores_.all[index(task.core)], cores_.all[core]);
    task.core = CoreId{core};
  }
  task.state = Task::State::runnable;
  task.queued_as = arrivals_++;
  task.queued_at = kernel_.now();
  cores_.all[core].queue.push_back(index(task.id));
  ++cores_.queued;
}

// The best thread that has waited at least since `waiting_since`, or the queue's end.
std::vector<std::uint32_t>::iterator Scheduler::best_of(std::vector<std::uint32_t>& queue, Picos waiting_since) {
  auto best = queue.end();
  for (auto candidate = queue.begin(); candidate != queue.end(); ++candidate) {
    if (tasks_[*candidate].queued_at > waiting_since) { continue; }
    if (best == queue.end() || better(tasks_[*candidate], tasks_[*best])) { best = candidate; }
  }
  return best;
}

// The best thread of a core's queue that has waited at least since `waiting_since`, or none.
std::uint32_t Scheduler::remove_best(std::uint32_t core, Picos waiting_since) {
  std::vector<std::uint32_t>& queue = cores_.all[core].queue;
  const auto best = best_of(queue, waiting_since);
  if (best == queue.end()) { return no_index; }
  const std::uint32_t task = *best;
  queue.erase(best);
  --cores_.queued;
  return task;
}

// What a core that has nothing to run runs next: the best thread of its own queue, else one of another's.
std::uint32_t Scheduler::next_for(std::uint32_t core, bool was_idle) {
  if (cores_.queued == 0) { return no_index; }
  if (!cores_.all[core].queue.empty()) { return remove_best(core, kernel_.now()); }
  if (!is_fair()) { return steal(core); }
  return was_idle ? no_index : take_when_newly_idle(core);
}

// hp-ux: the first queue, counting up from this core, that has a thread to give away.
std::uint32_t Scheduler::steal(std::uint32_t core) {
  const Picos waiting_since = kernel_.now() - machine_.scheduler.steal_after.value;
  for (std::uint32_t step = 1; step < cores_.count(); ++step) {
    const std::uint32_t task = remove_best((core + step) % cores_.count(), waiting_since);
    if (task == no_index) { continue; }
    ++counters_.steals;
    return task;
  }
  return no_index;
}

// cfs (idle_balance): a core that is idle only for moments leaves others' threads alone.
std::uint32_t Scheduler::take_when_newly_idle(std::uint32_t core) {
  const CfsModel& model = machine_.scheduler.cfs;
  if (cores_.all[core].average_idle < model.migration_cost.value) { return no_index; }
  std::uint32_t from = busiest_for(cores_, core, cores_.die_first(core), cores_.per_die);
  if (from == no_index && model.newidle_balance == NewIdle::machine) {
    from = busiest_for(cores_, core, 0, cores_.count());
  }
  if (from == no_index) { return no_index; }
  const std::uint32_t task = remove_best(from, kernel_.now());
  fair::move(tasks_[task], cores_.all[from], cores_.all[core]);
  ++counters_.steals;
  return task;
}

// cfs: one thread comes over from the busiest of `count` cores, if any has one to give.
bool Scheduler::pull(std::uint32_t core, std::uint32_t first, std::uint32_t count) {
  const std::uint32_t from = busiest_for(cores_, core, first, count);
  if (from == no_index) { return false; }
  ++counters_.steals;
  enqueue(tasks_[remove_best(from, kernel_.now())], core);
  if (cores_.is_idle(core)) { dispatch(core, true); }
  return true;
}

// cfs (rebalance_domains): often in the die, seldom beyond it; a busy core looks more seldom still.
void Scheduler::balance(std::uint32_t number) {
  const CfsModel& model = machine_.scheduler.cfs;
  Core& core = cores_.all[number];
  const Picos now = kernel_.now();
  const std::int64_t factor = cores_.is_idle(number) ? 1 : model.busy_factor.value;
  if (now - core.die_balanced >= model.die_balance_interval.value * factor) {
    core.die_balanced = now;
    if (pull(number, cores_.die_first(number), cores_.per_die)) { return; }
  }
  if (now - core.machine_balanced >= model.machine_balance_interval.value * factor &&
      looks_beyond_die(cores_, number)) {
    core.machine_balanced = now;
    pull(number, 0, cores_.count());
  }
}

// --- Wake-ups ---

// Finds a core for a thread that became runnable.
void Scheduler::place(Task& task, Wake wake) {
  const std::uint32_t last = index(task.core);
  if (is_fair()) {
    put(task, fair_core(cores_, machine_.scheduler.cfs.wake_affine, last, wake));
    return;
  }
  const std::uint32_t idle = idle_core_near(cores_, machine_.scheduler.wake_placement, last);
  put(task, idle != no_index ? idle : last);
}

// A thread that became runnable begins on this core, or queues there.
void Scheduler::put(Task& task, std::uint32_t number) {
  Core& core = cores_.all[number];
  const bool was_idle = cores_.is_idle(number);
  if (is_fair() && !was_idle) { fair::charge(core, tasks_, kernel_.now()); }
  enqueue(task, number);
  if (is_fair()) { fair::woken(machine_.scheduler.cfs, task, core); }
  if (was_idle) {
    dispatch(number, true);
  } else if (beats_running(task, core)) {
    preempt(core);
  }
}

bool Scheduler::beats_running(const Task& woken, const Core& core) const {
  const Task& running = tasks_[core.running];
  if (is_fair()) { return fair::preempts(machine_.scheduler.cfs, woken, running); }
  return preemptive_ && ageing_ && woken.priority < running.priority;
}

void Scheduler::wake(Task& task, Wake wake) {
  CHECK(task.state == Task::State::blocked, "woke a task that was not blocked");
  if (task.time.trace() != nullptr) [[unlikely]] { record_wake(task, wake); }
  task.time.enter(Category::runnable, kernel_.now());
  place(task, wake);
}

void Scheduler::record_wake(const Task& task, Wake wake) const {
  if (wake.by == no_core) { return; }
  const std::uint32_t waker = cores_.all[index(wake.by)].running;
  if (waker != no_index) { task.time.trace()->woken_by(waker, kernel_.now()); }
}

// --- Who has a core ---

// The running thread no longer has its core.
Core& Scheduler::leave_core(Task& task) {
  Core& core = cores_.all[index(task.core)];
  if (is_fair()) { fair::charge(core, tasks_, kernel_.now()); }
  core.running = no_index;
  return core;
}

// Makes the next thread run on a core. Precondition: nothing runs there.
void Scheduler::dispatch(std::uint32_t core_number, bool was_idle) {
  Core& core = cores_.all[core_number];
  const Picos now = kernel_.now();
  const std::uint32_t chosen = next_for(core_number, was_idle);
  if (chosen == no_index) {
    if (!was_idle) {
      ++counters_.idle_switches;
      --cores_.busy;
      counters_.busy += now - core.busy_since;
      core.awake += std::max(now - core.awake_since, Picos{0});
      core.idle_since = now;
    }
    return;
  }
  Task& task = tasks_[chosen];
  Picos start = now;
  if (was_idle) {
    ++cores_.busy;
    core.busy_since = now;
    if (is_fair()) { fair::idle_ended(machine_.scheduler.cfs, core, now); }
    start += machine_.scheduler.wake_latency.value + machine_.scheduler.idle_exit.value;
    core.awake_since = start;
  }
  if (core.last != chosen) {
    start += machine_.scheduler.context_switch.value;
    ++counters_.switches;
  } else if (was_idle) {
    ++counters_.idle_switches;
  }
  core.running = chosen;
  core.last = chosen;
  core.picked_at = start;
  task.charged_until = start;
  task.core = CoreId{core_number};
  task.state = Task::State::running;
  task.preempt_pending = false;
  if (task.quantum_ticks <= 0) { task.quantum_ticks = machine_.scheduler.quantum_ticks.value; }
  if (TaskTrace* trace = task.time.trace()) [[unlikely]] { trace->switching_since(now); }
  task.time.enter(task.resumes_as, start);  // runnable until `start`
  kernel_.schedule(task.fiber, task.interrupted ? start + task.remaining : start);
  task.interrupted = false;
}

// Takes the core from the thread running there, as soon as what it does allows.
void Scheduler::preempt(Core& core) {
  Task& task = tasks_[core.running];
  if (task.preempt_pending) { return; }
  if (task.doing == Task::Doing::computing && kernel_.pending(task.fiber)) {
    ++counters_.preemptions;
    if (task.locks_held > 0) { task.hold_preempted = true; }
    task.interrupted = true;
    task.remaining = kernel_.time_of(task.fiber) - kernel_.now();
    kernel_.cancel(task.fiber);
    task.resumes_as = task.time.current();
    task.time.enter(Category::runnable, kernel_.now());
    const std::uint32_t core_number = index(task.core);
    leave_core(task);
    enqueue(task, core_number);
    dispatch(core_number, false);
    return;
  }
  task.preempt_pending = true;
  if (task.doing == Task::Doing::polling) { kernel_.schedule(task.fiber, kernel_.now()); }
}

// The running task gives way at a preemption point.
void Scheduler::yield(Task& task) {
  ++counters_.preemptions;
  if (task.locks_held > 0) { task.hold_preempted = true; }
  task.preempt_pending = false;
  task.resumes_as = task.time.current();
  task.time.enter(Category::runnable, kernel_.now());
  leave_core(task);
  enqueue(task, index(task.core));
  dispatch(index(task.core), false);
  kernel_.suspend();
}

void Scheduler::block(Task& task, Category why) {
  task.resumes_as = task.time.current();
  task.time.enter(why, kernel_.now());
  task.state = Task::State::blocked;
  task.preempt_pending = false;
  leave_core(task);
  dispatch(index(task.core), false);
  kernel_.suspend();
}

void Scheduler::sleep(Task& task, Picos duration, Category why) {
  const SchedulerModel& model = machine_.scheduler;
  Picos until = kernel_.now() + duration;
  if (model.sleep_tick.value > Picos{0}) {
    const std::int64_t tick = model.sleep_tick.value.count();
    until = Picos{(until.count() + tick - 1) / tick * tick};
  } else {
    until += model.sleep_slack.value;
  }
  kernel_.schedule(task.timer, until);
  block(task, why);
}

void Scheduler::wait(Task& task, Category why) {
  while (task.tokens == 0) {
    task.waiting = true;
    block(task, why);
    task.waiting = false;
  }
  --task.tokens;
}

void Scheduler::post(Task& task, Wake wake) {
  ++task.tokens;
  if (task.waiting && task.state == Task::State::blocked) {
    task.waiting = false;
    this->wake(task, wake);
  }
}

// --- Clock ticks ---

void Scheduler::tick() {
  ++ticks_;
  kernel_.schedule(tick_slot_, kernel_.now() + machine_.scheduler.tick.value);
  is_fair() ? tick_fair() : tick_ageing();
}

void Scheduler::tick_fair() {
  const Picos now = kernel_.now();
  for (std::uint32_t number = 0; number < cores_.count(); ++number) {
    Core& core = cores_.all[number];
    if (core.running != no_index) {
      fair::charge(core, tasks_, now);
      const bool slice_over = now - core.picked_at > fair::slice(machine_.scheduler.cfs, cores_.load(number));
      if (!core.queue.empty() && slice_over) { preempt(core); }
    }
    balance(number);
  }
}

void Scheduler::tick_ageing() {
  const bool reconsider = ageing_ && ticks_ % machine_.scheduler.priority_ticks.value == 0;
  for (std::uint32_t number = 0; number < cores_.count(); ++number) {
    Core& core = cores_.all[number];
    if (core.running == no_index) {
      if (cores_.queued > 0) { dispatch(number, true); }  // an idle core looks around
      continue;
    }
    Task& task = tasks_[core.running];
    ++task.use;
    --task.quantum_ticks;
    if (reconsider) { ageing::reconsider(machine_.scheduler, task); }
    if (!preemptive_ || core.queue.empty()) {
      if (task.quantum_ticks <= 0) { task.quantum_ticks = machine_.scheduler.quantum_ticks.value; }
      continue;
    }
    const bool quantum_over = task.quantum_ticks <= 0;
    const std::uint32_t waiting = tasks_[*best_of(core.queue, kernel_.now())].priority;
    if (waiting < task.priority || (quantum_over && waiting == task.priority)) {
      preempt(core);
    } else if (quantum_over) {
      task.quantum_ticks = machine_.scheduler.quantum_ticks.value;
    }
  }
  if (ageing_ && ticks_ % ticks_per_second_ == 0) {
    const std::uint32_t runnable = cores_.queued + cores_.busy;
    ageing::decay(machine_.scheduler, tasks_, static_cast<double>(runnable) / static_cast<double>(cores_.count()));
  }
}

void Scheduler::sample_clocks() {
  kernel_.schedule(sample_slot_, kernel_.now() + clocks_.sampling());
  clocks_.sample(cores_, kernel_.now());
}

// --- Books ---

void Scheduler::reset_counters() {
  counters_ = {};
  for (Core& core : cores_.all) { core.busy_since = kernel_.now(); }
}

SchedulerCounters Scheduler::counters() const {
  SchedulerCounters result = counters_;
  for (const Core& core : cores_.all) {
    if (core.running != no_index) { result.busy += kernel_.now() - core.busy_since; }
  }
  return result;
}

}  // namespace lockcast
