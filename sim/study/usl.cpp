// Bounds by transformation: with x = (s, a, b) the fitted parameters are gamma = gamma0 s^2, alpha = a^2, beta = b^2.
// A derivative by a (or b) vanishes at 0, so a start there stays there: the starts with zeros are the fits of the law
// without that term, and win over others that are no better.

#include "sim/study/usl.hpp"

#include "models/rng.hpp"

#include <Eigen/Core>
#include <unsupported/Eigen/NonLinearOptimization>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace lockcast {

namespace {

struct LogResiduals {
  using Scalar = double;
  using InputType = Eigen::VectorXd;
  using ValueType = Eigen::VectorXd;
  using JacobianType = Eigen::MatrixXd;
  static constexpr int InputsAtCompileTime = Eigen::Dynamic;
  static constexpr int ValuesAtCompileTime = Eigen::Dynamic;

  const std::vector<UslPoint>& points;
  double gamma0;

  static constexpr int parameters = 3;
  [[nodiscard]] int inputs() const { return parameters; }
  [[nodiscard]] int values() const { return static_cast<int>(points.size()); }

  [[nodiscard]] UslCurve curve(const InputType& x) const { return {x[1] * x[1], x[2] * x[2], gamma0 * x[0] * x[0]}; }

  int operator()(const InputType& x, ValueType& residuals) const {
    const UslCurve now = curve(x);
    if (!(now.gamma > 0)) { return -1; }
    for (int i = 0; i < values(); ++i) {
      const UslPoint& point = points[static_cast<std::size_t>(i)];
      residuals[i] = natural_log(now.tps(point.clients) / point.tps);
    }
    return 0;
  }

  int df(const InputType& x, JacobianType& jacobian) const {
    for (int i = 0; i < values(); ++i) {
      const double n = points[static_cast<std::size_t>(i)].clients;
      const double below = 1 + x[1] * x[1] * (n - 1) + x[2] * x[2] * n * (n - 1);
      jacobian(i, 0) = 2 / x[0];
      jacobian(i, 1) = -2 * x[1] * (n - 1) / below;
      jacobian(i, 2) = -2 * x[2] * n * (n - 1) / below;
    }
    return 0;
  }
};

struct Start {
  double alpha;
  double beta;
};
// The simplest law first; then both sides of what published curves need.
constexpr std::array<Start, 7> starts{
    {{0, 0}, {0.03, 0}, {0.5, 0}, {0, 1e-3}, {0.01, 1e-5}, {0.03, 1e-3}, {0.5, 1e-2}}};
// A law with one more term must fit better than by rounding.
constexpr double better_by = 1e-12;

}  // namespace

double UslCurve::tps(double clients) const {
  return gamma * clients / (1 + alpha * (clients - 1) + beta * clients * (clients - 1));
}

std::optional<double> UslCurve::peak_clients() const {
  if (beta <= 0) { return std::nullopt; }
  return alpha < 1 ? std::max(1.0, std::sqrt((1 - alpha) / beta)) : 1.0;
}

std::optional<UslCurve> fit_usl(const std::vector<UslPoint>& points) {
  std::set<double> counts;
  double gamma0 = 0;
  for (const UslPoint& point : points) {
    counts.insert(point.clients);
    gamma0 = std::max(gamma0, point.tps / point.clients);
  }
  if (counts.size() < LogResiduals::parameters) { return std::nullopt; }
  LogResiduals residuals{points, gamma0};
  std::optional<UslCurve> best;
  double best_cost = 0;
  for (const Start& start : starts) {
    Eigen::VectorXd x(LogResiduals::parameters);
    x << 1, std::sqrt(start.alpha), std::sqrt(start.beta);
    Eigen::LevenbergMarquardt<LogResiduals> solver(residuals);
    solver.parameters.ftol = solver.parameters.xtol = 1e-15;
    solver.parameters.maxfev = 2000;
    solver.minimize(x);
    Eigen::VectorXd left(residuals.values());
    if (residuals(x, left) != 0) { continue; }
    const double cost = left.squaredNorm();
    if (!best || cost < best_cost * (1 - 1e-9) - better_by) {
      best = residuals.curve(x);
      best_cost = cost;
    }
  }
  return best;
}

}  // namespace lockcast
