#pragma once
// A recorded window in Chrome's trace event format, which Perfetto (ui.perfetto.dev) and chrome://tracing show: a track
// per core and per thread, wake-ups as arrows, locks by name. Times are microseconds of the measured window.

#include "sim/os/trace.hpp"
#include "sim/workload/scenario.hpp"

#include <string>

namespace lockcast {

std::string trace_as_json(const Trace& trace, const Scenario& scenario, const Case& point, Picos warmup);

}  // namespace lockcast
