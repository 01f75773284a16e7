#pragma once
// A score in words and in JSON; functions of the score alone.

#include "sim/study/score.hpp"

#include <string>
#include <string_view>

namespace lockcast {

// Everything, or only the lines that set Lockcast beside its rivals.
std::string score_as_table(const Score& score, bool only_scoreboard, bool colour);
std::string score_as_json(const Score& score, std::string_view version);

}  // namespace lockcast
