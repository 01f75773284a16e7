// The native environment keeps the written contract of Env: tokens count, polls count, places are where they should be.

#include "validate/native_env.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <thread>
#include <vector>

namespace lockcast::native_env_test {
namespace {

std::uintptr_t address(const NativeWord* word) { return reinterpret_cast<std::uintptr_t>(word); }
std::uintptr_t block(const NativeWord* word) { return address(word) / NativeMemory::alignment; }

class NativeEnvTest : public testing::Test {
 protected:
  NativeRun run_{2, WorkLoop(1000.0), {.seed = 7}};
  NativeEnv env_{run_, BackendId{0}};
  NativeWord* word_ = run_.memory().allocate(4);
};

TEST_F(NativeEnvTest, a_wake_up_before_the_wait_is_not_lost_and_counts) {
  for (int i = 0; i < 3; ++i) { env_.unpark(env_.self()); }
  for (int i = 0; i < 3; ++i) { env_.park(); }
  // All three are used up: the next park needs the token of the other thread, and sees what it wrote before.
  bool written = false;
  std::jthread waker([&] {
    NativeEnv other(run_, BackendId{1});
    written = true;
    other.unpark(BackendId{0});
  });
  env_.park();
  EXPECT_TRUE(written);
}

TEST_F(NativeEnvTest, tokens_from_several_threads_add_up) {
  constexpr int tokens = 2000;
  std::vector<std::jthread> wakers;
  for (int waker = 0; waker < 3; ++waker) {
    wakers.emplace_back([&] {
      for (int i = 0; i < tokens; ++i) { run_.add_token(BackendId{0}); }
    });
  }
  for (int i = 0; i < 3 * tokens; ++i) { env_.park(); }
}

TEST_F(NativeEnvTest, a_token_wakes_only_the_backend_it_is_for) {
  env_.unpark(BackendId{1});
  NativeEnv other(run_, BackendId{1});
  other.park();
}

TEST_F(NativeEnvTest, a_bounded_spin_makes_as_many_polls_as_its_limit_and_no_more) {
  for (const std::uint32_t limit : {0U, 1U, 2U, 1000U}) {
    std::uint32_t calls = 0;
    const Spins spins = env_.spin_until(
        *word_, [&](std::uint32_t) { return ++calls > limit; }, limit);
    EXPECT_FALSE(spins.satisfied);
    EXPECT_EQ(spins.polls, limit);
    EXPECT_EQ(calls, limit);
  }
}

TEST_F(NativeEnvTest, the_poll_that_succeeds_is_counted_also_when_it_is_the_last_one_allowed) {
  for (const std::uint32_t needed : {1U, 2U, 1000U}) {
    std::uint32_t calls = 0;
    const Spins spins = env_.spin_until(
        *word_, [&](std::uint32_t) { return ++calls == needed; }, needed);
    EXPECT_TRUE(spins.satisfied);
    EXPECT_EQ(spins.polls, needed);
  }
}

TEST_F(NativeEnvTest, an_unbounded_spin_ends_when_another_thread_stores) {
  std::jthread writer([&] {
    NativeEnv other(run_, BackendId{1});
    other.store(*word_, 5, Order::release);
  });
  EXPECT_TRUE(env_.spin_until(
                      *word_, [](std::uint32_t value) { return value == 5; }, unbounded)
                  .satisfied);
}

TEST_F(NativeEnvTest, atomics_return_what_was_there_before_in_every_order) {
  std::uint32_t expected = 0;
  for (const Order order : {Order::relaxed, Order::acquire, Order::release, Order::acq_rel}) {
    EXPECT_EQ(env_.exchange(*word_, 5, order), expected);
    EXPECT_EQ(env_.fetch_add(*word_, 2, order), 5U);
    std::uint32_t wrong = 6;
    EXPECT_FALSE(env_.compare_exchange(*word_, wrong, 9, order));
    EXPECT_EQ(wrong, 7U);
    EXPECT_TRUE(env_.compare_exchange(*word_, wrong, 9, order));
    EXPECT_EQ(env_.load(*word_, Order::relaxed), 9U);
    expected = 9;
  }
}

TEST_F(NativeEnvTest, sleep_takes_at_least_the_time_asked_for) {
  const auto begin = std::chrono::steady_clock::now();
  env_.sleep(2ms);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 2ms);
}

TEST_F(NativeEnvTest, words_of_a_lock_lie_at_their_offsets_and_start_as_zero) {
  NativeArena arena = run_.arena(32);
  EXPECT_EQ(address(arena.word(0)) % NativeMemory::alignment, 0U);
  for (const std::uint32_t offset : {0U, 4U, 20U}) {
    EXPECT_EQ(address(arena.word(offset)) - address(arena.word(0)), offset);
    EXPECT_EQ(env_.load(*arena.word(offset), Order::relaxed), 0U);
  }
}

TEST_F(NativeEnvTest, packed_locks_share_a_line_and_their_own_lines_do_not) {
  constexpr std::size_t stride = 32;
  NativeWord* base = run_.memory().allocate(4 * stride);
  NativeArena first = run_.arena_at(base);
  NativeArena last = run_.arena_at(base + 3 * stride / sizeof(NativeWord));
  EXPECT_EQ(address(last.word(0)) - address(first.word(0)), 3 * stride);
  EXPECT_EQ(block(first.word(0)), block(last.word(28)));
  const std::vector<NativeWord*> lines{first.word(0),
                                       first.own_line(),
                                       first.own_line(),
                                       last.own_line(),
                                       run_.waiter(BackendId{0}).waiting,
                                       run_.waiter(BackendId{1}).waiting};
  for (std::size_t i = 0; i < lines.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) { EXPECT_NE(block(lines[i]), block(lines[j])); }
  }
  EXPECT_EQ(block(first.same_line(lines[1])), block(lines[1]));
  EXPECT_NE(first.same_line(lines[1]), lines[1]);
}

TEST_F(NativeEnvTest, wait_queue_words_can_be_placed_elsewhere) {
  NativeWord* process_array = run_.memory().allocate(752);
  run_.waiter(BackendId{1}) = {.waiting = process_array, .exclusive = process_array + 1, .next = process_array + 2};
  EXPECT_EQ(env_.waiter(BackendId{1}).next, process_array + 2);
}

TEST_F(NativeEnvTest, streams_depend_on_seed_backend_and_purpose_alone) {
  NativeEnv same(run_, BackendId{0});
  NativeEnv other(run_, BackendId{1});
  const std::uint64_t drawn = env_.random(Purpose::backoff).next();
  EXPECT_EQ(drawn, stream(7, 0, Purpose::backoff).next());
  EXPECT_EQ(same.random(Purpose::backoff).next(), drawn);
  EXPECT_NE(other.random(Purpose::backoff).next(), drawn);
  EXPECT_NE(same.random(Purpose::work).next(), drawn);
}

TEST_F(NativeEnvTest, a_process_has_its_own_spin_count) {
  NativeEnv other(run_, BackendId{1});
  env_.process().spins_per_delay = 900;
  EXPECT_EQ(other.process().spins_per_delay, ProcessState{}.spins_per_delay);
}

TEST_F(NativeEnvTest, touch_reaches_one_word_of_every_line_and_no_other) {
  constexpr std::size_t lines = 3;
  constexpr std::size_t words_per_line = 16;
  NativeWord* words = run_.memory().allocate((lines + 1) * 64);
  for (std::size_t i = 0; i < (lines + 1) * words_per_line; ++i) { words[i].value = 7; }
  touch(words, lines, Access::write);
  touch(words, lines, Access::read);
  for (std::size_t i = 0; i < (lines + 1) * words_per_line; ++i) {
    const bool touched = i % words_per_line == 0 && i / words_per_line < lines;
    EXPECT_EQ(words[i].value.load(), touched ? i / words_per_line : 7U) << "word " << i;
  }
}

TEST(WorkLoop, steps_are_proportional_to_the_duration) {
  const WorkLoop loop(500.0);
  EXPECT_EQ(loop.steps(0ns), 0U);
  EXPECT_EQ(loop.steps(1ns), 2U);
  EXPECT_EQ(loop.steps(1ms), 2'000'000U);
  EXPECT_EQ(loop.steps(Picos{749}), 1U);
  EXPECT_EQ(loop.steps(Picos{750}), 2U);
}

// The shortest of several runs is free of preemption, and a hundred times the steps cannot then be shorter.
TEST(WorkLoop, more_steps_take_longer) {
  const auto shortest = [](std::uint64_t steps) {
    auto least = std::chrono::steady_clock::duration::max();
    for (int i = 0; i < 9; ++i) {
      const auto begin = std::chrono::steady_clock::now();
      WorkLoop::run_steps(steps);
      least = std::min(least, std::chrono::steady_clock::now() - begin);
    }
    return least;
  };
  EXPECT_LT(shortest(1'000), shortest(100'000));
}

TEST(WorkLoop, a_measured_step_is_a_plausible_latency_of_a_multiply_and_an_add) {
  const double picos = WorkLoop::measure().picos_per_step();
  EXPECT_GT(picos, 100.0);      // 4 cycles at 40 GHz
  EXPECT_LT(picos, 100'000.0);  // 4 cycles at 40 MHz
}

}  // namespace
}  // namespace lockcast::native_env_test
