#pragma once
// Aligned columns of text, as wide as their contents. A cell may stand out in colour; colour never changes a width.

#include <string>
#include <string_view>
#include <vector>

namespace lockcast {

// The columns that text takes on a terminal, one per character.
std::size_t columns_of(std::string_view text);
// At most `columns` wide, ending in ".." when something was cut.
std::string cut(std::string_view text, std::size_t columns);
// Lines of at most `columns`, broken at blanks. The first begins with `first`, the others with as many blanks.
std::string wrapped(std::string_view text, std::string_view first, std::size_t columns);

enum class Align : unsigned char { left, right };

struct Column {
  std::string heading;
  Align align = Align::right;
};

struct Cell {
  Cell(std::string words, bool stands_out = false) : text(std::move(words)), wrong(stands_out) {}
  Cell(const char* words) : text(words) {}
  std::string text;
  bool wrong = false;
};

class TextTable {
 public:
  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  void row(std::vector<Cell> cells);
  [[nodiscard]] bool empty() const { return rows_.empty(); }
  // What is left of the last column beyond `width` is cut.
  [[nodiscard]] std::string text(bool colour = false, std::size_t indent = 0, std::size_t width = 140) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace lockcast
