#pragma once
// The Universal Scalability Law (Gunther), the curve that the trade fits to throughput:
//   X(N) = gamma N / (1 + alpha (N - 1) + beta N (N - 1)),   alpha, beta >= 0, gamma > 0.
// alpha stands for what is serial, beta for what grows with every pair of clients, gamma for the throughput of one. It
// knows no machine and no lock: it bends, but cannot fall off a cliff, and says nothing about a change that was not
// measured.

#include <optional>
#include <vector>

namespace lockcast {

struct UslPoint {
  double clients = 0;
  double tps = 0;
};

struct UslCurve {
  double alpha = 0;
  double beta = 0;
  double gamma = 0;

  [[nodiscard]] double tps(double clients) const;
  // The client count of the highest throughput; none when it never falls.
  [[nodiscard]] std::optional<double> peak_clients() const;
};

// Least squares on log tps. None for fewer than three different client counts: that many numbers are fitted.
std::optional<UslCurve> fit_usl(const std::vector<UslPoint>& points);

}  // namespace lockcast
