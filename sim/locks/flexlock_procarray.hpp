#pragma once
// The ProcArrayLock of the FlexLocks patch (Robert Haas, November 2011; never committed): an lwlock-9.1 with a second
// list, of backends whose transactions are ending. Their work is so short that it is done while the mutex is held: at
// once if nobody has the lock, and otherwise, for all of the list, by the backend whose release frees it. So an ending
// backend takes the mutex once and never queues again, and however many end, one pass serves them. Ending ones need no
// turn and do not hold up, or count as, a wake-up of the queue.
// Leaves out the largest transaction id of the list, one more word on the mutex's line. The patch's struct with its
// 8-byte pointers is larger than these 32 bytes; how its array was padded is not known, so it is placed as LWLocks are.
// Source: the patch's commit message and head; that the list is last in, first out and its handling before the queue's
// are from memory.

#include "sim/locks/lwlock_9_1.hpp"

#include <cstdint>

namespace lockcast {

template <Env E>
class FlexLockProcArray : public LwLock91<E> {
  using Base = LwLock91<E>;

 public:
  static constexpr LockTraits traits{
      .name = "flexlock-procarray",
      .summary = "FlexLocks patch of 2011: lwlock-9.1 whose releaser does delegated work",
      .bytes = 32,
      .has_shared_mode = true,
      .has_spin_test = true};

  FlexLockProcArray(typename E::Arena& arena, const LockOptions& options)
      : Base(arena, options), ending_(arena.word(24)) {}

  using Base::release;  // where nobody delegates

  template <class Work>
  void delegate(E& env, Work&& work) {
    s_lock_acquire(env, *this->mutex_, this->spin_);
    if (this->is_free(env)) {
      work(env.self());
      s_lock_release(env, *this->mutex_);
      return;
    }
    WaiterWords<typename E::Word>& me = env.waiter(env.self());
    env.store(*me.waiting, 1, Order::relaxed);
    env.store(*me.next, env.load(*ending_, Order::relaxed), Order::relaxed);
    env.store(*ending_, index(env.self()) + 1, Order::relaxed);
    s_lock_release(env, *this->mutex_);
    for (std::uint32_t absorbed = this->sleep_until_woken(env); absorbed > 0; --absorbed) { env.unpark(env.self()); }
  }

  template <class Work>
  void release(E& env, Mode /*mode*/, Work&& work) {
    s_lock_acquire(env, *this->mutex_, this->spin_);
    this->leave(env);
    const std::uint32_t ended = this->is_free(env) ? end_all(env, work) : Base::nobody;
    const std::uint32_t woken = this->dequeue_front(env);
    s_lock_release(env, *this->mutex_);
    this->wake(env, ended);
    this->wake(env, woken);
  }

 private:
  // With the mutex held and the lock free. Returns the list, whose backends are to be woken.
  template <class Work>
  std::uint32_t end_all(E& env, Work& work) {
    const std::uint32_t first = env.load(*ending_, Order::relaxed);
    for (std::uint32_t link = first; link != Base::nobody;) {
      work(BackendId{link - 1});
      link = env.load(*this->waiter(env, link).next, Order::relaxed);
    }
    if (first != Base::nobody) { env.store(*ending_, Base::nobody, Order::relaxed); }
    return first;
  }

  typename E::Word* ending_;
};

}  // namespace lockcast
