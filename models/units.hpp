#pragma once
// Quantities and ids. Time is integer picoseconds, so a sum does not depend on its order and a byte-identical result is
// possible at all; an id is an enum class handed out in creation order, so two kinds never mix and no address decides.

#include <chrono>
#include <cstdint>

namespace lockcast {

using Picos = std::chrono::duration<std::int64_t, std::pico>;
using namespace std::chrono_literals;

// Larger than any simulated instant, small enough that adding a duration to it cannot overflow.
inline constexpr Picos forever{std::int64_t{1} << 61};

enum class CoreId : std::uint32_t {};
enum class BackendId : std::uint32_t {};
enum class LineId : std::uint32_t {};

inline constexpr BackendId no_backend{0xffffffffU};
inline constexpr CoreId no_core{0xffffffffU};

template <class Id>
constexpr std::uint32_t index(Id id) {
  return static_cast<std::uint32_t>(id);
}

// Seconds for printing and statistics; never used to decide anything inside simulated time.
constexpr double seconds(Picos time) { return static_cast<double>(time.count()) * 1e-12; }

}  // namespace lockcast
