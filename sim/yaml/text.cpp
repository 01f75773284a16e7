// UTF-8 as RFC 3629 defines it (no overlong forms, no surrogates), and what of it a one-line message may repeat.
// Invisible characters that could reorder or break a terminal line (C0, C1, line separators, bidirectional controls)
// are escaped.

#include "sim/yaml/text.hpp"

#include <algorithm>

namespace lockcast::yaml {

namespace {

struct CodePoint {
  char32_t value = 0;
  std::size_t length = 0;  // 0: the bytes are not UTF-8
};

CodePoint decode(std::string_view text, std::size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  if (lead < 0x80) { return {lead, 1}; }
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || at + length > text.size()) { return {}; }
  char32_t value = lead & (0x7fU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    const auto byte = static_cast<unsigned char>(text[at + i]);
    if ((byte & 0xc0U) != 0x80) { return {}; }
    value = value << 6U | (byte & 0x3fU);
  }
  constexpr char32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (value < smallest[length] || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff)) { return {}; }
  return {value, length};
}

bool printable(char32_t c) {
  const auto within = [c](char32_t low, char32_t high) { return c >= low && c <= high; };
  return !(c < 0x20 || within(0x7f, 0x9f) || within(0x200b, 0x200f) || within(0x2028, 0x202e) ||
           within(0x2060, 0x206f) || c == 0xfeff);
}

std::string hex(char byte) {
  constexpr std::string_view digits = "0123456789abcdef";
  const auto bits = static_cast<unsigned char>(byte);
  return {digits[bits >> 4U], digits[bits & 0xfU]};
}

// Appends one character of `text`, escaped where needed, and returns how many bytes it was.
std::size_t append_printable(std::string& out, std::string_view text, std::size_t at) {
  const CodePoint c = decode(text, at);
  if (c.length != 0 && printable(c.value)) {
    out += text.substr(at, c.length);
    return c.length;
  }
  constexpr std::string_view named = "\n\t\r";
  const std::size_t name = named.find(text[at]);
  if (name != std::string_view::npos) {
    out += {'\\', "ntr"[name]};
    return 1;
  }
  const std::size_t length = std::max<std::size_t>(c.length, 1);
  for (std::size_t i = 0; i < length; ++i) { out += "\\x" + hex(text[at + i]); }
  return length;
}

}  // namespace

void check_text(std::string_view text, const Mark& start) {
  if (text.size() > text_bytes_max) {
    fail(start, "the file is larger than 4 MiB", "a machine, scenario or workload of at most 4 MiB");
  }
  Mark mark = start;
  Mark too_deep = start;
  std::size_t brackets_open = 0;
  std::size_t line_start = 0;
  for (std::size_t at = 0; at < text.size();) {
    mark.column = static_cast<int>(at - line_start) + 1;
    const CodePoint c = decode(text, at);
    const bool line_break = c.value == '\n' || (c.value == '\r' && text.substr(at + 1, 1) == "\n");
    if (c.length == 0 || (c.value < 0x20 && !line_break && c.value != '\t') || c.value == 0x7f) {
      fail(mark, "byte 0x" + hex(text[at]) + " is not text", "a YAML file in UTF-8 without control characters");
    }
    if (c.value == '[' || c.value == '{') {
      if (++brackets_open == depth_max + 1) { too_deep = mark; }
      if (brackets_open > brackets_open_max) { fail_depth(too_deep); }
    } else if ((c.value == ']' || c.value == '}') && brackets_open > 0) {
      --brackets_open;
    }
    // yaml-cpp skips a directive anywhere, even one that was meant as text.
    if (c.value == '%' && at == line_start) {
      fail(mark, "directives ('%name') are not supported", "a line that does not start with '%'");
    }
    at += c.length;
    if (c.value == '\n') {
      line_start = at;
      ++mark.line;
    }
  }
}

void fail_depth(const Mark& mark) { fail(mark, "nested deeper than 64 levels", "a flatter file"); }

std::string one_line(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) { at += append_printable(out, text, at); }
  return out;
}

std::string quote(std::string_view text) {
  constexpr int characters_max = 60;
  std::string out = "'";
  std::size_t at = 0;
  for (int count = 0; at < text.size() && count < characters_max; ++count) { at += append_printable(out, text, at); }
  return out + (at < text.size() ? "...'" : "'");
}

std::string one_of(const std::vector<std::string_view>& names) {
  constexpr std::size_t names_max = 24;
  std::string out = names.size() > 1 ? "one of " : "";
  for (std::size_t i = 0; i < std::min(names.size(), names_max); ++i) {
    out.append(i == 0 ? "" : ", ").append(names[i]);
  }
  return names.size() > names_max ? out + ", ..." : out;
}

}  // namespace lockcast::yaml
