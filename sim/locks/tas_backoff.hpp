#pragma once
// Test-and-set with bounded exponential back-off: whoever finds the lock held leaves the line alone for a random time
// whose mean doubles with every failure. The time passes in private work, so no line moves meanwhile; the price is that
// a free lock may stay unnoticed for the rest of a delay. Unfair, not reentrant, no sleep: a delaying waiter keeps its
// core.
// Sources: T. Anderson, "The Performance of Spin Lock Alternatives", IEEE TPDS 1990, section on delay (random, mean
// doubled after a failure, bounded by the number of processors); J. Mellor-Crummey and M. Scott, "Algorithms for
// Scalable Synchronization", ACM TOCS 1991, section 2.1 (starts at one unit, doubles).

#include "sim/locks/lock.hpp"

#include <algorithm>
#include <cstdint>

namespace lockcast {

struct TasBackoffLimits {
  // One unit is about what one poll that misses costs, so that a waiter who delays saves at least one. Both papers
  // tune it per machine; 100 ns is a transfer between sockets of the machines here, and longer or shorter delays fail
  // in known ways: idle locks, or polls as dense as those of plain test-and-set.
  static constexpr Picos unit{100ns};
  static constexpr std::uint32_t first_mean = 1;
};

template <Env E>
class TasBackoff {
 public:
  static constexpr LockTraits traits{.name = "tas-backoff",
                                     .summary = "test-and-set with bounded random exponential back-off",
                                     .bytes = 4,
                                     .has_shared_mode = false,
                                     .has_spin_test = false};

  // With everybody waiting, delays of so many units on average leave about one poll per unit.
  TasBackoff(typename E::Arena& arena, const LockOptions& /*options*/)
      : held_(arena.word(0)), mean_max_(std::max(arena.backends(), TasBackoffLimits::first_mean)) {}

  void acquire(E& env, Mode /*mode*/) {
    if (env.exchange(*held_, 1, Order::acquire) == 0) { return; }
    std::uint32_t mean = TasBackoffLimits::first_mean;
    env.begin_spin();
    do {
      env.work(env.random(Purpose::backoff).uniform_around(TasBackoffLimits::unit * std::int64_t{mean}));
      env.pause();
      mean = std::min(mean * 2, mean_max_);
    } while (env.exchange(*held_, 1, Order::acquire) != 0);
    env.end_spin();
  }

  void release(E& env, Mode /*mode*/) { env.store(*held_, 0, Order::release); }

 private:
  typename E::Word* held_;
  std::uint32_t mean_max_;
};

}  // namespace lockcast
