// What a lock promises beyond the contract of all locks: how often it touches what it is known for touching rarely, and
// whom it wakes.

#include "sim/locks/flexlock_procarray.hpp"
#include "sim/locks/futex_mutex.hpp"
#include "sim/locks/group_clear_9_6.hpp"
#include "sim/locks/lwlock_9_1.hpp"
#include "sim/locks/lwlock_9_5.hpp"
#include "sim/locks/s_lock_9_4.hpp"
#include "sim/locks/tas_backoff.hpp"
#include "tests/sim/counting_env.hpp"
#include "tests/sim/simulate.hpp"
#include "tests/sim/simulated_executor.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace lockcast::lock_laws_test {
namespace {

// Acquires and releases in a few modes, one backend, nobody else about.
template <template <class> class Lock>
CountingEnv alone(const std::vector<Mode>& modes) {
  SimulatedExecutor executor(textbook(), 1);
  SimArena arena = executor.arena();
  Lock<CountingEnv> lock(arena, {});
  std::vector<CountingEnv> counted;
  executor.run([&](SimEnv& env) {
    CountingEnv counting(env);
    for (const Mode mode : modes) {
      lock.acquire(counting, mode);
      lock.release(counting, mode);
    }
    counted.push_back(counting);
  });
  return counted.front();
}

// Backend 0 holds the lock for a while; backend 1 comes 1 us later. Returns what it did.
template <template <class> class Lock>
CountingEnv waiting(Picos hold, std::uint32_t backends = 2) {
  SimulatedExecutor executor(textbook(free_scheduling), backends);
  SimArena arena = executor.arena();
  Lock<CountingEnv> lock(arena, {});
  std::vector<CountingEnv> counted;
  executor.run([&](SimEnv& env) {
    CountingEnv counting(env);
    if (index(env.self()) > 1) { return; }
    if (index(env.self()) == 1) { env.sleep(1us); }
    lock.acquire(counting, Mode::exclusive);
    if (index(env.self()) == 0) { env.sleep(hold); }
    lock.release(counting, Mode::exclusive);
    if (index(env.self()) == 1) { counted.push_back(counting); }
  });
  return counted.front();
}

// --- tas-backoff

// Means grow 1, 2, 4, ... up to the number of backends in units of 100 ns, and stay there; a try costs 15 ns more.
TEST(TasBackoffLaw, a_waiter_tries_once_in_as_many_units_as_there_are_backends) {
  for (const std::uint32_t backends : {2U, 16U}) {
    const double expected = 2e6 / (backends * 100 + 15);
    const CountingEnv waiter = waiting<TasBackoff>(2ms, backends);
    EXPECT_NEAR(waiter.atomics, expected, 0.1 * expected) << backends << " backends";
    EXPECT_EQ(waiter.parks, 0U);
    EXPECT_TRUE(waiter.sleeps.empty());
  }
}

// --- futex-mutex

TEST(FutexMutexLaw, two_atomics_and_no_wake_up_while_nobody_waits) {
  const CountingEnv counted = alone<FutexMutex>({Mode::exclusive, Mode::exclusive, Mode::exclusive});
  EXPECT_EQ(counted.atomics, 6U);
  EXPECT_EQ(counted.parks + counted.unparks + counted.spins, 0U);
}

// Its own try, saying that it waits, the bucket's lock, and once more when woken. Its release is of a mutex that may be
// waited for: one atomic, and the bucket's lock only to find nobody.
TEST(FutexMutexLaw, a_waiter_sleeps_at_once_and_polls_nothing) {
  const CountingEnv counted = waiting<FutexMutex>(1ms);
  EXPECT_EQ(counted.parks, 1U);
  EXPECT_EQ(counted.spins, 0U);
  EXPECT_EQ(counted.atomics, 6U);
  EXPECT_EQ(counted.unparks, 0U);
}

// --- s_lock-9.4

bool is_whole_ms(Picos duration) { return duration % Picos{1ms} == Picos{0}; }

TEST(SLock94Law, polls_by_plain_loads_and_counts_sleeps_in_microseconds) {
  const CountingEnv before = waiting<SLock92>(40ms);
  const CountingEnv now = waiting<SLock94>(40ms);
  ASSERT_GT(before.sleeps.size(), 3U);
  ASSERT_GT(now.sleeps.size(), 3U);
  EXPECT_TRUE(std::all_of(before.sleeps.begin(), before.sleeps.end(), is_whole_ms));
  EXPECT_FALSE(std::any_of(now.sleeps.begin() + 1, now.sleeps.end(), is_whole_ms));
  EXPECT_EQ(now.sleeps[0], Picos{1ms});
  for (std::size_t i = 1; i < now.sleeps.size(); ++i) {
    EXPECT_EQ(now.sleeps[i] % Picos{1us}, Picos{0});
    EXPECT_GE(now.sleeps[i], now.sleeps[i - 1]);
    EXPECT_LE(now.sleeps[i], now.sleeps[i - 1] * 2);
  }
  EXPECT_EQ(now.atomics, 2U) << "the inline try, and one when the lock was seen free";
  EXPECT_GT(before.atomics, 100U) << "spin: tas, an exchange each time";
}

// --- lwlock-9.5

TEST(LwLock95Law, an_acquisition_is_one_atomic_and_a_release_another_in_both_modes) {
  EXPECT_EQ(alone<LwLock95>({Mode::shared}).atomics, 2U);
  EXPECT_EQ(alone<LwLock95>({Mode::exclusive, Mode::shared, Mode::shared}).atomics, 6U);
}

// Readers and writers queue behind a writer in this order: R W R R W. Returns in which order they get the lock.
template <template <class> class Lock>
std::string order_after_a_writer() {
  SimulatedExecutor executor(textbook(free_scheduling), 6);
  SimArena arena = executor.arena();
  Lock<SimEnv> lock(arena, {});
  const std::string kinds = "WRWRRW";
  std::string order;
  executor.run([&](SimEnv& env) {
    const std::uint32_t self = index(env.self());
    const Mode mode = kinds[self] == 'W' ? Mode::exclusive : Mode::shared;
    if (self > 0) { env.sleep(Picos{100us} * self); }
    lock.acquire(env, mode);
    if (self > 0) { order += kinds[self]; }
    env.sleep(1ms);
    lock.release(env, mode);
  });
  return order;
}

TEST(LwLock95Law, a_release_wakes_all_readers_also_those_behind_a_writer) {
  EXPECT_EQ(order_after_a_writer<LwLock95>(), "RRRWW");
  EXPECT_EQ(order_after_a_writer<LwLock91>(), "RWRRW") << "before 9.5 only the run at the front";
}

// --- Delegated work

struct Done {
  std::uint32_t whose;
  std::uint32_t by;
  bool operator==(const Done&) const = default;
};

// Backend 0 holds the lock for 1 ms; the others delegate meanwhile, 50 us apart. Who did whose work, in order.
template <template <class> class Lock>
std::vector<Done> delegated_to_a_holder(Mode mode) {
  SimulatedExecutor executor(textbook(free_scheduling), 5);
  SimArena arena = executor.arena();
  Lock<SimEnv> lock(arena, {});
  std::vector<Done> done;
  executor.run([&](SimEnv& env) {
    const std::uint32_t self = index(env.self());
    const auto work = [&](BackendId whose) {
      env.work(1us);
      done.push_back({index(whose), self});
    };
    if (self > 0) {
      env.sleep(Picos{50us} * self);
      lock.delegate(env, work);
    } else {
      lock.acquire(env, mode);
      env.sleep(1ms);
      lock.release(env, mode, work);
    }
  });
  return done;
}

TEST(FlexLockLaw, whoever_frees_the_lock_ends_all_who_have_asked_meanwhile) {
  const std::vector<Done> expected{{4, 0}, {3, 0}, {2, 0}, {1, 0}};
  EXPECT_EQ(delegated_to_a_holder<FlexLockProcArray>(Mode::exclusive), expected);
  EXPECT_EQ(delegated_to_a_holder<FlexLockProcArray>(Mode::shared), expected);
}

TEST(GroupClearLaw, the_first_of_a_group_does_the_work_of_all_once_it_has_the_lock) {
  const std::vector<Done> expected{{4, 1}, {3, 1}, {2, 1}, {1, 1}};
  EXPECT_EQ(delegated_to_a_holder<GroupClear96>(Mode::exclusive), expected);
  EXPECT_EQ(delegated_to_a_holder<GroupClear96>(Mode::shared), expected);
}

// 16 backends that read slowly under the lock and then end: some five are reading at any time, so most must wait. The
// array before it makes the lock's number another than that of its group, by which it is counted.
LockCounters under_committers(const std::string& kind) {
  const Replication run = simulate({.workload = "lines: {proc: {count: clients, stride: 128 B}}\n"
                                                "locks: {many: {kind: tas, count: 40}, l: {kind: " +
                                                kind +
                                                "}}\n"
                                                "transaction:\n"
                                                "  - work: {mean: 40 us, spread: exponential}\n"
                                                "  - acquire: {lock: l, mode: shared}\n"
                                                "  - work: {mean: 20 us, spread: exponential}\n"
                                                "  - release: l\n"
                                                "  - delegate:\n"
                                                "      lock: l\n"
                                                "      do: [{touch: {lines: proc, pick: own, access: write}}, "
                                                "{work: 50 ns}]\n",
                                    .clients = 16});
  const LockCounters& counters = run.locks[1].counters;
  EXPECT_NEAR(static_cast<double>(counters.exacq + counters.delegated), static_cast<double>(run.transactions), 16)
      << "every transaction ends once";
  return counters;
}

TEST(Delegation, takes_the_lock_less_often_than_transactions_end) {
  for (const std::string kind : {"flexlock-procarray", "group-clear-9.6"}) {
    SCOPED_TRACE(kind);
    const LockCounters counters = under_committers(kind);
    EXPECT_GT(counters.delegated, counters.exacq);
    EXPECT_GT(counters.exacq, 0U);
  }
}

TEST(Delegation, to_a_lock_that_cannot_is_an_acquisition_every_time) {
  EXPECT_EQ(under_committers("lwlock-9.1").delegated, 0U);
}

}  // namespace
}  // namespace lockcast::lock_laws_test
