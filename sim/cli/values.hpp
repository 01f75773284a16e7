#pragma once
// Option values read from text, exactly and with bounds. Everything wrong with one is an InputError of code usage that
// names the option and what was expected.

#include "models/units.hpp"
#include "sim/workload/scenario.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lockcast {

std::uint64_t read_number(const std::string& option, const std::string& text, std::uint64_t low, std::uint64_t high);
double read_share(const std::string& option, const std::string& text);  // "3%" or "0.03", above 0 and at most 1
Picos read_time(const std::string& option, const std::string& text, Picos low, Picos high);
std::size_t read_one_of(const std::string& option, const std::string& text, std::span<const std::string_view> names);

// Comma lists, repeated or not: a,b and c -> a b c.
std::vector<std::string> read_list(const std::string& option, const std::vector<std::string>& texts);
// The same of numbers and ranges, sorted and each once: 1,8..32..8 -> 1 8 16 24 32.
std::vector<std::int64_t> read_numbers(const std::string& option, const std::vector<std::string>& texts,
                                       std::int64_t low, std::int64_t high);
// PATH=VALUE.
std::vector<Assignment> read_assignments(const std::vector<std::string>& texts);

}  // namespace lockcast
