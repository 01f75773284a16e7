// Who gets the line next: the oldest, the nearest, or a share in between.

#include "models/arbitration.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace lockcast::arbitration_test {
namespace {

constexpr Topology textbook{.packages = 4, .dies_per_package = 2, .cores_per_die = 4, .packages_per_group = 2};

// Requests are positions in a list of cores, oldest first. Returns the position served.
std::size_t served(const std::vector<std::uint32_t>& cores, std::uint32_t owner, double near_bias, Rng& random) {
  return arbitrate(
      std::size_t{0}, cores.size(), CoreId{owner}, textbook, near_bias, random, [](std::size_t i) { return i + 1; },
      [&](std::size_t i) { return CoreId{cores[i]}; });
}

std::vector<std::uint32_t> drawn_cores(Rng& random) {
  std::vector<std::uint32_t> cores(1 + random.below(12));
  for (std::uint32_t& core : cores) { core = random.below(textbook.cores()); }
  return cores;
}

TEST(Arbitration, without_near_bias_is_first_come_first_served_and_draws_nothing) {
  Rng random(1);
  Rng unused(7);
  for (int i = 0; i < 1000; ++i) { EXPECT_EQ(served(drawn_cores(random), random.below(32), 0, unused), 0U); }
  EXPECT_EQ(unused.next(), Rng(7).next());
}

TEST(Arbitration, with_full_near_bias_serves_the_nearest_and_among_equals_the_oldest) {
  struct Row {
    std::vector<std::uint32_t> cores;
    std::size_t position;
  };
  // The owner is core 0: same die 1-3, package mate 4-7, one hop 8-15, two hops 16-31.
  const Row rows[] = {
      {{31, 9, 5, 2}, 3}, {{31, 2, 9, 5}, 1}, {{16, 31}, 0}, {{31, 16, 15, 14}, 2},
      {{3, 1, 2}, 0},     {{1, 0}, 1},        {{20}, 0},
  };
  Rng random(1);
  for (const Row& row : rows) { EXPECT_EQ(served(row.cores, 0, 1, random), row.position) << row.cores.front(); }
}

TEST(Arbitration, with_full_near_bias_leaves_nobody_nearer_waiting) {
  Rng random(2);
  for (int i = 0; i < 2000; ++i) {
    const std::vector<std::uint32_t> cores = drawn_cores(random);
    const std::uint32_t owner = random.below(32);
    const std::size_t chosen = served(cores, owner, 1, random);
    for (std::size_t other = 0; other < cores.size(); ++other) {
      const Distance distance = textbook.distance(CoreId{owner}, CoreId{cores[other]});
      const Distance best = textbook.distance(CoreId{owner}, CoreId{cores[chosen]});
      ASSERT_TRUE(best < distance || (best == distance && chosen <= other));
    }
  }
}

// 10^5 trials: five standard errors of a share p are 5 sqrt(p (1 - p) / 10^5).
TEST(Arbitration, serves_the_nearest_in_the_share_of_cases_the_bias_says) {
  constexpr int trials = 100'000;
  struct Row {
    double bias, five_errors;
  };
  for (const Row& row : {Row{0.1, 0.0048}, Row{0.5, 0.0080}, Row{0.9, 0.0048}}) {
    Rng random(3);
    int nearest = 0;
    for (int i = 0; i < trials; ++i) { nearest += served({31, 16, 2, 9}, 0, row.bias, random) == 2 ? 1 : 0; }
    EXPECT_NEAR(static_cast<double>(nearest) / trials, row.bias, row.five_errors);
  }
}

TEST(Arbitration, bias_cannot_matter_among_equally_distant_requests) {
  Rng random(4);
  for (const double bias : {0.0, 0.3, 1.0}) {
    for (int i = 0; i < 200; ++i) { EXPECT_EQ(served({19, 16, 30, 25}, 0, bias, random), 0U); }
  }
}

}  // namespace
}  // namespace lockcast::arbitration_test
