#include "sim/study/statistics.hpp"

#include <gtest/gtest.h>

namespace lockcast::statistics_test {

namespace {

TEST(Statistics, nothing_has_no_points) { EXPECT_EQ(statistics_of({}), ErrorStatistics{}); }

TEST(Statistics, one_error_is_its_own_median_mean_and_p90) {
  const ErrorStatistics one = statistics_of({0.25});
  EXPECT_EQ(one.points, 1U);
  EXPECT_EQ(one.median, 0.25);
  EXPECT_EQ(one.mean, 0.25);
  EXPECT_EQ(one.p90, 0.25);
}

TEST(Statistics, the_median_of_an_even_number_is_the_middle_of_the_two_in_the_middle) {
  const ErrorStatistics four = statistics_of({4, 1, 2, 9});
  EXPECT_EQ(four.median, 3);
  EXPECT_EQ(four.mean, 4);
  EXPECT_EQ(four.p90, 9);
}

TEST(Statistics, p90_of_ten_is_the_ninth_and_of_eleven_the_tenth) {
  EXPECT_EQ(statistics_of({10, 9, 8, 7, 6, 5, 4, 3, 2, 1}).p90, 9);
  EXPECT_EQ(statistics_of({11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1}).p90, 10);
}

TEST(Statistics, a_bag_takes_signs_away_and_splits_between_23_and_24_clients) {
  ErrorBag bag;
  bag.add(23, -0.1);
  bag.add(24, 0.3);
  bag.add(80, -0.5);
  const SplitErrors split = bag.split();
  EXPECT_EQ(split.all.points, 3U);
  EXPECT_EQ(split.all.median, 0.3);
  EXPECT_EQ(split.below.points, 1U);
  EXPECT_EQ(split.below.median, 0.1);
  EXPECT_EQ(split.above.points, 2U);
  EXPECT_EQ(split.above.median, 0.4);
}

}  // namespace

}  // namespace lockcast::statistics_test
