#pragma once
// Test-and-set lock: every poll is an exchange, so each spinner takes the line away from the holder and from its
// rivals. Unfair, not reentrant, no back-off; the lower bound to compare with.
// Source: T. Anderson, "The Performance of Spin Lock Alternatives", IEEE TPDS 1990, "spin on test-and-set".

#include "sim/locks/lock.hpp"

#include <cstdint>

namespace lockcast {

template <Env E>
class Tas {
 public:
  static constexpr LockTraits traits{.name = "tas",
                                     .summary = "test-and-set: every poll is an exchange",
                                     .bytes = 4,
                                     .has_shared_mode = false,
                                     .has_spin_test = false};

  Tas(typename E::Arena& arena, const LockOptions& /*options*/) : held_(arena.word(0)) {}

  void acquire(E& env, Mode /*mode*/) {
    if (env.exchange(*held_, 1, Order::acquire) == 0) { return; }
    env.begin_spin();
    do { env.pause(); } while (env.exchange(*held_, 1, Order::acquire) != 0);
    env.end_spin();
  }

  void release(E& env, Mode /*mode*/) { env.store(*held_, 0, Order::release); }

 private:
  typename E::Word* held_;
};

}  // namespace lockcast
