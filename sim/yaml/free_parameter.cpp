// A number is a duration if its text ends in a letter: sizes and frequencies are never parameters.

#include "sim/yaml/free_parameter.hpp"

#include "sim/yaml/reader.hpp"

#include <charconv>

namespace lockcast::yaml {

namespace {

Quantity quantity_of(const Node& node) {
  const char last = node.text.empty() ? '0' : node.text.back();
  return last == 's' ? Quantity::duration : Quantity::number;
}

const Node& required(const Node& node, std::string_view what, std::string_view key) {
  const Node* found = node.find(key);
  if (found == nullptr) {
    fail(node.mark, std::string(what) + " has no " + std::string(key), "a parameter: {value, interval, range, ...}");
  }
  return *found;
}

Bounds<double> read_bounds(const Node& node, std::string_view what, Quantity quantity) {
  const std::vector<Node>& items = read_sequence(node, what);
  if (items.size() != 2) { fail(node.mark, std::string(what) + " is no pair", "[low, high]"); }
  const Bounds<double> bounds{read_free_value(items[0], what, quantity), read_free_value(items[1], what, quantity)};
  if (bounds.low > bounds.high) { fail(node.mark, std::string(what) + " is upside down", "[low, high]"); }
  return bounds;
}

}  // namespace

double read_free_value(const Node& node, std::string_view what, Quantity quantity) {
  if (quantity == Quantity::duration) { return static_cast<double>(read_duration(node, what).count()); }
  return read_ratio(node, what, 0, fitted_number_max);
}

FreeParameter read_free_parameter(const Node& node, std::string_view what) {
  const Node& value = required(node, what, "value");
  const std::string name(what);
  FreeParameter parameter;
  parameter.quantity = quantity_of(value);
  parameter.value = read_free_value(value, name + " value", parameter.quantity);
  parameter.interval = read_bounds(required(node, what, "interval"), name + " interval", parameter.quantity);
  parameter.range = read_bounds(required(node, what, "range"), name + " range", parameter.quantity);
  return parameter;
}

double rounded_free_value(double value, Quantity quantity, int digits) {
  char buffer[64];
  const auto [end, error] =
      std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific, digits - 1);
  CHECK(error == std::errc{}, "a number that does not fit");
  double rounded = 0;
  std::from_chars(buffer, end, rounded);
  // A picosecond is the smallest there is.
  return quantity == Quantity::duration ? static_cast<double>(static_cast<std::int64_t>(rounded + 0.5)) : rounded;
}

std::string print_free_value(double value, Quantity quantity) {
  if (quantity == Quantity::duration) { return print_duration(Picos{static_cast<std::int64_t>(value + 0.5)}); }
  char buffer[64];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed);
  CHECK(error == std::errc{}, "a number that does not fit");
  return {buffer, end};
}

}  // namespace lockcast::yaml
