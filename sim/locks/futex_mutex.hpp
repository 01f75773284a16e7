#pragma once
// Drepper's mutex of three states: free, held, held and perhaps waited for. Taking and giving back a lock that nobody
// waits for is one atomic each and no system call; a waiter sleeps at once, and a woken one competes again.
// The futex itself stands here too, because the contract has only tokens: a list of waiters under a spinlock, as a hash
// bucket of the kernel. It differs from the kernel's in that
//   - a backend can be preempted while it holds the bucket's spinlock; the kernel forbids that;
//   - a token may be meant for something else, so a waiter looks at its own word and gives such tokens back; FUTEX_WAIT
//     returns early instead, and the mutex would just try again;
//   - the bucket is this mutex's alone, on a line of its own; in the kernel unrelated futexes may share one;
//   - entering the kernel is paid in park and unpark only: a wait that finds the word changed, and a wake that finds
//     nobody, cost no system call.
// No time-outs, priority inheritance or requeueing.
// Sources: U. Drepper, "Futexes Are Tricky", 2004-2011, "Mutex, Take 2" (with the exchange); kernel/futex.c.

#include "sim/locks/lock.hpp"

#include <cstdint>

namespace lockcast {

template <Env E>
class FutexMutex {
 public:
  static constexpr LockTraits traits{.name = "futex-mutex",
                                     .summary = "three-state mutex: one atomic while nobody waits, waiters sleep",
                                     .bytes = 4,
                                     .has_shared_mode = false,
                                     .has_spin_test = false};

  FutexMutex(typename E::Arena& arena, const LockOptions& /*options*/)
      : state_(arena.word(0)),
        bucket_(arena.own_line()),
        head_(arena.same_line(bucket_)),
        tail_(arena.same_line(head_)) {}

  void acquire(E& env, Mode /*mode*/) {
    std::uint32_t seen = free;
    if (env.compare_exchange(*state_, seen, held, Order::acquire)) { return; }
    if (seen != waited_for) { seen = env.exchange(*state_, waited_for, Order::acquire); }
    while (seen != free) {
      futex_wait(env);
      seen = env.exchange(*state_, waited_for, Order::acquire);
    }
  }

  void release(E& env, Mode /*mode*/) {
    if (env.fetch_add(*state_, ~std::uint32_t{0}, Order::release) == held) { return; }
    env.store(*state_, free, Order::release);
    futex_wake_one(env);
  }

 private:
  static constexpr std::uint32_t free = 0;
  static constexpr std::uint32_t held = 1;
  static constexpr std::uint32_t waited_for = 2;
  // A backend is its id + 1 in `head`, `tail` and `next`, so that fresh words mean an empty queue.
  static constexpr std::uint32_t nobody = 0;

  // Sleeps unless the mutex is no longer waited for; whoever changes that wakes somebody afterwards, under the bucket.
  void futex_wait(E& env) {
    const std::uint32_t mine = index(env.self()) + 1;
    WaiterWords<typename E::Word>& me = env.waiter(env.self());
    lock_bucket(env);
    if (env.load(*state_, Order::relaxed) != waited_for) {
      unlock_bucket(env);
      return;
    }
    env.store(*me.waiting, 1, Order::relaxed);
    env.store(*me.next, nobody, Order::relaxed);
    if (env.load(*head_, Order::relaxed) == nobody) {
      env.store(*head_, mine, Order::relaxed);
    } else {
      env.store(*env.waiter(BackendId{env.load(*tail_, Order::relaxed) - 1}).next, mine, Order::relaxed);
    }
    env.store(*tail_, mine, Order::relaxed);
    unlock_bucket(env);
    env.note(LockEvent::blocked);
    std::uint32_t absorbed = 0;
    for (env.park(); env.load(*me.waiting, Order::acquire) != 0; env.park()) { ++absorbed; }
    for (; absorbed > 0; --absorbed) { env.unpark(env.self()); }
  }

  void futex_wake_one(E& env) {
    lock_bucket(env);
    const std::uint32_t first = env.load(*head_, Order::relaxed);
    if (first == nobody) {
      unlock_bucket(env);
      return;
    }
    WaiterWords<typename E::Word>& woken = env.waiter(BackendId{first - 1});
    env.store(*head_, env.load(*woken.next, Order::relaxed), Order::relaxed);
    unlock_bucket(env);
    env.store(*woken.waiting, 0, Order::release);
    env.unpark(BackendId{first - 1});
  }

  void lock_bucket(E& env) {
    if (env.exchange(*bucket_, 1, Order::acquire) == 0) { return; }
    env.begin_spin();
    do {
      env.spin_until(
          *bucket_, [](std::uint32_t taken) { return taken == 0; }, unbounded);
    } while (env.exchange(*bucket_, 1, Order::acquire) != 0);
    env.end_spin();
  }
  void unlock_bucket(E& env) { env.store(*bucket_, 0, Order::release); }

  typename E::Word* state_;
  typename E::Word* bucket_;
  typename E::Word* head_;
  typename E::Word* tail_;
};

}  // namespace lockcast
