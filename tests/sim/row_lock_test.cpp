// What row-lock promises beyond the contract of all locks: order of arrival, a try that never waits, and what a
// scenario sees of a conflict.

#include "sim/locks/row_lock.hpp"

#include "tests/sim/simulate.hpp"
#include "tests/sim/simulated_executor.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace lockcast::row_lock_test {
namespace {

TEST(RowLock, is_had_in_the_order_of_arrival_however_long_the_holder_stays) {
  SimulatedExecutor executor(textbook(), 6);
  SimArena arena = executor.arena();
  RowLock<SimEnv> row(arena, {});
  std::vector<std::uint32_t> order;
  executor.run([&](SimEnv& env) {
    const std::uint32_t self = index(env.self());
    env.work(Picos{10us} * ((self * 5) % 6 + 1));  // arrivals: 0, 5, 4, 3, 2, 1
    row.acquire(env, Mode::exclusive);
    order.push_back(self);
    env.sleep(1ms);
    row.release(env, Mode::exclusive);
  });
  EXPECT_EQ(order, (std::vector<std::uint32_t>{0, 5, 4, 3, 2, 1}));
}

TEST(RowLock, a_try_fails_at_once_while_the_row_is_held_or_promised_and_takes_it_when_free) {
  SimulatedExecutor executor(textbook(), 3);
  SimArena arena = executor.arena();
  RowLock<SimEnv> row(arena, {});
  std::vector<bool> tries;
  executor.run([&](SimEnv& env) {
    switch (index(env.self())) {
      case 0:
        row.acquire(env, Mode::exclusive);
        env.sleep(1ms);
        row.release(env, Mode::exclusive);  // hands it to backend 1
        break;
      case 1:
        env.sleep(200us);
        row.acquire(env, Mode::exclusive);
        env.sleep(1ms);
        row.release(env, Mode::exclusive);
        break;
      default:
        for (const Picos wait : {Picos{500us}, Picos{1ms}, Picos{2ms}}) {
          env.sleep(wait);
          tries.push_back(row.try_acquire(env, Mode::exclusive));
        }
        row.release(env, Mode::exclusive);
    }
  });
  EXPECT_EQ(tries, (std::vector{false, false, true}));
}

const LockCounters& counters(const Replication& run, std::string_view name) {
  return std::find_if(run.locks.begin(), run.locks.end(), [&](const LockTotals& l) { return l.name == name; })
      ->counters;
}

// Two backends, one row, hardly any time without it: whoever comes second meets a conflict, does its steps, and waits.
TEST(Conflict, its_steps_are_done_once_for_every_row_that_was_not_free) {
  const Replication run = simulate({.workload = "locks: {row: {kind: row-lock}, conflicts: {kind: ttas}}\n"
                                                "transaction:\n"
                                                "  - work: {mean: 20 us, spread: exponential}\n"
                                                "  - acquire:\n"
                                                "      lock: row\n"
                                                "      conflict: [{acquire: {lock: conflicts}}, {release: conflicts}]\n"
                                                "  - work: 100 us\n"
                                                "  - release: row\n",
                                    .clients = 2});
  const LockCounters& row = counters(run, "row");
  EXPECT_NEAR(static_cast<double>(row.exacq), static_cast<double>(run.transactions), 2);
  EXPECT_GT(row.blk, run.transactions * 9 / 10);
  // A conflict at the end of a hold may find the row free after its steps.
  EXPECT_GE(counters(run, "conflicts").exacq + 1, row.blk);
  EXPECT_LE(counters(run, "conflicts").exacq, row.exacq);
}

TEST(Conflict, does_not_happen_alone) {
  const Replication run = simulate({.workload = "locks: {row: {kind: row-lock}, conflicts: {kind: ttas}}\n"
                                                "transaction:\n"
                                                "  - acquire: {lock: row, conflict: [{acquire: {lock: conflicts}},"
                                                " {release: conflicts}]}\n"
                                                "  - work: 10 us\n"
                                                "  - release: row\n"});
  EXPECT_EQ(counters(run, "conflicts").exacq, 0U);
  EXPECT_GT(counters(run, "row").exacq, 1000U);
}

// 20,000 transactions: five standard errors of the mean of a coin are 0.018.
TEST(Rounds, a_fraction_is_the_probability_of_one_more) {
  const Replication run =
      simulate({.workload = "locks: {l: {kind: tas}, rare: {kind: tas}}\n"
                            "transaction:\n"
                            "  - work: 500 ns\n"
                            "  - repeat: {times: 2.5, do: [{acquire: {lock: l}}, {release: l}]}\n"
                            "  - repeat: {times: 0.25, do: [{acquire: {lock: rare}}, {release: rare}]}\n",
                .measured = 15ms});
  ASSERT_GT(run.transactions, 20'000U);
  const auto transactions = static_cast<double>(run.transactions);
  EXPECT_NEAR(static_cast<double>(counters(run, "l").exacq) / transactions, 2.5, 0.018);
  EXPECT_NEAR(static_cast<double>(counters(run, "rare").exacq) / transactions, 0.25, 0.016);
}

}  // namespace
}  // namespace lockcast::row_lock_test
