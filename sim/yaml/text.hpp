#pragma once
// Bytes of unknown origin made safe: is this text at all, and how may a message show it. Internal to sim/yaml.

#include "sim/yaml/document.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace lockcast::yaml {

inline constexpr std::size_t text_bytes_max = std::size_t{4} << 20U;
// yaml-cpp keeps every token of a line until it knows whether the line starts with a key, at some 250 bytes of memory
// per byte of text; without this bound a 4 MiB line of '[' costs a gigabyte.
inline constexpr std::size_t line_bytes_max = std::size_t{256} << 10U;

// Fails at the first place that is too large, not UTF-8 or a control character. yaml-cpp takes byte 0x04 for the end
// of the file and guesses UTF-16 from NUL bytes, so such bytes must never reach it.
void check_text(std::string_view text, const Mark& start);

// `text` without line breaks and other invisible characters: they become \n, \t, \r or \xNN. Idempotent.
std::string one_line(std::string_view text);

// "one of a, b, c"; a long list is cut.
std::string one_of(const std::vector<std::string_view>& names);

}  // namespace lockcast::yaml
