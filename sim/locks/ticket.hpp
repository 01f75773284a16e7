#pragma once
// Ticket lock: first come, first served; one atomic to join, then all waiters poll the same `owner` word, which
// shares the line with `next`. No proportional back-off. A preempted waiter stalls everyone behind it.
// Source: J. Mellor-Crummey and M. Scott, "Algorithms for Scalable Synchronization", ACM TOCS 1991, section 2.2.

#include "sim/locks/lock.hpp"

#include <cstdint>

namespace lockcast {

template <Env E>
class Ticket {
 public:
  static constexpr LockTraits traits{.name = "ticket",
                                     .summary = "ticket: first come, first served; waiters poll one word",
                                     .bytes = 8,
                                     .has_shared_mode = false,
                                     .has_spin_test = false,
                                     .spins_in_order = true};

  Ticket(typename E::Arena& arena, const LockOptions& /*options*/) : next_(arena.word(0)), owner_(arena.word(4)) {}

  void acquire(E& env, Mode /*mode*/) {
    const std::uint32_t mine = env.fetch_add(*next_, 1, Order::relaxed);
    if (env.load(*owner_, Order::acquire) == mine) { return; }
    env.begin_spin();
    env.spin_until(
        *owner_, [mine](std::uint32_t owner) { return owner == mine; }, unbounded);
    env.end_spin();
  }

  // Only the holder writes `owner`, so its own read needs no order and the increment no atomic.
  void release(E& env, Mode /*mode*/) { env.store(*owner_, env.load(*owner_, Order::relaxed) + 1, Order::release); }

 private:
  typename E::Word* next_;
  typename E::Word* owner_;
};

}  // namespace lockcast
