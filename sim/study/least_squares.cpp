// Normal equations are good enough: columns are in units of half a prior interval and priors are among the rows, so
// the condition is that of a small, well scaled problem.

#include "sim/study/least_squares.hpp"

#include "models/check.hpp"

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <Eigen/SVD>

#include <algorithm>
#include <cmath>

namespace lockcast {

namespace {

using Map = Eigen::Map<const Eigen::MatrixXd>;

Map map_of(const Matrix& matrix) {
  return {matrix.by_column.data(), static_cast<Eigen::Index>(matrix.rows), static_cast<Eigen::Index>(matrix.columns)};
}

std::vector<double> vector_of(const Eigen::VectorXd& from) { return {from.data(), from.data() + from.size()}; }

// How near to a bound a start may be, in shares of the width.
constexpr double margin = 0.01;

}  // namespace

double Bounded::inside(double u) const {
  return std::clamp(low + (high - low) * (1 + u / std::sqrt(1 + u * u)) / 2, low, high);
}

double Bounded::free(double x) const {
  const double share = std::clamp((x - low) / (high - low), margin, 1 - margin);
  const double t = 2 * share - 1;
  return t / std::sqrt(1 - t * t);
}

double Bounded::slope(double u) const {
  const double square = 1 + u * u;
  return (high - low) / (2 * square * std::sqrt(square));
}

double bounded_pull(double residual) {
  const double far = std::max(residual, -residual);
  if (far <= pull_knee) { return residual; }
  const double less = std::sqrt(2 * pull_knee * far - pull_knee * pull_knee);
  return residual < 0 ? -less : less;
}

std::vector<double> damped_step(const Matrix& jacobian, const std::vector<double>& residuals, double damping) {
  CHECK(jacobian.rows == residuals.size(), "a residual for each row");
  const Map j = map_of(jacobian);
  const Eigen::Map<const Eigen::VectorXd> r(residuals.data(), static_cast<Eigen::Index>(residuals.size()));
  Eigen::MatrixXd normal = j.transpose() * j;
  for (Eigen::Index i = 0; i < normal.rows(); ++i) { normal(i, i) = std::max(normal(i, i) * (1 + damping), 1e-12); }
  const Eigen::VectorXd step = normal.ldlt().solve(-(j.transpose() * r));
  return vector_of(step);
}

Identification identify(const Matrix& jacobian, double null_share) {
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(map_of(jacobian), Eigen::ComputeFullV);
  // With fewer rows than columns there are fewer singular values than directions; the others are zero.
  Eigen::VectorXd values = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(jacobian.columns));
  values.head(svd.singularValues().size()) = svd.singularValues();
  Identification result;
  result.singular_values = vector_of(values);
  const double largest = values.size() > 0 ? values[0] : 0;
  std::vector<Eigen::Index> null;
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    if (values[i] > 0 && values[i] >= null_share * largest) { continue; }
    null.push_back(i);
    result.null_directions.push_back({largest > 0 ? values[i] / largest : 0, vector_of(svd.matrixV().col(i))});
  }
  if (null.empty()) { return result; }
  Eigen::MatrixXd space(static_cast<Eigen::Index>(null.size()), values.size());
  for (std::size_t i = 0; i < null.size(); ++i) {
    space.row(static_cast<Eigen::Index>(i)) = svd.matrixV().col(null[i]).transpose();
  }
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> pivots(space);
  for (std::size_t i = 0; i < null.size(); ++i) {
    const auto column = pivots.colsPermutation().indices()[static_cast<Eigen::Index>(i)];
    result.held.push_back(static_cast<std::size_t>(column));
  }
  std::sort(result.held.begin(), result.held.end());
  return result;
}

std::vector<double> standard_deviations(const Matrix& jacobian) {
  const Map j = map_of(jacobian);
  const Eigen::MatrixXd normal = j.transpose() * j;
  const Eigen::MatrixXd covariance = normal.ldlt().solve(Eigen::MatrixXd::Identity(normal.rows(), normal.cols()));
  std::vector<double> deviations;
  for (Eigen::Index i = 0; i < covariance.rows(); ++i) { deviations.push_back(std::sqrt(covariance(i, i))); }
  return deviations;
}

}  // namespace lockcast
