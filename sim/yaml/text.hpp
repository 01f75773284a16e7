#pragma once
// Bytes of unknown origin made safe: is this text at all, and how may a message show it. Internal to sim/yaml.

#include "sim/yaml/document.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace lockcast::yaml {

inline constexpr std::size_t text_bytes_max = std::size_t{4} << 20U;
// Levels of maps and sequences in one another.
inline constexpr std::size_t depth_max = 64;
// yaml-cpp reads a bracket to its end before it reports it, at 250 bytes of memory per '[': 4 MiB of them cost a
// gigabyte. Text and comments may hold brackets too, hence the wide margin over depth_max.
inline constexpr std::size_t brackets_open_max = 1024;

// Fails at the first place that is too large, not UTF-8, a control character or absurdly nested. yaml-cpp takes byte
// 0x04 for the end of the file and guesses UTF-16 from NUL bytes, so such bytes must never reach it.
void check_text(std::string_view text, const Mark& start);

[[noreturn]] void fail_depth(const Mark& mark);

// `text` without line breaks and other invisible characters: they become \n, \t, \r or \xNN. Idempotent.
std::string one_line(std::string_view text);

// "one of a, b, c"; a long list is cut.
std::string one_of(const std::vector<std::string_view>& names);

}  // namespace lockcast::yaml
