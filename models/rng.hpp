#pragma once
// Random numbers with a name. One seed per run; a stream per backend and purpose, so a draw added in one place shifts
// no other and two variants of a workload see common random numbers. Own generator, logarithm and exponential variate:
// the standard library's distributions and libm differ between machines, and a result must not.
// Generator: xoshiro256** (Blackman & Vigna, 2018), seeded by splitmix64 (Steele, Lea & Flood, OOPSLA 2014).

#include "models/units.hpp"

#include <array>
#include <bit>
#include <cstdint>

namespace lockcast {

// What a stream is for. Appending keeps every older stream unchanged.
enum class Purpose : std::uint32_t { work, choose, pick, backoff, network, ownership, scheduler, start, transaction };
inline constexpr std::uint32_t purpose_count =
    static_cast<std::uint32_t>(Purpose::transaction) + 1;  // the last one above

constexpr std::uint64_t splitmix64(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15U);
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

// Natural logarithm of x > 0 by range reduction and the series of atanh; absolute error below 1e-13, the same bits
// everywhere.
constexpr double natural_log(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  auto exponent = static_cast<int>((bits >> 52U) & 0x7ffU) - 1023;
  double mantissa = std::bit_cast<double>((bits & 0x000fffffffffffffU) | 0x3ff0000000000000U);
  if (mantissa > 1.4142135623730951) {
    mantissa *= 0.5;
    ++exponent;
  }
  const double t = (mantissa - 1.0) / (mantissa + 1.0);
  const double t2 = t * t;
  double sum = 0;
  for (int k = 19; k >= 1; k -= 2) { sum = sum * t2 + 1.0 / k; }
  return 2.0 * t * sum + static_cast<double>(exponent) * 0.69314718055994530942;
}

class Rng {
 public:
  constexpr Rng() : Rng(0) {}
  constexpr explicit Rng(std::uint64_t seed) : state_{} {
    for (std::uint64_t& word : state_) { word = splitmix64(seed); }
  }

  constexpr std::uint64_t next() {
    const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
    const std::uint64_t t = state_[1] << 17U;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  // Uniform in [0, 1), 53 bits.
  constexpr double uniform() { return static_cast<double>(next() >> 11U) * 0x1.0p-53; }

  // Uniform in 0 .. count-1 (Lemire's multiply-shift; the bias is below 2^-32 for the counts used here).
  constexpr std::uint32_t below(std::uint32_t count) {
    return static_cast<std::uint32_t>(((next() >> 32U) * static_cast<std::uint64_t>(count)) >> 32U);
  }

  // Uniform duration in [0, 2 * mean).
  constexpr Picos uniform_around(Picos mean) {
    return Picos{static_cast<std::int64_t>(uniform() * 2.0 * static_cast<double>(mean.count()))};
  }

  // Exponential duration with this mean.
  constexpr Picos exponential(Picos mean) {
    return Picos{static_cast<std::int64_t>(-natural_log(1.0 - uniform()) * static_cast<double>(mean.count()))};
  }

 private:
  std::array<std::uint64_t, 4> state_;
};

// The stream of `purpose` for `owner` (a backend, or another numbered thing) under `seed`.
constexpr Rng stream(std::uint64_t seed, std::uint32_t owner, Purpose purpose) {
  std::uint64_t mixed = seed;
  const std::uint64_t a = splitmix64(mixed);
  mixed = a ^ (static_cast<std::uint64_t>(owner) << 32U) ^ static_cast<std::uint64_t>(purpose);
  return Rng(splitmix64(mixed));
}

}  // namespace lockcast
