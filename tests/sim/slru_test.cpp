// The SLRU cache: hits by a closed form, and who waits for whose I/O, with every instant explained.

#include "sim/locks/lwlock_9_1.hpp"
#include "tests/sim/simulate.hpp"
#include "tests/sim/simulated_executor.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace lockcast::slru_test {
namespace {

const LockCounters& counters(const Replication& run, std::string_view name) {
  return std::ranges::find(run.locks, name, &LockTotals::name)->counters;
}

std::string cache(int slots, const std::string& keys) {
  const std::string count = std::to_string(slots);
  return "lines: {numbers: {count: " + count + ", stride: 8 B}, used: {count: " + count +
         ", stride: 4 B}}\n"
         "locks: {control: {kind: lwlock-9.1}, slots: {kind: lwlock-9.1, count: " +
         count +
         "}, ids: {kind: tas}}\n"
         "slru: {S: {control: control, buffers: slots, page_numbers: numbers, used: used, search: 1 ns, " +
         keys + "}}\n";
}

// A page holds one id, so an age is a page: 2 x mean of them, equally likely, and never the newest, whose slot is never
// given up. Whatever is evicted, a lookup then finds its page with probability (slots - 1) / pages. Some 8,000 lookups:
// four standard errors are 0.022.
TEST(Slru, equally_likely_pages_are_found_as_often_as_they_fit) {
  for (const auto& [slots, mean, pages] : {std::tuple{8, 8, 16}, std::tuple{8, 20, 40}, std::tuple{32, 20, 40}}) {
    SCOPED_TRACE(slots);
    const Replication run =
        simulate({.workload = cache(slots, "ids_per_page: 1, read: 2 us, write: 2 us, history: 1000") +
                              "transaction:\n"
                              "  - slru_lookup: {slru: S, id: {age: " +
                              std::to_string(mean) + ", spread: uniform}, access: read, do: [{work: 100 ns}]}\n",
                  .measured = 20ms});
    const auto lookups = static_cast<double>(counters(run, "control").shacq);
    ASSERT_GT(lookups, 8000);
    const double missed = static_cast<double>(counters(run, "slots").exacq) / lookups;
    EXPECT_NEAR(1 - missed, (slots - 1) / static_cast<double>(pages), 0.022);
    EXPECT_EQ(counters(run, "slots").shacq, 0U) << "alone nobody waits for another's I/O";
  }
}

// Ages beyond what the run has written are not looked up: with exponential ages a fraction exp(-history / mean).
TEST(Slru, what_was_written_before_the_run_is_not_looked_up) {
  const Replication run = simulate({.workload = cache(8, "ids_per_page: 32768, read: 2 us, write: 2 us, history: 500") +
                                                "transaction:\n"
                                                "  - work: 1 us\n"
                                                "  - slru_lookup: {slru: S, id: {age: 1000, spread: exponential}, "
                                                "access: read, do: [{work: 100 ns}]}\n",
                                    .measured = 20ms});
  ASSERT_GT(run.transactions, 8000U);
  EXPECT_NEAR(static_cast<double>(counters(run, "control").shacq) / static_cast<double>(run.transactions), 1 - 0.6065,
              0.022);
}

// One id a page: every transaction makes a page, and dirties it. The slot that is not the newest's is dirty, so each
// new page costs one write, and nothing is ever read.
TEST(Slru, a_new_page_takes_the_place_of_a_dirty_one_after_that_is_written) {
  const Replication run = simulate({.workload = cache(2, "ids_per_page: 1, read: 7 us, write: 3 us, history: 0") +
                                                "transaction:\n"
                                                "  - acquire: {lock: ids}\n"
                                                "  - give_id: S\n"
                                                "  - release: ids\n"
                                                "  - slru_lookup: {slru: S, id: own, access: write, do: []}\n",
                                    .machine = free_transfers + free_scheduling,
                                    .measured = 20ms});
  const auto transactions = static_cast<double>(run.transactions);
  EXPECT_NEAR(static_cast<double>(counters(run, "slots").exacq) / transactions, 1, 0.001);
  EXPECT_NEAR(0.02 / transactions, 3e-6, 0.05e-6);
}

// --- Histories ---

// What the interpreter is to a cache, without an interpreter.
struct Host {
  SimEnv& env;
  LwLock91<SimEnv>& lock;
  std::deque<LwLock91<SimEnv>>& slots;

  void control(Mode mode) const { lock.acquire(env, mode); }
  void end_control(Mode mode) const { lock.release(env, mode); }
  void buffer(std::uint32_t slot, Mode mode) const { slots[slot].acquire(env, mode); }
  void end_buffer(std::uint32_t slot, Mode mode) const { slots[slot].release(env, mode); }
  void read_numbers() const { env.settle(); }
  void write_used(std::uint32_t /*slot*/) const {}
  void looked_at(std::uint32_t /*slots*/) const {}
  void input_output(Picos duration) const { env.work(duration); }
};

struct Wants {
  Picos at;
  std::int64_t pages_ago;
};

// Each backend comes at its time, wants a page, and has it until it has looked. Reading takes 20 us; all else nothing.
std::vector<std::string> history(std::uint32_t slot_count, const std::vector<Wants>& wants) {
  SimulatedExecutor executor(textbook(free_transfers + free_scheduling), static_cast<std::uint32_t>(wants.size()));
  Slru spec;
  spec.slots = slot_count;
  spec.read = 20us;
  SlruCache cache(spec, 1, 0);
  SimArena arena = executor.arena();
  LwLock91<SimEnv> control(arena, {});
  std::deque<LwLock91<SimEnv>> slots;
  for (std::uint32_t i = 0; i < slot_count; ++i) {
    SimArena own = executor.arena();
    slots.emplace_back(own, LockOptions{});
  }
  std::vector<std::string> log;
  executor.run([&](SimEnv& env) {
    const Wants& want = wants[index(env.self())];
    env.work(want.at);
    env.settle();
    const Host host{env, control, slots};
    const Mode held = cache.find(host, spec, cache.next_id() - want.pages_ago, Access::read);
    // In whole microseconds: atomics take a picosecond each.
    log.push_back(std::to_string(env.local_time() / Picos{1us}) + " has " + std::to_string(want.pages_ago) +
                  (held == Mode::shared ? " shared" : " exclusive"));
    host.end_control(held);
  });
  return log;
}

using History = std::vector<std::string>;

TEST(SlruHistory, whoever_wants_a_page_that_is_being_read_waits_for_that_read) {
  const History expected{
      // The first three pages are in their slots, 0 the newest: no I/O, and the control lock is shared.
      "1 has 1 shared",
      // 0 comes at 0 for a page that is not there, and reads until 20. 2 comes at 5 for the same: the slot is taken for
      // it but reading, so it waits for the slot's lock until 20, and reads nothing.
      "20 has 9 exclusive",
      "20 has 9 exclusive",
  };
  EXPECT_EQ(history(3, {{0us, 9}, {1us, 1}, {5us, 9}}), expected);
}

TEST(SlruHistory, a_slot_whose_page_is_being_read_is_chosen_again_and_waited_for) {
  const History expected{
      // Two slots, one of them the newest page's. 0 reads into the other from 0 to 20.
      "20 has 9 exclusive",
      // 1 comes at 5 for another page; the only slot to have is being read, so it waits until 20; then it throws out
      // what was just read, and reads until 40.
      "40 has 8 exclusive",
      // 2 comes at 7 for the page that 0 reads. It waits until 20 too, but by the time it looks again 1 has taken the
      // slot; it waits for that until 40, and then has to read its page again.
      "60 has 9 exclusive",
  };
  EXPECT_EQ(history(2, {{0us, 9}, {5us, 8}, {7us, 9}}), expected);
}

// What commit 3ae5133b1c of April 2012 mends: the slot being read keeps the oldest mark until it has been read.
TEST(SlruHistory, so_it_is_even_with_a_slot_to_spare) {
  const History expected{"20 has 9 exclusive", "40 has 8 exclusive"};
  EXPECT_EQ(history(3, {{0us, 9}, {5us, 8}}), expected);
}

}  // namespace
}  // namespace lockcast::slru_test
