// The numbers of a fit on problems that can be worked out by hand.

#include "sim/study/least_squares.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace lockcast::least_squares_test {

namespace {

Matrix matrix(std::size_t rows, std::size_t columns, const std::vector<double>& by_row) {
  Matrix m(rows, columns);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < columns; ++column) { m.at(row, column) = by_row[row * columns + column]; }
  }
  return m;
}

// At the knee value and slope go on; beyond it the square grows by 2 x 1.5 for each 1 more.
TEST(BoundedPull, is_the_residual_up_to_the_knee_and_grows_like_a_root_beyond) {
  for (const double r : {0.0, 0.3, 1.5}) {
    EXPECT_DOUBLE_EQ(bounded_pull(r), r);
    EXPECT_DOUBLE_EQ(bounded_pull(-r), -r);
  }
  const auto square = [](double r) { return bounded_pull(r) * bounded_pull(r); };
  EXPECT_NEAR(square(3), 2 * 1.5 * 3 - 2.25, 1e-12);
  EXPECT_NEAR(square(9) - square(8), 3, 1e-12);
  EXPECT_NEAR(bounded_pull(-8), -bounded_pull(8), 1e-12);
}

TEST(Bounded, never_leaves_its_bounds_and_comes_back_to_where_it_was) {
  const Bounded bounded{5, 25};
  for (const double u : {-1e300, -1e9, -3.0, 0.0, 0.1, 7.0, 1e9, 1e300}) {
    EXPECT_GE(bounded.inside(u), 5) << u;
    EXPECT_LE(bounded.inside(u), 25) << u;
  }
  EXPECT_DOUBLE_EQ(bounded.inside(0), 15);
  for (const double x : {5.5, 10.0, 15.0, 24.0}) { EXPECT_NEAR(bounded.inside(bounded.free(x)), x, 1e-12); }
  // At a bound nothing would move, so a start there is moved inside by a hundredth of the width.
  EXPECT_NEAR(bounded.inside(bounded.free(5)), 5.2, 1e-12);
  EXPECT_NEAR(bounded.inside(bounded.free(25)), 24.8, 1e-12);
}

TEST(Bounded, slope_is_the_derivative) {
  const Bounded bounded{-1, 3};
  for (const double u : {-2.0, 0.0, 0.5, 4.0}) {
    const double numeric = (bounded.inside(u + 1e-6) - bounded.inside(u - 1e-6)) / 2e-6;
    EXPECT_NEAR(bounded.slope(u), numeric, 1e-7) << u;
  }
}

TEST(DampedStep, undamped_solves_the_linear_problem_and_damped_goes_less_far_the_same_way) {
  const Matrix jacobian = matrix(3, 2, {1, 0, 0, 2, 0, 0});
  const std::vector<double> step = damped_step(jacobian, {3, -4, 9}, 0);
  EXPECT_NEAR(step[0], -3, 1e-12);
  EXPECT_NEAR(step[1], 2, 1e-12);
  const std::vector<double> damped = damped_step(jacobian, {3, -4, 9}, 1);
  EXPECT_NEAR(damped[0], -1.5, 1e-12);
  EXPECT_NEAR(damped[1], 1, 1e-12);
}

TEST(Identify, a_column_of_nothing_is_a_null_direction_and_is_held) {
  const Identification found = identify(matrix(3, 3, {1, 0, 0, 0, 0, 2, 0, 0, 1}), 0.05);
  ASSERT_EQ(found.null_directions.size(), 1U);
  EXPECT_EQ(found.held, std::vector<std::size_t>{1});
  EXPECT_NEAR(std::abs(found.null_directions[0].components[1]), 1, 1e-12);
  EXPECT_NEAR(found.singular_values[0], std::sqrt(5.0), 1e-12);
}

TEST(Identify, of_two_columns_that_do_the_same_one_is_held) {
  const Identification found = identify(matrix(3, 3, {1, 2, 0, 2, 4, 1, 1, 2, 5}), 0.05);
  ASSERT_EQ(found.null_directions.size(), 1U);
  // The direction is (2, -1, 0): the first column lies in it most.
  EXPECT_EQ(found.held, std::vector<std::size_t>{0});
  EXPECT_NEAR(found.null_directions[0].components[0] / found.null_directions[0].components[1], -2, 1e-9);
}

TEST(Identify, holds_nothing_of_a_problem_that_is_well_posed_and_all_of_one_without_signal) {
  EXPECT_TRUE(identify(matrix(2, 2, {1, 0, 0, 0.5}), 0.05).held.empty());
  EXPECT_EQ(identify(matrix(2, 2, {0, 0, 0, 0}), 0.05).held.size(), 2U);
  // Two rows cannot tell three parameters apart.
  EXPECT_EQ(identify(matrix(2, 3, {1, 0, 1, 0, 1, 1}), 0.05).held.size(), 1U);
}

TEST(StandardDeviations, are_those_of_independent_and_of_repeated_measurements) {
  const std::vector<double> deviations = standard_deviations(matrix(5, 2, {2, 0, 2, 0, 2, 0, 2, 0, 0, 0.5}));
  EXPECT_NEAR(deviations[0], 0.25, 1e-12);
  EXPECT_NEAR(deviations[1], 2, 1e-12);
}

}  // namespace

}  // namespace lockcast::least_squares_test
