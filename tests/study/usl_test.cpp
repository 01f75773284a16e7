// The law gives back what it was made of, and what is not of its kind is fitted as well as it can be.

#include "sim/study/usl.hpp"

#include "models/rng.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace lockcast::usl_test {

namespace {

std::vector<UslPoint> points_on(const UslCurve& law, const std::vector<double>& clients) {
  std::vector<UslPoint> points;
  for (const double n : clients) { points.push_back({n, law.tps(n)}); }
  return points;
}

const std::vector<double> some_clients{1, 8, 16, 24, 32, 80};

double cost(const UslCurve& law, const std::vector<UslPoint>& points) {
  double sum = 0;
  for (const UslPoint& point : points) {
    const double residual = natural_log(law.tps(point.clients) / point.tps);
    sum += residual * residual;
  }
  return sum;
}

TEST(Usl, the_law_is_the_published_formula) {
  // 4 clients: 100 * 4 / (1 + 0.1 * 3 + 0.01 * 12) = 400 / 1.42.
  EXPECT_DOUBLE_EQ((UslCurve{0.1, 0.01, 100}.tps(4)), 400 / 1.42);
  EXPECT_DOUBLE_EQ((UslCurve{0.1, 0.01, 100}.tps(1)), 100);
}

TEST(Usl, exact_data_give_back_alpha_beta_and_gamma) {
  for (const UslCurve& law : {UslCurve{0.02, 0.001, 900}, UslCurve{0.3, 1e-5, 5e4}, UslCurve{1e-3, 0.02, 3}}) {
    const std::optional<UslCurve> fitted = fit_usl(points_on(law, some_clients));
    ASSERT_TRUE(fitted);
    EXPECT_NEAR(fitted->alpha / law.alpha, 1, 1e-5);
    EXPECT_NEAR(fitted->beta / law.beta, 1, 1e-5);
    EXPECT_NEAR(fitted->gamma / law.gamma, 1, 1e-6);
  }
}

TEST(Usl, linear_data_have_neither_alpha_nor_beta) {
  const std::optional<UslCurve> fitted = fit_usl(points_on({0, 0, 631}, some_clients));
  ASSERT_TRUE(fitted);
  EXPECT_EQ(fitted->alpha, 0);
  EXPECT_EQ(fitted->beta, 0);
  EXPECT_NEAR(fitted->gamma, 631, 1e-6);
  EXPECT_FALSE(fitted->peak_clients());
}

TEST(Usl, data_of_amdahl_or_of_pairs_alone_have_the_other_term_at_zero) {
  const std::optional<UslCurve> amdahl = fit_usl(points_on({0.05, 0, 100}, some_clients));
  ASSERT_TRUE(amdahl);
  EXPECT_NEAR(amdahl->alpha, 0.05, 1e-7);
  EXPECT_NEAR(amdahl->beta, 0, 1e-9);
  const std::optional<UslCurve> pairs = fit_usl(points_on({0, 0.002, 100}, some_clients));
  ASSERT_TRUE(pairs);
  EXPECT_NEAR(pairs->alpha, 0, 1e-7);
  EXPECT_NEAR(pairs->beta, 0.002, 1e-7);
}

TEST(Usl, superlinear_data_would_need_a_negative_alpha_and_get_zero) {
  const std::optional<UslCurve> fitted = fit_usl({{1, 100}, {2, 220}, {4, 480}});
  ASSERT_TRUE(fitted);
  EXPECT_EQ(fitted->alpha, 0);
  EXPECT_EQ(fitted->beta, 0);
  // On log tps gamma is the geometric mean of tps per client: 100, 110, 120.
  EXPECT_NEAR(fitted->gamma, std::cbrt(100.0 * 110.0 * 120.0), 1e-6);
}

// A cliff is nothing the law can follow; still no allowed curve nearby may be better.
TEST(Usl, a_cliff_is_fitted_as_well_as_any_neighbour_could) {
  const std::vector<UslPoint> cliff{{1, 5590}, {8, 37660}, {16, 67366}, {32, 82782}, {48, 18590}, {64, 16425}};
  const std::optional<UslCurve> fitted = fit_usl(cliff);
  ASSERT_TRUE(fitted);
  EXPECT_GE(fitted->alpha, 0);
  EXPECT_GE(fitted->beta, 0);
  const double best = cost(*fitted, cliff);
  for (const double gamma : {0.97, 1.0, 1.03}) {
    for (const double alpha : {0.0, 0.001, 0.01}) {
      for (const double beta : {0.9, 1.0, 1.1}) {
        const UslCurve near{fitted->alpha + alpha, fitted->beta * beta, fitted->gamma * gamma};
        EXPECT_LE(best, cost(near, cliff) + 1e-12) << gamma << " " << alpha << " " << beta;
      }
    }
  }
}

TEST(Usl, the_peak_is_where_throughput_is_highest) {
  const UslCurve law{0.01, 0.001, 100};
  const std::optional<double> peak = law.peak_clients();
  ASSERT_TRUE(peak);
  EXPECT_DOUBLE_EQ(*peak, std::sqrt(0.99 / 0.001));
  EXPECT_GT(law.tps(*peak), law.tps(*peak - 1));
  EXPECT_GT(law.tps(*peak), law.tps(*peak + 1));
  EXPECT_EQ((UslCurve{2, 0.001, 100}.peak_clients()), 1.0) << "it falls from the first client on";
}

TEST(Usl, three_numbers_need_three_client_counts) {
  EXPECT_FALSE(fit_usl({}));
  EXPECT_FALSE(fit_usl({{1, 100}, {8, 700}}));
  EXPECT_FALSE(fit_usl({{1, 100}, {1, 101}, {8, 700}}));
  EXPECT_TRUE(fit_usl({{1, 100}, {8, 700}, {16, 1200}}));
}

}  // namespace

}  // namespace lockcast::usl_test
