#pragma once
// Test-and-test-and-set lock: waiters poll a shared copy by plain loads and try the exchange only when they saw the
// lock free. All of them see that at once, so a release costs one transfer per waiter. Unfair, not reentrant, no
// back-off. Source: L. Rudolph and Z. Segall, ISCA 1984; T. Anderson, IEEE TPDS 1990, "spin on read".

#include "sim/locks/lock.hpp"

#include <cstdint>

namespace lockcast {

template <Env E>
class Ttas {
 public:
  static constexpr LockTraits traits{.name = "ttas",
                                     .summary = "test-and-test-and-set: polls by plain loads",
                                     .bytes = 4,
                                     .has_shared_mode = false,
                                     .has_spin_test = false};

  Ttas(typename E::Arena& arena, const LockOptions& /*options*/) : held_(arena.word(0)) {}

  void acquire(E& env, Mode /*mode*/) {
    if (env.load(*held_, Order::relaxed) == 0 && env.exchange(*held_, 1, Order::acquire) == 0) { return; }
    env.begin_spin();
    do {
      env.spin_until(
          *held_, [](std::uint32_t held) { return held == 0; }, unbounded);
    } while (env.exchange(*held_, 1, Order::acquire) != 0);
    env.end_spin();
  }

  void release(E& env, Mode /*mode*/) { env.store(*held_, 0, Order::release); }

 private:
  typename E::Word* held_;
};

}  // namespace lockcast
