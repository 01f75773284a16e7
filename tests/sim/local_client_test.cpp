// Laws of a load generator on the server's own cores, and of idle connections.

#include "tests/sim/simulate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace lockcast::local_client_test {
namespace {

Rig local(Picos work, std::optional<std::uint32_t> threads = {}, Spread spread = Spread::constant) {
  Rig rig;
  rig.local.emplace();
  rig.local->work.value = work;
  rig.local->threads = threads;
  rig.local->spread = spread;
  return rig;
}

const std::string ask = "transaction: [{work: 60 us}, roundtrip]";

double count_in(Picos window, Picos transaction) {
  return static_cast<double>(window.count()) / static_cast<double>(transaction.count());
}

// The backend works, pays for the wake, and blocks while the client is being woken; then the client does the same.
TEST(LocalClient, one_client_takes_the_work_of_both_sides_and_two_wake_ups) {
  struct Row {
    const char* wake_cost;
    const char* block_cost;
    const char* wake_latency;
    const char* idle_exit;
    Picos transaction;
  };
  const Row rows[] = {
      {"0 us", "0 us", "0 us", "0 us", 60us + 40us},
      {"3 us", "0 us", "0 us", "0 us", 60us + 40us + 2 * 3us},
      {"3 us", "2 us", "0 us", "0 us", 60us + 40us + 2 * 3us},  // blocking overlaps with the other's work
      {"3 us", "2 us", "6 us", "3 us", 60us + 40us + 2 * (3us + 6us + 3us)},
      // block_cost is longer than what the other side needs: the query is there before the backend could sleep
      {"0 us", "120 us", "0 us", "0 us", 60us + 120us},
  };
  for (const Row& row : rows) {
    const Replication r = simulate({.workload = ask,
                                    .machine = cfs + Changes{{"scheduler.wake_cost", row.wake_cost},
                                                             {"scheduler.block_cost", row.block_cost},
                                                             {"scheduler.wake_latency", row.wake_latency},
                                                             {"scheduler.idle_exit", row.idle_exit}},
                                    .rig = local(40us)});
    EXPECT_NEAR(static_cast<double>(r.transactions), count_in(20ms, row.transaction), 1.0)
        << row.wake_cost << row.block_cost;
  }
}

TEST(LocalClient, the_time_stack_sums_to_backends_times_the_window_without_the_clients_threads) {
  for (const Changes& policy : {cfs, free_scheduling}) {
    for (const std::optional<std::uint32_t> threads : {std::optional<std::uint32_t>{}, {1}, {3}}) {
      const Replication r = simulate({.workload = ask,
                                      .clients = 7,
                                      .machine = one_die(4) + policy,
                                      .rig = local(40us, threads, Spread::exponential)});
      EXPECT_NEAR(total_spent_s(r), 7 * 20e-3, 7 * 20e-3 * 1e-13);
      EXPECT_GE(*std::min_element(r.spent_s.begin(), r.spent_s.end()), 0.0);
      EXPECT_GT(spent_s(r, Category::client), 0.0);
    }
  }
}

// Client and backend share the cores: at best they are always busy with the work of both.
TEST(LocalClient, throughput_never_exceeds_the_cores_over_the_work_of_both_sides_and_comes_near) {
  constexpr double bound = 4 / 100e-6;
  for (const Changes& policy : {cfs, free_scheduling}) {
    for (const std::uint32_t clients : {2U, 4U, 8U, 24U}) {
      const Replication r = simulate(
          {.workload = ask, .clients = clients, .machine = one_die(4) + policy, .rig = local(40us), .measured = 50ms});
      EXPECT_LE(r.tps, bound * (1 + 0.002 * clients)) << clients;  // transactions begun before the window
      if (clients >= 8) { EXPECT_GE(r.tps, bound * 0.95) << clients; }
      EXPECT_NEAR(1 - r.cpu_idle, r.tps * 100e-6 / 4, 0.02) << clients << ": all work is on the cores";
    }
  }
}

TEST(LocalClient, one_thread_for_all_clients_is_their_bottleneck) {
  const auto run = [](std::uint32_t threads) {
    return simulate({.workload = ask, .clients = 12, .machine = cfs, .rig = local(40us, threads), .measured = 50ms})
        .tps;
  };
  EXPECT_NEAR(run(1), 1 / 40e-6, 200);
  EXPECT_NEAR(run(2), 2 / 40e-6, 400);
  EXPECT_DOUBLE_EQ(run(12), run(50)) << "no more threads than clients";
}

// A single client thread draws every backend it wakes to its own die. Its 4 cores then do the work of both sides, while
// 7 dies have next to nothing to do: balancing moves threads there, but the next query brings them back.
TEST(LocalClient, one_thread_draws_its_backends_to_its_die) {
  const auto run = [](const Changes& more) {
    return simulate({.workload = ask, .clients = 12, .machine = cfs + more, .rig = local(10us, 1), .measured = 50ms});
  };
  const Replication dies = run({});
  EXPECT_LE(dies.tps, 1.1 * 4 / 70e-6);
  EXPECT_GE(dies.tps, 0.9 * 4 / 70e-6);
  EXPECT_GT(dies.cpu_idle, 0.85);
  EXPECT_GE(run(one_die(32)).tps, 0.95 / 10e-6) << "on one big die only the thread limits";
}

// --- The rig of a scenario file ---

TEST(Rig, belongs_to_its_machine) {
  const std::string file = LOCKCAST_SOURCE_DIR "/scenarios/published/hpux-spinlock.yaml";
  const auto load = [&](std::vector<Assignment> sets) { return load_scenario(file, sets, {LOCKCAST_SOURCE_DIR}); };
  const Assignment linux{"machine.scheduler", cfs.front().second};
  EXPECT_NO_THROW(load({{"rig.scheduling", "noage"}}));
  EXPECT_NO_THROW(load({linux}));
  EXPECT_THROW(load({linux, {"rig.scheduling", "noage"}}), InputError) << "SCHED_NOAGE is HP-UX's";
}

TEST(Rig, has_at_least_as_many_connections_as_any_point_has_clients) {
  const std::string file = LOCKCAST_SOURCE_DIR "/scenarios/published/hpux-spinlock.yaml";  // up to 64
  EXPECT_THROW(load_scenario(file, {{"rig.connections", "63"}}, {LOCKCAST_SOURCE_DIR}), InputError);
  Scenario scenario = load_scenario(file, {{"rig.connections", "64"}}, {LOCKCAST_SOURCE_DIR});
  EXPECT_EQ(scenario.program({"tas", 100, 1}).connections, 64U);
  EXPECT_EQ(scenario.program({"tas", 100, 1}).backends, 1U);
  EXPECT_THROW(static_cast<void>(scenario.program({"tas", 100, 65})), InputError) << "asked for later";
}

// --- Idle connections ---

TEST(IdleConnections, add_their_entries_to_scans_and_nothing_else) {
  const std::string workload =
      "lines: {A: {count: connections, stride: 64 B}, B: {count: clients, stride: 64 B}}\n"
      "locks: {L: {kind: ttas, count: connections}}\n"
      "transaction: [{scan: {lines: A, fields: [{offset: 0 B, bytes: 8 B}], access: read, work_per_entry: 3 ns}},"
      " {scan: {lines: B, fields: [{offset: 0 B, bytes: 8 B}], access: read, work_per_entry: 5 ns}},"
      " {acquire: {lock: L, pick: own}}, {work: 1 us}, {release: L}]";
  for (const std::uint32_t connections : {2U, 10U, 200U}) {
    Rig rig;
    rig.connections = connections;
    const Replication r = simulate({.workload = workload, .clients = 2, .rig = rig, .measured = 2ms});
    const Picos transaction = connections * 3ns + 2 * 5ns + (1ns + 5ns + 1ns) + 1us;
    EXPECT_NEAR(static_cast<double>(r.transactions), 2 * count_in(2ms, transaction), 2.0) << connections;
    EXPECT_NEAR(total_spent_s(r), 2 * 2e-3, 1e-12) << "they never run";
    EXPECT_NEAR(static_cast<double>(r.locks[0].counters.exacq), static_cast<double>(r.transactions), 2.0);
  }
}

}  // namespace
}  // namespace lockcast::local_client_test
