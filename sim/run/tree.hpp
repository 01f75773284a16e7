#pragma once
// Document trees as results show them: as JSON.

#include "sim/workload/scenario.hpp"

#include <nlohmann/json_fwd.hpp>

namespace lockcast {

// Whole numbers, decimals and on/off stay what they look like; a quantity keeps its unit as text ("120 ns").
nlohmann::ordered_json to_json(const yaml::Node& node);

}  // namespace lockcast
