// What a trace says must agree with the books of the same run, and recording it must not change the run.

#include "sim/os/trace.hpp"

#include "tests/sim/simulate.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace lockcast::trace_test {
namespace {

Program program_of(const TestRun& run) {
  return compile(yaml::parse_text(run.workload, "workload of the test"), run.clients, run.rig.connections);
}

Replication traced(const TestRun& run, std::optional<TraceWindow> window) {
  return simulate(textbook(run.machine), run.rig, program_of(run),
                  {.seed = run.seed, .warmup = run.warmup, .measured = run.measured, .trace = window});
}
Replication traced(const TestRun& run) { return traced(run, TraceWindow{.length = run.measured}); }

std::string one_lock(const std::string& kind, const std::string& hold) {
  return "lines: {rows: {count: 64, stride: 64 B}}\n"
         "locks: {guard: {kind: " +
         kind +
         "}}\n"
         "procedures:\n"
         "  update:\n"
         "    - touch: {lines: rows, pick: uniform, access: write}\n"
         "transaction:\n"
         "  - work: {mean: 20 us, spread: exponential}\n"
         "  - acquire: {lock: guard}\n"
         "  - work: " +
         hold +
         "\n"
         "  - call: update\n"
         "  - release: guard\n";
}

struct Situation {
  std::string name;
  TestRun run;
};

// Everything that changes a state in a way of its own.
std::vector<Situation> situations() {
  Rig local;
  local.local.emplace();
  local.local->work.value = 10us;
  std::vector<Situation> all{
      {"storm", {.workload = one_lock("tas", "3 us"), .clients = 16}},
      {"back-off and preemption", {.workload = one_lock("s_lock-9.2", "20 us"), .clients = 8, .machine = one_die(4)}},
      {"sleepers", {.workload = one_lock("lwlock-9.1", "20 us"), .clients = 8, .machine = one_die(4)}},
      {"preempted while being switched to, and a semaphore set",
       {.workload = one_lock("lwlock-9.1", "20 us"),
        .clients = 12,
        .machine = one_die(2) + semaphore_sets("8", "2 us") +
                   Changes{{"scheduler.context_switch", "40 us"}, {"scheduler.wake_latency", "30 us"}}}},
      {"fair scheduling", {.workload = one_lock("ttas", "20 us"), .clients = 12, .machine = one_die(4) + cfs}},
      {"local clients",
       {.workload = one_lock("lwlock-9.1", "5 us"), .clients = 8, .machine = one_die(4), .rig = local}}};
  for (Situation& situation : all) { situation.run.measured = 8ms; }
  return all;
}

TEST(Trace, slices_tile_the_window_of_every_thread_and_no_core_runs_two) {
  for (const auto& [name, run] : situations()) {
    SCOPED_TRACE(name);
    const TraceWindow window{3ms, 5ms};
    const Replication r = traced(run, window);
    ASSERT_TRUE(r.trace);
    EXPECT_EQ(r.trace->begin, run.warmup + window.from);
    EXPECT_EQ(r.trace->end, run.warmup + window.from + window.length);
    EXPECT_FALSE(r.trace->is_cut);
    std::map<std::uint32_t, std::map<Picos, Picos>> cores;
    for (const auto& slices : r.trace->threads) {
      Picos until = r.trace->begin;
      for (const Trace::Slice& slice : slices) {
        EXPECT_EQ(slice.begin, until);
        EXPECT_LT(slice.begin, slice.end);
        EXPECT_EQ(slice.core != Trace::nothing, computes(slice.state));
        EXPECT_LT(slice.holds, r.trace->holds.size());
        until = slice.end;
        if (computes(slice.state)) { EXPECT_TRUE(cores[slice.core].emplace(slice.begin, slice.end).second); }
      }
      EXPECT_EQ(until, r.trace->end);
    }
    for (const auto& [core, turns] : cores) {
      Picos until{0};
      for (const auto& [begin, end] : turns) {
        EXPECT_GE(begin, until) << "core " << core;
        until = end;
      }
    }
  }
}

TEST(Trace, time_in_each_state_sums_to_the_time_stack) {
  for (const auto& [name, run] : situations()) {
    SCOPED_TRACE(name);
    const Replication r = traced(run);
    std::array<double, category_count> spent{};
    for (std::uint32_t id = 0; id < run.clients; ++id) {
      for (const Trace::Slice& slice : r.trace->threads[id]) {
        spent[static_cast<std::size_t>(category_of(slice.state))] += seconds(slice.end - slice.begin);
      }
    }
    // At either end of the window a backend may owe the rest of a step, or of being switched to.
    const double owed_s = 70e-6 * run.clients;
    for (std::size_t i = 0; i < category_count; ++i) {
      EXPECT_NEAR(spent[i], r.spent_s[i], owed_s) << category_names[i];
    }
    EXPECT_NEAR(std::accumulate(spent.begin(), spent.end(), 0.0), run.clients * r.measured_s, 1e-9);
  }
}

TEST(Trace, an_exact_case_lag_is_coloured_where_its_time_passes) {
  // Alone on its line: from memory once, then every write hits. Nothing is owed: private work ends at its touch.
  const TestRun run{.workload = one_lock("tas", "3 us"), .warmup = 5ms, .measured = 5ms};
  const Replication r = traced(run);
  const std::uint64_t begins = r.transactions;
  std::uint64_t holds = 0;
  Picos held{0};
  bool was_held = false;
  for (const Trace::Slice& slice : r.trace->threads[0]) {
    const bool is_held = slice.holds != 0;
    holds += is_held && !was_held ? 1 : 0;
    if (is_held) { held += slice.end - slice.begin; }
    was_held = is_held;
  }
  EXPECT_NEAR(static_cast<double>(holds), static_cast<double>(begins), 1);
  EXPECT_NEAR(seconds(held), seconds(r.locks[0].counters.hold), 4e-6);
}

TEST(Trace, sleepers_are_woken_by_a_thread_that_runs) {
  const Replication r = traced(situations()[2].run);
  const auto at = [&](std::uint32_t thread, Picos when) {
    const auto& slices = r.trace->threads[thread];
    const auto after = std::ranges::upper_bound(slices, when, {}, &Trace::Slice::begin);
    return *std::prev(after);
  };
  ASSERT_GT(r.trace->wake_ups.size(), 100U);
  for (const Trace::WakeUp& wake_up : r.trace->wake_ups) {
    EXPECT_TRUE(computes(at(wake_up.by, wake_up.at).state));
    const Trace::Slice slept = at(wake_up.who, wake_up.at - Picos{1});
    EXPECT_EQ(slept.state, TraceState::queued);
    EXPECT_EQ(slept.lock, 0U);
  }
}

TEST(Trace, recording_changes_nothing) {
  for (const auto& [name, run] : situations()) {
    SCOPED_TRACE(name);
    const Replication with = traced(run);
    const Replication without = traced(run, std::nullopt);
    EXPECT_EQ(with.digest, without.digest);
    EXPECT_EQ(with.spent_s, without.spent_s);
    EXPECT_EQ(with.events, without.events);
    EXPECT_FALSE(without.trace);
  }
}

TEST(Trace, survives_the_way_between_processes) {
  const Replication r = traced(situations()[1].run, TraceWindow{1ms, 2ms});
  EXPECT_EQ(*from_bytes(to_bytes(r)).trace, *r.trace);
}

TEST(TraceLog, a_full_trace_ends_early_and_for_all_threads_at_once) {
  TraceLog log(2, 0ns, 100ns, 5);
  const auto slice = [](Picos begin, Picos end, TraceState state) { return Trace::Slice{begin, end, state}; };
  log.add(0, slice(0ns, 10ns, TraceState::running));
  log.add(0, slice(10ns, 20ns, TraceState::running));  // goes on: no entry of its own
  log.add(0, slice(20ns, 60ns, TraceState::spinning));
  log.add(1, slice(0ns, 30ns, TraceState::running));
  log.wake_up({1, 0, 25ns});
  log.wake_up({1, 0, 55ns});
  log.add(1, slice(30ns, 70ns, TraceState::queued));  // the sixth
  log.add(0, slice(60ns, 70ns, TraceState::running));
  const Trace trace = log.take();
  EXPECT_TRUE(trace.is_cut);
  EXPECT_EQ(trace.end, 30ns);
  EXPECT_EQ(trace.threads[0],
            (std::vector{slice(0ns, 20ns, TraceState::running), slice(20ns, 30ns, TraceState::spinning)}));
  EXPECT_EQ(trace.threads[1], (std::vector{slice(0ns, 30ns, TraceState::running)}));
  EXPECT_EQ(trace.wake_ups, (std::vector<Trace::WakeUp>{{1, 0, 25ns}}));
}

}  // namespace
}  // namespace lockcast::trace_test
