#pragma once
// The text of a machine file of which only the shape, and perhaps how long a line takes from core to core, is known.
// Everything else is a guess that says so, with a range wide enough for any server of the last fifteen years. Internal
// to sim/import.

#include "models/topology.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace lockcast {

// Of all pairs of cores this far apart.
struct MeasuredTransfer {
  double median_ns = 0;
  double low_ns = 0;
  double high_ns = 0;
  std::size_t pairs = 0;
};

struct KnownMachine {
  std::string name;
  std::string source;   // what the shape was read from
  std::string comment;  // how; lines beginning with "# "
  Topology topology;
  std::int64_t line_bytes = 64;
  std::array<std::optional<MeasuredTransfer>, distance_count> transfer{};
};

std::string machine_file(const KnownMachine& machine);

}  // namespace lockcast
