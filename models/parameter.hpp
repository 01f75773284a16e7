#pragma once
// A number about hardware, an operating system or a code path, together with where it came from. `interval` is how well
// the value is known, `range` is the sourced prior a fit may never leave; a bare literal has no place in a machine
// file.

#include "models/units.hpp"

#include <array>
#include <string>
#include <string_view>

namespace lockcast {

// `set` marks a value given on the command line: an experiment of the user's, exempt from the range.
enum class Origin : std::uint8_t { measured, documented, recalled, inferred, assumed, fitted, set };
inline constexpr std::array<std::string_view, 7> origin_names{"measured", "documented", "recalled", "inferred",
                                                              "assumed",  "fitted",     "set"};

template <class T>
struct Bounds {
  T low{};
  T high{};
};

template <class T>
struct Parameter {
  T value{};
  Bounds<T> interval{};
  Bounds<T> range{};
  Origin origin = Origin::assumed;
  std::string reference{};
};

using Duration = Parameter<Picos>;
using Ratio = Parameter<double>;
using Count = Parameter<std::int64_t>;

}  // namespace lockcast
