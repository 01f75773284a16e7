#pragma once
// The numbers of a fit, without anything that is fitted: variables that cannot leave their bounds, a damped step, what
// a Jacobian can tell apart and how well. Pure functions; the only user of Eigen. Derivatives come from
// outside because each of their columns is a batch of simulations.

#include <cstddef>
#include <vector>

namespace lockcast {

// x in (low, high) as a function of any real u: the middle of the bounds at 0, never beyond them. An algebraic sigmoid
// in place of the logistic one, because sqrt is the same on every host.
struct Bounded {
  double low = 0;
  double high = 1;

  [[nodiscard]] double inside(double u) const;
  // The u of a value; of one at a bound or nearly, that of a point a little inside: at the bound itself nothing moves.
  [[nodiscard]] double free(double x) const;
  [[nodiscard]] double slope(double u) const;  // dx/du
};

// Huber's loss as a residual: the same up to the knee, and beyond it one whose square grows only linearly, so that a
// row far off (a collapse that comes a little early) pulls no more than one at the knee. P. J. Huber, Annals of
// Mathematical Statistics 35(1), 1964.
constexpr double pull_knee = 1.5;
[[nodiscard]] double bounded_pull(double residual);

struct Matrix {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<double> by_column;

  Matrix(std::size_t of_rows, std::size_t of_columns) : rows(of_rows), columns(of_columns), by_column(rows * columns) {}
  double& at(std::size_t row, std::size_t column) { return by_column[column * rows + row]; }
  [[nodiscard]] double at(std::size_t row, std::size_t column) const { return by_column[column * rows + row]; }
};

// Levenberg and Marquardt: the d that minimises |r + J d|^2 + damping |diag(JtJ)^1/2 d|^2.
std::vector<double> damped_step(const Matrix& jacobian, const std::vector<double>& residuals, double damping);

// One direction that the rows do not see: its share of the largest singular value, and its components.
struct NullDirection {
  double share = 0;
  std::vector<double> components;
};

struct Identification {
  std::vector<double> singular_values;  // falling
  std::vector<NullDirection> null_directions;
  std::vector<std::size_t> held;  // as many columns as null directions, those that lie in them most; rising
};

// Singular values below `null_share` of the largest make null directions; without any signal all are.
Identification identify(const Matrix& jacobian, double null_share);

// Square roots of the diagonal of (JtJ)^-1. J has full rank (priors are among its rows).
std::vector<double> standard_deviations(const Matrix& jacobian);

}  // namespace lockcast
