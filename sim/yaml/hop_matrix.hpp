#pragma once
// The wiring of a machine that follows no rule: a row per die, 0 to itself, 1 or 2 links to every other. Fails where
// the matrix contradicts the shape, itself or what two links can reach.

#include "models/topology.hpp"
#include "sim/yaml/document.hpp"

namespace lockcast::yaml {

std::vector<std::uint8_t> read_hops(const Node& node, const Topology& shape);

}  // namespace lockcast::yaml
