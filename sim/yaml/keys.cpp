// Patterns are put together from what quantity.cpp and reader.cpp read by.

#include "sim/yaml/keys.hpp"

#include "models/check.hpp"
#include "sim/yaml/quantity.hpp"
#include "sim/yaml/reader.hpp"

namespace lockcast::yaml {

namespace {

const QuantityKind* quantity_of(Form form) {
  switch (form) {
    case Form::duration: return &durations;
    case Form::bytes: return &byte_counts;
    case Form::frequency: return &frequencies;
    default: return nullptr;
  }
}

}  // namespace

std::string pattern_of(Form form) {
  if (form == Form::name) { return std::string(name_pattern); }
  const QuantityKind* kind = quantity_of(form);
  CHECK(kind != nullptr, "a form without a pattern");
  std::string units;
  for (const Unit& unit : kind->units) { units.append(units.empty() ? "" : "|").append(unit.name); }
  return "^[0-9]+(\\.[0-9]+)? (" + units + ")$";
}

std::string bounds_of(const Value& value) {
  const QuantityKind* kind = quantity_of(value.form);
  CHECK(kind != nullptr, "a form without a unit");
  return print_quantity(value.low, *kind) + " to " + print_quantity(value.high, *kind);
}

}  // namespace lockcast::yaml
