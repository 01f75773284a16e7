#pragma once
// Numbers as people write them, read exactly: decimal text to integers without binary floating point. Internal to
// sim/yaml.

#include "sim/yaml/document.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace lockcast::yaml {

struct Unit {
  std::string_view name;
  std::int64_t multiplier;  // in the smallest unit
};

// What people write instead of a unit. An empty `unit` means: no unit of ours is close, so suggest none.
struct Alias {
  std::string_view word;
  std::string_view unit;
};

struct QuantityKind {
  std::string_view noun;        // "duration"
  std::string_view example;     // "120 ns"
  std::string_view too_fine;    // what to say about digits below the smallest unit
  std::span<const Unit> units;  // from small to large
  std::span<const Alias> aliases;
};

extern const QuantityKind durations;
extern const QuantityKind byte_counts;
extern const QuantityKind frequencies;

std::int64_t read_quantity(const Node& node, std::string_view what, const QuantityKind& kind, std::int64_t low,
                           std::int64_t high);
std::string print_quantity(std::int64_t quantity, const QuantityKind& kind);

// The text of a scalar; anything else fails saying what it is instead.
const std::string& scalar_text(const Node& node, std::string_view what, std::string_view expected);

// "what 'text': problem; expected ...".
[[noreturn]] void fail_value(const Node& node, std::string_view what, std::string_view problem,
                             std::string_view expected, std::string_view hint = {});

// The length of an optional '-', digits, and (if allowed) a fraction at the start of `text`; 0 when there is no such
// number.
std::size_t decimal_length(std::string_view text, bool fraction_allowed);

}  // namespace lockcast::yaml
