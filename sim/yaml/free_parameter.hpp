#pragma once
// A parameter as a fit sees it, whatever its kind: a number that may move within its range. Durations are counted in
// picoseconds. Whether a number must be whole only its reader knows, so a fit asks by reading a changed tree.

#include "models/parameter.hpp"
#include "sim/yaml/document.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace lockcast::yaml {

// The largest number a fit may find.
inline constexpr double fitted_number_max = 1e9;

enum class Quantity : std::uint8_t { duration, number };

struct FreeParameter {
  Quantity quantity = Quantity::number;
  double value = 0;
  Bounds<double> interval;
  Bounds<double> range;
};

// Of a map with value, interval and range, all of one kind; `what` names it in messages.
FreeParameter read_free_parameter(const Node& node, std::string_view what);

double read_free_value(const Node& node, std::string_view what, Quantity quantity);

// With at most this many significant digits.
double rounded_free_value(double value, Quantity quantity, int digits);
// As a file would have it; read_free_value gives back the same number if it was rounded.
std::string print_free_value(double value, Quantity quantity);

}  // namespace lockcast::yaml
