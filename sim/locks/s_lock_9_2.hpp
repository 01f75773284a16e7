#pragma once
// PostgreSQL's spinlock of 9.1 to 9.3: one inline try, then rounds of spins_per_delay polls with a sleep of 1 ms or
// more after each round. The poll count adapts per process, whichever lock was contended. The spin test is an option:
// it is what the HP-UX measurements of 2011 vary. The free functions serve the mutex inside lwlock-9.1. Leaves out
// the PANIC after 1000 sleeps ("stuck spinlock"): a waiter keeps trying, so a lost release is a hang.
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
  static constexpr std::uint32_t sleep_ms_min = 1;
  static constexpr std::uint32_t sleep_ms_max = 1000;
};

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
void s_lock_acquire(E& env, typename E::Word& word, SpinTest spin) {
  if (s_lock_try(env, word, spin)) { return; }
  ProcessState& process = env.process();
  std::uint32_t sleep_ms = 0;
  env.begin_spin();
  while (!s_lock_poll(env, word, spin, process.spins_per_delay)) {
    env.end_spin();
    env.note(LockEvent::spin_delay);
    if (sleep_ms == 0) { sleep_ms = SLockLimits::sleep_ms_min; }
    env.sleep(std::chrono::milliseconds{sleep_ms});
    // Grows by a random factor between 1 and 2, rounded to whole milliseconds, and starts over above the maximum.
    sleep_ms += static_cast<std::uint32_t>(sleep_ms * env.random(Purpose::backoff).uniform() + 0.5);
    if (sleep_ms > SLockLimits::sleep_ms_max) { sleep_ms = SLockLimits::sleep_ms_min; }
    env.begin_spin();
  }
  env.end_spin();
  if (sleep_ms == 0) {
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
