#pragma once
// The order of events. A host changes while it is measured, so every quantity is measured briefly and often: a round
// visits each of them once, and what is reported is the middle of the rounds. Around every visit stand a look at who
// else uses the CPUs and, where lines travel, a ping-pong that says how far apart the CPUs are at the moment; a visit
// during which that changed is dropped.

#include "validate/probe/findings.hpp"
#include "validate/probe/host_quality.hpp"
#include "validate/probe/placement.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace lockcast::probe {

struct SessionOptions {
  std::uint32_t rounds = 24;
  // No round begins after this, and no waiting for quiet ends after it.
  std::chrono::seconds limit{100};
  // For tests: the shortest stays that still measure everything.
  bool brief = false;
};

// What is being done next and how much of the whole is over. False ends the session with the rounds it has.
using ProgressReport = std::function<bool(std::string_view what, double share)>;

struct Session {
  HostQuality host;
  Arrangement arrangement;
  std::uint32_t line_bytes = 64;
  Findings findings;
  std::uint32_t rounds = 0;  // complete ones; with none there is nothing to conclude from
  double elapsed_s = 0;
  // Of the looks at who else was there.
  std::vector<double> lost_shares;
  std::uint32_t visits = 0;
  std::uint32_t disturbed_visits = 0;
  std::uint32_t changed_visits = 0;  // dropped
  std::uint64_t stolen_ticks = 0;
};

// On the CPUs this process may use. Throws (host cannot) when threads or topology cannot be had.
Session measure_host(const SessionOptions& options, const ProgressReport& report);

}  // namespace lockcast::probe
