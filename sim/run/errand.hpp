#pragma once
// An errand for a process that did not load the scenario: its point and its options as bytes, and back. The trees
// themselves are sent, so a worker needs no file and cannot read another one than rank 0 did.

#include "sim/run/replication.hpp"

#include <cstdint>
#include <vector>

namespace lockcast {

std::vector<std::uint8_t> point_to_bytes(const Scenario& scenario, const Case& point);

struct SentPoint {
  Scenario scenario;  // as scenario_from makes it
  Case point;
};
SentPoint point_from_bytes(const std::vector<std::uint8_t>& bytes);

// Without a trace, which no sweep records.
std::vector<std::uint8_t> options_to_bytes(const ReplicationOptions& options);
ReplicationOptions options_from_bytes(const std::vector<std::uint8_t>& bytes);

}  // namespace lockcast
