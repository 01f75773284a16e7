#pragma once
// The wiring of a machine that follows no rule: a row per die, 0 to itself, 1 or 2 links to every other. Fails where
// the matrix contradicts the shape, itself or what two links can reach.
//
// The matrix is of a box of `packages_per_box`. A smaller machine has its first packages; a larger one has further
// boxes, each wired alike (the last may be partly filled), and two links between dies of different boxes: there is no
// farther distance class, so what a larger box costs beyond that is left out.

#include "models/topology.hpp"
#include "sim/yaml/document.hpp"

namespace lockcast::yaml {

std::vector<std::uint8_t> read_hops(const Node& node, const Topology& shape, std::uint32_t packages_per_box);

}  // namespace lockcast::yaml
