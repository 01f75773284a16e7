#include "sim/cli/native_session.hpp"

#include "models/check.hpp"
#include "models/rng.hpp"
#include "validate/interpreted_work.hpp"
#include "validate/judgement.hpp"

#include <algorithm>

namespace lockcast {

namespace {

bool spins_in_order(const Program& program) {
  return std::ranges::any_of(program.locks,
                             [](const LockGroup& group) { return AllLocks::traits[group.kind].spins_in_order; });
}

NativePointOptions point_options(const NativeSessionPoint& point, const NativeSessionOptions& options) {
  using std::chrono::milliseconds;
  NativePointOptions run;
  run.pinned = options.pinned;
  // A queue collapses when its first waiter is preempted: within a few slices, but not at once.
  if (point.spins_in_order) { run.warmup = milliseconds{300}; }
  if (options.brief) {
    run.warmup = milliseconds{2};
    run.epochs = 3;
    run.epoch = milliseconds{5};
    run.epochs_oversubscribed = 2;
    run.epoch_oversubscribed = milliseconds{10};
  }
  return run;
}

// Groups in random order, their variants in that of the file.
std::vector<std::size_t> shuffled(const std::vector<NativeSessionPoint>& points, std::uint64_t seed) {
  std::vector<std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto same =
        std::ranges::find_if(groups, [&](const auto& group) { return points[group.front()].group == points[i].group; });
    if (same != groups.end()) {
      same->push_back(i);
    } else {
      groups.push_back({i});
    }
  }
  Rng random(seed);
  for (std::size_t left = groups.size(); left > 1; --left) {
    std::swap(groups[left - 1], groups[random.below(static_cast<std::uint32_t>(left))]);
  }
  std::vector<std::size_t> order;
  for (const std::vector<std::size_t>& group : groups) { order.insert(order.end(), group.begin(), group.end()); }
  return order;
}

}  // namespace

std::size_t NativeSessionPoint::usable_visits() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(visits, [](const Visit& visit) { return visit.discarded().empty(); }));
}

std::vector<NativeSessionPoint> native_points(const std::vector<Scenario>& scenarios) {
  std::vector<NativeSessionPoint> points;
  for (std::size_t i = 0; i < scenarios.size(); ++i) {
    for (const Case& point : scenarios[i].cases()) {
      Program program = scenarios[i].program(point);
      try {
        check_native(program);
      } catch (const InputError& error) { throw InputError(scenarios[i].file + ": " + error.what(), error.code()); }
      std::string group = scenarios[i].name;
      if (!point.tables.empty()) { group += " " + point.tables; }
      if (point.scale != 0) { group += " scale " + std::to_string(point.scale); }
      group += ", " + std::to_string(point.clients) + (point.clients == 1 ? " thread" : " threads");
      const bool in_order = spins_in_order(program);
      points.push_back({i, point, std::move(program), std::move(group), in_order});
    }
  }
  return points;
}

NativeSession run_session(std::vector<NativeSessionPoint> points, const NativeHost& host,
                          const NativeSessionOptions& options, const VisitReport& report) {
  NativeSession session;
  session.points = std::move(points);
  const WorkLoop work_loop = measure_interpreted_work();
  const std::vector<std::size_t> order = shuffled(session.points, options.seed);
  const std::size_t planned = 2 * options.rounds * order.size();
  std::size_t made = 0;
  const auto visit_point = [&](std::size_t number) {
    NativeSessionPoint& point = session.points[number];
    const double share = std::min(1.0, static_cast<double>(made) / static_cast<double>(planned));
    if (!report(point.group + (point.point.variant.empty() ? "" : ", " + point.point.variant), share)) {
      session.interrupted = true;
      return;
    }
    if (session.waited < options.patience && !options.brief) {
      session.waited += wait_for_quiet(host.cpus, options.patience - session.waited);
    }
    NativePointOptions run = point_options(point, options);
    run.seed = options.seed + point.visits.size();
    point.visits.push_back(visit(point.program, work_loop, run, host.cpus));
    ++made;
  };
  for (std::uint32_t pass = 0; pass < 2 * options.rounds && !session.interrupted; ++pass) {
    for (std::size_t i = 0; i < order.size() && !session.interrupted; ++i) {
      visit_point(order[pass % 2 == 0 ? i : order.size() - 1 - i]);
    }
  }
  for (std::uint32_t again = 2 * options.rounds; again < options.visits_max && !session.interrupted && !options.brief;
       ++again) {
    for (const std::size_t number : order) {
      if (session.points[number].usable_visits() >= visits_needed) { continue; }
      visit_point(number);
      if (session.interrupted) { break; }
    }
  }
  return session;
}

}  // namespace lockcast
