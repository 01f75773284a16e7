#pragma once
// A workload tree -> Program: names become numbers, procedures are inlined, locks and arrays get addresses. Refuses
// what cannot be run: unknown names, cyclic procedures, unbalanced locks, arrays that overflow.

#include "sim/workload/program.hpp"
#include "sim/yaml/document.hpp"

#include <cstdint>
#include <optional>

namespace lockcast {

// `clients` fills in `count: clients`, `connections` (as many as clients, if not given) `count: connections`.
Program compile(const yaml::Node& workload, std::uint32_t clients, std::optional<std::uint32_t> connections = {});

}  // namespace lockcast
