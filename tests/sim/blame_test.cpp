// Whose queue a sleep is due to, on books small enough to follow by hand.

#include "sim/run/blame.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace lockcast::blame_test {

namespace {

struct Book {
  Picos asleep;  // in its queue
  Picos hold;
};

Replication books(const std::vector<Book>& locks, const std::vector<double>& slept_inside_s) {
  Replication r;
  for (std::size_t i = 0; i < locks.size(); ++i) {
    LockTotals totals;
    totals.name = std::string(1, static_cast<char>('A' + i));
    totals.counters.asleep = locks[i].asleep;
    totals.counters.hold = locks[i].hold;
    r.locks.push_back(totals);
  }
  r.slept_inside_s = slept_inside_s;
  return r;
}

TEST(Blame, without_nesting_every_lock_keeps_its_own_queue) {
  const auto caused = sleep_caused_s({books({{10ms, 20ms}, {4ms, 5ms}}, {0, 0, 0, 0})});
  EXPECT_DOUBLE_EQ(caused[0], 0.010);
  EXPECT_DOUBLE_EQ(caused[1], 0.004);
}

TEST(Blame, a_lock_whose_holders_sleep_elsewhere_passes_its_queue_on) {
  // A's holders sleep three quarters of its hold time in B's queue: B gets 4 + 10 x 3/4 ms.
  const auto caused = sleep_caused_s({books({{10ms, 20ms}, {4ms, 5ms}}, {0, 0.015, 0, 0})});
  EXPECT_DOUBLE_EQ(caused[0], 0.0025);
  EXPECT_DOUBLE_EQ(caused[1], 0.0115);
}

TEST(Blame, goes_down_a_chain) {
  // Row A held while asleep at page B, page B held while asleep at C: all of A's queue is C's doing.
  const auto caused =
      sleep_caused_s({books({{8ms, 10ms}, {2ms, 10ms}, {1ms, 1ms}}, {0, 0.010, 0, 0, 0, 0.010, 0, 0, 0})});
  EXPECT_DOUBLE_EQ(caused[0], 0);
  EXPECT_DOUBLE_EQ(caused[1], 0);
  EXPECT_DOUBLE_EQ(caused[2], 0.011);
}

TEST(Blame, adds_up_to_all_sleep_whatever_the_nesting) {
  const Replication r = books({{8ms, 3ms}, {2ms, 10ms}, {1ms, 1ms}}, {0, 0.004, 0.003, 0.001, 0, 0.002, 0.0005, 0, 0});
  const auto caused = sleep_caused_s({r, r});
  EXPECT_NEAR(std::accumulate(caused.begin(), caused.end(), 0.0), 2 * 0.011, 1e-12);
  for (const double s : caused) { EXPECT_GE(s, 0); }
}

}  // namespace

}  // namespace lockcast::blame_test
