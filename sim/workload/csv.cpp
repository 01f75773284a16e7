// One pass over the text. A quote opens a field only at its beginning, doubled it stands for itself, and closed it ends
// the field: everything else is refused, because a reader that guesses shifts every column behind it.

#include "sim/workload/csv.hpp"

#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>

namespace lockcast {

namespace {

// The text, and the place in it.
class Scanner {
 public:
  Scanner(std::string_view text, std::shared_ptr<const std::string> name) : text_(text), name_(std::move(name)) {}

  [[nodiscard]] bool done() const { return at_ == text_.size(); }
  [[nodiscard]] int line() const { return line_; }
  [[nodiscard]] int column() const { return static_cast<int>(at_ - line_begin_) + 1; }

  // The next field, without what ends it.
  std::string field() {
    std::string out;
    if (!done() && text_[at_] == '"') {
      quoted(out);
      return out;
    }
    while (!at_end_of_field()) {
      if (text_[at_] == '"') { fail("a quote inside a field", "the whole field in quotes, and quotes in it doubled"); }
      out += text_[at_++];
    }
    return out;
  }

  // Behind a field: true when another one of the same line follows.
  bool another() {
    if (!done() && text_[at_] == ',') {
      ++at_;
      return true;
    }
    if (!done() && text_[at_] == '\r') { ++at_; }
    if (!done()) {
      ++at_;
      next_line();
    }
    return false;
  }

 private:
  std::string_view text_;
  std::shared_ptr<const std::string> name_;
  std::size_t at_ = 0;
  std::size_t line_begin_ = 0;
  int line_ = 1;

  void next_line() {
    ++line_;
    line_begin_ = at_;
  }
  [[nodiscard]] bool at_end_of_field() const {
    return done() || text_[at_] == ',' || text_[at_] == '\n' || text_.substr(at_, 2) == "\r\n";
  }
  [[noreturn]] void fail(std::string_view what, std::string_view expected) const {
    yaml::fail({name_, line_, column()}, what, expected);
  }
  void quoted(std::string& out) {
    const yaml::Mark begin{name_, line_, column()};
    for (++at_;;) {
      if (done()) { yaml::fail(begin, "a quote that is never closed", "a closing quote"); }
      const char c = text_[at_++];
      if (c == '\n') { next_line(); }
      if (c != '"') {
        out += c;
        continue;
      }
      if (done() || text_[at_] != '"') { break; }
      out += text_[at_++];
    }
    if (!at_end_of_field()) { fail("text behind a closing quote", "a comma or the end of the line"); }
  }
};

}  // namespace

CsvTable::CsvTable(std::string_view text, const std::string& name) : name_(std::make_shared<const std::string>(name)) {
  Scanner scanner(text, name_);
  std::vector<std::string> header;
  while (!scanner.done()) {
    Row row;
    row.table_ = this;
    row.line_ = scanner.line();
    do {
      const int column = scanner.column();
      row.fields_.push_back({scanner.field(), column});
    } while (scanner.another());
    if (row.fields_.size() == 1 && row.fields_[0].text.empty()) { continue; }
    std::vector<std::string> texts;
    for (const Row::Field& field : row.fields_) { texts.push_back(field.text); }
    if (header.empty()) {
      header = texts;
      for (std::size_t i = 0; i < header.size(); ++i) {
        if (!columns_.emplace(header[i], i).second) {
          yaml::fail({name_, row.line_, row.fields_[i].column}, "a second column " + yaml::quote(header[i]));
        }
      }
      continue;
    }
    if (texts == header) { continue; }
    if (texts.size() != header.size()) {
      yaml::fail(row.mark(), std::to_string(texts.size()) + " fields",
                 std::to_string(header.size()) + " as in the header");
    }
    rows_.push_back(std::move(row));
  }
}

void CsvTable::require(std::initializer_list<std::string_view> columns) const {
  for (const std::string_view column : columns) {
    if (has(column)) { continue; }
    std::string all;
    for (const std::string_view name : columns) { all.append(all.empty() ? "" : ",").append(name); }
    std::vector<std::string_view> known;
    for (const auto& [name, index] : columns_) { known.push_back(name); }
    yaml::fail({name_, 1, 1}, "no column '" + std::string(column) + "'", all, did_you_mean(column, known));
  }
}

const CsvTable::Row::Field& CsvTable::Row::field(std::string_view column) const {
  const auto found = table_->columns_.find(column);
  CHECK(found != table_->columns_.end(), "a column is asked for after its presence was checked");
  return fields_[found->second];
}

const std::string& CsvTable::Row::text(std::string_view column) const { return field(column).text; }

yaml::Mark CsvTable::Row::mark(std::string_view column) const { return {table_->name_, line_, field(column).column}; }

yaml::Mark CsvTable::Row::mark() const { return {table_->name_, line_, 1}; }

double CsvTable::Row::not_negative(std::string_view column) const {
  const std::string& words = text(column);
  double value{};
  const auto [end, error] = std::from_chars(words.data(), words.data() + words.size(), value);
  if (error != std::errc{} || end != words.data() + words.size() || !std::isfinite(value) || value < 0) {
    yaml::fail(mark(column), yaml::quote(words) + " in column " + std::string(column), "a number from zero");
  }
  return value;
}

double CsvTable::Row::positive(std::string_view column) const {
  const std::string& words = text(column);
  double value{};
  const auto [end, error] = std::from_chars(words.data(), words.data() + words.size(), value);
  if (error != std::errc{} || end != words.data() + words.size() || !std::isfinite(value) || value <= 0) {
    yaml::fail(mark(column), yaml::quote(words) + " in column " + std::string(column), "a positive number");
  }
  return value;
}

std::optional<double> CsvTable::Row::positive_if_given(std::string_view column) const {
  if (!table_->has(column) || text(column).empty()) { return std::nullopt; }
  return positive(column);
}

std::int64_t CsvTable::Row::count(std::string_view column, std::int64_t low, std::int64_t high) const {
  const std::string& words = text(column);
  std::int64_t value{};
  const auto [end, error] = std::from_chars(words.data(), words.data() + words.size(), value);
  if (error != std::errc{} || end != words.data() + words.size() || value < low || value > high) {
    yaml::fail(mark(column), yaml::quote(words) + " in column " + std::string(column),
               "a whole number from " + std::to_string(low) + " to " + std::to_string(high));
  }
  return value;
}

std::optional<std::string> text_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) { return std::nullopt; }
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (file.bad()) { return std::nullopt; }
  return text;
}

}  // namespace lockcast
