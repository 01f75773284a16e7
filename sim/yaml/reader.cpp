// Typed readers. Every message names the key it is about, repeats what was written and says what was expected; numbers
// go through std::from_chars, so neither the locale nor libm can change a result.

#include "sim/yaml/reader.hpp"

#include "sim/yaml/quantity.hpp"
#include "sim/yaml/text.hpp"

#include <algorithm>
#include <charconv>
#include <exception>
#include <functional>

namespace lockcast::yaml {

namespace {

template <class T>
std::string number_text(T number) {
  char buffer[32];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, number);
  return error == std::errc{} ? std::string(buffer, end) : "?";
}

// std::from_chars also takes "inf", "nan" and ".5"; a ratio is digits, perhaps a fraction, perhaps an exponent.
bool is_ratio(std::string_view text) {
  text.remove_prefix(decimal_length(text, true));
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(text.substr(1, 1) == "+" && text.substr(2, 1) != "-" ? 2 : 1);
    const std::size_t exponent = decimal_length(text, false);
    return exponent != 0 && exponent == text.size();
  }
  return text.empty();
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool is_name(std::string_view text) {
  const auto may_follow = [](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || std::string_view("-_.+").find(c) != std::string_view::npos;
  };
  return !text.empty() && (is_letter(text.front()) || text.front() == '_') &&
         std::all_of(text.begin(), text.end(), may_follow);
}

}  // namespace

MapReader::MapReader(const Node& node, std::string_view what)
    : node_(node), what_(what), exceptions_(std::uncaught_exceptions()) {
  if (node.kind == Node::Kind::map) { return; }
  if (node.kind == Node::Kind::scalar) { fail_value(node, what, "not a map", "a map"); }
  scalar_text(node, what, "a map");
}

MapReader::MapReader(const Node& node, const KeyTable& table) : MapReader(node, table, table.what) {}

MapReader::MapReader(const Node& node, const KeyTable& table, std::string_view what) : MapReader(node, what) {
  also(table);
  if (table.laid_over != nullptr) { also(*table.laid_over); }
}

MapReader::~MapReader() {
  CHECK(finished_ || std::uncaught_exceptions() > exceptions_,
        "a MapReader was not finished, so unknown keys would pass");
}

const Key* MapReader::find(std::string_view key) const {
  for (const KeyTable* table : tables_) {
    for (const Key& one : table->keys) {
      if (one.name == key) { return &one; }
    }
  }
  return nullptr;
}

MapReader::Field MapReader::field(std::string_view key) {
  const Node& node = required(key);
  const Key* known = find(key);
  CHECK(known != nullptr, "a value is read by a table that is not there");
  return {node, known->value, known->what.empty() ? known->name : known->what};
}

MapReader::Field MapReader::field(std::string_view key, Form form, bool is_parameter) {
  const Field found = field(key);
  CHECK(found.value.form == form && found.value.is_parameter == is_parameter && !found.value.may_be_constant,
        "a key is read as something else than its table says");
  return found;
}

const Node* MapReader::ask(std::string_view key) {
  CHECK(tables_.empty() || find(key) != nullptr, "a key is read that is not in the table of its map");
  if (std::find(known_.begin(), known_.end(), key) == known_.end()) { known_.emplace_back(key); }
  return node_.find(key);
}

const Node* MapReader::optional(std::string_view key) {
  CHECK(tables_.empty() || tables_.front()->laid_over != nullptr || find(key) == nullptr || !find(key)->is_required,
        "a key may be left out that its table requires");
  return ask(key);
}

const Node& MapReader::required(std::string_view key) {
  const Node* found = ask(key);
  if (found != nullptr) { return *found; }
  std::vector<std::string_view> unasked;
  for (const Entry& entry : node_.entries) {
    if (std::find(known_.begin(), known_.end(), entry.key) == known_.end()) { unasked.push_back(entry.key); }
  }
  const std::string_view misspelt = closest(key, unasked);
  fail(node_.mark, "missing key " + quote(key) + " in " + what_, {},
       misspelt.empty() ? std::string{} : "is " + quote(misspelt) + " a misspelling of it?");
}

void MapReader::finish() {
  finished_ = true;
  const std::vector<std::string_view> known(known_.begin(), known_.end());
  for (const KeyTable* table : tables_) {
    for (const Key& key : table->keys) {
      CHECK(std::find(known.begin(), known.end(), key.name) != known.end(), "a key of a table is never read");
    }
  }
  for (const Entry& entry : node_.entries) {
    if (std::find(known.begin(), known.end(), entry.key) != known.end()) { continue; }
    fail(entry.mark, "unknown key " + quote(entry.key) + " in " + what_, known.empty() ? "no keys" : one_of(known),
         did_you_mean(entry.key, known));
  }
}

const std::vector<Node>& read_sequence(const Node& node, std::string_view what) {
  if (node.kind == Node::Kind::sequence) { return node.items; }
  if (node.kind == Node::Kind::scalar) { fail_value(node, what, "not a sequence", "a sequence such as [1, 2, 4]"); }
  scalar_text(node, what, "a sequence such as [1, 2, 4]");
  return node.items;
}

std::string read_string(const Node& node, std::string_view what) { return scalar_text(node, what, "text"); }

std::string read_name(const Node& node, std::string_view what) {
  const std::string& text = scalar_text(node, what, "a name");
  if (!is_name(text)) {
    fail_value(node, what, "not a name", "letters, digits, '-', '_', '.' and '+' after a letter or '_'");
  }
  return text;
}

bool read_switch(const Node& node, std::string_view what) {
  const std::string& text = scalar_text(node, what, "on or off");
  if (text != "on" && text != "off") { fail_value(node, what, "not a switch", "on or off"); }
  return text == "on";
}

std::size_t read_choice(const Node& node, std::string_view what, std::span<const std::string_view> names) {
  const std::vector<std::string_view> known(names.begin(), names.end());
  const std::string& text = scalar_text(node, what, one_of(known));
  const auto found = std::find(names.begin(), names.end(), text);
  if (found == names.end()) {
    fail(node.mark, "unknown " + std::string(what) + " " + quote(text), one_of(known), did_you_mean(text, known));
  }
  return static_cast<std::size_t>(found - names.begin());
}

std::int64_t read_count(const Node& node, std::string_view what, std::int64_t low, std::int64_t high) {
  const std::string expected = "a whole number from " + number_text(low) + " to " + number_text(high);
  const std::string& text = scalar_text(node, what, expected);
  if (text.empty() || decimal_length(text, false) != text.size()) {
    fail_value(node, what, "not a whole number", expected);
  }
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc{} || end != text.data() + text.size() || count < low || count > high) {
    fail_value(node, what, "out of bounds", expected);
  }
  return count;
}

double read_ratio(const Node& node, std::string_view what, double low, double high) {
  const std::string expected = "a number from " + number_text(low) + " to " + number_text(high);
  const std::string& text = scalar_text(node, what, expected);
  if (decimal_length(text, true) == 0 || !is_ratio(text)) { fail_value(node, what, "not a number", expected); }
  double ratio = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), ratio);
  if (error != std::errc{} || end != text.data() + text.size() || ratio < low || ratio > high) {
    fail_value(node, what, "out of bounds", expected);
  }
  return ratio == 0 ? 0.0 : ratio;  // "-0" would print differently from "0"
}

Picos read_duration(const Node& node, std::string_view what, Picos low, Picos high) {
  return Picos{read_quantity(node, what, durations, low.count(), high.count())};
}

std::int64_t read_bytes(const Node& node, std::string_view what, std::int64_t low, std::int64_t high) {
  return read_quantity(node, what, byte_counts, low, high);
}

std::int64_t read_kilohertz(const Node& node, std::string_view what, std::int64_t low, std::int64_t high) {
  return read_quantity(node, what, frequencies, low, high);
}

std::string print_duration(Picos duration) { return print_quantity(duration.count(), durations); }
std::string print_bytes(std::int64_t bytes) { return print_quantity(bytes, byte_counts); }

namespace {

// How one kind of parameter is read and shown.
template <class T>
struct Kind {
  std::function<T(const Node&, const std::string&)> read;
  std::function<std::string(T)> print;
};

template <class T>
Bounds<T> read_bounds(const Node& node, const std::string& what, const Kind<T>& kind) {
  const std::vector<Node>& items = read_sequence(node, what);
  if (items.size() != 2) { fail(node.mark, what + " has " + number_text(items.size()) + " items", "[low, high]"); }
  const Bounds<T> bounds{kind.read(items[0], what), kind.read(items[1], what)};
  if (bounds.low > bounds.high) {
    fail(node.mark, what + ": " + kind.print(bounds.low) + " is above " + kind.print(bounds.high), "[low, high]");
  }
  return bounds;
}

template <class T>
Parameter<T> read_parameter(const Node& node, std::string_view what, const Kind<T>& kind) {
  const std::string name(what);
  const auto set = [&](const Node& from) {
    const T value = kind.read(from, name);
    return Parameter<T>{
        value, {value, value}, {value, value}, Origin::set, from.mark.file == nullptr ? "" : *from.mark.file};
  };
  if (node.kind == Node::Kind::scalar) {
    if (node.from_command_line) { return set(node); }
    fail_value(node, what, "a bare value has no origin", "{value, interval, range, origin, reference}");
  }
  MapReader map(node, what);
  const Node& value = map.required(parameter_keys.value);
  const Node& interval = map.required(parameter_keys.interval);
  const Node& range = map.required(parameter_keys.range);
  const Node& origin = map.required(parameter_keys.origin);
  const Node& reference = map.required(parameter_keys.reference);
  map.finish();
  if (value.from_command_line && !node.from_command_line) { return set(value); }

  Parameter<T> parameter;
  parameter.value = kind.read(value, name + " value");
  parameter.interval = read_bounds(interval, name + " interval", kind);
  parameter.range = read_bounds(range, name + " range", kind);
  const auto within = [&](const Bounds<T>& bounds) {
    return kind.print(bounds.low) + " to " + kind.print(bounds.high);
  };
  if (parameter.value < parameter.interval.low || parameter.value > parameter.interval.high) {
    fail_value(value, name + " value", "outside its interval", within(parameter.interval));
  }
  if (parameter.interval.low < parameter.range.low || parameter.interval.high > parameter.range.high) {
    fail(interval.mark, name + " interval " + within(parameter.interval) + " leaves its range",
         within(parameter.range));
  }
  parameter.origin = static_cast<Origin>(read_choice(origin, name + " origin", file_origins));
  parameter.reference = read_string(reference, name + " reference");
  if (parameter.reference.find_first_not_of(" \t\n") == std::string::npos) {
    fail(reference.mark, name + " reference is empty", "where the value comes from");
  }
  return parameter;
}

}  // namespace

Duration read_duration_parameter(const Node& node, std::string_view what) {
  return read_parameter<Picos>(
      node, what,
      {[](const Node& from, const std::string& name) { return read_duration(from, name); }, &print_duration});
}

Ratio read_ratio_parameter(const Node& node, std::string_view what, double low, double high) {
  return read_parameter<double>(
      node, what,
      {[=](const Node& from, const std::string& name) { return read_ratio(from, name, low, high); },
       &number_text<double>});
}

Count read_count_parameter(const Node& node, std::string_view what, std::int64_t low, std::int64_t high) {
  return read_parameter<std::int64_t>(
      node, what,
      {[=](const Node& from, const std::string& name) { return read_count(from, name, low, high); },
       &number_text<std::int64_t>});
}

std::string MapReader::text(std::string_view key) {
  const Field from = field(key, Form::text);
  return read_string(from.node, from.what);
}

std::string MapReader::name(std::string_view key) {
  const Field from = field(key, Form::name);
  return read_name(from.node, from.what);
}

bool MapReader::on_off(std::string_view key) {
  const Field from = field(key, Form::on_off);
  return read_switch(from.node, from.what);
}

std::size_t MapReader::choice(std::string_view key) {
  const Field from = field(key, Form::choice);
  return read_choice(from.node, from.what, from.value.names);
}

std::int64_t MapReader::count(std::string_view key) {
  const Field from = field(key, Form::count);
  return read_count(from.node, from.what, from.value.low, from.value.high);
}

double MapReader::ratio(std::string_view key) {
  const Field from = field(key, Form::ratio);
  return read_ratio(from.node, from.what, from.value.low_ratio, from.value.high_ratio);
}

Picos MapReader::duration(std::string_view key) {
  const Field from = field(key, Form::duration);
  return read_duration(from.node, from.what, Picos{from.value.low}, Picos{from.value.high});
}

std::int64_t MapReader::bytes(std::string_view key) {
  const Field from = field(key, Form::bytes);
  return read_bytes(from.node, from.what, from.value.low, from.value.high);
}

Duration MapReader::duration_parameter(std::string_view key) {
  const Field from = field(key, Form::duration, true);
  return read_duration_parameter(from.node, from.what);
}

Ratio MapReader::ratio_parameter(std::string_view key) {
  const Field from = field(key, Form::ratio, true);
  return read_ratio_parameter(from.node, from.what, from.value.low_ratio, from.value.high_ratio);
}

Count MapReader::count_parameter(std::string_view key) {
  const Field from = field(key, Form::count, true);
  return read_count_parameter(from.node, from.what, from.value.low, from.value.high);
}

}  // namespace lockcast::yaml
