#pragma once
// PostgreSQL's LWLock of 9.1: a shared/exclusive lock whose state is guarded by a spinlock (s_lock-9.2) that every
// acquire and every release takes. No hand-over: the woken compete again, newcomers may win, and the loser queues at
// the tail; readers never yield to queued writers; after a wake-up nobody else is woken until a woken backend has
// run. Every shared access of the C code is kept, in its order, except re-reading for ++ or -- a field read just
// before. Leaves out try-acquire, interrupts and the list of held locks.
// Source: src/backend/storage/lmgr/lwlock.c at commit ff4fd4bf (facts, not text).

#include "sim/locks/lock.hpp"
#include "sim/locks/s_lock_9_2.hpp"

#include <cstdint>

namespace lockcast {

template <Env E>
class LwLock91 {
 public:
  static constexpr LockTraits traits{.name = "lwlock-9.1",
                                     .summary = "PostgreSQL LWLock before 9.5: spinlock, wait queue, no hand-over",
                                     .bytes = 32,
                                     .has_shared_mode = true,
                                     .has_spin_test = true};

  LwLock91(typename E::Arena& arena, const LockOptions& options)
      : mutex_(arena.word(0)),
        wake_pending_(arena.word(4)),
        exclusive_(arena.word(8)),
        shared_(arena.word(12)),
        head_(arena.word(16)),
        tail_(arena.word(20)),
        spin_(options.spin) {}

  void acquire(E& env, Mode mode) {
    std::uint32_t absorbed = 0;
    bool woken = false;
    for (;;) {
      s_lock_acquire(env, *mutex_, spin_);
      if (woken) { env.store(*wake_pending_, 0, Order::relaxed); }
      if (try_grant(env, mode)) { break; }
      enqueue_self(env, mode);
      s_lock_release(env, *mutex_);
      absorbed += sleep_until_woken(env);
      woken = true;
    }
    s_lock_release(env, *mutex_);
    for (; absorbed > 0; --absorbed) { env.unpark(env.self()); }
  }

  void release(E& env, Mode /*mode*/) {
    s_lock_acquire(env, *mutex_, spin_);
    leave(env);
    const std::uint32_t woken = dequeue_front(env);
    s_lock_release(env, *mutex_);
    wake(env, woken);
  }

 protected:  // flexlock-procarray adds a second list
  // A backend is its id + 1 in `head`, `tail` and `next`, so that fresh words mean an empty queue.
  static constexpr std::uint32_t nobody = 0;

  static WaiterWords<typename E::Word>& waiter(E& env, std::uint32_t link) { return env.waiter(BackendId{link - 1}); }

  // With the mutex held.
  void leave(E& env) {
    if (const std::uint32_t exclusive = env.load(*exclusive_, Order::relaxed); exclusive > 0) {
      env.store(*exclusive_, exclusive - 1, Order::relaxed);
    } else {
      env.store(*shared_, env.load(*shared_, Order::relaxed) - 1, Order::relaxed);
    }
  }

  // With the mutex held.
  bool is_free(E& env) { return env.load(*exclusive_, Order::relaxed) == 0 && env.load(*shared_, Order::relaxed) == 0; }

  // With the mutex held. The wait queue is not consulted, in either mode.
  bool try_grant(E& env, Mode mode) {
    if (env.load(*exclusive_, Order::relaxed) != 0) { return false; }
    const std::uint32_t shared = env.load(*shared_, Order::relaxed);
    if (mode == Mode::shared) {
      env.store(*shared_, shared + 1, Order::relaxed);
      return true;
    }
    if (shared != 0) { return false; }
    env.store(*exclusive_, 1, Order::relaxed);
    return true;
  }

  // With the mutex held.
  void enqueue_self(E& env, Mode mode) {
    const std::uint32_t mine = index(env.self()) + 1;
    WaiterWords<typename E::Word>& me = waiter(env, mine);
    env.store(*me.waiting, 1, Order::relaxed);
    env.store(*me.exclusive, mode == Mode::exclusive ? 1 : 0, Order::relaxed);
    env.store(*me.next, nobody, Order::relaxed);
    if (env.load(*head_, Order::relaxed) == nobody) {
      env.store(*head_, mine, Order::relaxed);
    } else {
      env.store(*waiter(env, env.load(*tail_, Order::relaxed)).next, mine, Order::relaxed);
    }
    env.store(*tail_, mine, Order::relaxed);
  }

  // A backend has one semaphore for everything it may wait for, so a wake-up may be meant for something else. Returns
  // how many were absorbed; the caller gives them back once it holds the lock.
  std::uint32_t sleep_until_woken(E& env) {
    WaiterWords<typename E::Word>& me = env.waiter(env.self());
    std::uint32_t absorbed = 0;
    env.note(LockEvent::blocked);
    for (;;) {
      env.park();
      if (env.load(*me.waiting, Order::acquire) == 0) { return absorbed; }
      ++absorbed;
    }
  }

  // With the mutex held. If the lock became free and no earlier wake-up is under way, unlinks the writer at the front
  // or the run of readers there, and returns the first of them.
  std::uint32_t dequeue_front(E& env) {
    const std::uint32_t first = env.load(*head_, Order::relaxed);
    if (first == nobody || env.load(*exclusive_, Order::relaxed) != 0 || env.load(*shared_, Order::relaxed) != 0 ||
        env.load(*wake_pending_, Order::relaxed) != 0) {
      return nobody;
    }
    std::uint32_t last = first;
    const bool wakes_readers = env.load(*waiter(env, first).exclusive, Order::relaxed) == 0;
    std::uint32_t after = env.load(*waiter(env, last).next, Order::relaxed);
    while (wakes_readers && after != nobody && env.load(*waiter(env, after).exclusive, Order::relaxed) == 0) {
      last = after;
      after = env.load(*waiter(env, last).next, Order::relaxed);
    }
    env.store(*head_, after, Order::relaxed);
    env.store(*waiter(env, last).next, nobody, Order::relaxed);
    env.store(*wake_pending_, 1, Order::relaxed);
    return first;
  }

  // Without the mutex. Unlinking must be seen before waiting == 0, because the woken may queue again at once: the
  // original lacked that order on weak machines, here the release store gives it.
  void wake(E& env, std::uint32_t first) {
    while (first != nobody) {
      WaiterWords<typename E::Word>& woken = waiter(env, first);
      const BackendId id{first - 1};
      first = env.load(*woken.next, Order::relaxed);
      env.store(*woken.next, nobody, Order::relaxed);
      env.store(*woken.waiting, 0, Order::release);
      env.unpark(id);
    }
  }

  typename E::Word* mutex_;
  typename E::Word* wake_pending_;  // releaseOK, negated: fresh words are zero and a fresh lock may wake
  typename E::Word* exclusive_;
  typename E::Word* shared_;
  typename E::Word* head_;
  typename E::Word* tail_;
  SpinTest spin_;
};

}  // namespace lockcast
