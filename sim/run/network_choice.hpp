#pragma once
// How a scenario's messages are simulated: as inner events with the latency of SimGrid's route, or, where the link
// itself may fill, as real SimGrid communications. Decided once per scenario, from the most that any of its points
// could send.

#include "sim/engine/simgrid_world.hpp"
#include "sim/workload/scenario.hpp"

#include <optional>
#include <vector>

namespace lockcast {

struct NetworkChoice {
  Messages messages = Messages::inner;
  bool has_network = false;
  bool asked_for = false;  // the user chose; the load did not
  double link_share = 0;   // of the link's bandwidth, at most: what the busiest point offers when nothing ever waits
};

// Private work and round trips of one transaction, on average over its random choices.
struct TransactionMeans {
  double work_s = 0;
  double roundtrips = 0;
};
TransactionMeans means_of(const Program& program);

NetworkChoice choose_network(const Scenario& scenario, const std::vector<Case>& points, std::optional<Messages> asked);

}  // namespace lockcast
