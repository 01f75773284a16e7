// The rule of `ondemand`, one sample at a time.

#include "models/governor.hpp"

#include <gtest/gtest.h>

namespace lockcast::governor_test {
namespace {

GovernorModel model() {
  GovernorModel result;
  result.steps_khz = {800'000, 1'000'000, 1'200'000, 1'500'000, 2'000'000};
  result.up_threshold.value = 0.8;
  result.down_differential.value = 0.05;
  return result;
}

TEST(Governor, goes_straight_to_the_highest_step_above_the_threshold_and_down_to_the_lowest_that_is_enough) {
  struct Row {
    std::size_t current;
    double load;
    std::size_t next;
  };
  const Row rows[] = {
      {0, 0.81, 4},                 // above the threshold: not one step, all of them
      {0, 0.80, 0},                 // at it: stays
      {4, 1.00, 4},  {4, 0.76, 4},  // between the thresholds: stays
      {4, 0.60, 4},                 // wants 0.60 x 2.0 / 0.75 = 1.6 GHz, above 1.5
      {4, 0.56, 3},                 // 1.493 GHz
      {4, 0.45, 2},                 // 1.2 GHz
      {4, 0.451, 3},                // 1.2027 GHz
      {4, 0.00, 0},  {2, 0.70, 2},  // 1.12 GHz
      {2, 0.62, 1},                 // 0.992 GHz
      {0, 0.10, 0},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(next_step(model(), row.current, row.load), row.next) << row.current << ", " << row.load;
  }
}

TEST(Governor, the_step_it_sinks_to_never_has_to_rise_at_once) {
  const GovernorModel ondemand = model();
  for (std::size_t current = 0; current < 5; ++current) {
    for (double load = 0; load <= 0.8; load += 0.001) {
      const std::size_t next = next_step(ondemand, current, load);
      EXPECT_LE(next, current);
      const double there =
          load * static_cast<double>(ondemand.steps_khz[current]) / static_cast<double>(ondemand.steps_khz[next]);
      EXPECT_LE(there, ondemand.up_threshold.value + 1e-12) << current << ", " << load;
    }
  }
}

}  // namespace
}  // namespace lockcast::governor_test
