#pragma once
// Finds the client count with the highest throughput from few simulated points: doubling and halving from a guess until
// the highest has a lower one on both sides, then once more between them, so the peak's client count is known to a
// factor of 1.4 and its height to the noise of a point. Pure: who simulates the points is somebody else.
//
// Limits: of several peaks it finds one near the guess; a plateau's beginning is found, not its end.

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace lockcast {

class PeakSearch {
 public:
  // `guess` and `limit`: where to begin, and the most clients there may be. With a knee it goes on downwards until
  // clients still bring what the ones before brought.
  PeakSearch(std::uint32_t guess, std::uint32_t limit, bool with_knee);

  // The next counts to look at, each once; none: it is found.
  [[nodiscard]] std::vector<std::uint32_t> wanted() const;
  void add(std::uint32_t clients, double tps) { tps_[clients] = tps; }

  // The fewest clients that reach the highest throughput within a percent, which noise alone may be.
  [[nodiscard]] std::uint32_t peak() const;
  // The peak is where the search had to end: more clients may bring more.
  [[nodiscard]] bool is_open() const { return peak() == limit_; }
  [[nodiscard]] const std::map<std::uint32_t, double>& tps() const { return tps_; }

 private:
  std::uint32_t guess_;
  std::uint32_t limit_;
  bool with_knee_;
  std::map<std::uint32_t, double> tps_;
};

// The first client count whose marginal throughput is under half the mean so far; none within these.
std::optional<std::uint32_t> knee_of(const std::map<std::uint32_t, double>& tps);
// The same rule as `peak`, for a ladder that somebody else has chosen. Not empty.
std::uint32_t peak_of(const std::map<std::uint32_t, double>& tps);

}  // namespace lockcast
