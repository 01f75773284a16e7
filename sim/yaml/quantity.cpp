// "<number> <unit>" to an exact count of the smallest unit: the fraction is multiplied digit by digit, as on paper, so
// "9.8 us" is 9800000 ps and nothing else, and a digit that does not fit is an error instead of a rounding.

#include "sim/yaml/quantity.hpp"

#include "sim/yaml/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <numeric>
#include <optional>

namespace lockcast::yaml {

namespace {

constexpr std::array<Unit, 5> duration_units{
    {{"ps", 1}, {"ns", 1'000}, {"us", 1'000'000}, {"ms", 1'000'000'000}, {"s", 1'000'000'000'000}}};
constexpr std::array<Alias, 17> duration_aliases{{{"\xc2\xb5s", "us"},  // micro sign
                                                  {"\xce\xbcs", "us"},  // Greek mu
                                                  {"psec", "ps"},
                                                  {"nsec", "ns"},
                                                  {"nanoseconds", "ns"},
                                                  {"usec", "us"},
                                                  {"microseconds", "us"},
                                                  {"msec", "ms"},
                                                  {"milliseconds", "ms"},
                                                  {"sec", "s"},
                                                  {"second", "s"},
                                                  {"seconds", "s"},
                                                  {"m", ""},
                                                  {"min", ""},
                                                  {"h", ""},
                                                  {"hz", ""},
                                                  {"cycles", ""}}};
constexpr std::array<Unit, 3> byte_units{{{"B", 1}, {"KiB", 1 << 10}, {"MiB", 1 << 20}}};
constexpr std::array<Alias, 9> byte_aliases{{{"byte", "B"},
                                             {"bytes", "B"},
                                             {"k", "KiB"},
                                             {"kb", "KiB"},
                                             {"m", "MiB"},
                                             {"mb", "MiB"},
                                             {"gb", ""},
                                             {"gib", ""},
                                             {"lines", ""}}};

constexpr std::array<Unit, 3> frequency_units{{{"kHz", 1}, {"MHz", 1'000}, {"GHz", 1'000'000}}};
constexpr std::array<Alias, 3> frequency_aliases{{{"khz", "kHz"}, {"mhz", "MHz"}, {"ghz", "GHz"}}};

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) { c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
  return out;
}

const Unit* find_unit(const QuantityKind& kind, std::string_view name) {
  const auto found =
      std::find_if(kind.units.begin(), kind.units.end(), [name](const Unit& unit) { return unit.name == name; });
  return found == kind.units.end() ? nullptr : &*found;
}

// Edit distance is too coarse for words of two letters: 'kg' is as close to 'ps' as 'ms' is. One wrong letter is a
// slip.
std::string_view intended_unit(const QuantityKind& kind, std::string_view word) {
  const std::string small = lower(word.substr(0, word.find_last_not_of(' ') + 1));
  for (const Unit& unit : kind.units) {
    if (small == lower(unit.name)) { return unit.name; }
  }
  for (const Alias& alias : kind.aliases) {
    if (small == alias.word) { return alias.unit; }
  }
  for (const Unit& unit : kind.units) {
    const std::string name = lower(unit.name);
    if (name.size() < 2 || name.size() != small.size()) { continue; }
    const auto differing =
        std::inner_product(name.begin(), name.end(), small.begin(), 0, std::plus<>{}, std::not_equal_to<>{});
    if (differing == 1) { return unit.name; }
  }
  return {};
}

std::string suggestion(std::string_view text) {
  return text.empty() ? std::string{} : "; did you mean '" + std::string(text) + "'?";
}

struct Product {
  std::optional<std::int64_t> whole;  // empty: beyond 64 bits
  bool exact = true;                  // no digit left below 1
};

// `number` ("12" or "9.8") times `multiplier`, which is at most 10^12 so that a digit times it fits easily.
Product multiply(std::string_view number, std::int64_t multiplier) {
  const std::size_t dot = std::min(number.find('.'), number.size());
  const std::string_view integer = number.substr(0, dot);
  const std::string_view fraction = number.substr(std::min(dot + 1, number.size()));
  Product product;
  std::int64_t carry = 0;
  for (std::size_t i = fraction.size(); i-- > 0;) {
    const std::int64_t digit = (fraction[i] - '0') * multiplier + carry;
    product.exact = product.exact && digit % 10 == 0;
    carry = digit / 10;
  }
  std::int64_t whole = 0;
  const auto [end, error] = std::from_chars(integer.data(), integer.data() + integer.size(), whole);
  if (error == std::errc{} && !__builtin_mul_overflow(whole, multiplier, &whole) &&
      !__builtin_add_overflow(whole, carry, &whole)) {
    product.whole = whole;
  }
  return product;
}

}  // namespace

constinit const QuantityKind durations{"duration", "120 ns", "finer than 1 ps", duration_units, duration_aliases};
constinit const QuantityKind byte_counts{"size", "752 B", "not a whole number of bytes", byte_units, byte_aliases};
constinit const QuantityKind frequencies{"frequency", "2 GHz", "finer than 1 kHz", frequency_units, frequency_aliases};

std::size_t decimal_length(std::string_view text, bool fraction_allowed) {
  const auto digits_end = [text](std::size_t at) {
    return std::min(text.find_first_not_of("0123456789", at), text.size());
  };
  const std::size_t start = text.starts_with('-') ? 1 : 0;
  const std::size_t integer_end = digits_end(start);
  if (integer_end == start) { return 0; }
  if (!fraction_allowed || integer_end == text.size() || text[integer_end] != '.') { return integer_end; }
  const std::size_t fraction_end = digits_end(integer_end + 1);
  return fraction_end == integer_end + 1 ? integer_end : fraction_end;
}

const std::string& scalar_text(const Node& node, std::string_view what, std::string_view expected) {
  const std::string name(what);
  switch (node.kind) {
    case Node::Kind::null: fail(node.mark, name + " has no value", expected);
    case Node::Kind::sequence: fail(node.mark, name + " is a sequence", expected);
    case Node::Kind::map: fail(node.mark, name + " is a map", expected);
    case Node::Kind::scalar: break;
  }
  return node.text;
}

void fail_value(const Node& node, std::string_view what, std::string_view problem, std::string_view expected,
                std::string_view hint) {
  std::string message(what);
  message.append(" ").append(quote(node.text)).append(": ").append(problem);
  fail(node.mark, message, expected, hint);
}

std::int64_t read_quantity(const Node& node, std::string_view what, const QuantityKind& kind, std::int64_t low,
                           std::int64_t high) {
  const std::string noun(kind.noun);
  const std::string form = "a " + noun + " such as '" + std::string(kind.example) + "'";
  const std::string_view text = scalar_text(node, what, form);
  const std::size_t length = decimal_length(text, true);
  const std::string_view number = text.substr(0, length);
  const std::string_view rest = text.substr(length);
  if (length == 0) { fail_value(node, what, "not a " + noun, form); }
  const std::string_view word = rest.substr(std::min(rest.find_first_not_of(' '), rest.size()));
  if (word.empty()) { fail_value(node, what, "missing unit", form); }
  const Unit* unit = find_unit(kind, word);
  if (rest.size() != word.size() + 1) {
    if (unit == nullptr) { fail_value(node, what, "not a " + noun, form); }
    fail_value(node, what, "not exactly one space before the unit", form,
               suggestion(std::string(number) + " " + std::string(word)));
  }
  if (unit == nullptr) {
    std::vector<std::string_view> names;
    for (const Unit& known : kind.units) { names.push_back(known.name); }
    fail_value(node, what, "unknown unit " + quote(word), one_of(names), suggestion(intended_unit(kind, word)));
  }
  if (number.starts_with('-')) { fail_value(node, what, "negative " + noun, form); }
  const Product product = multiply(number, unit->multiplier);
  if (!product.exact) { fail_value(node, what, kind.too_fine, form); }
  if (!product.whole.has_value() || *product.whole < low || *product.whole > high) {
    fail_value(node, what, "out of bounds", print_quantity(low, kind) + " to " + print_quantity(high, kind));
  }
  return *product.whole;
}

std::string print_quantity(std::int64_t quantity, const QuantityKind& kind) {
  const bool negative = quantity < 0;
  const std::uint64_t magnitude =
      negative ? -static_cast<std::uint64_t>(quantity) : static_cast<std::uint64_t>(quantity);
  const Unit* unit = &kind.units.front();
  for (const Unit& larger : kind.units) {
    if (magnitude >= static_cast<std::uint64_t>(larger.multiplier)) { unit = &larger; }
  }
  const auto multiplier = static_cast<std::uint64_t>(unit->multiplier);
  std::string out = negative ? "-" : "";
  out += std::to_string(magnitude / multiplier);
  // Ends because every multiplier is a product of twos and fives.
  std::uint64_t remainder = magnitude % multiplier;
  if (remainder != 0) { out += '.'; }
  for (; remainder != 0; remainder = remainder * 10 % multiplier) {
    out += std::to_string(remainder * 10 / multiplier);
  }
  return out + " " + std::string(unit->name);
}

}  // namespace lockcast::yaml
