// Two threads and a few lines. The leader makes a word odd, the other makes it even again; both walk the lines in the
// same order, so that nothing but the words themselves is shared while the clock runs.

#include "validate/ping_pong.hpp"

#include "models/check.hpp"
#include "validate/pinning.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace lockcast {

namespace {

// Enough of them to see most slices of a last-level cache.
constexpr std::size_t ping_lines = 8;
// A batch of 3 us in the same cache: a clock read of 25 ns is then 1 %, and an interrupt hits few batches.
constexpr std::uint32_t round_trips = 50;
constexpr std::uint32_t no_answer = ~std::uint32_t{0};  // ends the game; odd, so it is noticed as a question is

class PingPong {
 public:
  // Never returns before the leader has said so, bound or not.
  void follow(bool bound) {
    follower_.store(bound ? Follower::ready : Follower::unbound, std::memory_order_release);
    for (std::size_t line = 0;; line = (line + 1) % ping_lines) {
      std::atomic<std::uint32_t>& word = word_of(line);
      for (std::uint32_t i = 0; i < round_trips; ++i) {
        std::uint32_t seen = word.load(std::memory_order_acquire);
        while (seen % 2 == 0) { seen = word.load(std::memory_order_acquire); }
        if (seen == no_answer) { return; }
        word.store(seen + 1, std::memory_order_release);
      }
    }
  }

  // Measures nothing unless both are bound: on one CPU every answer would take a time slice.
  void lead(bool bound, std::chrono::microseconds duration) {
    using Steady = std::chrono::steady_clock;
    Follower follower{};
    while ((follower = follower_.load(std::memory_order_acquire)) == Follower::absent) {}
    if (!bound || follower == Follower::unbound) { return quit(); }
    for (std::size_t line = 0; line < ping_lines; ++line) { batch(line); }  // faults, caches, clock
    const Steady::time_point end = Steady::now() + duration;
    Steady::time_point now;
    do {
      for (std::size_t line = 0; line < ping_lines; ++line) {
        const Steady::time_point begin = Steady::now();
        batch(line);
        now = Steady::now();
        const double nanoseconds = std::chrono::duration<double, std::nano>(now - begin).count();
        one_way_ns_[line].push_back(nanoseconds / (2 * round_trips));
      }
    } while (now < end);
    quit();
  }

  // The follower waits at the next line, and every sweep ends with the last.
  void quit() { word_of(0).store(no_answer, std::memory_order_release); }

  [[nodiscard]] bool measured() const { return !one_way_ns_[0].empty(); }

  [[nodiscard]] TransferSample sample() {
    TransferSample sample;
    sample.batches = static_cast<std::uint32_t>(one_way_ns_[0].size());
    std::array<double, ping_lines> medians{};
    for (std::size_t line = 0; line < ping_lines; ++line) {
      std::vector<double>& batches = one_way_ns_[line];
      const auto middle = batches.begin() + static_cast<std::ptrdiff_t>(batches.size() / 2);
      std::nth_element(batches.begin(), middle, batches.end());
      medians[line] = *middle;
    }
    std::sort(medians.begin(), medians.end());
    sample.median_ns = (medians[ping_lines / 2 - 1] + medians[ping_lines / 2]) / 2;
    sample.spread = (medians.back() - medians.front()) / sample.median_ns;
    return sample;
  }

 private:
  // Two lines of 64 bytes, because prefetchers fetch them in pairs. Eleven lines apart: the distance is odd and no
  // power of two, so neighbours fall into different slices and sets.
  static constexpr std::size_t line_bytes = 64;
  static constexpr std::size_t stride = 11 * line_bytes;
  struct alignas(line_bytes) Place {
    std::atomic<std::uint32_t> word{0};
    std::array<std::byte, stride - sizeof(std::atomic<std::uint32_t>)> apart{};
  };
  static_assert(sizeof(Place) == stride);
  enum class Follower : std::uint8_t { absent, ready, unbound };

  std::atomic<std::uint32_t>& word_of(std::size_t line) { return places_[line].word; }

  void batch(std::size_t line) {
    std::atomic<std::uint32_t>& word = word_of(line);
    std::uint32_t value = word.load(std::memory_order_relaxed);
    for (std::uint32_t i = 0; i < round_trips; ++i) {
      word.store(value + 1, std::memory_order_release);
      value += 2;
      while (word.load(std::memory_order_acquire) != value) {}
    }
  }

  std::array<Place, ping_lines> places_{};
  std::array<std::vector<double>, ping_lines> one_way_ns_{};
  alignas(2 * line_bytes) std::atomic<Follower> follower_{Follower::absent};
};

}  // namespace

TransferSample measure_transfer(int cpu_a, int cpu_b, std::chrono::microseconds duration) {
  CHECK(cpu_a != cpu_b, "a line does not travel from a CPU to itself");
  const auto game = std::make_unique<PingPong>();
  {
    BoundThread follower(cpu_b, [&](bool bound) { game->follow(bound); });
    std::optional<BoundThread> leader;
    try {
      leader.emplace(cpu_a, [&](bool bound) { game->lead(bound, duration); });
    } catch (...) {
      game->quit();
      throw;
    }
  }
  if (!game->measured()) { no_binding(cpu_a, cpu_b); }
  return game->sample();
}

}  // namespace lockcast
