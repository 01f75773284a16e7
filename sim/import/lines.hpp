#pragma once
// A text file line by line, with where each line stood. Internal to sim/import.

#include "sim/yaml/document.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockcast {

struct Line {
  std::string text;  // without its end
  yaml::Mark mark;   // of its first byte

  [[nodiscard]] yaml::Mark at(std::size_t offset) const;
};

// A whole file; fails when it cannot be read, is larger than 64 MiB or no text.
std::vector<Line> lines_of_file(const std::string& path);

// The number that makes up `text`, which stands at `offset` of `line`; anything else fails there.
double number_at(const Line& line, std::size_t offset, std::string_view text, std::string_view what, double low);
std::int64_t count_at(const Line& line, std::size_t offset, std::string_view text, std::string_view what,
                      std::int64_t low);

// The shortest text that reads back as this number, or with at most so many significant digits.
std::string shortest(double number);
std::string rounded(double number, int digits);

// Sorts `numbers`, of which there is at least one.
double median_of(std::vector<double>& numbers);

// A field as CSV wants it: in quotes where it needs them.
std::string csv_field(std::string_view text);

}  // namespace lockcast
