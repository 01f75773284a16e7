// Numbers go through std::from_chars: no locale, no sign where none makes sense, no trailing text.

#include "sim/import/lines.hpp"

#include "models/check.hpp"
#include "sim/workload/csv.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace lockcast {

namespace {

constexpr std::size_t bytes_max = std::size_t{64} << 20U;

}  // namespace

yaml::Mark Line::at(std::size_t offset) const { return {mark.file, mark.line, static_cast<int>(offset) + 1}; }

std::vector<Line> lines_of_file(const std::string& path) {
  const std::optional<std::string> text = text_of_file(path);
  const auto file = std::make_shared<const std::string>(path);
  if (!text) { throw InputError("cannot read " + yaml::quote(path) + "; expected a text file"); }
  if (text->size() > bytes_max) { yaml::fail({file, 1, 1}, "more than 64 MiB", "a file of a reasonable size"); }
  std::vector<Line> lines;
  for (std::size_t begin = 0; begin < text->size();) {
    const std::size_t end = std::min(text->find('\n', begin), text->size());
    Line line{text->substr(begin, end - begin), {file, static_cast<int>(lines.size()) + 1, 1}};
    if (line.text.ends_with('\r')) { line.text.pop_back(); }
    if (const std::size_t nul = line.text.find('\0'); nul != std::string::npos) {
      yaml::fail(line.at(nul), "a NUL byte", "text");
    }
    lines.push_back(std::move(line));
    begin = end + 1;
  }
  if (lines.empty()) { yaml::fail({file, 1, 1}, "the file is empty", "something to import"); }
  return lines;
}

double number_at(const Line& line, std::size_t offset, std::string_view text, std::string_view what, double low) {
  double number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(number) || number < low) {
    yaml::fail(line.at(offset), std::string(what) + " " + yaml::quote(text), "a number from " + shortest(low));
  }
  return number;
}

std::int64_t count_at(const Line& line, std::size_t offset, std::string_view text, std::string_view what,
                      std::int64_t low) {
  std::int64_t number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < low) {
    yaml::fail(line.at(offset), std::string(what) + " " + yaml::quote(text),
               "a whole number from " + std::to_string(low));
  }
  return number;
}

std::string shortest(double number) {
  char buffer[64];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, number);
  CHECK(error == std::errc{}, "a number that does not fit");
  return {buffer, end};
}

std::string rounded(double number, int digits) {
  char buffer[64];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, number, std::chars_format::general, digits);
  CHECK(error == std::errc{}, "a number that does not fit");
  return {buffer, end};
}

double median_of(std::vector<double>& numbers) {
  CHECK(!numbers.empty(), "a median of nothing");
  std::sort(numbers.begin(), numbers.end());
  const std::size_t half = numbers.size() / 2;
  return numbers.size() % 2 == 1 ? numbers[half] : (numbers[half - 1] + numbers[half]) / 2;
}

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\n") == std::string_view::npos) { return std::string(text); }
  std::string out = "\"";
  for (const char c : text) { out.append(c == '"' ? 2 : 1, c); }
  return out + "\"";
}

}  // namespace lockcast
