#pragma once
// The machine with another number of cores: what somebody would have bought. Packages are what one buys, so whole
// packages come first; below one package it loses dies, and below one die cores. Everything else of the machine stays:
// clocks, caches, costs by distance, scheduler, homes of lines.
//
//   whole packages   wired by the file's rule (packages_per_group) or, where the file has a matrix, in boxes like the
//                    one the matrix describes, two links between boxes (see sim/yaml/hop_matrix.hpp)
//   below one        one package with so many dies of the file's size, or one die with so many cores
//
// Limits: no farther distance class than two links, so a machine of many boxes comes out too well; memory grows with
// the packages, the network and the load generator do not.

#include "sim/workload/scenario.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace lockcast {

struct Scaling {
  std::uint32_t cores = 0;
  Topology topology{};           // its shape; hops are left out
  std::vector<Assignment> sets;  // what makes the machine so; empty: it is so
  bool is_extrapolated = false;  // larger than the file's
  std::string words;             // "8 packages x 2 dies x 4 cores, 2 boxes ..."
};

// Throws InputError (usage) where no such machine can be built of whole parts; says which can.
Scaling scaled_to(const Machine& machine, std::uint32_t cores);

inline constexpr std::string_view scaling_rule =
    "whole packages first, wired as the file says (a matrix of hops is a box: further boxes are copies of it, two "
    "links "
    "away); below one package fewer dies, below one die fewer cores; costs by distance stay";

}  // namespace lockcast
