// What-if with a lock for nothing: as if it were not there, and everything else as it was.

#include "sim/workload/free.hpp"

#include "tests/sim/simulate.hpp"

#include <gtest/gtest.h>

#include <string>

namespace lockcast::free_test {
namespace {

Replication run(const std::string& workload, const std::string& free = {}, std::uint32_t clients = 8) {
  Program program = compile(yaml::parse_text(workload, "workload of the test"), clients);
  if (!free.empty()) { EXPECT_TRUE(make_lock_free(program, free)); }
  return simulate(textbook(one_die(8)), {}, program, {.warmup = 1ms, .measured = 20ms});
}

// Throughput, where the time went, and which lines moved.
void expect_same(const Replication& a, const Replication& b) {
  EXPECT_EQ(a.transactions, b.transactions);
  EXPECT_EQ(a.spent_s, b.spent_s);
  EXPECT_EQ(a.switches, b.switches);
  ASSERT_EQ(a.hottest.size(), b.hottest.size());
  for (std::size_t i = 0; i < a.hottest.size(); ++i) {
    EXPECT_EQ(a.hottest[i].what, b.hottest[i].what);
    EXPECT_EQ(a.hottest[i].transfers, b.hottest[i].transfers);
  }
}

const std::string rows = "lines: {rows: {count: 16, stride: 64 B}}\n";
const std::string think = "  - work: {mean: 5 us, spread: exponential}\n";

TEST(FreeLock, is_as_if_it_were_not_there) {
  const std::string inside =
      "  - touch: {lines: rows, pick: uniform, access: write}\n  - work: {mean: 2 us, spread: uniform}\n";
  for (const std::string kind : {"tas", "mcs", "ticket", "s_lock-9.2", "lwlock-9.1", "row-lock"}) {
    const std::string locked = rows + "locks: {guard: {kind: " + kind + "}}\ntransaction:\n" + think +
                               "  - acquire: {lock: guard}\n" + inside + "  - release: guard\n";
    const Replication without = run(rows + "transaction:\n" + think + inside);
    expect_same(run(locked, "guard"), without);
    EXPECT_LT(run(locked).transactions, without.transactions * 9 / 10) << kind << " does limit";
  }
}

// The lock draws what otherwise the array would, and the others follow it: `like` here, `sticky` there.
TEST(FreeLock, still_picks_its_element) {
  const std::string locked = rows + "locks: {guard: {kind: ttas, count: 16}}\ntransaction:\n" + think +
                             "  - acquire: {lock: guard, pick: uniform}\n"
                             "  - touch: {lines: rows, pick: {like: guard}, access: write}\n"
                             "  - release: guard\n" +
                             think + "  - touch: {lines: rows, pick: sticky, access: write}\n";
  const std::string unlocked = rows + "transaction:\n" + think +
                               "  - touch: {lines: rows, pick: uniform, access: write}\n" + think +
                               "  - touch: {lines: rows, pick: sticky, access: write}\n";
  expect_same(run(locked, "guard"), run(unlocked));
}

TEST(FreeLock, that_is_tried_never_conflicts) {
  const std::string workload =
      "locks: {row: {kind: row-lock}, conflicts: {kind: ttas}}\ntransaction:\n" + think +
      "  - acquire: {lock: row, conflict: [{acquire: {lock: conflicts}}, {release: conflicts}]}\n"
      "  - work: 10 us\n"
      "  - release: row\n";
  const auto acquisitions = [](const Replication& r, std::size_t lock) { return r.locks[lock].counters.exacq; };
  const Replication held = run(workload);
  EXPECT_GT(acquisitions(held, 0), 0U);
  EXPECT_GT(acquisitions(held, 1), 0U);
  const Replication free = run(workload, "row");
  EXPECT_EQ(acquisitions(free, 0), 0U);
  EXPECT_EQ(acquisitions(free, 1), 0U);
  expect_same(free, run("transaction:\n" + think + "  - work: 10 us\n"));
}

// Nobody does anything for anybody else, and nothing is picked for good by what was delegated.
TEST(FreeLock, that_is_delegated_to_leaves_everybody_their_own_work) {
  const std::string steps = "{touch: {lines: rows, pick: own, access: write}}, {work: 2 us}";
  for (const std::string kind : {"flexlock-procarray", "group-clear-9.6", "lwlock-9.5"}) {
    const std::string locked = rows + "locks: {guard: {kind: " + kind + "}}\ntransaction:\n" + think +
                               "  - delegate: {lock: guard, do: [" + steps + "]}\n";
    const Replication without = run(rows + "transaction: [{work: {mean: 5 us, spread: exponential}}, " + steps + "]\n");
    expect_same(run(locked, "guard"), without);
    EXPECT_LT(run(locked).transactions, without.transactions * 9 / 10) << kind << " does limit";
  }
}

TEST(FreeLock, leaves_the_other_locks_alone) {
  const std::string other = "  - acquire: {lock: other}\n  - work: 1 us\n  - release: other\n";
  const std::string locks = "locks: {other: {kind: lwlock-9.1}, guard: {kind: lwlock-9.1}}\ntransaction:\n";
  expect_same(run(locks + think + "  - acquire: {lock: guard}\n" + other + "  - release: guard\n", "guard"),
              run(locks + think + other));
}

TEST(FreeLock, must_exist) {
  Program program = compile(yaml::parse_text("locks: {l: {kind: tas}}\ntransaction: [{work: 1 us}]\n", "w"), 1);
  EXPECT_FALSE(make_lock_free(program, "m"));
  EXPECT_TRUE(make_lock_free(program, "l"));
}

// Moving lines costs nothing and hits cost what they did: a storm of 8 becomes a line of hits.
TEST(FreeLines, leave_no_time_for_transfers) {
  const std::string workload = rows + "transaction:\n" + think +
                               "  - touch: {lines: rows, pick: uniform, access: write}\n"
                               "  - scan: {lines: rows, fields: [{offset: 0 B, bytes: 4 B}], access: read, "
                               "work_per_entry: 0 ns}\n";
  Machine machine = textbook(one_die(8));
  const Program program = compile(yaml::parse_text(workload, "w"), 8);
  EXPECT_GT(spent_s(simulate(machine, {}, program, {.measured = 5ms}), Category::transfer), 0);
  machine.coherence.free = true;
  machine.coherence.home_occupancy.value = Picos{0};
  EXPECT_EQ(spent_s(simulate(machine, {}, program, {.measured = 5ms}), Category::transfer), 0);
}

}  // namespace
}  // namespace lockcast::free_test
