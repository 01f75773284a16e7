// What the probe concludes is tested on inputs whose answer is known; that it measures at all, by brief runs. Nothing
// here asks how fast anything was.

#include "models/check.hpp"
#include "sim/yaml/machine_reader.hpp"
#include "validate/probe/core_matrix.hpp"
#include "validate/probe/disturbance.hpp"
#include "validate/probe/findings.hpp"
#include "validate/probe/hammer.hpp"
#include "validate/probe/host_machine.hpp"
#include "validate/probe/hwloc_topology.hpp"
#include "validate/probe/line_costs.hpp"
#include "validate/probe/machine_yaml.hpp"
#include "validate/probe/placement.hpp"
#include "validate/probe/session.hpp"
#include "validate/probe/statistics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

namespace lockcast::probe_test {
namespace {

using namespace lockcast::probe;

// --- Statistics ---

TEST(Statistics, quantiles_lie_between_neighbours_in_proportion) {
  const std::vector<double> values{40, 10, 30, 20, 50};
  EXPECT_DOUBLE_EQ(quantile(values, 0), 10);
  EXPECT_DOUBLE_EQ(quantile(values, 1), 50);
  EXPECT_DOUBLE_EQ(median(values), 30);
  EXPECT_DOUBLE_EQ(quantile(values, 0.1), 14);
  EXPECT_DOUBLE_EQ(median({1, 2}), 1.5);
  EXPECT_EQ(spread_of({}).samples, 0U);
}

TEST(Statistics, a_gap_of_more_than_the_limit_separates_regimes_and_one_of_the_limit_does_not) {
  EXPECT_EQ(regimes_of({100, 100 * regime_gap}).size(), 1U);
  EXPECT_EQ(regimes_of({100, 100 * regime_gap + 1}).size(), 2U);
  std::vector<double> values(30, 27);
  values.insert(values.end(), 10, 160);
  values.push_back(9000);  // one in 41 is an outlier
  const std::vector<Regime> regimes = regimes_of(values);
  ASSERT_EQ(regimes.size(), 2U);
  EXPECT_DOUBLE_EQ(regimes[0].share, 30.0 / 41);
  EXPECT_DOUBLE_EQ(main_regime(regimes).median, 27);
  EXPECT_TRUE(belongs(regimes[1], 160));
  EXPECT_FALSE(belongs(regimes[1], 27));
}

TEST(Findings, only_undisturbed_observations_of_the_main_regime_are_averaged) {
  Findings findings;
  for (int i = 0; i < 6; ++i) {
    findings.add(Quantity::ping_pong, Distance::same_die, {.value = 30, .line_ns = 30});
    findings.add(Quantity::load_modified, Distance::same_die, {.value = 25, .line_ns = 30});
  }
  for (int i = 0; i < 3; ++i) {
    findings.add(Quantity::ping_pong, Distance::same_die, {.value = 160, .line_ns = 160});
    findings.add(Quantity::load_modified, Distance::same_die, {.value = 140, .line_ns = 160});
  }
  findings.add(Quantity::load_modified, Distance::same_die, {.value = 900, .line_ns = 30, .lost_share = 0.5});
  findings.add(Quantity::load_modified, Distance::same_die, {.value = not_measured});
  const Conclusion conclusion = findings.conclude(Quantity::load_modified, Distance::same_die);
  EXPECT_EQ(conclusion.spread.samples, 6U);
  EXPECT_DOUBLE_EQ(conclusion.spread.most, 25);
  EXPECT_TRUE(conclusion.quiet);
  EXPECT_EQ(conclusion.left_out, 4U);
  EXPECT_EQ(findings.conclude(Quantity::pause, nowhere).spread.samples, 0U);
}

TEST(Findings, on_a_busy_host_the_least_disturbed_third_is_taken_and_called_disturbed) {
  Findings findings;
  for (int i = 0; i < 12; ++i) {
    findings.add(Quantity::pause, nowhere, {.value = 10.0 + i, .lost_share = lost_share_max * (2 + i)});
  }
  const Conclusion conclusion = findings.conclude(Quantity::pause, nowhere);
  EXPECT_FALSE(conclusion.quiet);
  EXPECT_EQ(conclusion.spread.samples, 4U);
  EXPECT_DOUBLE_EQ(conclusion.spread.most, 13);
}

// --- Places and pairs ---

TEST(Placement, hwloc_machines_become_the_same_shape_from_1_to_256_cpus) {
  struct Case {
    const char* description;
    Topology expected;
  };
  for (const Case& c : {
           Case{"package:1 l3:1 core:1 pu:1", {1, 1, 1, 1, 1}},
           Case{"package:1 l3:1 core:2 pu:1", {1, 1, 2, 1, 1}},
           Case{"package:1 l3:2 core:1 pu:1", {1, 2, 1, 1, 1}},
           Case{"package:1 l3:2 core:4 pu:2", {1, 2, 4, 1, 2}},
           Case{"package:2 l3:8 core:8 pu:2", {2, 8, 8, 2, 2}},
       }) {
    const Arrangement arrangement = arrange(synthetic_places(c.description));
    const Topology& seen = arrangement.topology;
    EXPECT_EQ(seen.packages, c.expected.packages) << c.description;
    EXPECT_EQ(seen.dies_per_package, c.expected.dies_per_package) << c.description;
    EXPECT_EQ(seen.cores_per_die, c.expected.cores_per_die) << c.description;
    EXPECT_EQ(seen.packages_per_group, c.expected.packages_per_group) << c.description;
    EXPECT_EQ(seen.threads_per_core, c.expected.threads_per_core) << c.description;
    EXPECT_EQ(arrangement.cpus.size(), seen.threads()) << c.description;
    EXPECT_TRUE(arrangement.notes.empty()) << c.description;
  }
}

TEST(Placement, of_an_irregular_cpuset_the_largest_regular_part_is_taken_and_a_note_says_so) {
  HostPlaces host;
  // Three cores in one cache, one in another, and a core of which both threads may be used.
  for (const auto& [cpu, die, core] : {std::tuple{0, 0U, 0U}, {1, 0U, 1U}, {2, 0U, 2U}, {8, 1U, 8U}, {24, 0U, 0U}}) {
    host.places.push_back({.cpu = cpu, .package = 0, .die = die, .core = core, .node = 0});
  }
  const Arrangement arrangement = arrange(host);
  EXPECT_EQ(arrangement.topology.cores(), 3U);
  EXPECT_EQ(arrangement.cpus, (std::vector<int>{0, 1, 2}));
  ASSERT_EQ(arrangement.notes.size(), 1U);
  EXPECT_NE(arrangement.notes[0].find("3 of 5"), std::string::npos) << arrangement.notes[0];
}

TEST(Placement, more_than_two_packages_get_their_hops_from_the_distances_of_their_memories) {
  HostPlaces host;
  for (std::uint32_t package = 0; package < 4; ++package) {
    host.places.push_back(
        {.cpu = static_cast<int>(package), .package = package, .die = package, .core = package, .node = package});
  }
  host.node_distances = {{10, 16, 16, 22}, {16, 10, 22, 16}, {16, 22, 10, 16}, {22, 16, 16, 10}};
  const Arrangement ring = arrange(host);
  EXPECT_EQ(ring.distance(0, 1), Distance::one_hop);
  EXPECT_EQ(ring.distance(0, 3), Distance::two_hops);
  EXPECT_TRUE(ring.notes.empty());
  host.node_distances.clear();
  const Arrangement unknown = arrange(host);
  EXPECT_EQ(unknown.distance(0, 3), Distance::one_hop);
  EXPECT_EQ(unknown.notes.size(), 1U);
}

TEST(Pairs, a_sample_has_each_pair_once_and_only_of_its_class_and_rounds_move_on) {
  for (const char* description : {"package:1 core:1 pu:1", "package:1 l3:1 core:2 pu:1", "package:1 l3:2 core:4 pu:2",
                                  "package:2 l3:8 core:8 pu:2"}) {
    const Arrangement arrangement = arrange(synthetic_places(description));
    const std::size_t threads = arrangement.cpus.size();
    std::size_t all = 0;
    for (std::size_t d = 0; d < distance_count; ++d) {
      const auto distance = static_cast<Distance>(d);
      const std::vector<Pair> every = sample_pairs(arrangement, distance, SIZE_MAX, 5);
      all += every.size();
      for (std::size_t round = 0; round < 3; ++round) {
        std::set<std::pair<std::size_t, std::size_t>> seen;
        const std::vector<Pair> some = sample_pairs(arrangement, distance, 3, round);
        EXPECT_EQ(some.size(), std::min<std::size_t>(3, every.size()));
        for (const Pair& pair : some) {
          EXPECT_GT(pair.a, pair.b);
          EXPECT_LT(pair.a, threads);
          EXPECT_EQ(arrangement.distance(pair.a, pair.b), distance);
          EXPECT_TRUE(seen.insert({pair.a, pair.b}).second);
        }
      }
      if (every.size() > 3) {
        EXPECT_NE(sample_pairs(arrangement, distance, 3, 0), sample_pairs(arrangement, distance, 3, 1));
      }
    }
    EXPECT_EQ(all, threads * (threads - 1) / 2) << description;
  }
}

TEST(Pairs, a_matrix_takes_all_pairs_or_as_many_as_it_may_evenly) {
  EXPECT_TRUE(matrix_pairs(1, 100).empty());
  EXPECT_EQ(matrix_pairs(3, 100), (std::vector<Pair>{{1, 0}, {2, 0}, {2, 1}}));
  const std::vector<Pair> some = matrix_pairs(256, 1000);
  EXPECT_EQ(some.size(), 1000U);
  EXPECT_LT(some.front().a, 16U);
  EXPECT_GT(some.back().a, 250U);
}

TEST(Matrix, is_written_as_core_to_core_latency_does_lower_half_only_and_no_heading) {
  CoreMatrix matrix(3);
  matrix.set(1, 0, 31.256);
  matrix.set(2, 1, 155);
  EXPECT_EQ(csv(matrix), ",,\n31.26,,\n,155.00,\n");
  EXPECT_EQ(csv(CoreMatrix(1)), "\n");
}

// --- What follows from what ---

TEST(Hammering, who_is_served_first_come_first_served_has_no_bias_and_who_stays_near_has_all_of_it) {
  // Four threads in two pairs of near ones.
  const std::vector<std::vector<bool>> near{{false, true, false, false},
                                            {true, false, false, false},
                                            {false, false, false, true},
                                            {false, false, true, false}};
  Hammering fair;
  fair.handovers = {{0, 10, 10, 10}, {10, 0, 10, 10}, {10, 10, 0, 10}, {10, 10, 10, 0}};
  EXPECT_DOUBLE_EQ(near_bias_of(fair, near), 0);
  Hammering biased;  // with probability 0.4 the near one, else any of the three
  biased.handovers = {{0, 60, 20, 20}, {60, 0, 20, 20}, {20, 20, 0, 60}, {20, 20, 60, 0}};
  EXPECT_NEAR(near_bias_of(biased, near), 0.4, 1e-12);
  Hammering pair;
  pair.handovers = {{0, 5}, {5, 0}};
  EXPECT_TRUE(std::isnan(near_bias_of(pair, {{false, true}, {true, false}}))) << "nobody has a choice";
}

TEST(Occupancy, is_what_makes_the_models_bursts_as_long_as_those_seen) {
  EXPECT_DOUBLE_EQ(occupancy_of(1, 5), 0);
  EXPECT_DOUBLE_EQ(occupancy_of(1 + 3 * 10.0 / 5, 5), 10);
}

TEST(Numbers, keep_four_digits) {
  EXPECT_EQ(rounded_picos(0), Picos{0});
  EXPECT_EQ(rounded_picos(147.26), Picos{147'300});
  EXPECT_EQ(rounded_picos(1.23456), Picos{1'235});
  EXPECT_EQ(rounded_picos(3'941'234.5), Picos{3'941'000'000});
}

TEST(Quota, is_read_as_a_cgroup_writes_it) {
  EXPECT_FALSE(quota_of("max 100000"));
  EXPECT_FALSE(quota_of(""));
  EXPECT_DOUBLE_EQ(quota_of("150000 100000").value(), 1.5);
}

// A host whose every figure is known. The line costs come from two regimes, of which the first is more frequent.
Session known_session(const char* description) {
  Session session;
  session.host.cpu_model = "Known \"CPU\" \\ 1";
  session.host.kernel = "Linux 6.1";
  session.host.tick_ns = 4e6;
  session.host.timer_slack_ns = 50'000;
  session.arrangement = arrange(synthetic_places(description));
  session.rounds = 4;
  session.visits = 10;
  const auto add = [&](Quantity quantity, Distance distance, double value, double line) {
    for (int i = 0; i < 4; ++i) { session.findings.add(quantity, distance, {.value = value, .line_ns = line}); }
  };
  for (std::size_t d = 1; d < distance_count; ++d) {
    const auto distance = static_cast<Distance>(d);
    if (sample_pairs(session.arrangement, distance, 1, 0).empty()) { continue; }
    const double line = 30.0 * static_cast<double>(d);
    add(Quantity::ping_pong, distance, line, line);
    add(Quantity::load_modified, distance, line + 1, line);
    add(Quantity::store_modified, distance, line + 3, line);
    add(Quantity::atomic_modified, distance, line + 8, line);
    add(Quantity::atomic_shared, distance, line + 20, line);
    add(Quantity::atomic_after_load, distance, line + 15, line);
    add(Quantity::load_halted, distance, line + 51, line);
    add(Quantity::hammer, distance, 8, line);
    add(Quantity::hammer_burst, distance, 7, line);
    add(Quantity::pair_throughput, distance, 1, line);
  }
  for (const auto& [quantity, value] : {std::pair{Quantity::load_memory, 110.0},
                                        {Quantity::own_load, 1.5},
                                        {Quantity::own_atomic, 5.0},
                                        {Quantity::pause, 20.0},
                                        {Quantity::branch_miss, 5.0},
                                        {Quantity::poll, 21.0},
                                        {Quantity::loaded_slowdown, 1.02},
                                        {Quantity::refused_wait, 300.0},
                                        {Quantity::same_cpu_hop, 3000.0},
                                        {Quantity::context_switch, 1000.0},
                                        {Quantity::wake_recent, 20'000.0},
                                        {Quantity::wake_50us, 22'000.0},
                                        {Quantity::wake_1ms, 30'000.0},
                                        {Quantity::wake_busy, 18'000.0},
                                        {Quantity::wake_cost, 7000.0},
                                        {Quantity::slice_2, 3.9e6},
                                        {Quantity::slice_3, 3.9e6},
                                        {Quantity::overshoot_1ms, 80'000.0}}) {
    add(quantity, nowhere, value, 0);
  }
  return session;
}

TEST(Machine, has_the_differences_of_what_was_measured) {
  const Machine machine = machine_of(known_session("package:1 l3:1 core:2 pu:1"), "known");
  const auto same_die = static_cast<std::size_t>(Distance::same_die);
  const CoherenceParameters& costs = machine.coherence.parameters;
  EXPECT_EQ(costs.transfer[same_die].value, Picos{31ns});
  EXPECT_EQ(costs.transfer[same_die].origin, Origin::measured);
  EXPECT_EQ(costs.transfer[static_cast<std::size_t>(Distance::two_hops)].value, Picos{31ns});
  EXPECT_EQ(costs.transfer[static_cast<std::size_t>(Distance::two_hops)].origin, Origin::assumed);
  EXPECT_EQ(costs.write_extra[same_die].value, Picos{2ns});
  EXPECT_EQ(costs.atomic_extra.value, Picos{5ns});
  EXPECT_EQ(costs.invalidate[same_die].value, Picos{45ns});
  EXPECT_EQ(costs.memory[same_die].value, Picos{110ns});
  EXPECT_EQ(machine.coherence.halted_owner.value, Picos{50ns});
  EXPECT_EQ(machine.coherence.ping_pong.value, Picos{30ns});
  EXPECT_EQ(machine.coherence.home_occupancy.value, Picos{10ns});
  EXPECT_FALSE(machine.coherence.migrating_reads);
  EXPECT_DOUBLE_EQ(machine.cpu.loaded_slowdown.value, 0.02);
  const SchedulerModel& scheduler = machine.scheduler;
  EXPECT_EQ(scheduler.wake_cost.value, Picos{7us});
  EXPECT_EQ(scheduler.wake_latency.value, Picos{13us});
  EXPECT_EQ(scheduler.idle_exit.value, Picos{2us});
  EXPECT_EQ(scheduler.block_cost.value, Picos{1us});
  EXPECT_EQ(scheduler.sleep_slack.value, Picos{65us});
  EXPECT_EQ(scheduler.cfs.min_granularity.value, Picos{3900us});
  EXPECT_TRUE(scheduler.cfs.wakeup_preemption);
  // The model's own view of what was measured: compare-and-swap on a modified and on a shared line.
  const CostTable table = machine.costs();
  EXPECT_EQ(table.of(Operation::atomic, LineState::modified, Distance::same_die), Picos{38ns});
  EXPECT_EQ(table.of(Operation::atomic, LineState::shared, Distance::same_die), Picos{50ns});
}

TEST(Machine, an_exchange_that_hits_after_a_read_of_a_dirty_line_means_that_reads_migrate) {
  Session session = known_session("package:1 l3:1 core:2 pu:1");
  for (int i = 0; i < 9; ++i) {
    session.findings.add(Quantity::atomic_after_load, Distance::same_die, {.value = 6, .line_ns = 30});
  }
  EXPECT_TRUE(machine_of(session, "known").coherence.migrating_reads);
}

template <class T>
void expect_same(const Parameter<T>& a, const Parameter<T>& b) {
  EXPECT_EQ(a.value, b.value) << a.reference;
  EXPECT_EQ(a.interval.low, b.interval.low) << a.reference;
  EXPECT_EQ(a.interval.high, b.interval.high) << a.reference;
  EXPECT_EQ(a.range.low, b.range.low) << a.reference;
  EXPECT_EQ(a.range.high, b.range.high) << a.reference;
  EXPECT_EQ(a.origin, b.origin) << a.reference;
  EXPECT_EQ(a.reference, b.reference);
}

TEST(MachineYaml, what_is_written_is_read_back_whatever_the_host_was_like) {
  for (const char* description : {"package:1 l3:1 core:1 pu:1", "package:1 l3:1 core:2 pu:1", "package:1 core:2 pu:2",
                                  "package:2 l3:2 core:4 pu:2", "package:4 l3:1 core:2 pu:1"}) {
    for (const bool measured : {true, false}) {
      Session session = known_session(description);
      if (!measured) {
        // Nothing but what one thread can always have.
        const Findings all = std::exchange(session.findings, {});
        for (const Quantity quantity : {Quantity::own_load, Quantity::own_atomic, Quantity::pause, Quantity::poll}) {
          for (const Observation& seen : all.observations(quantity, nowhere)) {
            session.findings.add(quantity, nowhere, seen);
          }
        }
      }
      const Machine written = machine_of(session, "known");
      const std::string text = machine_yaml(written, {"a \"head\" of many words " + std::string(300, 'x') + " end"});
      Machine read;
      ASSERT_NO_THROW(read = yaml::read_machine(yaml::parse_text(text, "known.yaml"))) << description << "\n" << text;
      EXPECT_EQ(read.name, written.name);
      EXPECT_EQ(read.summary, written.summary);
      EXPECT_EQ(read.line_bytes, written.line_bytes);
      EXPECT_EQ(read.topology.threads(), written.topology.threads());
      EXPECT_EQ(read.topology.hops, written.topology.hops);
      expect_same(read.cpu.work_scale, written.cpu.work_scale);
      expect_same(read.cpu.loaded_slowdown, written.cpu.loaded_slowdown);
      expect_same(read.cpu.atomic_hit, written.cpu.atomic_hit);
      if (written.topology.threads_per_core > 1) { expect_same(read.cpu.smt_slowdown, written.cpu.smt_slowdown); }
      for (std::size_t d = 1; d < distance_count; ++d) {
        expect_same(read.coherence.parameters.transfer[d], written.coherence.parameters.transfer[d]);
        expect_same(read.coherence.parameters.write_extra[d], written.coherence.parameters.write_extra[d]);
        expect_same(read.coherence.parameters.invalidate[d], written.coherence.parameters.invalidate[d]);
        expect_same(read.coherence.parameters.memory[d], written.coherence.parameters.memory[d]);
      }
      expect_same(read.coherence.ping_pong, written.coherence.ping_pong);
      expect_same(read.coherence.home_occupancy, written.coherence.home_occupancy);
      expect_same(read.coherence.near_bias, written.coherence.near_bias);
      EXPECT_EQ(read.coherence.home, written.coherence.home);
      EXPECT_EQ(read.coherence.migrating_reads, written.coherence.migrating_reads);
      expect_same(read.scheduler.tick, written.scheduler.tick);
      expect_same(read.scheduler.cfs.sched_latency, written.scheduler.cfs.sched_latency);
      expect_same(read.scheduler.cfs.busy_factor, written.scheduler.cfs.busy_factor);
      expect_same(read.scheduler.wake_latency, written.scheduler.wake_latency);
      expect_same(read.scheduler.sleep_tick, written.scheduler.sleep_tick);
    }
  }
}

TEST(Contradictions, latencies_that_deny_the_topology_are_named) {
  EXPECT_TRUE(contradictions(known_session("package:2 l3:2 core:4 pu:1").findings).empty());

  Session moving = known_session("package:1 l3:1 core:2 pu:1");
  for (int i = 0; i < 3; ++i) {
    moving.findings.add(Quantity::ping_pong, Distance::same_die, {.value = 160, .line_ns = 160});
  }
  ASSERT_EQ(contradictions(moving.findings).size(), 1U);
  EXPECT_NE(contradictions(moving.findings)[0].find("2 distances apart"), std::string::npos);

  Session siblings = known_session("package:1 l3:1 core:2 pu:1");
  for (int i = 0; i < 3; ++i) {
    siblings.findings.add(Quantity::pair_throughput, Distance::same_die, {.value = 1.8, .line_ns = 30});
  }
  ASSERT_EQ(contradictions(siblings.findings).size(), 1U);
  EXPECT_NE(contradictions(siblings.findings)[0].find("hyper-threads"), std::string::npos);

  Findings far;
  for (int i = 0; i < 3; ++i) {
    far.add(Quantity::ping_pong, Distance::same_die, {.value = 160, .line_ns = 160});
    far.add(Quantity::load_modified, Distance::same_die, {.value = 150, .line_ns = 160});
    far.add(Quantity::load_memory, nowhere, {.value = 120});
    far.add(Quantity::ping_pong, Distance::package_mate, {.value = 100, .line_ns = 100});
  }
  const std::vector<std::string> notes = contradictions(far);
  ASSERT_EQ(notes.size(), 2U);
  EXPECT_NE(notes[0].find("slower than package_mate"), std::string::npos) << notes[0];
  EXPECT_NE(notes[1].find("share no cache"), std::string::npos) << notes[1];
}

// --- This host ---

TEST(Live, a_brief_probe_of_this_host_gives_a_valid_file_of_positive_values) {
  SessionOptions options;
  options.rounds = 1;
  options.brief = true;
  double last = -1;
  const Session session = measure_host(options, [&](std::string_view what, double share) {
    EXPECT_FALSE(what.empty());
    EXPECT_GE(share, last);
    last = share;
    return true;
  });
  EXPECT_EQ(session.rounds, 1U);
  const Machine machine = machine_of(session, "this-host");
  const std::string text = machine_yaml(machine, quality_notes(session));
  ASSERT_NO_THROW(static_cast<void>(yaml::read_machine(yaml::parse_text(text, "this-host.yaml")))) << text;
  for (const Duration* value : {&machine.cpu.hit, &machine.cpu.atomic_hit, &machine.cpu.poll}) {
    EXPECT_GT(value->value, Picos{0}) << value->reference;
    EXPECT_EQ(value->origin, Origin::measured);
  }
  for (std::size_t d = 1; d < distance_count; ++d) {
    EXPECT_GT(machine.coherence.parameters.transfer[d].value, Picos{0});
  }
}

TEST(Live, an_interrupted_probe_keeps_the_rounds_it_has) {
  SessionOptions options;
  options.rounds = 2;
  options.brief = true;
  const auto once = [](std::string_view /*what*/, double share) { return share < 0.5; };
  EXPECT_EQ(measure_host(options, once).rounds, 1U);
  EXPECT_EQ(measure_host(options, [](std::string_view, double) { return false; }).rounds, 0U);
}

}  // namespace
}  // namespace lockcast::probe_test
