#pragma once
// The figures a scoreboard is made of. Errors are relative and without sign: |forecast / measured - 1|.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lockcast {

inline double magnitude(double value) { return std::max(value, -value); }

struct ErrorStatistics {
  std::size_t points = 0;  // 0: the others say nothing
  double median = 0;       // of an even number: the middle of the two in the middle
  double mean = 0;
  double p90 = 0;  // nearest rank: the smallest error that at least 90 % of the points do not exceed

  friend bool operator==(const ErrorStatistics&, const ErrorStatistics&) = default;
};

ErrorStatistics statistics_of(std::vector<double> errors);

// Tables of machines of some thirty cores begin to bend here: an average over both sides hides the harder one.
inline constexpr std::uint32_t clients_high = 24;

struct SplitErrors {
  ErrorStatistics all;
  ErrorStatistics below;  // 1 to 23 clients
  ErrorStatistics above;  // 24 clients and more
};

// Collects errors of points.
class ErrorBag {
 public:
  void add(std::uint32_t clients, double error) {
    (clients < clients_high ? below_ : above_).push_back(magnitude(error));
  }
  [[nodiscard]] SplitErrors split() const;

 private:
  std::vector<double> below_;
  std::vector<double> above_;
};

// How many of how many.
struct Share {
  std::size_t right = 0;
  std::size_t total = 0;

  void count(bool is_right) {
    ++total;
    right += is_right ? 1 : 0;
  }
  friend bool operator==(const Share&, const Share&) = default;
};

}  // namespace lockcast
