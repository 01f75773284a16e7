#pragma once
// From observations to the parameters of a machine. What was measured says so; what follows from measurements by way of
// the model is `inferred`, with the formula; what this host could not show is `assumed` or `documented`, with the
// reason. Pure functions.

#include "models/machine.hpp"
#include "validate/probe/session.hpp"

#include <string>
#include <vector>

namespace lockcast::probe {

Machine machine_of(const Session& session, const std::string& name);

// home_occupancy from the length of bursts. The model's owner keeps hitting for one occupancy and a draw from [0, 4) of
// them after somebody asked for its line, three on average, and each hit takes `atomic_hit`: burst = 1 + 3 x occupancy
// / atomic_hit.
constexpr double occupancy_of(double burst, double atomic_hit_ns) {
  return burst > 1 ? (burst - 1) * atomic_hit_ns / 3 : 0;
}

// What a reader must know before believing the file: virtual machine, other users of the CPUs, regimes, contradictions
// between topology and latencies. One sentence or two each; they head the file and go to stderr.
std::vector<std::string> quality_notes(const Session& session);

// Where latencies say something else than the topology. A part of the above.
std::vector<std::string> contradictions(const Findings& findings);

// Rounded to so many significant digits, in picoseconds: more would claim more than was measured.
Picos rounded_picos(double nanoseconds);

}  // namespace lockcast::probe
