// Numbers go through std::from_chars: no locale, no sign where none makes sense, no trailing text.

#include "sim/cli/values.hpp"

#include "models/check.hpp"
#include "sim/yaml/reader.hpp"

#include <algorithm>
#include <charconv>

namespace lockcast {

namespace {

// More points than anybody waits for.
constexpr std::size_t numbers_max = 1000;

[[noreturn]] void fail_value(const std::string& option, const std::string& text, const std::string& expected,
                             const std::string& hint = {}) {
  throw InputError("--" + option + " " + yaml::quote(text) + ": expected " + expected + hint, ExitCode::usage);
}

template <class Number>
bool reads_as(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

std::vector<std::string> split(std::string_view text, std::string_view separator) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t at = text.find(separator);
    parts.emplace_back(text.substr(0, at));
    if (at == std::string_view::npos) { return parts; }
    text.remove_prefix(at + separator.size());
  }
}

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

}  // namespace

std::uint64_t read_number(const std::string& option, const std::string& text, std::uint64_t low, std::uint64_t high) {
  std::uint64_t number = 0;
  if (!reads_as(text, number) || number < low || number > high) {
    fail_value(option, text, "a whole number from " + std::to_string(low) + " to " + std::to_string(high));
  }
  return number;
}

double read_share(const std::string& option, const std::string& text) {
  const bool in_percent = text.ends_with('%');
  const std::string digits = trimmed(in_percent ? text.substr(0, text.size() - 1) : text);
  double share = 0;
  if (!reads_as(digits, share)) { share = 0; }
  if (in_percent) { share /= 100; }
  if (!(share > 0 && share <= 1)) { fail_value(option, text, "a share such as 3%, above 0 and at most 100%"); }
  return share;
}

Picos read_time(const std::string& option, const std::string& text, Picos low, Picos high) {
  yaml::Node node;
  node.kind = yaml::Node::Kind::scalar;
  node.text = text;
  node.mark = {std::make_shared<const std::string>("--" + option), 1, 1};
  try {
    return yaml::read_duration(node, "duration", low, high);
  } catch (const InputError& error) {
    // The reader's message is right, but an option has no line and its fault is one of usage.
    const std::string place = yaml::to_string(node.mark);
    std::string message = error.what();
    if (message.starts_with(place)) { message = "--" + option + message.substr(place.size()); }
    throw InputError(message, ExitCode::usage);
  }
}

std::size_t read_one_of(const std::string& option, const std::string& text, std::span<const std::string_view> names) {
  const auto found = std::find(names.begin(), names.end(), text);
  if (found != names.end()) { return static_cast<std::size_t>(found - names.begin()); }
  std::string all;
  for (const std::string_view name : names) { all.append(all.empty() ? "" : " | ").append(name); }
  fail_value(option, text, all, did_you_mean(text, {names.begin(), names.end()}));
}

std::vector<std::string> read_list(const std::string& option, const std::vector<std::string>& texts) {
  std::vector<std::string> items;
  for (const std::string& text : texts) {
    for (const std::string& part : split(text, ",")) {
      const std::string item = trimmed(part);
      if (item.empty()) { fail_value(option, text, "items separated by single commas"); }
      if (std::find(items.begin(), items.end(), item) == items.end()) { items.push_back(item); }
    }
  }
  return items;
}

std::vector<std::int64_t> read_numbers(const std::string& option, const std::vector<std::string>& texts,
                                       std::int64_t low, std::int64_t high) {
  const std::string expected = "whole numbers from " + std::to_string(low) + " to " + std::to_string(high) +
                               " such as 1,8,32 or FIRST..LAST..STEP such as 8..64..8";
  std::vector<std::int64_t> numbers;
  for (const std::string& item : read_list(option, texts)) {
    std::vector<std::int64_t> range;
    for (const std::string& part : split(item, "..")) {
      std::int64_t& number = range.emplace_back(0);
      const bool is_step = range.size() == 3;
      if (!reads_as(part, number) || number < (is_step ? 1 : low) || number > high) {
        fail_value(option, item, expected);
      }
    }
    if (range.size() > 3 || (range.size() > 1 && range[0] > range[1])) { fail_value(option, item, expected); }
    const std::int64_t last = range.size() > 1 ? range[1] : range[0];
    const std::int64_t step = range.size() > 2 ? range[2] : 1;
    for (std::int64_t number = range[0]; number <= last; number += step) {
      numbers.push_back(number);
      if (numbers.size() > numbers_max) {
        fail_value(option, item, "at most " + std::to_string(numbers_max) + " numbers");
      }
    }
  }
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

std::vector<Assignment> read_assignments(const std::vector<std::string>& texts) {
  std::vector<Assignment> sets;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) { fail_value("set", text, "PATH=VALUE such as machine.cpu.poll='8 ns'"); }
    sets.emplace_back(trimmed(text.substr(0, equals)), trimmed(text.substr(equals + 1)));
  }
  return sets;
}

}  // namespace lockcast
