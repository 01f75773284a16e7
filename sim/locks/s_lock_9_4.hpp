#pragma once
// PostgreSQL's spinlock of 9.4 to 9.6. As s_lock-9.2 but for two things: on x86-64 too the retry loop polls by plain
// loads and only the first try is an exchange at once (Itanium did so since 9.2), and sleeps are counted in
// microseconds, so that waiters who fell asleep together do not wake together.
// Source: commits 9e0bc7c1e8 (June 2013) and b03d196be0 (August 2013) (facts, not text).

#include "sim/locks/lock.hpp"
#include "sim/locks/s_lock_9_2.hpp"

namespace lockcast {

inline constexpr SLockSleep s_lock_sleep_9_4{.unit = 1us, .min = 1'000, .max = 1'000'000};

template <Env E>
class SLock94 {
 public:
  static constexpr LockTraits traits{.name = "s_lock-9.4",
                                     .summary = "PostgreSQL 9.4-9.6 spinlock: polls by plain loads, sleeps from 1 ms",
                                     .bytes = 4,
                                     .has_shared_mode = false,
                                     .has_spin_test = false};

  SLock94(typename E::Arena& arena, const LockOptions& /*options*/) : held_(arena.word(0)) {}

  void acquire(E& env, Mode /*mode*/) { s_lock_acquire(env, *held_, SpinTest::ttas_in_loop, s_lock_sleep_9_4); }
  void release(E& env, Mode /*mode*/) { s_lock_release(env, *held_); }

 private:
  typename E::Word* held_;
};

}  // namespace lockcast
