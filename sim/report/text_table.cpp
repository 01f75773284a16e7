// Two blanks between columns, one line of headings, nothing else: it can be piped into awk or read in a mail.

#include "sim/report/text_table.hpp"

#include "models/check.hpp"

#include <algorithm>

namespace lockcast {

namespace {

constexpr std::string_view gap = "  ";
constexpr std::string_view red = "\x1b[1;31m";
constexpr std::string_view plain_again = "\x1b[0m";

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U; }

}  // namespace

std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !continues_character(c); }));
}

std::string cut(std::string_view text, std::size_t columns) {
  if (columns_of(text) <= columns) { return std::string(text); }
  const std::size_t kept = columns > 2 ? columns - 2 : 0;
  std::size_t end = 0;
  for (std::size_t seen = 0; end < text.size(); ++end) {
    if (!continues_character(text[end]) && seen++ == kept) { break; }
  }
  return std::string(text.substr(0, end)) + "..";
}

std::string wrapped(std::string_view text, std::string_view first, std::size_t columns) {
  std::string out;
  std::string line(first);
  bool fresh = true;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    if (!fresh && columns_of(line) + 1 + columns_of(word) > columns) {
      out += line + "\n";
      line = std::string(columns_of(first), ' ');
      fresh = true;
    }
    if (!fresh) { line += ' '; }
    line += word;
    fresh = false;
  }
  return out + line + "\n";
}

void TextTable::row(std::vector<Cell> cells) {
  CHECK(cells.size() == columns_.size(), "a table row has a cell for every column");
  rows_.push_back(std::move(cells));
}

std::string TextTable::text(bool colour, std::size_t indent, std::size_t width) const {
  std::vector<std::size_t> widths;
  for (const Column& column : columns_) { widths.push_back(columns_of(column.heading)); }
  for (const std::vector<Cell>& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) { widths[i] = std::max(widths[i], columns_of(row[i].text)); }
  }
  std::size_t before_last = indent;
  for (std::size_t i = 0; i + 1 < widths.size(); ++i) { before_last += widths[i] + gap.size(); }
  constexpr std::size_t last_min = 12;
  widths.back() = std::min(widths.back(), std::max(last_min, width - std::min(width, before_last)));

  std::string out;
  const auto line = [&](const auto& text_of, const auto& wrong) {
    std::string text(indent, ' ');
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::string cell = cut(text_of(i), widths[i]);
      const std::string padding(widths[i] - columns_of(cell), ' ');
      const std::string shown = wrong(i) && colour ? std::string(red).append(cell).append(plain_again) : cell;
      text += columns_[i].align == Align::right ? padding + shown : shown + padding;
      if (i + 1 < columns_.size()) { text += gap; }
    }
    out += text.substr(0, text.find_last_not_of(' ') + 1) + "\n";
  };
  line([&](std::size_t i) -> const std::string& { return columns_[i].heading; }, [](std::size_t) { return false; });
  for (const std::vector<Cell>& row : rows_) {
    line([&](std::size_t i) -> const std::string& { return row[i].text; }, [&](std::size_t i) { return row[i].wrong; });
  }
  return out;
}

}  // namespace lockcast
