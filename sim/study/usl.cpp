// Bounds by transformation: with x = (s, a, b) the fitted parameters are gamma = gamma0 s^2, alpha = a^2, beta = b^2.
// A derivative by a (or b) vanishes at 0, so a start there stays there: the starts with zeros are the fits of the law
// without that term, and win over others that are no better.

#include "sim/study/usl.hpp"

#include "models/rng.hpp"
#include "sim/study/least_squares.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <tuple>
#include <utility>

namespace lockcast {

namespace {

// s, a and b.
using Parameters = std::array<double, 3>;

struct LogResiduals {
  const std::vector<UslPoint>& points;
  double gamma0;

  [[nodiscard]] UslCurve curve(const Parameters& x) const { return {x[1] * x[1], x[2] * x[2], gamma0 * x[0] * x[0]}; }

  [[nodiscard]] std::vector<double> at(const Parameters& x) const {
    const UslCurve now = curve(x);
    std::vector<double> residuals;
    residuals.reserve(points.size());
    for (const UslPoint& point : points) { residuals.push_back(natural_log(now.tps(point.clients) / point.tps)); }
    return residuals;
  }

  [[nodiscard]] Matrix jacobian(const Parameters& x) const {
    Matrix jacobian(points.size(), x.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double n = points[i].clients;
      const double below = 1 + x[1] * x[1] * (n - 1) + x[2] * x[2] * n * (n - 1);
      jacobian.at(i, 0) = 2 / x[0];
      jacobian.at(i, 1) = -2 * x[1] * (n - 1) / below;
      jacobian.at(i, 2) = -2 * x[2] * n * (n - 1) / below;
    }
    return jacobian;
  }
};

struct Fitted {
  Parameters x{};
  double cost = 0;  // sum of squared residuals
};

double sum_of_squares(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) { sum += value * value; }
  return sum;
}

// Damped steps until none makes the cost smaller by more than rounding.
Fitted minimise(const LogResiduals& residuals, Parameters x) {
  constexpr int steps_max = 1000;
  constexpr double damping_max = 1e12;
  std::vector<double> left = residuals.at(x);
  Fitted fitted{x, sum_of_squares(left)};
  double damping = 1e-3;
  for (int i = 0; i < steps_max && damping < damping_max; ++i) {
    const std::vector<double> step = damped_step(residuals.jacobian(fitted.x), left, damping);
    for (std::size_t k = 0; k < x.size(); ++k) { x[k] = fitted.x[k] + step[k]; }
    const bool allowed = x[0] * x[0] > 0;  // gamma
    std::vector<double> next = allowed ? residuals.at(x) : left;
    const double cost = sum_of_squares(next);
    if (!(cost < fitted.cost)) {
      damping *= 10;
      continue;
    }
    const bool is_last = fitted.cost - cost <= 1e-15 * fitted.cost;
    fitted = {x, cost};
    left = std::move(next);
    if (is_last) { break; }
    damping /= 10;
  }
  return fitted;
}

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
  if (counts.size() < std::tuple_size_v<Parameters>) { return std::nullopt; }
  const LogResiduals residuals{points, gamma0};
  std::optional<UslCurve> best;
  double best_cost = 0;
  for (const Start& start : starts) {
    const Fitted fitted = minimise(residuals, {1, std::sqrt(start.alpha), std::sqrt(start.beta)});
    if (!best || fitted.cost < best_cost * (1 - 1e-9) - better_by) {
      best = residuals.curve(fitted.x);
      best_cost = fitted.cost;
    }
  }
  return best;
}

}  // namespace lockcast
