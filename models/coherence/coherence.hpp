#pragma once
// The coherence models one can choose from. A model turns a few sourced parameters into the cost table of line_cost.hpp
// before the simulation starts, so choosing one costs nothing per access. Adding a model is one .cpp here and one row
// in the table.

#include "models/line_cost.hpp"
#include "models/parameter.hpp"

#include <array>
#include <string_view>

namespace lockcast {

struct CoherenceParameters {
  std::array<Duration, distance_count> transfer;     // cache to cache, by distance to the owner; same_core is unused
  std::array<Duration, distance_count> memory;       // from the home's memory
  std::array<Duration, distance_count> write_extra;  // what a write adds to the transfer from the only holder
  std::array<Duration, distance_count> invalidate;   // least cost of writing a line that others share
  Duration atomic_extra;                             // what a read-modify-write adds to the transfer
};

struct CoherenceModel {
  std::string_view name;
  std::string_view summary;
  CostTable (*make)(const CoherenceParameters&);
};

CostTable make_constant(const CoherenceParameters& parameters);
CostTable make_directory(const CoherenceParameters& parameters);

inline constexpr std::array coherence_models{
    CoherenceModel{"directory", "cost by distance to the owner; writing a shared line waits for every invalidation",
                   &make_directory},
    CoherenceModel{"constant", "every transfer costs the same-die transfer: for closed forms and ablations",
                   &make_constant},
};

}  // namespace lockcast
