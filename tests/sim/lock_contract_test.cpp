// The lock contract under simulated timing: every lock of the list with every spin test, on several machines, with
// fewer and more backends than cores. All backends start at the same instant, so their first requests are tied. Broken
// locks prove that the contract and the executor would notice.

#include "tests/contract/lock_contract.hpp"

#include "tests/sim/simulated_executor.hpp"
#include "tests/sim/textbook.hpp"

#include <gtest/gtest.h>

#include <string>

namespace lockcast::lock_contract_test {
namespace {

using contract::Rounds;
using Make = contract::Maker<SimEnv>;

struct Setting {
  std::string_view name;
  std::uint32_t backends;
  Changes changes;
};

// Short quanta, because backends beyond the cores spin for a whole one when the holder has lost its core.
const Changes four_cores = one_die(4) + Changes{{"scheduler.tick", "100 us"}, {"scheduler.quantum_ticks", "1"}};

std::vector<Setting> settings() {
  return {
      {"fewer backends than cores", 6, {}},
      {"more backends than cores", 9, four_cores},
      {"the nearest is served first, dirty lines migrate", 9,
       four_cores + Changes{{"coherence.near_bias", "0.5"}, {"coherence.migrating_reads", "on"}}},
      {"requests to a line overlap", 6, {{"coherence.line_queue", "off"}}},
      {"transfers are free", 9, four_cores + free_transfers},
      {"ageing priorities, sleeps on the tick, stealing after a wait", 9,
       four_cores + Changes{{"scheduler.priority_levels", "77"},
                            {"scheduler.wake_placement", "last-core"},
                            {"scheduler.sleep_tick", "500 us"},
                            {"scheduler.steal_after", "150 us"}}},
      {"cfs with wake-up preemption, a governor and semaphore sets", 9,
       one_die(4) + cfs + ondemand + semaphore_sets("4", "700 ns") +
           Changes{{"scheduler.tick", "100 us"},
                   {"scheduler.sched_latency", "400 us"},
                   {"scheduler.min_granularity", "100 us"},
                   {"scheduler.sleeper_credit", "200 us"},
                   {"scheduler.wakeup_granularity", "50 us"},
                   {"scheduler.wakeup_preemption", "on"},
                   {"scheduler.wake_cost", "1 us"},
                   {"scheduler.wake_latency", "5 us"}}},
      {"two threads to a core, all lines at home on a third die", 9,
       Changes{{"topology.packages", "1"},
               {"topology.dies_per_package", "3"},
               {"topology.cores_per_die", "1"},
               {"topology.threads_per_core", "2"},
               {"cpu.smt_slowdown", "1.5"},
               {"coherence.home", "first-touch"},
               {"coherence.third_leg", "25 ns"},
               {"scheduler.tick", "100 us"},
               {"scheduler.quantum_ticks", "1"}}},
  };
}

class LockContract : public testing::TestWithParam<contract::Kind<SimEnv>> {
 protected:
  // One law in every setting with every option; twice, because the same run must end at the same instant.
  template <class Law>
  static void holds(Law law) {
    const auto& [traits, can_delegate, make] = GetParam();
    for (const Setting& setting : settings()) {
      const Machine machine = textbook(setting.changes);
      for (const LockOptions& options : contract::all_options(traits)) {
        SCOPED_TRACE(std::string(traits.name) + ", " +
                     std::string(spin_test_names[static_cast<std::size_t>(options.spin)]) + ", " +
                     std::string(setting.name));
        SimulatedExecutor executor(machine, setting.backends);
        EXPECT_TRUE(law(executor, make, options));
        SimulatedExecutor again(machine, setting.backends);
        EXPECT_TRUE(law(again, make, options));
        EXPECT_EQ(executor.all_ended(), again.all_ended());
        EXPECT_EQ(executor.events(), again.events());
      }
    }
  }
};

INSTANTIATE_TEST_SUITE_P(All, LockContract, testing::ValuesIn(contract::all_kinds<SimEnv>),
                         contract::test_name<SimEnv>);

TEST_P(LockContract, no_update_is_lost_in_the_critical_section) {
  holds([](SimulatedExecutor& executor, Make make, const LockOptions& options) {
    return contract::no_update_is_lost(executor, make, {.count = 60, .sleep_every = 20, .options = options});
  });
}

TEST_P(LockContract, readers_never_see_a_writer) {
  holds([](SimulatedExecutor& executor, Make make, const LockOptions& options) {
    return contract::readers_never_see_a_writer(executor, make, {.count = 60, .sleep_every = 20, .options = options});
  });
}

TEST_P(LockContract, readers_may_overlap_in_a_lock_with_shared_mode) {
  if (!GetParam().traits.has_shared_mode) { GTEST_SKIP() << "exclusive mode only"; }
  holds([](SimulatedExecutor& executor, Make make, const LockOptions& options) {
    return contract::readers_may_overlap(executor, make, options);
  });
}

TEST_P(LockContract, every_backend_gets_through_and_keeps_its_other_wake_ups) {
  holds([](SimulatedExecutor& executor, Make make, const LockOptions& options) {
    return contract::every_backend_gets_through(executor, make, {.count = 40, .sleep_every = 10, .options = options});
  });
}

TEST_P(LockContract, delegated_work_is_done_once_and_alone) {
  if (!GetParam().can_delegate) { GTEST_SKIP() << "cannot delegate"; }
  holds([](SimulatedExecutor& executor, Make make, const LockOptions& options) {
    return contract::delegated_work_is_done_once_and_alone(executor, make,
                                                           {.count = 60, .sleep_every = 20, .options = options});
  });
}

TEST_P(LockContract, different_locks_nest) {
  holds([](SimulatedExecutor& executor, Make make, const LockOptions& options) {
    return contract::nested_different_locks(executor, make, {.count = 40, .sleep_every = 20, .options = options});
  });
}

// --- Broken locks ---

// Looks, then takes: whoever looks in between takes it too.
template <Env E>
class LookThenTake {
 public:
  LookThenTake(typename E::Arena& arena, const LockOptions& /*options*/) : held_(arena.word(0)) {}
  void acquire(E& env, Mode /*mode*/) {
    env.spin_until(
        *held_, [](std::uint32_t held) { return held == 0; }, unbounded);
    env.store(*held_, 1, Order::relaxed);
  }
  void release(E& env, Mode /*mode*/) { env.store(*held_, 0, Order::release); }

 private:
  typename E::Word* held_;
};

template <Env E>
class NoLock {
 public:
  NoLock(typename E::Arena& /*arena*/, const LockOptions& /*options*/) {}
  void acquire(E& /*env*/, Mode /*mode*/) {}
  void release(E& /*env*/, Mode /*mode*/) {}
};

// Excludes writers, but lets readers in at any time.
template <Env E>
class IgnoresReaders {
 public:
  IgnoresReaders(typename E::Arena& arena, const LockOptions& options) : lock_(arena, options) {}
  void acquire(E& env, Mode mode) {
    if (mode == Mode::exclusive) { lock_.acquire(env, mode); }
  }
  void release(E& env, Mode mode) {
    if (mode == Mode::exclusive) { lock_.release(env, mode); }
  }

 private:
  Tas<E> lock_;
};

template <Env E>
class NeverReleased {
 public:
  NeverReleased(typename E::Arena& arena, const LockOptions& options) : lock_(arena, options) {}
  void acquire(E& env, Mode mode) { lock_.acquire(env, mode); }
  void release(E& /*env*/, Mode /*mode*/) {}

 private:
  Ttas<E> lock_;
};

template <Env E>
class NeverReleasedPolling : public NeverReleased<E> {
 public:
  NeverReleasedPolling(typename E::Arena& arena, const LockOptions& options)
      : NeverReleased<E>(arena, options), lock_(arena, options) {}
  void acquire(E& env, Mode mode) { lock_.acquire(env, mode); }

 private:
  Tas<E> lock_;
};

// Does its own work at once, whoever has the lock.
template <Env E>
class DelegatesToItself {
 public:
  DelegatesToItself(typename E::Arena& arena, const LockOptions& options) : lock_(arena, options) {}
  void acquire(E& env, Mode mode) { lock_.acquire(env, mode); }
  template <class Work>
  void release(E& env, Mode mode, Work&& /*work*/) {
    lock_.release(env, mode);
  }
  template <class Work>
  void delegate(E& env, Work&& work) {
    work(env.self());
  }

 private:
  Tas<E> lock_;
};

// Waits in its semaphore for a wake-up that never comes.
template <Env E>
class ForgetsToWake {
 public:
  ForgetsToWake(typename E::Arena& arena, const LockOptions& /*options*/) : held_(arena.word(0)) {}
  void acquire(E& env, Mode /*mode*/) {
    while (env.exchange(*held_, 1, Order::acquire) != 0) { env.park(); }
  }
  void release(E& env, Mode /*mode*/) { env.store(*held_, 0, Order::release); }

 private:
  typename E::Word* held_;
};

constexpr Rounds few{.count = 20, .sleep_every = 5};

template <template <class> class Lock>
bool loses_updates() {
  SimulatedExecutor executor(textbook(), 4);
  return !contract::no_update_is_lost(executor, contract::make<SimEnv, Lock>, few);
}

// What the executor says about a lock that leaves backends behind.
template <template <class> class Lock>
std::string complaint() {
  SimulatedExecutor executor(textbook(), 4, {.time_limit = 20ms});
  try {
    static_cast<void>(contract::no_update_is_lost(executor, contract::make<SimEnv, Lock>, few));
  } catch (const std::runtime_error& error) { return error.what(); }
  return "(none)";
}

TEST(BrokenLock, that_does_not_exclude_loses_updates) {
  EXPECT_TRUE(loses_updates<NoLock>());
  EXPECT_TRUE(loses_updates<LookThenTake>());
  EXPECT_FALSE(loses_updates<Tas>());
}

TEST(BrokenLock, that_ignores_readers_shows_them_half_done_writes) {
  SimulatedExecutor executor(textbook(), 4);
  EXPECT_FALSE(contract::readers_never_see_a_writer(executor, contract::make<SimEnv, IgnoresReaders>, few));
}

TEST(BrokenLock, that_excludes_readers_fails_the_law_that_they_overlap) {
  SimulatedExecutor executor(textbook(), 4);
  EXPECT_FALSE(contract::readers_may_overlap(executor, contract::make<SimEnv, Ttas>, {}));
}

TEST(BrokenLock, whose_delegated_work_is_not_under_it_is_caught) {
  SimulatedExecutor executor(textbook(), 4);
  EXPECT_FALSE(
      contract::delegated_work_is_done_once_and_alone(executor, contract::make<SimEnv, DelegatesToItself>, few));
}

TEST(BrokenLock, that_is_never_released_is_reported_as_a_dead_lock_whether_its_waiters_poll_or_park) {
  EXPECT_EQ(complaint<NeverReleased>(), "dead-lock: 4 of 4 backends left behind: 0 1 2 3");
  EXPECT_EQ(complaint<ForgetsToWake>().substr(0, 10), "dead-lock:");
  EXPECT_EQ(complaint<Ttas>(), "(none)");
}

TEST(BrokenLock, that_is_never_released_and_takes_the_line_at_each_poll_is_reported_at_the_time_limit) {
  EXPECT_EQ(complaint<NeverReleasedPolling>(), "out of time: 4 of 4 backends left behind: 0 1 2 3");
}

}  // namespace
}  // namespace lockcast::lock_contract_test
