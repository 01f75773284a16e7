// Ranges count in decimal steps of the first value's last digit, exactly: 0.1..0.3:0.1 ends at 0.3.

#include "sim/study/axes.hpp"

#include "models/check.hpp"
#include "sim/yaml/document.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <optional>

namespace lockcast {

namespace {

[[noreturn]] void refuse(const std::string& text, const std::string& expected) {
  throw InputError("--sweep " + yaml::quote(text) + ": expected " + expected, ExitCode::usage);
}

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  return first == std::string_view::npos ? "" : std::string(text.substr(first, text.find_last_not_of(' ') - first + 1));
}

// Commas inside brackets and quotes belong to a value.
std::vector<std::string> items_of(std::string_view text) {
  std::vector<std::string> items(1);
  int depth = 0;
  char quote = 0;
  for (const char c : text) {
    if (quote != 0) {
      quote = c == quote ? 0 : quote;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if (c == ']' || c == '}') {
      --depth;
    }
    if (c == ',' && depth == 0 && quote == 0) {
      items.emplace_back();
    } else {
      items.back() += c;
    }
  }
  for (std::string& item : items) { item = trimmed(item); }
  return items;
}

// A decimal number with so many digits after the point, and its unit.
struct Quantity {
  std::int64_t digits = 0;
  int decimals = 0;
  std::string unit;
};

std::optional<Quantity> quantity_of(const std::string& text) {
  Quantity q;
  std::size_t at = 0;
  std::string digits;
  for (bool after_point = false; at < text.size(); ++at) {
    if (text[at] == '.' && !after_point) {
      after_point = true;
      continue;
    }
    if (std::isdigit(static_cast<unsigned char>(text[at])) == 0) { break; }
    digits += text[at];
    q.decimals += after_point ? 1 : 0;
  }
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), q.digits);
  if (digits.empty() || digits.size() > 15 || error != std::errc{} || end != digits.data() + digits.size()) {
    return std::nullopt;
  }
  q.unit = trimmed(std::string_view(text).substr(at));
  const bool is_unit = std::all_of(q.unit.begin(), q.unit.end(),
                                   [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; });
  return is_unit ? std::optional(q) : std::nullopt;
}

void widen(Quantity& q, int decimals) {
  for (; q.decimals < decimals; ++q.decimals) { q.digits *= 10; }
}

std::string text_of(std::int64_t digits, int decimals, const std::string& unit) {
  std::string text = std::to_string(digits);
  if (decimals > 0) {
    const auto places = static_cast<std::size_t>(decimals);
    if (text.size() <= places) { text.insert(0, places + 1 - text.size(), '0'); }
    text.insert(text.size() - places, ".");
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') { text.pop_back(); }
  }
  return unit.empty() ? text : text + " " + unit;
}

constexpr const char* range_forms =
    "FIRST..LAST, FIRST..LAST:STEP or FIRST..LAST:log (doublings), numbers of one unit such as 5 ns..25 ns:5 ns";

std::vector<std::string> range_of(const std::string& all, const std::string& item) {
  const std::size_t dots = item.find("..");
  const std::size_t colon = item.find(':', dots);
  const std::string rest = item.substr(dots + 2, colon == std::string::npos ? colon : colon - dots - 2);
  const std::string how = colon == std::string::npos ? "" : trimmed(item.substr(colon + 1));
  std::optional<Quantity> first = quantity_of(trimmed(item.substr(0, dots)));
  std::optional<Quantity> last = quantity_of(trimmed(rest));
  if (!first || !last) { refuse(all, range_forms); }
  if (first->unit.empty()) { first->unit = last->unit; }
  Quantity step{1, 0, first->unit};
  if (!how.empty() && how != "log") {
    const std::optional<Quantity> given = quantity_of(how);
    if (!given || given->digits == 0) { refuse(all, range_forms); }
    step = *given;
    if (step.unit.empty()) { step.unit = first->unit; }
  }
  if (first->unit != last->unit || step.unit != first->unit) {
    refuse(all, "one unit in a range, such as 5 ns..25 ns");
  }
  const int decimals = std::max({first->decimals, last->decimals, step.decimals});
  for (Quantity* q : {&*first, &*last, &step}) { widen(*q, decimals); }
  if (first->digits > last->digits) { refuse(all, "a range from low to high"); }
  if (how == "log" && first->digits == 0) { refuse(all, "a range of doublings that does not begin with 0"); }
  std::vector<std::string> values;
  std::int64_t at = first->digits;
  for (; at <= last->digits; at += how == "log" ? at : step.digits) {
    values.push_back(text_of(at, decimals, first->unit));
    if (values.size() > axis_values_max) {
      refuse(all, "at most " + std::to_string(axis_values_max) + " values of one path");
    }
  }
  // What stops short of its end may be a slip.
  if (values.back() != text_of(last->digits, decimals, first->unit)) {
    refuse(all, "a range that reaches its last value; the last before it is " + values.back());
  }
  return values;
}

bool is_range(const std::string& item) {
  const std::size_t dots = item.find("..");
  return dots != std::string::npos && item.find_first_of("'\"[{") == std::string::npos;
}

}  // namespace

Axis read_axis(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || trimmed(text.substr(0, equals)).empty()) {
    refuse(text, "PATH=VALUES such as machine.coherence.home_occupancy='5 ns..25 ns:5 ns'");
  }
  Axis axis{trimmed(text.substr(0, equals)), {}};
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> others{
      std::pair{"clients", "--clients"}, {"variants", "--variant"}, {"tables", "--tables"}, {"scales", "--scale"}};
  for (const auto& [path, option] : others) {
    if (axis.path == path) { refuse(text, std::string(option) + ", which selects these"); }
  }
  for (const std::string& item : items_of(std::string_view(text).substr(equals + 1))) {
    if (item.empty()) { refuse(text, "values separated by single commas"); }
    std::vector<std::string> values = is_range(item) ? range_of(text, item) : std::vector{item};
    for (std::string& value : values) {
      if (std::find(axis.values.begin(), axis.values.end(), value) != axis.values.end()) {
        refuse(text, "each value once; " + value + " is there twice");
      }
      axis.values.push_back(std::move(value));
    }
    if (axis.values.size() > axis_values_max) {
      refuse(text, "at most " + std::to_string(axis_values_max) + " values of one path");
    }
  }
  return axis;
}

Settings::Settings(std::vector<Axis> axes) : axes_(std::move(axes)) {
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (axes_[i].path == axes_[j].path) {
        throw InputError("--sweep: the path " + yaml::quote(axes_[i].path) + " is swept twice; expected each once",
                         ExitCode::usage);
      }
    }
    count_ *= axes_[i].values.size();
    if (count_ > settings_max) {
      throw InputError("--sweep: more than " + std::to_string(settings_max) + " settings; expected fewer values",
                       ExitCode::usage);
    }
  }
}

std::vector<Assignment> Settings::at(std::size_t number) const {
  std::vector<Assignment> setting(axes_.size());
  for (std::size_t i = axes_.size(); i-- > 0;) {
    const std::vector<std::string>& values = axes_[i].values;
    setting[i] = {axes_[i].path, values[number % values.size()]};
    number /= values.size();
  }
  return setting;
}

std::vector<std::vector<Assignment>> Settings::samples() const {
  std::vector<std::vector<Assignment>> all{at(0)};
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    for (std::size_t value = 1; value < axes_[i].values.size(); ++value) {
      std::vector<Assignment> setting = all.front();
      setting[i].second = axes_[i].values[value];
      all.push_back(std::move(setting));
    }
  }
  return all;
}

std::vector<Assignment> assignments_of(const std::vector<Assignment>& setting) {
  std::vector<Assignment> all;
  for (const auto& [paths, value] : setting) {
    for (std::size_t begin = 0; begin <= paths.size();) {
      const std::size_t end = std::min(paths.find('&', begin), paths.size());
      all.emplace_back(trimmed(std::string_view(paths).substr(begin, end - begin)), value);
      begin = end + 1;
    }
  }
  return all;
}

std::string settings_text(const std::vector<Assignment>& setting) {
  std::string text;
  for (const auto& [path, value] : setting) { text.append(text.empty() ? "" : "; ").append(path + "=" + value); }
  return text;
}

bool natural_less(std::string_view a, std::string_view b) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (is_digit(a[i]) && is_digit(b[j])) {
      const auto number = [&](std::string_view text, std::size_t& at) {
        while (at + 1 < text.size() && text[at] == '0' && is_digit(text[at + 1])) { ++at; }
        const std::size_t begin = at;
        while (at < text.size() && is_digit(text[at])) { ++at; }
        return text.substr(begin, at - begin);
      };
      const std::string_view left = number(a, i);
      const std::string_view right = number(b, j);
      if (left.size() != right.size()) { return left.size() < right.size(); }
      if (left != right) { return left < right; }
    } else {
      if (a[i] != b[j]) { return a[i] < b[j]; }
      ++i;
      ++j;
    }
  }
  if (a.size() - i != b.size() - j) { return a.size() - i < b.size() - j; }
  return a < b;  // 01 and 1 are two texts
}

}  // namespace lockcast
