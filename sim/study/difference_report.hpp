#pragma once
// A comparison of two result files for people and for programs.

#include "sim/study/difference.hpp"

#include <string>
#include <string_view>

namespace lockcast {

// `why`: what became of the time of each transaction, for points that differ.
std::string as_table(const Comparison& comparison, double tolerance, bool why, bool colour);
std::string as_json(const Comparison& comparison, double tolerance, std::string_view version);

// More than the tolerance below, and more than chance.
bool is_regression(const PointDifference& point, double tolerance);

}  // namespace lockcast
