#include "validate/visit.hpp"

#include "validate/ping_pong.hpp"
#include "validate/probe/disturbance.hpp"

#include <algorithm>
#include <cmath>
#include <thread>

namespace lockcast {

namespace {

constexpr std::chrono::microseconds ping_pong_time{600};
constexpr std::chrono::microseconds look_time{2000};

}  // namespace

bool same_distance(std::optional<double> one, std::optional<double> other) {
  if (!one || !other) { return one.has_value() == other.has_value(); }
  return std::max(*one, *other) < same_regime * std::min(*one, *other);
}

std::optional<double> Visit::line_ns() const {
  if (!before.line_ns || !after.line_ns) { return std::nullopt; }
  return (*before.line_ns + *after.line_ns) / 2;
}

std::string Visit::discarded() const {
  if (!native.unusable.empty()) { return native.unusable; }
  if (!same_distance(before.line_ns, after.line_ns)) { return "the distance of the CPUs changed"; }
  const double lost = std::max(before.lost_share, after.lost_share);
  if (lost > guard_lost_share_max) {
    return "others took " + std::to_string(std::lround(lost * 100)) + " % of a CPU just before or after";
  }
  return "";
}

Guard take_guard(const std::vector<int>& cpus) {
  Guard guard;
  guard.lost_share = probe::lost_share(cpus, look_time);
  if (cpus.size() > 1) { guard.line_ns = measure_transfer(cpus[0], cpus[1], ping_pong_time).median_ns; }
  return guard;
}

std::chrono::milliseconds wait_for_quiet(const std::vector<int>& cpus, std::chrono::milliseconds limit) {
  constexpr std::chrono::milliseconds pause{200};
  const auto begin = std::chrono::steady_clock::now();
  const auto waited = [&] {
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin);
  };
  while (waited() < limit && probe::lost_share(cpus, look_time) > guard_lost_share_max) {
    std::this_thread::sleep_for(std::min(pause, limit));
  }
  return waited();
}

Visit visit(const Program& program, const WorkLoop& work_loop, const NativePointOptions& options,
            const std::vector<int>& cpus) {
  Visit made;
  made.before = take_guard(cpus);
  made.native = run_native(program, work_loop, options);
  made.after = take_guard(cpus);
  return made;
}

}  // namespace lockcast
