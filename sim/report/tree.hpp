#pragma once
// Document trees as a report shows them: as JSON, and as the tree a single point is made of.

#include "sim/workload/scenario.hpp"

#include <nlohmann/json_fwd.hpp>

namespace lockcast {

// Whole numbers, decimals and on/off stay what they look like; a quantity keeps its unit as text ("120 ns").
nlohmann::ordered_json to_json(const yaml::Node& node);

// The workload with the differences of one point and --set applied: what the point's program is compiled from.
yaml::Node workload_of(const Scenario& scenario, const Case& point);

}  // namespace lockcast
