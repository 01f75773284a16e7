// The generator's golden values come from the published algorithms computed independently (in Python); the rest are
// laws with bounds of at least five standard errors, so that a correct generator passes with any seed.

#include "models/rng.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <set>

namespace lockcast::rng_test {
namespace {

TEST(Rng, splitmix64_gives_the_published_sequence) {
  std::uint64_t state = 1234567;
  for (const std::uint64_t expected :
       {6457827717110365317U, 3203168211198807973U, 9817491932198370423U, 4593380528125082431U}) {
    EXPECT_EQ(splitmix64(state), expected);
  }
}

TEST(Rng, xoshiro256_starstar_gives_the_golden_sequence_of_a_seed) {
  struct Row {
    std::uint64_t seed;
    std::array<std::uint64_t, 4> outputs;
  };
  const Row rows[] = {
      {0, {0x99ec5f36cb75f2b4U, 0xbf6e1f784956452aU, 0x1a5f849d4933e6e0U, 0x6aa594f1262d2d2cU}},
      {1, {0xb3f2af6d0fc710c5U, 0x853b559647364ceaU, 0x92f89756082a4514U, 0x642e1c7bc266a3a7U}},
      {42, {0x15780b2e0c2ec716U, 0x6104d9866d113a7eU, 0xae17533239e499a1U, 0xecb8ad4703b360a1U}},
  };
  for (const Row& row : rows) {
    Rng rng(row.seed);
    for (const std::uint64_t expected : row.outputs) { EXPECT_EQ(rng.next(), expected) << "seed " << row.seed; }
  }
  EXPECT_EQ(stream(7, 3, Purpose::choose).next(), 0x4ddc24f92db9a775U);
  EXPECT_EQ(stream(0, 0, Purpose::work).next(), 0x8c4986f3f0e565d5U);
}

TEST(Rng, is_the_same_at_compile_time) {
  constexpr std::uint64_t compiled = [] {
    Rng rng(42);
    rng.next();
    return rng.next();
  }();
  EXPECT_EQ(compiled, 0x6104d9866d113a7eU);
  constexpr Picos drawn = stream(7, 3, Purpose::work).exponential(1us);
  EXPECT_EQ(stream(7, 3, Purpose::work).exponential(1us), drawn);
}

TEST(NaturalLog, agrees_with_the_library_to_1e_13_where_variates_need_it) {
  Rng rng(3);
  for (int i = 0; i < 200'000; ++i) {
    const double x = 1.0 - rng.uniform();  // what exponential() takes the logarithm of
    ASSERT_NEAR(natural_log(x), std::log(x), 1e-13) << x;
    const double small = std::ldexp(x, -static_cast<int>(rng.below(53)));
    ASSERT_NEAR(natural_log(small), std::log(small), 1e-13) << small;
  }
}

TEST(NaturalLog, agrees_with_the_library_to_one_part_in_2_50_over_all_normal_numbers) {
  Rng rng(4);
  for (int i = 0; i < 200'000; ++i) {
    const double x = std::ldexp(1.0 + rng.uniform(), static_cast<int>(rng.below(2045)) - 1022);
    const double expected = std::log(x);
    ASSERT_NEAR(natural_log(x), expected, std::max(1.0, std::abs(expected)) * 0x1p-50) << x;
  }
}

TEST(NaturalLog, is_exact_at_one_and_right_at_the_edges_of_the_range_reduction) {
  EXPECT_EQ(natural_log(1.0), 0.0);
  EXPECT_EQ(natural_log(2.0), 0.69314718055994530942);
  EXPECT_EQ(natural_log(0x1p-53), -53 * 0.69314718055994530942);
  for (const double x :
       {1.4142135623730949, 1.4142135623730951, 1.4142135623730953, 0.99999999999999989, 1.0000000000000002}) {
    EXPECT_NEAR(natural_log(x), std::log(x), 4e-16) << x;
  }
}

TEST(NaturalLog, never_decreases) {
  double x = 0.7;
  for (int i = 0; i < 100'000; ++i) {
    const double next = x * 1.00001;
    ASSERT_LE(natural_log(x), natural_log(next)) << x;
    x = next;
  }
}

TEST(Uniform, lies_in_zero_to_one_and_has_its_mean_and_variance) {
  Rng rng(5);
  constexpr int draws = 200'000;
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < draws; ++i) {
    const double u = rng.uniform();
    ASSERT_TRUE(u >= 0 && u < 1);
    sum += u;
    squares += (u - 0.5) * (u - 0.5);
  }
  EXPECT_NEAR(sum / draws, 0.5, 5 * std::sqrt(1.0 / 12 / draws));
  EXPECT_NEAR(squares / draws, 1.0 / 12, 5 * std::sqrt(1.0 / 180 / draws));
}

TEST(Below, gives_every_number_equally_often_and_none_beyond) {
  Rng rng(6);
  constexpr std::uint32_t count = 7;
  constexpr int draws = 140'000;
  std::array<int, count> seen{};
  for (int i = 0; i < draws; ++i) {
    const std::uint32_t drawn = rng.below(count);
    ASSERT_LT(drawn, count);
    ++seen[drawn];
  }
  double chi_square = 0;
  for (const int n : seen) { chi_square += (n - draws / 7.0) * (n - draws / 7.0) / (draws / 7.0); }
  EXPECT_LT(chi_square, 35) << "6 degrees of freedom: 35 is passed once in 200000";
  EXPECT_EQ(rng.below(1), 0U);
}

TEST(Exponential, has_its_mean_its_spread_and_its_median) {
  Rng rng(7);
  constexpr int draws = 200'000;
  constexpr double mean = 1e6;  // ps
  double sum = 0;
  double squares = 0;
  int below_median = 0;
  for (int i = 0; i < draws; ++i) {
    const auto drawn = static_cast<double>(rng.exponential(1us).count());
    ASSERT_GE(drawn, 0);
    sum += drawn / mean;
    squares += (drawn / mean) * (drawn / mean);
    below_median += drawn < std::log(2.0) * mean ? 1 : 0;
  }
  EXPECT_NEAR(sum / draws, 1.0, 5 / std::sqrt(draws));
  EXPECT_NEAR(squares / draws, 2.0, 5 * std::sqrt(20.0 / draws));
  EXPECT_NEAR(static_cast<double>(below_median) / draws, 0.5, 5 * std::sqrt(0.25 / draws));
}

TEST(Exponential, scales_with_its_mean) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const auto one = Rng(seed).exponential(1us).count();
    const auto thousand = Rng(seed).exponential(1ms).count();
    ASSERT_LE(std::abs(thousand - 1000 * one), 1000) << "seed " << seed;
  }
}

TEST(UniformAround, lies_in_zero_to_twice_the_mean_and_has_it) {
  Rng rng(8);
  constexpr int draws = 200'000;
  double sum = 0;
  for (int i = 0; i < draws; ++i) {
    const Picos drawn = rng.uniform_around(1us);
    ASSERT_TRUE(drawn >= 0ns && drawn < 2us);
    sum += static_cast<double>(drawn.count()) / 1e6;
  }
  EXPECT_NEAR(sum / draws, 1.0, 5 * std::sqrt(1.0 / 3 / draws));
}

TEST(Stream, no_two_names_share_one) {
  std::set<std::uint64_t> firsts;
  for (std::uint64_t seed = 0; seed < 16; ++seed) {
    for (std::uint32_t owner = 0; owner < 128; ++owner) {
      for (std::uint32_t purpose = 0; purpose < 8; ++purpose) {
        firsts.insert(stream(seed, owner, static_cast<Purpose>(purpose)).next());
      }
    }
  }
  EXPECT_EQ(firsts.size(), 16U * 128U * 8U);
}

TEST(Stream, neighbours_are_uncorrelated) {
  constexpr int draws = 50'000;
  const auto correlation = [](Rng a, Rng b) {
    double product = 0;
    int equal_bits = 0;
    for (int i = 0; i < draws; ++i) {
      const std::uint64_t x = a.next();
      const std::uint64_t y = b.next();
      product += (static_cast<double>(x >> 11U) * 0x1p-53 - 0.5) * (static_cast<double>(y >> 11U) * 0x1p-53 - 0.5) * 12;
      equal_bits += 64 - std::popcount(x ^ y);
    }
    EXPECT_NEAR(equal_bits, 32.0 * draws, 5 * std::sqrt(16.0 * draws));
    return product / draws;
  };
  const double bound = 5 / std::sqrt(draws);
  EXPECT_NEAR(correlation(stream(1, 0, Purpose::work), stream(1, 1, Purpose::work)), 0, bound);
  EXPECT_NEAR(correlation(stream(1, 0, Purpose::work), stream(1, 0, Purpose::choose)), 0, bound);
  EXPECT_NEAR(correlation(stream(1, 0, Purpose::work), stream(2, 0, Purpose::work)), 0, bound);
}

TEST(Stream, drawing_from_one_shifts_no_other) {
  const Picos alone = stream(9, 4, Purpose::backoff).exponential(1us);
  Rng other = stream(9, 4, Purpose::work);
  Rng backoff = stream(9, 4, Purpose::backoff);
  for (int i = 0; i < 1000; ++i) { other.next(); }
  EXPECT_EQ(backoff.exponential(1us), alone);
}

}  // namespace
}  // namespace lockcast::rng_test
