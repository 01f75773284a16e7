#pragma once
// The order in which points are visited on this host: variants of one point side by side, forward and then backward
// (ABBA), so that what drifts hits all of them alike; then once more whatever was disturbed.

#include "sim/workload/scenario.hpp"
#include "validate/visit.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace lockcast {

struct NativeSessionOptions {
  std::uint64_t seed = 1;
  std::uint32_t rounds = 1;  // of two visits to every point
  bool pinned = true;
  bool brief = false;  // for tests: the shortest visits that still do everything
  std::uint32_t visits_max = 6;
  // Of the whole session, for the end of other people's bursts.
  std::chrono::milliseconds patience{60'000};
};

struct NativeSessionPoint {
  std::size_t scenario = 0;  // number in the list
  Case point;
  Program program;
  std::string group;  // of what differs only by variant
  bool spins_in_order = false;
  std::vector<Visit> visits = {};

  [[nodiscard]] std::size_t usable_visits() const;
};

struct NativeSession {
  std::vector<NativeSessionPoint> points;
  std::chrono::milliseconds waited{0};
  bool interrupted = false;
};

// All points of these scenarios, none visited yet. What cannot run natively is refused here, before anything runs.
std::vector<NativeSessionPoint> native_points(const std::vector<Scenario>& scenarios);

// False ends the session after the visit it is in.
using VisitReport = std::function<bool(std::string_view what, double share)>;
NativeSession run_session(std::vector<NativeSessionPoint> points, const NativeHost& host,
                          const NativeSessionOptions& options, const VisitReport& report);

}  // namespace lockcast
