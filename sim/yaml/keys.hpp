#pragma once
// What a map of a file may hold, as data: the readers take types, bounds and names from these tables and `lockcast
// schema` prints them, so that what is printed is what is read. What no single value can tell (a lock that nobody
// declared, an interval outside its range) stays with the readers.

#include "models/parameter.hpp"
#include "models/units.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace lockcast::yaml {

struct KeyTable;

enum class Form : std::uint8_t {
  text,
  name,
  choice,
  on_off,
  count,
  ratio,
  duration,
  bytes,
  frequency,
  map,      // of the keys of a table
  entries,  // a map of names of the writer's choice
  list,
  any_of,
};

struct Value {
  Form form = Form::text;
  bool is_parameter = false;     // {value, interval, range, origin, reference}
  bool may_be_constant = false;  // or $NAME
  bool may_lack_keys = false;    // of a map that is laid over another: no key is required, here and below
  bool single = false;           // of a map: exactly one key
  std::int64_t low = 0;          // of a count, or of a quantity in its smallest unit
  std::int64_t high = 0;
  double low_ratio = 0;
  double high_ratio = 0;
  std::span<const std::string_view> names{};  // of a choice
  const KeyTable* keys = nullptr;
  const Value* item = nullptr;  // of a list, or of every entry
  std::span<const Value> alternatives{};
};

struct Key {
  std::string_view name;
  Value value;
  bool is_required = true;
  std::string_view what{};  // in messages, where that is not the name
};

struct KeyTable {
  std::string_view what;  // in messages
  std::span<const Key> keys;
  // More keys, a table for every name of the choice `by`.
  std::string_view by{};
  std::span<const KeyTable* const> kinds{};
  // More keys, which are laid over the file named by the key `over` if that is there, and whole otherwise.
  std::string_view over{};
  const KeyTable* laid_over = nullptr;
};

// What a parameter says about itself; all of it is required.
struct ParameterKeys {
  std::string_view value = "value";
  std::string_view interval = "interval";
  std::string_view range = "range";
  std::string_view origin = "origin";
  std::string_view reference = "reference";
};
inline constexpr ParameterKeys parameter_keys;
// `set` is the mark of the command line; a file cannot claim it.
inline constexpr std::span file_origins(origin_names.data(), origin_names.size() - 1);
static_assert(origin_names.back() == "set");

// What tables are made of. An argument taken by reference must live as long as the table.
namespace form {

constexpr Value text() { return {}; }
constexpr Value name() { return {.form = Form::name}; }
constexpr Value on_off() { return {.form = Form::on_off}; }
constexpr Value choice(std::span<const std::string_view> names) { return {.form = Form::choice, .names = names}; }
constexpr Value count(std::int64_t low, std::int64_t high) { return {.form = Form::count, .low = low, .high = high}; }
constexpr Value ratio(double low, double high) { return {.form = Form::ratio, .low_ratio = low, .high_ratio = high}; }
constexpr Value duration(Picos low = Picos{0}, Picos high = std::chrono::hours{1}) {
  return {.form = Form::duration, .low = low.count(), .high = high.count()};
}
constexpr Value bytes(std::int64_t low, std::int64_t high) { return {.form = Form::bytes, .low = low, .high = high}; }
constexpr Value kilohertz(std::int64_t low, std::int64_t high) {
  return {.form = Form::frequency, .low = low, .high = high};
}
constexpr Value map(const KeyTable& keys) { return {.form = Form::map, .keys = &keys}; }
constexpr Value one_of(const KeyTable& keys) { return {.form = Form::map, .single = true, .keys = &keys}; }
constexpr Value difference(const KeyTable& keys) { return {.form = Form::map, .may_lack_keys = true, .keys = &keys}; }
constexpr Value entries(const Value& each) { return {.form = Form::entries, .item = &each}; }
constexpr Value one_entry(const Value& of) { return {.form = Form::entries, .single = true, .item = &of}; }
constexpr Value list(const Value& item) { return {.form = Form::list, .item = &item}; }
constexpr Value any_of(std::span<const Value> alternatives) {
  return {.form = Form::any_of, .alternatives = alternatives};
}
constexpr Value parameter(Value of) {
  of.is_parameter = true;
  return of;
}
constexpr Value or_constant(Value of) {
  of.may_be_constant = true;
  return of;
}

constexpr Key required(std::string_view name, const Value& value, std::string_view what = {}) {
  return {name, value, true, what};
}
constexpr Key optional(std::string_view name, const Value& value, std::string_view what = {}) {
  return {name, value, false, what};
}

}  // namespace form

// An ECMA regular expression of the texts of this form, be it a name or a quantity; bounds are not in it.
std::string pattern_of(Form form);
// "0 ps to 1 h" or the like.
std::string bounds_of(const Value& value);

// Machine files, and what is laid over files of any kind.
extern const KeyTable machine_table;
extern const KeyTable overlay_table;

}  // namespace lockcast::yaml
