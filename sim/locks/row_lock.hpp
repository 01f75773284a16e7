#pragma once
// A row of a table as its updaters see it: locked at the UPDATE, released at commit, so a hold spans round trips and
// waiters always sleep. First come, first served: release hands the row to the longest waiter, as the heavyweight tuple
// lock makes them queue. The mutex stands for the page's content lock under which xmax is set and read. Leaves out that
// in PostgreSQL a running newcomer may overtake a waiter that was woken but does not run yet, and everything a conflict
// costs besides the wait (lock manager, timer): that is the scenario's `conflict` steps.
// Source: heap_update, XactLockTableWait and LockTuple at commit ff4fd4bf (facts, not text).

#include "sim/locks/lock.hpp"
#include "sim/locks/s_lock_9_2.hpp"

#include <cstdint>

namespace lockcast {

template <Env E>
class RowLock {
 public:
  static constexpr LockTraits traits{.name = "row-lock",
                                     .summary = "a row, locked until commit: first come, first served; waiters sleep",
                                     .bytes = 16,
                                     .has_shared_mode = false,
                                     .has_spin_test = true,
                                     .held_to_commit = true};

  RowLock(typename E::Arena& arena, const LockOptions& options)
      : mutex_(arena.word(0)), held_(arena.word(4)), head_(arena.word(8)), tail_(arena.word(12)), spin_(options.spin) {}

  bool try_acquire(E& env, Mode /*mode*/) {
    s_lock_acquire(env, *mutex_, spin_);
    const bool is_free = take_if_free(env);
    s_lock_release(env, *mutex_);
    return is_free;
  }

  void acquire(E& env, Mode /*mode*/) {
    s_lock_acquire(env, *mutex_, spin_);
    if (take_if_free(env)) {
      s_lock_release(env, *mutex_);
      return;
    }
    enqueue_self(env);
    s_lock_release(env, *mutex_);
    env.note(LockEvent::blocked);
    std::uint32_t absorbed = 0;  // wake-ups meant for something else, given back once the row is ours
    for (env.park(); env.load(*env.waiter(env.self()).waiting, Order::acquire) != 0; env.park()) { ++absorbed; }
    for (; absorbed > 0; --absorbed) { env.unpark(env.self()); }
  }

  void release(E& env, Mode /*mode*/) {
    s_lock_acquire(env, *mutex_, spin_);
    const std::uint32_t first = env.load(*head_, Order::relaxed);
    if (first == nobody) {
      env.store(*held_, 0, Order::relaxed);
      s_lock_release(env, *mutex_);
      return;
    }
    WaiterWords<typename E::Word>& next_holder = env.waiter(BackendId{first - 1});
    env.store(*head_, env.load(*next_holder.next, Order::relaxed), Order::relaxed);
    s_lock_release(env, *mutex_);
    env.store(*next_holder.waiting, 0, Order::release);
    env.unpark(BackendId{first - 1});
  }

 private:
  // A backend is its id + 1 in `head`, `tail` and `next`, so that fresh words mean an empty queue.
  static constexpr std::uint32_t nobody = 0;

  // With the mutex held.
  bool take_if_free(E& env) {
    if (env.load(*held_, Order::relaxed) != 0) { return false; }
    env.store(*held_, 1, Order::relaxed);
    return true;
  }

  // With the mutex held.
  void enqueue_self(E& env) {
    const std::uint32_t mine = index(env.self()) + 1;
    WaiterWords<typename E::Word>& me = env.waiter(env.self());
    env.store(*me.waiting, 1, Order::relaxed);
    env.store(*me.next, nobody, Order::relaxed);
    if (env.load(*head_, Order::relaxed) == nobody) {
      env.store(*head_, mine, Order::relaxed);
    } else {
      env.store(*env.waiter(BackendId{env.load(*tail_, Order::relaxed) - 1}).next, mine, Order::relaxed);
    }
    env.store(*tail_, mine, Order::relaxed);
  }

  typename E::Word* mutex_;
  typename E::Word* held_;
  typename E::Word* head_;
  typename E::Word* tail_;
  SpinTest spin_;
};

}  // namespace lockcast
