#pragma once
// PostgreSQL's spinlock of 9.1 to 9.3: one inline try, then rounds of spins_per_delay polls with a sleep of 1 ms or
// more after each round. The poll count adapts per process, whichever lock was contended. The spin test is an option:
// it is what the HP-UX measurements of 2011 vary. The free functions serve the mutexes of LWLocks and s_lock-9.4.
// Leaves out the PANIC after 1000 sleeps ("stuck spinlock"): a waiter keeps trying, so a lost release is a hang.
// Source: src/backend/storage/lmgr/s_lock.c and src/include/storage/s_lock.h at commit ff4fd4bf (facts, not text).

#include "sim/locks/lock.hpp"

#include <algorithm>
#include <cstdint>

namespace lockcast {

struct SLockLimits {
  static constexpr std::uint32_t spins_min = 10;
  static constexpr std::uint32_t spins_max = 1000;
  static constexpr std::uint32_t spins_gained = 100;  // when polling alone got the lock
  static constexpr std::uint32_t spins_lost = 1;      // when it took a sleep
};

// Sleeps from 1 ms to 1 s, counted in whole units: that they are milliseconds makes the first ones 1 or 2 and nothing
// between, and is all that changed in 9.4.
struct SLockSleep {
  Picos unit;
  std::uint32_t min;
  std::uint32_t max;
};
inline constexpr SLockSleep s_lock_sleep_9_2{.unit = 1ms, .min = 1, .max = 1000};

// The first, inline try. Never adapts.
template <Env E>
bool s_lock_try(E& env, typename E::Word& word, SpinTest spin) {
  if (spin == SpinTest::ttas_in_tas && env.load(word, Order::relaxed) != 0) { return false; }
  return env.exchange(word, 1, Order::acquire) == 0;
}

// Polls until the lock is ours (true) or `limit` polls have failed (false). A poll fails either in the plain load or
// in the exchange after it, and both count as one spin.
template <Env E>
bool s_lock_poll(E& env, typename E::Word& word, SpinTest spin, std::uint32_t limit) {
  std::uint32_t failed = 0;
  while (failed < limit) {
    if (spin != SpinTest::tas) {
      const Spins spins = env.spin_until(
          word, [](std::uint32_t held) { return held == 0; }, limit - failed);
      if (!spins.satisfied) { return false; }
      failed += spins.polls - 1;  // the last poll saw the lock free; the exchange decides whether it fails
    }
    if (env.exchange(word, 1, Order::acquire) == 0) { return true; }
    env.pause();
    ++failed;
  }
  return false;
}

template <Env E>
void s_lock_acquire(E& env, typename E::Word& word, SpinTest spin, const SLockSleep& limits = s_lock_sleep_9_2) {
  if (s_lock_try(env, word, spin)) { return; }
  ProcessState& process = env.process();
  std::uint32_t sleep = 0;
  env.begin_spin();
  while (!s_lock_poll(env, word, spin, process.spins_per_delay)) {
    env.end_spin();
    env.note(LockEvent::spin_delay);
    if (sleep == 0) { sleep = limits.min; }
    env.sleep(limits.unit * sleep);
    // Grows by a random factor between 1 and 2, rounded to whole units, and starts over above the maximum.
    sleep += static_cast<std::uint32_t>(sleep * env.random(Purpose::backoff).uniform() + 0.5);
    if (sleep > limits.max) { sleep = limits.min; }
    env.begin_spin();
  }
  env.end_spin();
  if (sleep == 0) {
    process.spins_per_delay = std::min(process.spins_per_delay + SLockLimits::spins_gained, SLockLimits::spins_max);
  } else {
    process.spins_per_delay = std::max(process.spins_per_delay - SLockLimits::spins_lost, SLockLimits::spins_min);
  }
}

template <Env E>
void s_lock_release(E& env, typename E::Word& word) {
  env.store(word, 0, Order::release);
}

template <Env E>
class SLock92 {
 public:
  static constexpr LockTraits traits{.name = "s_lock-9.2",
                                     .summary = "PostgreSQL 9.1-9.3 spinlock: adaptive polls, then sleeps from 1 ms",
                                     .bytes = 4,
                                     .has_shared_mode = false,
                                     .has_spin_test = true};

  SLock92(typename E::Arena& arena, const LockOptions& options) : held_(arena.word(0)), spin_(options.spin) {}

  void acquire(E& env, Mode /*mode*/) { s_lock_acquire(env, *held_, spin_); }
  void release(E& env, Mode /*mode*/) { s_lock_release(env, *held_); }

 private:
  typename E::Word* held_;
  SpinTest spin_;
};

}  // namespace lockcast
