// Scheduling decisions. All of them follow from integers and the arrival order, never from the order of a container of
// addresses.

#include "sim/os/scheduler.hpp"

#include <algorithm>

namespace lockcast {

Scheduler::Scheduler(Engine& kernel, const Machine& machine, SchedulingClass scheduling, std::vector<Task>& tasks,
                     std::uint64_t seed)
    : kernel_(kernel),
      machine_(machine),
      tasks_(tasks),
      cores_(machine.topology.threads()),
      stretch_(cores_.size() + 1),
      threads_per_core_(machine.topology.threads_per_core),
      smt_stretch_(threads_per_core_, 1.0),
      ageing_(scheduling == SchedulingClass::time_share && machine.scheduler.priority_levels.value > 0),
      preemptive_(machine.scheduler.preemption == Preemption::full),
      wake_cost_(machine.scheduler.wake_cost.value),
      block_cost_(machine.scheduler.block_cost.value),
      tick_slot_(kernel.add_timer([](void* self, std::uint32_t) { static_cast<Scheduler*>(self)->tick(); }, this, 0)),
      ticks_per_second_(std::max<std::int64_t>(1, Picos{1s} / machine.scheduler.tick.value)),
      idle_cores_(static_cast<std::uint32_t>(cores_.size())),
      random_(stream(seed, 0, Purpose::scheduler)) {
  const auto others_max = static_cast<double>(std::max<std::size_t>(1, cores_.size() - 1));
  for (std::size_t busy = 0; busy < stretch_.size(); ++busy) {
    const double others = busy > 0 ? static_cast<double>(busy - 1) : 0.0;
    stretch_[busy] = machine.cpu.work_scale.value * (1.0 + machine.cpu.loaded_slowdown.value * others / others_max);
  }
  for (std::size_t busy = 1; busy < smt_stretch_.size(); ++busy) {
    const double share = static_cast<double>(busy) / static_cast<double>(threads_per_core_ - 1);
    smt_stretch_[busy] = 1.0 + (machine.cpu.smt_slowdown.value - 1.0) * share;
  }
  for (Core& core : cores_) { core.queue.reserve(8); }
  for (Task& task : tasks_) {
    const auto wake_task = [](void* self, std::uint32_t id) {
      auto& scheduler = *static_cast<Scheduler*>(self);
      scheduler.wake(scheduler.tasks_[id]);
    };
    task.timer = kernel.add_timer(wake_task, this, index(task.id));
  }
}

void Scheduler::start() {
  // A running system has a history: initial use is drawn around what an equal share of the machine accumulates, u =
  // share x ticks per second / (1 - decay), with L taken as 1.
  const double share = std::min(1.0, static_cast<double>(cores_.size()) / static_cast<double>(tasks_.size()));
  const double equilibrium = share * static_cast<double>(ticks_per_second_) * 3.0;
  for (Task& task : tasks_) {
    if (ageing_) { task.use = static_cast<std::uint32_t>(random_.uniform() * equilibrium); }
    reconsider_priority(task);
    task.quantum_ticks = machine_.scheduler.quantum_ticks.value;
    task.core = CoreId{index(task.id) % static_cast<std::uint32_t>(cores_.size())};
    place(task);
  }
  kernel_.schedule(tick_slot_, kernel_.now() + machine_.scheduler.tick.value);
}

bool Scheduler::better(const Task& a, const Task& b) const {
  return a.priority != b.priority ? a.priority < b.priority : a.queued_as < b.queued_as;
}

void Scheduler::reconsider_priority(Task& task) const {
  if (!ageing_) { return; }
  const auto weaker = static_cast<std::int64_t>(task.use) / machine_.scheduler.use_per_priority.value;
  task.priority = static_cast<std::uint32_t>(std::min(weaker, machine_.scheduler.priority_levels.value));
}

void Scheduler::enqueue(Task& task, std::uint32_t core) {
  task.state = Task::State::runnable;
  task.queued_as = arrivals_++;
  task.queued_at = kernel_.now();
  cores_[core].queue.push_back(index(task.id));
  ++queued_;
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

// The best thread of the core's own queue, else of the first queue (counting up from this core) that has one to give
// away.
std::uint32_t Scheduler::take_best(std::uint32_t core) {
  if (queued_ == 0) { return none; }
  const auto count = static_cast<std::uint32_t>(cores_.size());
  const Picos now = kernel_.now();
  for (std::uint32_t step = 0; step < count; ++step) {
    auto& queue = cores_[(core + step) % count].queue;
    const auto best = best_of(queue, step == 0 ? now : now - machine_.scheduler.steal_after.value);
    if (best == queue.end()) { continue; }
    const std::uint32_t task = *best;
    queue.erase(best);
    --queued_;
    if (step != 0) { ++counters_.steals; }
    return task;
  }
  return none;
}

std::uint32_t Scheduler::busy_siblings(std::uint32_t thread) const {
  const std::uint32_t first = thread / threads_per_core_ * threads_per_core_;
  std::uint32_t busy = 0;
  for (std::uint32_t t = first; t < first + threads_per_core_; ++t) {
    if (t != thread && cores_[t].running != none) { ++busy; }
  }
  return busy;
}

// The last one, a core without a busy sibling before any other.
std::uint32_t Scheduler::idle_core_for(std::uint32_t core) const {
  if (idle_cores_ == 0) { return none; }
  if (threads_per_core_ > 1 && machine_.scheduler.wake_placement == WakePlacement::idle_core) {
    const std::uint32_t whole = nearest_idle(core, true);
    if (whole != none) { return whole; }
  }
  return nearest_idle(core, false);
}

std::uint32_t Scheduler::nearest_idle(std::uint32_t core, bool whole_core) const {
  const auto fits = [&](std::uint32_t c) {
    return cores_[c].running == none && (!whole_core || busy_siblings(c) == 0);
  };
  if (fits(core)) { return core; }
  if (machine_.scheduler.wake_placement == WakePlacement::last_core) { return none; }
  // Same die first, then onwards in core order, which is package order.
  const std::uint32_t die_size = machine_.topology.cores_per_die * threads_per_core_;
  const std::uint32_t die_first = core / die_size * die_size;
  for (std::uint32_t c = die_first; c < die_first + die_size; ++c) {
    if (fits(c)) { return c; }
  }
  const auto count = static_cast<std::uint32_t>(cores_.size());
  for (std::uint32_t step = die_size; step < count + die_size; ++step) {
    const std::uint32_t c = (die_first + step) % count;
    if (fits(c)) { return c; }
  }
  return none;
}

// Finds a core for a thread that became runnable: its last one if idle, else the nearest idle one, else its last one's
// queue.
void Scheduler::place(Task& task) {
  const std::uint32_t idle = idle_core_for(index(task.core));
  if (idle != none) {
    enqueue(task, idle);
    dispatch(idle, true);
    return;
  }
  Core& core = cores_[index(task.core)];
  enqueue(task, index(task.core));
  if (preemptive_ && ageing_ && task.priority < tasks_[core.running].priority) { preempt(core); }
}

void Scheduler::wake(Task& task) {
  CHECK(task.state == Task::State::blocked, "woke a task that was not blocked");
  task.time.enter(Category::runnable, kernel_.now());
  place(task);
}

// Makes the best queued thread of `core` run on it. Precondition: nothing runs there.
void Scheduler::dispatch(std::uint32_t core_number, bool was_idle) {
  Core& core = cores_[core_number];
  const Picos now = kernel_.now();
  const std::uint32_t chosen = take_best(core_number);
  if (chosen == none) {
    if (!was_idle) {
      --busy_cores_;
      ++idle_cores_;
      counters_.busy += now - core.busy_since;
    }
    return;
  }
  Task& task = tasks_[chosen];
  Picos start = now;
  if (was_idle) {
    ++busy_cores_;
    --idle_cores_;
    core.busy_since = now;
    start += machine_.scheduler.wake_latency.value + machine_.scheduler.idle_exit.value;
  }
  if (core.last != chosen) {
    start += machine_.scheduler.context_switch.value;
    ++counters_.switches;
  }
  core.running = chosen;
  core.last = chosen;
  task.core = CoreId{core_number};
  task.state = Task::State::running;
  task.preempt_pending = false;
  if (task.quantum_ticks <= 0) { task.quantum_ticks = machine_.scheduler.quantum_ticks.value; }
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
    core.running = none;
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
  Core& core = cores_[index(task.core)];
  core.running = none;
  enqueue(task, index(task.core));
  dispatch(index(task.core), false);
  kernel_.suspend();
}

void Scheduler::block(Task& task, Category why) {
  task.resumes_as = task.time.current();
  task.time.enter(why, kernel_.now());
  task.state = Task::State::blocked;
  task.preempt_pending = false;
  Core& core = cores_[index(task.core)];
  core.running = none;
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

void Scheduler::post(Task& task) {
  ++task.tokens;
  if (task.waiting && task.state == Task::State::blocked) {
    task.waiting = false;
    wake(task);
  }
}

void Scheduler::tick() {
  ++ticks_;
  kernel_.schedule(tick_slot_, kernel_.now() + machine_.scheduler.tick.value);
  const bool reconsider = ageing_ && ticks_ % machine_.scheduler.priority_ticks.value == 0;
  for (std::uint32_t number = 0; number < cores_.size(); ++number) {
    Core& core = cores_[number];
    if (core.running == none) {
      if (queued_ > 0) { dispatch(number, true); }  // an idle core looks around
      continue;
    }
    Task& task = tasks_[core.running];
    ++task.use;
    --task.quantum_ticks;
    if (reconsider) { reconsider_priority(task); }
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
  if (ageing_ && ticks_ % ticks_per_second_ == 0) { decay(); }
}

void Scheduler::decay() {
  const double load = static_cast<double>(queued_ + busy_cores_) / static_cast<double>(cores_.size());
  const double factor = 2.0 * load / (2.0 * load + 1.0);
  for (Task& task : tasks_) {
    task.use = static_cast<std::uint32_t>(static_cast<double>(task.use) * factor);
    reconsider_priority(task);
  }
}

void Scheduler::reset_counters() {
  counters_ = {};
  for (Core& core : cores_) { core.busy_since = kernel_.now(); }
}

SchedulerCounters Scheduler::counters() const {
  SchedulerCounters result = counters_;
  for (const Core& core : cores_) {
    if (core.running != none) { result.busy += kernel_.now() - core.busy_since; }
  }
  return result;
}

}  // namespace lockcast
