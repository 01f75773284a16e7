// The lock contract on real threads, for every lock in the list; with the thread sanitizer this is where a missing
// acquire or release shows, which the simulator cannot find. Two broken locks prove that the contract would notice.

#include "tests/contract/lock_contract.hpp"

#include "tests/native/native_executor.hpp"

#include <cstdlib>
#include <string>

namespace lockcast::lock_contract_test {
namespace {

#if defined(__SANITIZE_THREAD__)
constexpr bool thread_sanitizer = true;
#elif defined(__has_feature)
constexpr bool thread_sanitizer = __has_feature(thread_sanitizer);
#else
constexpr bool thread_sanitizer = false;
#endif

using contract::Rounds;
using Make = contract::Maker<NativeEnv>;

class LockContract : public testing::TestWithParam<contract::Kind<NativeEnv>> {
 protected:
  // One law for every number of threads (as many as a small CI machine can overlap, and clearly more than CPUs) and
  // option.
  template <class Law>
  static void holds(Law law) {
    const auto& [traits, can_delegate, make] = GetParam();
    for (const std::uint32_t backends : {4U, 8U}) {
      for (const LockOptions& options : contract::all_options(traits)) {
        SCOPED_TRACE(std::string(traits.name) + ", " +
                     std::string(spin_test_names[static_cast<std::size_t>(options.spin)]) + ", " +
                     std::to_string(backends) + " threads");
        NativeExecutor executor(backends);
        EXPECT_TRUE(law(executor, make, options));
      }
    }
  }
};

INSTANTIATE_TEST_SUITE_P(All, LockContract, testing::ValuesIn(contract::all_kinds<NativeEnv>),
                         contract::test_name<NativeEnv>);

TEST_P(LockContract, no_update_is_lost_in_the_critical_section) {
  holds([](NativeExecutor& executor, Make make, const LockOptions& options) {
    return contract::no_update_is_lost(executor, make, {.count = 300, .sleep_every = 50, .options = options});
  });
}

TEST_P(LockContract, readers_never_see_a_writer) {
  holds([](NativeExecutor& executor, Make make, const LockOptions& options) {
    return contract::readers_never_see_a_writer(executor, make, {.count = 300, .sleep_every = 50, .options = options});
  });
}

TEST_P(LockContract, readers_may_overlap_in_a_lock_with_shared_mode) {
  if (!GetParam().traits.has_shared_mode) { GTEST_SKIP() << "exclusive mode only"; }
  holds([](NativeExecutor& executor, Make make, const LockOptions& options) {
    return contract::readers_may_overlap(executor, make, options);
  });
}

TEST_P(LockContract, every_backend_gets_through_and_keeps_its_other_wake_ups) {
  holds([](NativeExecutor& executor, Make make, const LockOptions& options) {
    return contract::every_backend_gets_through(executor, make, {.count = 100, .sleep_every = 10, .options = options});
  });
}

TEST_P(LockContract, delegated_work_is_done_once_and_alone) {
  if (!GetParam().can_delegate) { GTEST_SKIP() << "cannot delegate"; }
  holds([](NativeExecutor& executor, Make make, const LockOptions& options) {
    return contract::delegated_work_is_done_once_and_alone(executor, make,
                                                           {.count = 300, .sleep_every = 20, .options = options});
  });
}

TEST_P(LockContract, different_locks_nest) {
  holds([](NativeExecutor& executor, Make make, const LockOptions& options) {
    return contract::nested_different_locks(executor, make, {.count = 150, .sleep_every = 50, .options = options});
  });
}

// Looks, then takes: whoever looks in between takes it too. The sleep makes that window wide on any number of CPUs.
template <Env E>
class LookThenTake {
 public:
  LookThenTake(typename E::Arena& arena, const LockOptions& /*options*/) : held_(arena.word(0)) {}
  void acquire(E& env, Mode /*mode*/) {
    env.spin_until(
        *held_, [](std::uint32_t held) { return held == 0; }, unbounded);
    env.sleep(20us);
    env.store(*held_, 1, Order::relaxed);
  }
  void release(E& env, Mode /*mode*/) { env.store(*held_, 0, Order::release); }

 private:
  typename E::Word* held_;
};

// Excludes, but orders nothing: what one holder wrote need not be visible to the next. x86 happens to keep the order,
// so only the thread sanitizer can tell.
template <Env E>
class Unordered {
 public:
  Unordered(typename E::Arena& arena, const LockOptions& /*options*/) : held_(arena.word(0)) {}
  void acquire(E& env, Mode /*mode*/) {
    while (env.exchange(*held_, 1, Order::relaxed) != 0) { env.pause(); }
  }
  void release(E& env, Mode /*mode*/) { env.store(*held_, 0, Order::relaxed); }

 private:
  typename E::Word* held_;
};

// The contract over a broken lock, in a process of its own for the sanitizer: exits 0 when the law held.
template <template <class> class Lock>
[[noreturn]] void run_and_exit() {
  NativeExecutor executor(4);
  const testing::AssertionResult held =
      contract::no_update_is_lost(executor, contract::make<NativeEnv, Lock>, {.count = 50, .sleep_every = 10});
  std::exit(held ? EXIT_SUCCESS : EXIT_FAILURE);
}

constexpr int thread_sanitizer_exit = 66;

class BrokenLockDeathTest : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(BrokenLockDeathTest, a_lock_that_does_not_exclude_loses_updates) {
  EXPECT_EXIT(run_and_exit<LookThenTake>(),
              testing::ExitedWithCode(thread_sanitizer ? thread_sanitizer_exit : EXIT_FAILURE), "");
}

TEST_F(BrokenLockDeathTest, a_lock_without_order_is_a_data_race) {
  if (!thread_sanitizer) { GTEST_SKIP() << "only the thread sanitizer sees it (preset tsan)"; }
  EXPECT_EXIT(run_and_exit<Unordered>(), testing::ExitedWithCode(thread_sanitizer_exit), "data race");
}

}  // namespace
}  // namespace lockcast::lock_contract_test
