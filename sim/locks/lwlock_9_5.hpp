#pragma once
// PostgreSQL's LWLock of 9.5: the whole state is one atomic word, so acquiring or releasing a lock that nobody waits
// for is one compare-and-swap or one subtraction, and readers no longer queue for a mutex. The wait list has a
// spinlock. A waiter tries, queues, tries again (the holder may have left meanwhile), then sleeps. As before 9.5
// nothing is handed over, newcomers may win, and after a wake-up nobody else is woken until a woken backend has run;
// new is that all waiting readers are woken together, also those behind a waiting writer.
// Leaves out the backward links of the list, the modes of waiting without acquiring, interrupts and the list of held
// locks. In 9.6 the list's spinlock became a bit of the state word.
// Source: src/backend/storage/lmgr/lwlock.c of REL9_5_STABLE (facts, not text).

#include "sim/locks/lock.hpp"
#include "sim/locks/s_lock_9_4.hpp"

#include <cstdint>

namespace lockcast {

template <Env E>
class LwLock95 {
 public:
  static constexpr LockTraits traits{.name = "lwlock-9.5",
                                     .summary = "PostgreSQL 9.5 LWLock: one atomic word, wait list, no hand-over",
                                     .bytes = 32,
                                     .has_shared_mode = true,
                                     .has_spin_test = true};

  LwLock95(typename E::Arena& arena, const LockOptions& options)
      : mutex_(arena.word(0)),
        state_(arena.word(4)),
        head_(arena.word(8)),
        tail_(arena.word(16)),
        spin_(options.spin) {}

  void acquire(E& env, Mode mode) {
    std::uint32_t absorbed = 0;
    while (!try_acquire(env, mode)) {
      enqueue_self(env, mode);
      if (try_acquire(env, mode)) {
        dequeue_self(env);
        break;
      }
      env.note(LockEvent::blocked);
      absorbed += sleep_until_woken(env);
      allow_wake_ups(env);
    }
    give_back(env, absorbed);
  }

  // The word is swapped in even when the lock is not free: PostgreSQL wants the barrier.
  bool try_acquire(E& env, Mode mode) {
    std::uint32_t seen = env.load(*state_, Order::relaxed);
    for (;;) {
      const bool is_free = (seen & (mode == Mode::exclusive ? holders : exclusive)) == 0;
      const std::uint32_t wanted = is_free ? seen + one(mode) : seen;
      if (env.compare_exchange(*state_, seen, wanted, Order::acq_rel)) { return is_free; }
    }
  }

  void release(E& env, Mode mode) {
    const std::uint32_t left = env.fetch_add(*state_, ~one(mode) + 1, Order::acq_rel) - one(mode);
    if ((left & (holders | has_waiters | wake_pending)) == has_waiters) { wake_up(env); }
  }

 private:
  static constexpr std::uint32_t shared_one = 1;
  static constexpr std::uint32_t exclusive = 1U << 24U;
  static constexpr std::uint32_t holders = (exclusive << 1U) - 1;
  static constexpr std::uint32_t wake_pending = 1U << 29U;  // RELEASE_OK inverted: words start as zero
  static constexpr std::uint32_t has_waiters = 1U << 30U;
  // A backend is its id + 1 in `head`, `tail` and `next`, so that fresh words mean an empty queue.
  static constexpr std::uint32_t nobody = 0;

  static constexpr std::uint32_t one(Mode mode) { return mode == Mode::exclusive ? exclusive : shared_one; }
  static WaiterWords<typename E::Word>& waiter(E& env, std::uint32_t link) { return env.waiter(BackendId{link - 1}); }

  // fetch_or and fetch_and as the compare-and-swap loops that PostgreSQL falls back to.
  void change_state(E& env, std::uint32_t set, std::uint32_t clear) {
    std::uint32_t seen = env.load(*state_, Order::relaxed);
    while (!env.compare_exchange(*state_, seen, (seen | set) & ~clear, Order::acq_rel)) {}
  }
  void allow_wake_ups(E& env) { change_state(env, 0, wake_pending); }

  void lock_list(E& env) { s_lock_acquire(env, *mutex_, spin_, s_lock_sleep_9_4); }
  void unlock_list(E& env) { s_lock_release(env, *mutex_); }

  // The flag is set before the second try, so whoever holds the lock then will see it when it releases.
  void enqueue_self(E& env, Mode mode) {
    const std::uint32_t mine = index(env.self()) + 1;
    WaiterWords<typename E::Word>& me = waiter(env, mine);
    lock_list(env);
    change_state(env, has_waiters, 0);
    env.store(*me.waiting, 1, Order::relaxed);
    env.store(*me.exclusive, mode == Mode::exclusive ? 1 : 0, Order::relaxed);
    env.store(*me.next, nobody, Order::relaxed);
    if (env.load(*head_, Order::relaxed) == nobody) {
      env.store(*head_, mine, Order::relaxed);
    } else {
      env.store(*waiter(env, env.load(*tail_, Order::relaxed)).next, mine, Order::relaxed);
    }
    env.store(*tail_, mine, Order::relaxed);
    unlock_list(env);
  }

  // With the list locked.
  void unlink(E& env, std::uint32_t before, std::uint32_t link) {
    const std::uint32_t after = env.load(*waiter(env, link).next, Order::relaxed);
    env.store(before == nobody ? *head_ : *waiter(env, before).next, after, Order::relaxed);
    if (after == nobody) { env.store(*tail_, before, Order::relaxed); }
  }

  // The second try succeeded. Somebody may have taken this backend off the list meanwhile; then its wake-up is under
  // way and must be waited for, lest it hit a later wait.
  void dequeue_self(E& env) {
    const std::uint32_t mine = index(env.self()) + 1;
    lock_list(env);
    std::uint32_t before = nobody;
    std::uint32_t link = env.load(*head_, Order::relaxed);
    while (link != nobody && link != mine) {
      before = link;
      link = env.load(*waiter(env, link).next, Order::relaxed);
    }
    if (link == mine) { unlink(env, before, link); }
    if (env.load(*head_, Order::relaxed) == nobody && (env.load(*state_, Order::relaxed) & has_waiters) != 0) {
      change_state(env, 0, has_waiters);
    }
    unlock_list(env);
    if (link == mine) {
      env.store(*waiter(env, mine).waiting, 0, Order::relaxed);
    } else {
      allow_wake_ups(env);
      give_back(env, sleep_until_woken(env));
    }
  }

  // A backend has one semaphore for everything it may wait for, so a wake-up may be meant for something else. Returns
  // how many were absorbed; they are given back once the lock is had.
  std::uint32_t sleep_until_woken(E& env) {
    WaiterWords<typename E::Word>& me = env.waiter(env.self());
    std::uint32_t absorbed = 0;
    for (env.park(); env.load(*me.waiting, Order::acquire) != 0; env.park()) { ++absorbed; }
    return absorbed;
  }
  void give_back(E& env, std::uint32_t absorbed) {
    for (; absorbed > 0; --absorbed) { env.unpark(env.self()); }
  }

  // Takes off the list, and wakes, the writer at its front or else all readers.
  void wake_up(E& env) {
    lock_list(env);
    std::uint32_t first = nobody;
    std::uint32_t last = nobody;
    std::uint32_t before = nobody;
    for (std::uint32_t link = env.load(*head_, Order::relaxed); link != nobody;) {
      const WaiterWords<typename E::Word>& words = waiter(env, link);
      const std::uint32_t after = env.load(*words.next, Order::relaxed);
      const bool is_writer = env.load(*words.exclusive, Order::relaxed) != 0;
      if (first != nobody && is_writer) {
        before = link;
      } else {
        unlink(env, before, link);
        env.store(*words.next, nobody, Order::relaxed);
        if (first == nobody) {
          first = link;
        } else {
          env.store(*waiter(env, last).next, link, Order::relaxed);
        }
        last = link;
        if (is_writer) { break; }
      }
      link = after;
    }
    const bool is_empty = env.load(*head_, Order::relaxed) == nobody;
    change_state(env, first != nobody ? wake_pending : 0,
                 (first != nobody ? 0 : wake_pending) | (is_empty ? has_waiters : 0));
    unlock_list(env);
    // Unlinking must be seen before waiting == 0, because the woken may queue again at once.
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
  typename E::Word* state_;
  typename E::Word* head_;
  typename E::Word* tail_;
  SpinTest spin_;
};

}  // namespace lockcast
