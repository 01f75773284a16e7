#pragma once
// Machines, scenarios and programs in full, for people: what `lockcast show` prints.

#include "sim/workload/scenario.hpp"

#include <string>

namespace lockcast {

// Every parameter below `tree` with its value, interval, range, origin and reference, one per row; other scalars by
// value.
std::string parameters_text(const yaml::Node& tree);

// The machine's size in one line.
std::string topology_text(const Machine& machine);

// Where locks and arrays lie on lines of this size, and the operations of one transaction.
std::string placement_text(const Program& program, std::uint32_t line_bytes);
std::string operations_text(const Program& program);

}  // namespace lockcast
