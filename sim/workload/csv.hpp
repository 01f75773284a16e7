#pragma once
// Comma-separated text with a header line (RFC 4180), as rows whose fields know where they stood, so that everything
// wrong with a value can be said with file, line and column. Boost's tokenizer knows no columns and drops doubled
// quotes. Two files of one kind may be joined with cat: a header that comes again is no row.

#include "sim/yaml/document.hpp"

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockcast {

class CsvTable {
 public:
  class Row {
   public:
    [[nodiscard]] const std::string& text(std::string_view column) const;
    [[nodiscard]] yaml::Mark mark(std::string_view column) const;
    [[nodiscard]] yaml::Mark mark() const;  // of the line
    // Above zero and finite; anything else is an InputError at its place.
    [[nodiscard]] double positive(std::string_view column) const;
    // The same, or nothing when the field is empty or the file has no such column.
    [[nodiscard]] std::optional<double> positive_if_given(std::string_view column) const;
    [[nodiscard]] double not_negative(std::string_view column) const;
    [[nodiscard]] std::int64_t count(std::string_view column, std::int64_t low, std::int64_t high) const;

   private:
    friend class CsvTable;
    struct Field {
      std::string text;
      int column = 1;  // in bytes, from 1
    };
    const CsvTable* table_ = nullptr;
    int line_ = 1;
    std::vector<Field> fields_;
    [[nodiscard]] const Field& field(std::string_view column) const;
  };

  // `name` is what messages call the text.
  CsvTable(std::string_view text, const std::string& name);
  CsvTable(const CsvTable&) = delete;  // rows point to it
  CsvTable& operator=(const CsvTable&) = delete;

  [[nodiscard]] bool has(std::string_view column) const { return columns_.contains(column); }
  // Fails at the header when one of these is not there.
  void require(std::initializer_list<std::string_view> columns) const;
  [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }

 private:
  std::shared_ptr<const std::string> name_;
  std::map<std::string, std::size_t, std::less<>> columns_;
  std::vector<Row> rows_;
};

// The whole file; nothing when it cannot be read.
std::optional<std::string> text_of_file(const std::string& path);

}  // namespace lockcast
