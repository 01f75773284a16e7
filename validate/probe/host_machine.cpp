// Values with their origins, section by section.

#include "validate/probe/host_machine.hpp"

#include "models/check.hpp"
#include "validate/probe/disturbance.hpp"
#include "validate/probe/line_costs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <optional>

namespace lockcast::probe {

namespace {

constexpr std::array line_distances{Distance::same_die, Distance::package_mate, Distance::one_hop, Distance::two_hops};
// Beyond what was seen: a fit may not leave this.
constexpr double range_factor = 2;

std::string ns(double nanoseconds) {
  std::array<char, 32> buffer{};
  const char* const format = nanoseconds < 10 ? "%.2f" : nanoseconds < 1000 ? "%.1f" : "%.0f";
  std::snprintf(buffer.data(), buffer.size(), format, nanoseconds);
  return buffer.data();
}
std::string percent_of(double share) { return std::to_string(std::lround(share * 100)) + " %"; }

std::string counted(const Conclusion& conclusion) {
  std::string words =
      std::to_string(conclusion.spread.samples) + (conclusion.spread.samples == 1 ? " visit" : " visits");
  if (!conclusion.quiet) { words += ", disturbed by others"; }
  return words;
}

// The same change to all of a spread, but nothing falls below the floor.
Spread shifted(const Spread& spread, double by, double floor = 0) {
  const auto moved = [&](double value) { return std::max(floor, value + by); };
  return {.median = moved(spread.median),
          .low = moved(spread.low),
          .high = moved(spread.high),
          .least = moved(spread.least),
          .most = moved(spread.most),
          .samples = spread.samples};
}
Spread scaled(const Spread& spread, double factor) {
  return {.median = spread.median * factor,
          .low = spread.low * factor,
          .high = spread.high * factor,
          .least = spread.least * factor,
          .most = spread.most * factor,
          .samples = spread.samples};
}

Spread at_most(const Spread& spread, double limit) {
  return {.median = std::min(spread.median, limit),
          .low = std::min(spread.low, limit),
          .high = std::min(spread.high, limit),
          .least = std::min(spread.least, limit),
          .most = std::min(spread.most, limit),
          .samples = spread.samples};
}

Duration duration_of(const Spread& spread, Origin origin, std::string reference) {
  Duration result;
  result.value = rounded_picos(spread.median);
  result.interval = {std::min(result.value, rounded_picos(spread.low)),
                     std::max(result.value, rounded_picos(spread.high))};
  // Of nothing the double is nothing; a nanosecond is below what any of these can tell.
  result.range = {std::min(result.interval.low, rounded_picos(spread.least / range_factor)),
                  std::max({result.interval.high, rounded_picos(spread.most * range_factor), Picos{1ns}})};
  result.origin = origin;
  result.reference = std::move(reference);
  return result;
}

Duration said(double nanoseconds, double low, double high, Origin origin, std::string reference) {
  const Picos value = rounded_picos(nanoseconds);
  return {.value = value,
          .interval = {value, value},
          .range = {std::min(value, rounded_picos(low)), std::max(value, rounded_picos(high))},
          .origin = origin,
          .reference = std::move(reference)};
}

Ratio ratio_of(double value, double low, double high, double least, double most, Origin origin, std::string reference) {
  const auto rounded = [](double number) { return std::round(number * 1000) / 1000; };
  Ratio ratio;
  ratio.value = rounded(value);
  ratio.interval = {std::min(ratio.value, rounded(low)), std::max(ratio.value, rounded(high))};
  ratio.range = {std::min(ratio.interval.low, rounded(least)), std::max(ratio.interval.high, rounded(most))};
  ratio.origin = origin;
  ratio.reference = std::move(reference);
  return ratio;
}

class Building {
 public:
  Building(const Session& session, const std::string& name) : session_(session), findings_(session.findings) {
    machine_.name = name;
    const Topology& topology = session.arrangement.topology;
    machine_.summary = session.host.cpu_model + ", " + std::to_string(topology.threads()) +
                       (topology.threads() == 1 ? " CPU" : " CPUs") +
                       (session.host.virtual_machine ? " of a virtual machine, " : ", ") + session.host.kernel;
    machine_.line_bytes = session.line_bytes;
    machine_.topology = topology;
  }

  Machine build() {
    cpu();
    coherence();
    scheduler();
    return machine_;
  }

 private:
  [[nodiscard]] Conclusion conclude(Quantity quantity, Distance distance = nowhere) const {
    return findings_.conclude(quantity, distance);
  }
  [[nodiscard]] bool has(Quantity quantity, Distance distance = nowhere) const {
    return findings_.has(quantity, distance) && conclude(quantity, distance).spread.samples > 0;
  }
  [[nodiscard]] double middle(Quantity quantity, Distance distance = nowhere) const {
    return conclude(quantity, distance).spread.median;
  }
  [[nodiscard]] std::string source(Quantity quantity, Distance distance = nowhere) const {
    return std::string(entry_of(quantity).name) + ", " + counted(conclude(quantity, distance));
  }
  [[nodiscard]] Duration measured(Quantity quantity, Distance distance = nowhere) const {
    return duration_of(conclude(quantity, distance).spread, Origin::measured, source(quantity, distance));
  }

  void cpu() {
    CpuModel& cpu = machine_.cpu;
    cpu.work_scale =
        ratio_of(1, 1, 1, 0.5, 2, Origin::assumed,
                 "workloads state times, and native runs calibrate their work loop on the host they run on");
    if (has(Quantity::loaded_slowdown)) {
      // Beyond the limit of the schema nothing was slowed down, somebody else was there.
      constexpr double most = 10;
      const Spread seen = at_most(shifted(conclude(Quantity::loaded_slowdown).spread, -1), most);
      cpu.loaded_slowdown =
          ratio_of(seen.median, seen.low, seen.high, 0, std::clamp(2 * seen.most, 1.0, most), Origin::measured,
                   source(Quantity::loaded_slowdown) + ", less 1; memory-bound work is not probed");
    } else {
      cpu.loaded_slowdown = ratio_of(0, 0, 0, 0, 1, Origin::assumed, "one CPU: nobody else loads it");
    }
    if (const double threads = machine_.topology.threads_per_core; threads > 1) {
      const Spread seen = conclude(Quantity::pair_throughput, Distance::same_core).spread;
      const auto clamped = [&](double value) { return std::clamp(value, 1.0, threads); };
      cpu.smt_slowdown =
          seen.samples > 0
              ? ratio_of(clamped(seen.median), clamped(seen.low), clamped(seen.high), 1, threads, Origin::measured,
                         source(Quantity::pair_throughput, Distance::same_core))
              : ratio_of(clamped(1.5), 1, threads, 1, threads, Origin::assumed, "no pair of siblings was measured");
    }
    cpu.hit = measured(Quantity::own_load);
    cpu.atomic_hit = measured(Quantity::own_atomic);
    cpu.poll = measured(Quantity::poll);
    cpu.pause = measured(Quantity::pause);
    cpu.branch_miss = measured(Quantity::branch_miss);
  }

  // The measured distance whose values stand in for one that this host does not have.
  [[nodiscard]] std::optional<Distance> stand_in(Distance distance) const {
    std::optional<Distance> best;
    const auto apart = [&](Distance other) { return std::abs(static_cast<int>(other) - static_cast<int>(distance)); };
    for (const Distance other : line_distances) {
      if (has(Quantity::load_modified, other) && (!best || apart(other) < apart(*best))) { best = other; }
    }
    return best;
  }

  // `make(distance)` for the distances that there are, their values for the others.
  template <class Make>
  [[nodiscard]] std::array<Duration, distance_count> by_distance(const Make& make) const {
    std::array<Duration, distance_count> values;
    for (const Distance distance : line_distances) {
      Duration& value = values[static_cast<std::size_t>(distance)];
      const std::optional<Distance> from = stand_in(distance);
      if (from == distance) {
        value = make(distance);
      } else if (from) {
        value = make(*from);
        value.origin = Origin::assumed;
        value.reference =
            "no such pair on this host; as " + std::string(distance_names[static_cast<std::size_t>(*from)]);
      } else {
        value = said(memory_ns(), 0, 10 * memory_ns(), Origin::assumed,
                     "one core: lines never travel; as a load from memory");
      }
    }
    return values;
  }

  // Where programs cannot flush a line nothing else tells.
  [[nodiscard]] double memory_ns() const {
    constexpr double typical = 100;
    return has(Quantity::load_memory) ? middle(Quantity::load_memory) : typical;
  }

  void coherence() {
    CoherenceChoice& coherence = machine_.coherence;
    CoherenceParameters& costs = coherence.parameters;
    const bool stores = std::any_of(line_distances.begin(), line_distances.end(),
                                    [&](Distance d) { return has(Quantity::store_modified, d); });
    costs.transfer = by_distance([&](Distance d) { return measured(Quantity::load_modified, d); });
    costs.write_extra = by_distance([&](Distance d) {
      if (!has(Quantity::store_modified, d)) {
        return said(0, 0, 2 * middle(Quantity::load_modified, d), Origin::assumed,
                    "no fence here waits for a store's line; whatever a store costs more is in atomic_extra");
      }
      return duration_of(
          shifted(conclude(Quantity::store_modified, d).spread, -middle(Quantity::load_modified, d)), Origin::measured,
          source(Quantity::store_modified, d) + ", less the load of " + ns(middle(Quantity::load_modified, d)) + " ns");
    });
    atomic_extra(stores);
    const double extra = static_cast<double>(costs.atomic_extra.value.count()) * 1e-3;
    costs.invalidate = by_distance([&](Distance d) {
      return duration_of(
          shifted(conclude(Quantity::atomic_shared, d).spread, -extra), Origin::measured,
          source(Quantity::atomic_shared, d) + ", less atomic_extra; store " +
              (has(Quantity::store_shared, d) ? ns(middle(Quantity::store_shared, d)) + " ns" : "unknown"));
    });
    const Duration memory =
        has(Quantity::load_memory)
            ? measured(Quantity::load_memory)
            : said(memory_ns(), memory_ns() / 2, memory_ns() * 4, Origin::assumed,
                   "a program cannot flush a line here; DRAM of the last decade takes 60 to 200 ns");
    for (const Distance distance : line_distances) {
      Duration& value = costs.memory[static_cast<std::size_t>(distance)];
      value = memory;
      if (distance != Distance::same_die && value.origin == Origin::measured) {
        value.origin = Origin::assumed;
        value.reference = "memory of the requester's own node; farther ones are not probed";
      }
    }
    if (const std::optional<Distance> nearest = stand_in(Distance::same_die)) {
      coherence.ping_pong = measured(Quantity::ping_pong, *nearest);
    }
    homes();
    window();
    coherence.line_queue = true;
    coherence.migrating_reads = reads_migrate();
  }

  void atomic_extra(bool stores) {
    std::vector<double> extras;
    for (const Distance d : line_distances) {
      if (!has(Quantity::atomic_modified, d)) { continue; }
      const double plain = middle(stores ? Quantity::store_modified : Quantity::load_modified, d);
      const Spread seen = shifted(conclude(Quantity::atomic_modified, d).spread, -plain);
      extras.insert(extras.end(), {seen.median, seen.low, seen.high});
    }
    machine_.coherence.parameters.atomic_extra =
        extras.empty() ? said(0, 0, 100, Origin::assumed, "one core: lines never travel")
                       : duration_of(spread_of(extras), Origin::measured,
                                     std::string(entry_of(Quantity::atomic_modified).name) + ", less a " +
                                         (stores ? "store" : "load") + " there; over all distances");
  }

  void homes() {
    CoherenceChoice& coherence = machine_.coherence;
    std::vector<std::uint32_t> nodes = session_.arrangement.nodes;
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    coherence.home = nodes.size() > 1 ? HomePlacement::first_touch : HomePlacement::interleaved;
    std::vector<double> legs;
    for (const Distance d : line_distances) {
      for (const Observation& seen : findings_.observations(Quantity::third_leg, d)) { legs.push_back(seen.value); }
    }
    if (!legs.empty()) {
      coherence.third_leg =
          duration_of(shifted(spread_of(legs), 0), Origin::measured,
                      std::string(entry_of(Quantity::third_leg).name) + ", " + std::to_string(legs.size()) + " visits");
    } else {
      coherence.third_leg =
          said(0, 0, 200, Origin::inferred,
               nodes.size() > 1 ? "two memory nodes: the home is always the requester's or the owner's"
                                : "one memory node: what was measured is an average over its homes already");
    }
    std::vector<double> halted;
    for (const Distance d : line_distances) {
      if (!has(Quantity::load_halted, d)) { continue; }
      const Spread seen = shifted(conclude(Quantity::load_halted, d).spread, -middle(Quantity::load_modified, d));
      halted.insert(halted.end(), {seen.median, seen.low, seen.high});
    }
    if (!halted.empty()) {
      coherence.halted_owner =
          duration_of(spread_of(halted), Origin::measured,
                      std::string(entry_of(Quantity::load_halted).name) + " for 1 ms, less a load from a running one");
    }
  }

  void window() {
    CoherenceChoice& coherence = machine_.coherence;
    const double atomic_hit = middle(Quantity::own_atomic);
    // Of the nearest distance that there is: the home serves the near ones most often.
    const auto found = std::find_if(line_distances.begin(), line_distances.end(),
                                    [&](Distance d) { return has(Quantity::hammer_burst, d); });
    if (found == line_distances.end()) {
      const bool pairs = stand_in(Distance::same_die).has_value();
      coherence.home_occupancy =
          said(pairs ? 5 : 0, 0, 50, Origin::assumed,
               pairs ? "no two threads hammered a line undisturbed; a line takes 5 ns over a link of 12.8 GB/s"
                     : "one core: lines never travel");
    } else {
      const Conclusion burst = conclude(Quantity::hammer_burst, *found);
      Spread seen = scaled(shifted(burst.spread, -1), atomic_hit / 3);
      seen.median = occupancy_of(burst.spread.median, atomic_hit);
      std::string reference = "an owner hits " + ns(burst.spread.median) + " times in a row under fire (" +
                              counted(burst) + "): (that - 1) x atomic_hit / 3";
      // What a line adds to a scan is the other view of the home: its throughput.
      if (has(Quantity::scan_64, *found) && has(Quantity::scan_8, *found)) {
        const double slope = (middle(Quantity::scan_64, *found) - middle(Quantity::scan_8, *found)) / 56;
        reference += "; a line more of a scan takes " + ns(slope) + " ns";
        seen.low = std::min(seen.low, std::max(slope, 0.0));
        seen.high = std::max(seen.high, slope);
        seen.least = std::min(seen.least, seen.low);
        seen.most = std::max(seen.most, seen.high);
      }
      coherence.home_occupancy = duration_of(seen, Origin::inferred, reference);
    }
    if (has(Quantity::near_bias)) {
      const Spread seen = conclude(Quantity::near_bias).spread;
      coherence.near_bias =
          ratio_of(seen.median, seen.low, seen.high, 0, 1, Origin::measured, source(Quantity::near_bias));
    } else {
      coherence.near_bias = ratio_of(0, 0, machine_.topology.cores() > 2 ? 0.5 : 0, 0, 1, Origin::assumed,
                                     machine_.topology.cores() > 2
                                         ? "all CPUs are alike, or none were near each other; first come first served"
                                         : "nobody has two others to choose from");
    }
  }

  // Reading a line that another CPU wrote makes the exchange after it a hit.
  [[nodiscard]] bool reads_migrate() const {
    std::size_t hits = 0;
    std::size_t misses = 0;
    for (const Distance d : line_distances) {
      if (!has(Quantity::atomic_after_load, d) || !has(Quantity::atomic_modified, d)) { continue; }
      const double between = (middle(Quantity::own_atomic) + middle(Quantity::atomic_modified, d)) / 2;
      for (const Observation& seen : findings_.observations(Quantity::atomic_after_load, d)) {
        ++(seen.value < between ? hits : misses);
      }
    }
    return hits > misses;
  }

  void scheduler() {
    SchedulerModel& scheduler = machine_.scheduler;
    scheduler.policy = SchedulerPolicy::cfs;
    const HostQuality& host = session_.host;
    constexpr double ms = 1e6;
    scheduler.tick =
        host.tick_ns >= 0.1 * ms
            ? said(host.tick_ns, host.tick_ns, host.tick_ns, Origin::measured, "resolution of CLOCK_MONOTONIC_COARSE")
            : said(4 * ms, 1 * ms, 10 * ms, Origin::assumed, "HZ=250, the usual setting; the clock tells none");
    cfs();
    if (has(Quantity::context_switch)) {
      scheduler.context_switch = measured(Quantity::context_switch);
    } else {
      scheduler.context_switch =
          said(1500, 500, 5000, Origin::assumed, "no switch was seen that nobody else disturbed");
    }
    wake_ups();
    // The model adds the end of idleness to a sleep as to any wake-up.
    const double woken = static_cast<double>((scheduler.wake_latency.value + scheduler.idle_exit.value).count()) * 1e-3;
    if (has(Quantity::overshoot_1ms)) {
      scheduler.sleep_slack =
          duration_of(shifted(conclude(Quantity::overshoot_1ms).spread, -woken), Origin::inferred,
                      source(Quantity::overshoot_1ms) + ": " + ns(middle(Quantity::overshoot_1ms) * 1e-3) +
                          " us, less wake_latency and idle_exit; timer slack of the process " +
                          ns(host.timer_slack_ns * 1e-3) + " us");
    } else {
      scheduler.sleep_slack = said(50'000, 0, 200'000, Origin::documented, "timer slack of Linux since 2.6.28");
    }
    scheduler.sleep_tick = host.fine_timers
                               ? said(0, 0, 0, Origin::measured, "resolution of CLOCK_MONOTONIC below 1 us")
                               : said(host.tick_ns, 0, host.tick_ns, Origin::measured,
                                      "resolution of CLOCK_MONOTONIC: sleeps end at the tick");
  }

  void cfs() {
    CfsModel& cfs = machine_.scheduler.cfs;
    constexpr double ms = 1e6;
    const double slice = has(Quantity::slice_2) ? middle(Quantity::slice_2) : 4 * ms;
    // Where three threads get shorter slices than two, a period is shared; else a slice has one length.
    constexpr double shorter = 0.8;
    const bool shares = has(Quantity::slice_2) && has(Quantity::slice_3) && middle(Quantity::slice_3) < shorter * slice;
    if (has(Quantity::slice_2)) {
      const Spread two = conclude(Quantity::slice_2).spread;
      cfs.sched_latency = duration_of(
          shares ? scaled(two, 2) : two, Origin::inferred,
          source(Quantity::slice_2) + (shares ? ": half of a period" : "; slices do not shrink with more threads"));
      cfs.min_granularity =
          duration_of(conclude(shares ? Quantity::slice_3 : Quantity::slice_2).spread, Origin::inferred,
                      source(shares ? Quantity::slice_3 : Quantity::slice_2) + (shares ? ": at most this" : ""));
    } else {
      cfs.sched_latency = said(slice, 1 * ms, 24 * ms, Origin::assumed, "no slice was seen to end");
      cfs.min_granularity = said(slice, 0.75 * ms, 24 * ms, Origin::assumed, "no slice was seen to end");
    }
    // A woken thread that had to wait for a slice to end comes after half of one on average.
    constexpr double at_once = 0.25;
    cfs.wakeup_preemption = has(Quantity::wake_busy) && middle(Quantity::wake_busy) < at_once * slice;
    const std::string seen = has(Quantity::wake_busy)
                                 ? source(Quantity::wake_busy) + ": " + ns(middle(Quantity::wake_busy) * 1e-3) + " us"
                                 : "no wake-up beside a spinner was measured";
    const Origin origin = has(Quantity::wake_busy) ? Origin::inferred : Origin::assumed;
    cfs.wakeup_granularity = said(cfs.wakeup_preemption ? 0 : slice, 0, slice, origin, seen);
    cfs.sleeper_credit =
        said(slice, 0, 2 * slice, Origin::assumed, "a thread that slept keeps at most a slice of what it is owed");
    cfs.wake_affine = WakeAffine::load;
    cfs.migration_cost = said(0.5 * ms, 0.1 * ms, 5 * ms, Origin::documented,
                              "sysctl_sched_migration_cost of Linux, 500000 ns; only root can read what is set");
    cfs.newidle_balance = NewIdle::machine;
    const Topology& topology = machine_.topology;
    cfs.die_balance_interval =
        said(topology.cores_per_die * topology.threads_per_core * ms, 1 * ms, 512 * ms, Origin::documented,
             "min_interval of a scheduling domain: its CPUs in ms (sd_init)");
    cfs.machine_balance_interval = said(topology.threads() * ms, 1 * ms, 8192 * ms, Origin::documented,
                                        "min_interval of a scheduling domain: its CPUs in ms (sd_init)");
    cfs.busy_factor = {.value = 16,
                       .interval = {16, 32},
                       .range = {16, 64},
                       .origin = Origin::documented,
                       .reference = "busy_factor of sd_init, 16 since Linux 5.10, 32 before"};
  }

  void wake_ups() {
    SchedulerModel& scheduler = machine_.scheduler;
    const double context_switch = static_cast<double>(scheduler.context_switch.value.count()) * 1e-3;
    // One way of the ping-pong on one CPU: the waker's call, the blocker's call, a switch.
    const double hop = has(Quantity::same_cpu_hop) ? middle(Quantity::same_cpu_hop) : 0;
    const double call = std::max(has(Quantity::refused_wait) ? middle(Quantity::refused_wait) : 0.0,
                                 std::max(0.0, hop - context_switch) / 2);
    if (hop > 0) {
      scheduler.block_cost =
          duration_of(scaled(conclude(Quantity::same_cpu_hop).spread, call / hop), Origin::inferred,
                      "half of " + source(Quantity::same_cpu_hop) + ": " + ns(hop) + " ns, less the context switch");
    } else {
      scheduler.block_cost =
          said(std::max(call, 500.0), 100, 10'000, Origin::assumed, "no futex ping-pong was finished");
    }
    if (has(Quantity::empty_wake)) { scheduler.empty_wake_cost = measured(Quantity::empty_wake); }
    if (!has(Quantity::wake_recent) || !has(Quantity::wake_cost)) {
      const std::string why = "one CPU, or no wake-up of a sleeper elsewhere was measured";
      scheduler.wake_cost = scheduler.block_cost;
      scheduler.wake_cost.reference = "as block_cost: " + why;
      scheduler.wake_cost.origin = Origin::assumed;
      scheduler.wake_latency = said(0, 0, 100'000, Origin::assumed, why + "; nobody is woken across CPUs");
      scheduler.idle_exit = said(2000, 0, 100'000, Origin::assumed, why);
      return;
    }
    scheduler.wake_cost = measured(Quantity::wake_cost);
    const double cost = middle(Quantity::wake_cost);
    const double recent = middle(Quantity::wake_recent);
    scheduler.wake_latency =
        duration_of(shifted(conclude(Quantity::wake_recent).spread, -cost), Origin::measured,
                    source(Quantity::wake_recent) + ": " + ns(recent * 1e-3) +
                        " us from the call, less the waker's cost, which the model counts before it");
    if (has(Quantity::wake_50us)) {
      Spread seen = shifted(conclude(Quantity::wake_50us).spread, -recent);
      if (has(Quantity::wake_1ms)) {
        seen.high = std::max(seen.high, middle(Quantity::wake_1ms) - recent);
        seen.most = std::max(seen.most, seen.high);
      }
      scheduler.idle_exit =
          duration_of(seen, Origin::measured,
                      source(Quantity::wake_50us) + ", less " + ns(recent * 1e-3) + " us; upper end: asleep 1 ms");
    } else {
      scheduler.idle_exit = said(0, 0, 100'000, Origin::assumed, "contained in wake_latency");
    }
  }

  const Session& session_;
  const Findings& findings_;
  Machine machine_;
};

std::string regime_words(const std::vector<Regime>& regimes) {
  std::string words;
  for (const Regime& regime : regimes) {
    words += (words.empty() ? "" : ", ") + ns(regime.low) + "-" + ns(regime.high) + " ns " + percent_of(regime.share);
  }
  return words;
}

}  // namespace

Picos rounded_picos(double nanoseconds) {
  CHECK(std::isfinite(nanoseconds) && nanoseconds >= 0, "no duration");
  constexpr std::int64_t four_digits = 10'000;
  const std::int64_t picos = std::llround(nanoseconds * 1e3);
  std::int64_t unit = 1;
  while (picos / unit >= four_digits) { unit *= 10; }
  return Picos{(picos + unit / 2) / unit * unit};
}

Machine machine_of(const Session& session, const std::string& name) { return Building(session, name).build(); }

std::vector<std::string> contradictions(const Findings& findings) {
  std::vector<std::string> notes;
  const auto name = [](Distance d) { return std::string(distance_names[static_cast<std::size_t>(d)]); };
  std::optional<Distance> nearer;
  for (const Distance d : line_distances) {
    if (!findings.has(Quantity::ping_pong, d)) { continue; }
    if (const auto regimes = findings.regimes(d); regimes.size() > 1) {
      notes.push_back("pairs that the topology calls " + name(d) + " are " + std::to_string(regimes.size()) +
                      " distances apart (one way " + regime_words(regimes) +
                      "): virtual CPUs move, or the topology is not what it says; values are of the most frequent one");
    }
    const double middle = findings.conclude(Quantity::ping_pong, d).spread.median;
    constexpr double clearly = 1.1;
    if (nearer && findings.conclude(Quantity::ping_pong, *nearer).spread.median > clearly * middle) {
      notes.push_back(name(*nearer) + " pairs are slower than " + name(d) + " pairs");
    }
    nearer = d;
    // Siblings take 1.5 to 1.9 times as long together; cores, 1.0 to 1.3 while others of the chip are busy.
    constexpr double sharing = 1.4;
    const auto& together = findings.observations(Quantity::pair_throughput, d);
    const auto shared = static_cast<double>(std::ranges::count_if(
        together, [](const Observation& seen) { return seen.lost_share <= lost_share_max && seen.value > sharing; }));
    const auto looked = static_cast<double>(
        std::ranges::count_if(together, [](const Observation& seen) { return seen.lost_share <= lost_share_max; }));
    constexpr double often = 0.1;
    if (looked > 0 && shared > often * looked) {
      notes.push_back(name(d) + " pairs slow each other's private work down like hyper-threads of one core in " +
                      percent_of(shared / looked) + " of the undisturbed visits");
    }
  }
  if (findings.has(Quantity::load_modified, Distance::same_die) && findings.has(Quantity::load_memory, nowhere)) {
    const double line = findings.conclude(Quantity::load_modified, Distance::same_die).spread.median;
    const double memory = findings.conclude(Quantity::load_memory, nowhere).spread.median;
    constexpr double nearly = 0.9;
    if (line > nearly * memory) {
      notes.push_back("a line of a same_die CPU (" + ns(line) + " ns) comes no faster than one from memory (" +
                      ns(memory) + " ns): they share no cache, whatever the topology says");
    }
  }
  if (const auto siblings = findings.conclude(Quantity::pair_throughput, Distance::same_core);
      siblings.spread.samples > 0 && siblings.spread.median < 1.15) {
    notes.emplace_back("hardware threads of one core do not slow each other down: they are hardly on one core");
  }
  return notes;
}

std::vector<std::string> quality_notes(const Session& session) {
  std::vector<std::string> notes = session.arrangement.notes;
  const HostQuality& host = session.host;
  if (host.virtual_machine) {
    notes.emplace_back("virtual machine: the topology is what the hypervisor claims, and its CPUs may move");
  }
  if (!session.lost_shares.empty()) {
    const double disturbed = static_cast<double>(session.disturbed_visits) / std::max(1U, session.visits);
    std::string words = "others used the CPUs during " + percent_of(disturbed) + " of the visits; CPUs lost " +
                        percent_of(median(session.lost_shares)) + " of their time in the middle, at most " +
                        percent_of(quantile(session.lost_shares, 1)) +
                        "; stolen by the hypervisor, as it tells: " + std::to_string(session.stolen_ticks) + " ticks";
    constexpr double much = 0.5;
    if (disturbed > much) { words += "; TOO NOISY: probe again on an idle host"; }
    notes.push_back(std::move(words));
  }
  for (const Distance d : line_distances) {
    if (const auto regimes = session.findings.regimes(d); !regimes.empty()) {
      notes.push_back("lines between " + std::string(distance_names[static_cast<std::size_t>(d)]) +
                      " pairs, one way of a ping-pong: " + regime_words(regimes));
    }
  }
  if (session.changed_visits > 0) {
    notes.push_back("the distance changed during " + std::to_string(session.changed_visits) + " of " +
                    std::to_string(session.visits) + " visits, which were dropped");
  }
  for (std::string& note : contradictions(session.findings)) { notes.push_back(std::move(note)); }
  notes.push_back("clock governor: " +
                  (host.governor.empty() ? "the system tells none" : host.governor + ", not described in this file"));
  if (host.hyper_threads) {
    notes.emplace_back(*host.hyper_threads ? "hyper-threading is on, as the system tells it"
                                           : "hyper-threading is off or hidden");
  }
  if (host.quota_cpus) {
    notes.push_back("a cgroup allows this process " + ns(*host.quota_cpus) + " CPUs' time; latencies above a quota's " +
                    "period are its doing");
  }
  if (session.arrangement.cpus.size() == 1) { notes.emplace_back("one CPU: nothing that takes two could be measured"); }
  return notes;
}

}  // namespace lockcast::probe
