// The slow paths of a simulated backend: a miss, polling, and the end of a hold.

#include "sim/memory/sim_env.hpp"

namespace lockcast {

SimEnv::SimEnv(SimServer& server, Task& task, std::vector<WaiterWords<SimWord>>& waiters, std::uint64_t seed)
    : server_(server),
      task_(task),
      hit_(server.cpu.hit.value),
      atomic_hit_(server.cpu.atomic_hit.value),
      pause_(server.cpu.pause.value),
      poll_(server.cpu.poll.value),
      waiters_(waiters) {
  hold_since_.reserve(16);
  for (std::uint32_t purpose = 0; purpose < random_.size(); ++purpose) {
    random_[purpose] = stream(seed, index(task.id) + 1, static_cast<Purpose>(purpose));
  }
}

void SimEnv::change_category(Category category) {
  // The lag so far belongs to what was done before; paying it first would cost an event, so it is moved between the
  // books.
  const Category before = task_.time.current();
  if (before == category) { return; }
  task_.time.enter(category, server_.kernel.now());
  task_.time.move(category, before, lag_, server_.kernel.now());
}

void SimEnv::fetch(LineId line, Operation operation) {
  const Category before = task_.time.current();
  if (before == Category::work) { task_.time.enter(Category::transfer, server_.kernel.now()); }
  server_.memory.fetch(task_, line, operation);
  if (before == Category::work) { task_.time.enter(before, server_.kernel.now()); }
}

// Polls until another core takes the line away (false: read again) or the limit is reached (true).
bool SimEnv::poll_own_copy(LineId line, std::uint32_t limit, std::uint32_t& polls) {
  const std::uint32_t writes_before = server_.memory.shared_writes(line);
  settle();
  if (!server_.memory.hit(task_, line, Operation::load)) { return false; }
  if (server_.memory.shared_writes(line) != writes_before) { return false; }  // after the value was read
  const Picos longest = limit == unbounded ? forever : poll_ * static_cast<std::int64_t>(limit - polls);
  Picos polled{0};
  server_.memory.poll(task_, line, longest, polled);
  polls += static_cast<std::uint32_t>(polled / poll_);
  server_.scheduler.preemption_point(task_);
  return polls >= limit;
}

// The wait for the kernel's lock of the set is a spin on the own core.
void SimEnv::semaphore_call(BackendId owner) {
  const SemaphoreSets::Turn turn = server_.scheduler.semaphore_call(owner);
  if (turn.service == Picos{0}) { return; }
  pay_semaphore(turn.service);
  task_.time.move(task_.time.current(), Category::spin, turn.waited, local_time());
  lag_ += turn.waited;
  settle();
}

// The token is there before the kernel is asked to wake anybody.
void SimEnv::unpark_futex(BackendId id) {
  Scheduler& scheduler = server_.scheduler;
  settle();
  Task& sleeper = server_.tasks[index(id)];
  if (!scheduler.add_token(sleeper)) { return pay_semaphore(scheduler.empty_wake_cost(task_)); }
  pay_semaphore(scheduler.wake_cost(task_));
  settle();
  scheduler.wake(sleeper, {.by = task_.core});
}

// In the queue of the lock that is being acquired, while perhaps others are held.
void SimEnv::slept(Picos time) {
  const std::vector<std::uint32_t>& group = server_.group_of_lock;
  server_.locks[group[current_lock_]].asleep += time;
  if (server_.slept_inside.empty()) { return; }
  const std::size_t groups = server_.locks.size();
  for (const Hold& hold : hold_since_) {
    server_.slept_inside[group[hold.lock] * groups + group[current_lock_]] += time;
  }
}

void SimEnv::delegated(std::uint32_t lock) {
  const std::uint32_t group = server_.group_of_lock[lock];
  LockCounters& counters = server_.locks[group];
  ++counters.delegated;
  const Picos now = local_time();
  counters.wait += now - wait_since_;
  if (server_.profile != nullptr) { server_.profile->wait[group].add(now - wait_since_); }
  leave_hold();
  if (TaskTrace* trace = task_.time.trace()) [[unlikely]] { trace->wants_no_more(now); }
  digest(now, 1);
}

void SimEnv::released(std::uint32_t lock) {
  const std::uint32_t group = server_.group_of_lock[lock];
  LockCounters& counters = server_.locks[group];
  for (std::size_t i = hold_since_.size(); i-- > 0;) {
    if (hold_since_[i].lock == lock) {
      const Picos held = local_time() - hold_since_[i].since;
      counters.hold += held;
      if (server_.profile != nullptr) { server_.profile->hold[group].add(held); }
      hold_since_.erase(hold_since_.begin() + static_cast<std::ptrdiff_t>(i));
      break;
    }
  }
  if (TaskTrace* trace = task_.time.trace()) [[unlikely]] { trace->freed(lock, local_time()); }
  --task_.locks_held;
  if (task_.hold_preempted) {
    ++counters.preempted;
    task_.hold_preempted = task_.locks_held > 0;
  }
}

}  // namespace lockcast
