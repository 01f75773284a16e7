// What --explain says must agree with the books every run keeps: CPU time by step against the time stack, sleeps
// against the lock queue, scans and quantiles against arithmetic. And looking must not change anything.

#include "sim/report/explanation.hpp"
#include "sim/run/blame.hpp"
#include "tests/sim/simulate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace lockcast::profile_test {
namespace {

Program program_of(const TestRun& run) {
  return compile(yaml::parse_text(run.workload, "workload of the test"), run.clients, run.rig.connections);
}

Replication profiled(const TestRun& run, bool profile = true) {
  return simulate(textbook(run.machine), run.rig, program_of(run),
                  {.seed = run.seed, .warmup = run.warmup, .measured = run.measured, .profile = profile});
}

Explanation explained(const TestRun& run, const Replication& replication) {
  PointResult point;
  point.replications = {replication};
  point.cpu_idle = replication.cpu_idle;
  return explain(point, program_of(run), textbook(run.machine).topology.threads());
}

// Of one row; 0 where there is none.
double cpu_s(const Replication& r, const std::string& name) {
  const auto& rows = r.profile->cpu;
  const auto found = std::ranges::find(rows, name, &CpuProfile::Row::name);
  return found == rows.end() ? 0 : found->spent_s;
}

std::vector<std::string> row_names(const Replication& r) {
  std::vector<std::string> names;
  for (const CpuProfile::Row& row : r.profile->cpu) { names.push_back(row.name); }
  return names;
}

std::string one_lock(const std::string& kind, const std::string& hold) {
  return "locks: {guard: {kind: " + kind +
         "}}\n"
         "transaction:\n"
         "  - work: {mean: 20 us, spread: exponential}\n"
         "  - acquire: {lock: guard}\n"
         "  - work: " +
         hold +
         "\n"
         "  - release: guard\n";
}

Rig local_client() {
  Rig rig;
  rig.local.emplace();
  rig.local->work.value = 10us;
  return rig;
}

struct Situation {
  std::string name;
  TestRun run;
};

// Everything that charges CPU time in a way of its own.
std::vector<Situation> situations() {
  return {
      {"alone", {.workload = one_lock("tas", "1 us")}},
      {"test-and-set storm", {.workload = one_lock("tas", "3 us"), .clients = 16}},
      {"queue lock", {.workload = one_lock("mcs", "3 us"), .clients = 16}},
      {"back-off, more backends than cores",
       {.workload = one_lock("s_lock-9.2", "20 us"), .clients = 8, .machine = one_die(4)}},
      {"sleepers", {.workload = one_lock("lwlock-9.1", "20 us"), .clients = 8}},
      {"sleepers on few cores and a slow semaphore set",
       {.workload = one_lock("lwlock-9.1", "20 us"),
        .clients = 12,
        .machine = one_die(4) + semaphore_sets("16", "2 us")}},
      {"Linux", {.workload = one_lock("lwlock-9.1", "20 us"), .clients = 12, .machine = cfs + one_die(4)}},
      {"scans",
       {.workload =
            "lines: {proc: {count: clients, stride: 64 B}}\n"
            "transaction:\n"
            "  - work: {mean: 5 us, spread: uniform}\n"
            "  - touch: {lines: proc, pick: own, access: write}\n"
            "  - scan: {lines: proc, fields: [{offset: 0 B, bytes: 4 B}], access: read, work_per_entry: 5 ns}\n",
        .clients = 8}},
      {"clients on the server",
       {.workload = "transaction: [{work: 20 us}, roundtrip]\n",
        .clients = 6,
        .machine = one_die(4),
        .rig = local_client()}},
  };
}

TEST(CpuProfile, its_rows_sum_to_the_cpu_part_of_the_time_stack) {
  for (const auto& [name, run] : situations()) {
    const Replication r = profiled(run);
    double rows = -cpu_s(r, "pgbench (client threads)");  // which has no time stack
    for (const CpuProfile::Row& row : r.profile->cpu) { rows += row.spent_s; }
    const double cpu = spent_s(r, Category::work) + spent_s(r, Category::transfer) + spent_s(r, Category::spin);
    EXPECT_NEAR(rows, cpu, 1e-9 * cpu) << name;
  }
}

TEST(CpuProfile, looking_changes_nothing) {
  for (const auto& [name, run] : situations()) {
    const Replication with = profiled(run);
    const Replication without = profiled(run, false);
    EXPECT_EQ(with.digest, without.digest) << name;
    EXPECT_EQ(with.events, without.events) << name;
    EXPECT_EQ(with.transactions, without.transactions) << name;
    EXPECT_FALSE(without.profile) << name;
  }
}

TEST(CpuProfile, one_step_of_work_is_all_there_is) {
  const Replication r =
      profiled({.workload = "procedures: {parse: [{work: 10 us}]}\ntransaction: [{call: parse}]\n", .clients = 3});
  EXPECT_EQ(row_names(r), std::vector<std::string>{"parse"});
  EXPECT_NEAR(cpu_s(r, "parse"), 3 * 0.020, 1e-12);
}

TEST(CpuProfile, an_uncontended_lock_has_an_acquisition_and_a_release_and_no_spinning) {
  const Replication r = profiled({.workload = one_lock("lwlock-9.1", "1 us")});
  EXPECT_EQ(row_names(r), (std::vector<std::string>{"transaction", "acquire lwlock-9.1", "release lwlock-9.1"}));
}

// Each row against the book that counts the same thing.
TEST(CpuProfile, spinning_is_a_row_of_its_own) {
  const Replication r = profiled({.workload = one_lock("tas", "3 us"), .clients = 16});
  EXPECT_GT(cpu_s(r, "s_lock (spinning)"), 0);
  EXPECT_NEAR(cpu_s(r, "s_lock (spinning)"), spent_s(r, Category::spin), 1e-12);
  EXPECT_EQ(cpu_s(r, "sys_semop"), 0) << "nobody sleeps for a test-and-set lock";
}

TEST(CpuProfile, every_block_costs_a_sleeper_and_a_waker_their_semaphore_call) {
  const Replication r = profiled({.workload = one_lock("lwlock-9.1", "20 us"), .clients = 8});
  const auto blocks = static_cast<double>(r.locks[0].counters.blk);
  EXPECT_GT(blocks, 100);
  EXPECT_NEAR(cpu_s(r, "sys_semop"), blocks * 2e-6, 8 * 2e-6);  // block_cost and wake_cost are 1 us each
}

// --- Quantiles ---

TEST(LockQuantiles, of_a_lonely_backend_are_its_means) {
  const Replication r = profiled({.workload = one_lock("lwlock-9.1", "10 us")});
  const LockQuantiles& q = r.profile->locks.at(0);
  const LockCounters& c = r.locks[0].counters;
  constexpr double bucket = 0.045;
  for (const double quantile : {q.hold_p50_s, q.hold_p99_s}) {
    EXPECT_NEAR(quantile, seconds(c.hold) / static_cast<double>(c.exacq), bucket * quantile);
    EXPECT_NEAR(quantile, 10e-6, bucket * quantile);
  }
  for (const double quantile : {q.wait_p50_s, q.wait_p99_s}) {
    EXPECT_NEAR(quantile, seconds(c.wait) / static_cast<double>(c.exacq), bucket * quantile);
  }
}

TEST(LockQuantiles, the_median_is_not_above_the_99th_percentile) {
  for (const auto& [name, run] : situations()) {
    const Replication r = profiled(run);
    for (const LockQuantiles& q : r.profile->locks) {
      EXPECT_LE(q.wait_p50_s, q.wait_p99_s) << name;
      EXPECT_LE(q.hold_p50_s, q.hold_p99_s) << name;
      EXPECT_GT(q.hold_p50_s, 0) << name;
    }
  }
}

// Half of all acquisitions wait at least the median and one in a hundred at least the 99th percentile.
TEST(LockQuantiles, leave_room_for_the_mean) {
  for (const auto& [name, run] : situations()) {
    const Replication r = profiled(run);
    for (std::size_t i = 0; i < r.locks.size(); ++i) {
      const LockCounters& c = r.locks[i].counters;
      const double mean = seconds(c.wait) / static_cast<double>(c.shacq + c.exacq);
      EXPECT_GE(mean * 1.045, 0.5 * r.profile->locks[i].wait_p50_s) << name;
      EXPECT_GE(mean * 1.045, 0.01 * r.profile->locks[i].wait_p99_s) << name;
    }
  }
}

// --- Scans ---

// Everybody writes its own line and then reads all four: between two scans of one the other three have written, and
// each of their lines comes from a cache of the same die for 40 ns.
TEST(Scans, miss_what_the_others_wrote_since) {
  const Replication r = profiled(
      {.workload =
           "lines: {proc: {count: clients, stride: 64 B}}\n"
           "procedures:\n"
           "  GetSnapshotData:\n"
           "    - scan: {lines: proc, fields: [{offset: 8 B, bytes: 4 B}], access: read, work_per_entry: 0 ns}\n"
           "transaction: [{work: 10 us}, {touch: {lines: proc, pick: own, access: write}},"
           " {call: GetSnapshotData}]\n",
       .clients = 4,
       .machine = one_die(4) + free_scheduling});
  ASSERT_EQ(r.profile->scans.size(), 1U);
  const ScanTotals& scan = r.profile->scans[0];
  EXPECT_EQ(scan.what, "GetSnapshotData: proc");
  EXPECT_NEAR(static_cast<double>(scan.runs), static_cast<double>(r.transactions), 4);
  EXPECT_EQ(scan.lines, 4 * scan.runs);
  const auto misses = static_cast<double>(scan.misses);
  EXPECT_NEAR(misses, 3 * static_cast<double>(scan.runs), 0.01 * misses);
  EXPECT_NEAR(scan.moved_s, 40e-9 * misses, 1e-12);
}

// Entries of 96 B, 8 bytes at 60: bytes 60-67, 156-163, 252-259 and 348-355, on lines 0 1, 2, 3 4 and 5.
TEST(Scans, visit_both_lines_of_a_field_that_straddles_and_a_shared_line_once) {
  const auto scan = [](const std::string& stride, const std::string& offset) {
    return profiled({.workload = "lines: {proc: {count: 4, stride: " + stride +
                                 "}}\n"
                                 "transaction:\n"
                                 "  - work: 10 us\n"
                                 "  - scan: {lines: proc, fields: [{offset: " +
                                 offset + ", bytes: 8 B}], access: read, work_per_entry: 0 ns}\n"})
        .profile->scans.at(0);
  };
  EXPECT_EQ(scan("96 B", "60 B").lines, 6 * scan("96 B", "60 B").runs);
  EXPECT_EQ(scan("16 B", "0 B").lines, scan("16 B", "0 B").runs) << "four entries on one line";
  EXPECT_EQ(scan("16 B", "0 B").misses, 0U) << "nobody writes";
}

TEST(Scans, of_a_procedure_called_twice_are_one_row) {
  const Replication r = profiled(
      {.workload =
           "lines: {proc: {count: 4, stride: 64 B}}\n"
           "procedures:\n"
           "  look:\n"
           "    - scan: {lines: proc, fields: [{offset: 8 B, bytes: 4 B}], access: read, work_per_entry: 0 ns}\n"
           "transaction: [{work: 10 us}, {call: look}, {work: 10 us}, {call: look}]\n"});
  ASSERT_EQ(r.profile->scans.size(), 1U);
  EXPECT_NEAR(static_cast<double>(r.profile->scans[0].runs), 2 * static_cast<double>(r.transactions), 2);
}

// --- The words of other tools ---

TEST(WaitEvents, are_all_that_backends_do) {
  for (const auto& [name, run] : situations()) {
    double sum = 0;
    for (const WaitEvent& event : explained(run, profiled(run)).events) {
      EXPECT_GT(event.share, 0) << name << ": " << event.name;
      sum += event.share;
    }
    EXPECT_NEAR(sum, 1, 1e-9) << name;
  }
}

// Whose queue it was is one question and whose fault another, but both divide the same sleep.
TEST(Blame, divides_all_sleep_among_the_locks) {
  std::vector<Situation> all = situations();
  all.push_back({"a row held while queueing for a lock",
                 {.workload = "locks: {row: {kind: row-lock}, wal: {kind: lwlock-9.1}}\n"
                              "transaction:\n"
                              "  - acquire: {lock: row}\n"
                              "  - acquire: {lock: wal}\n"
                              "  - work: 5 us\n"
                              "  - release: wal\n"
                              "  - release: row\n"
                              "  - acquire: {lock: wal}\n"
                              "  - work: 20 us\n"
                              "  - release: wal\n",
                  .clients = 8}});
  for (const auto& [name, run] : all) {
    const Replication r = profiled(run);
    const std::vector<double> caused = sleep_caused_s({r});
    ASSERT_EQ(caused.size(), r.locks.size()) << name;
    const double sum = std::accumulate(caused.begin(), caused.end(), 0.0);
    EXPECT_NEAR(sum, spent_s(r, Category::lock_queue), 1e-9 + 1e-6 * sum) << name;
    for (const double share : caused) { EXPECT_GE(share, 0) << name; }
  }
}

// Longer asleep than the warm-up and than the window: the lock of 50 ms is somebody else's from the start to the end.
TEST(WaitEvents, count_sleeps_that_begin_before_the_window_or_end_after_it) {
  const TestRun run{.workload = one_lock("row-lock", "50 ms"), .clients = 8};
  const Explanation e = explained(run, profiled(run));
  ASSERT_EQ(e.events.size(), 2U);
  EXPECT_EQ(e.events[0].name, "Lock:guard");
  EXPECT_NEAR(e.events[0].share, 7.0 / 8, 0.01);
  EXPECT_EQ(e.events[1].name, "CPU: running");
}

TEST(WaitEvents, have_the_names_of_pg_stat_activity) {
  const auto has = [](const TestRun& run, const std::string& name) {
    const std::vector<WaitEvent> events = explained(run, profiled(run)).events;
    return std::any_of(events.begin(), events.end(), [&](const WaitEvent& e) { return e.name == name; });
  };
  EXPECT_TRUE(has({.workload = one_lock("lwlock-9.1", "20 us"), .clients = 8}, "LWLock:guard"));
  EXPECT_TRUE(has({.workload = one_lock("flexlock-procarray", "20 us"), .clients = 8}, "LWLock:guard"));
  EXPECT_TRUE(has({.workload = one_lock("row-lock", "20 us"), .clients = 8}, "Lock:guard"));
  EXPECT_TRUE(has({.workload = one_lock("s_lock-9.2", "500 us"), .clients = 8}, "Timeout:SpinDelay"));
  EXPECT_TRUE(
      has({.workload = one_lock("tas", "1 us"), .clients = 8, .machine = one_die(4)}, "CPU: runnable, no core"));
  EXPECT_TRUE(has(situations().back().run, "Client:ClientRead"));
}

TEST(Vmstat, shares_are_those_of_all_cpus) {
  for (const auto& [name, run] : situations()) {
    const Vmstat v = explained(run, profiled(run)).vmstat;
    EXPECT_NEAR(v.us + v.sy + v.id, 1, 1e-9) << name;
    for (const double share : {v.us, v.sy, v.id}) {
      EXPECT_GE(share, 0) << name;
      EXPECT_LE(share, 1) << name;
    }
    EXPECT_LE(v.r, run.clients * (run.rig.local ? 2 : 1) + 1e-9) << name;
  }
}

// One pgbench thread and one backend, each asleep while the other computes: both come and go once per transaction.
TEST(Vmstat, counts_switches_into_idleness_and_back) {
  const TestRun run{.workload = "transaction: [{work: 20 us}, roundtrip]\n", .rig = local_client()};
  const Replication r = profiled(run);
  EXPECT_EQ(r.switches, 0U) << "each has a core of its own";
  EXPECT_NEAR(explained(run, r).vmstat.cs, 4 * r.tps, 4 / r.measured_s);
}

// Four backends, 3 us of user time and 1 us of a system call each, on 32 CPUs.
TEST(Vmstat, counts_procedures_named_after_system_calls_as_the_systems) {
  const TestRun run{.workload =
                        "procedures: {sys_recvfrom: [{work: 1 us}], parse: [{work: 3 us}]}\n"
                        "transaction: [{call: sys_recvfrom}, {call: parse}]\n",
                    .clients = 4};
  const Vmstat v = explained(run, profiled(run)).vmstat;
  EXPECT_NEAR(v.us, 4 / 32.0 * 0.75, 1e-5);
  EXPECT_NEAR(v.sy, 4 / 32.0 * 0.25, 1e-5);
  EXPECT_NEAR(v.r, 4, 1e-9);
}

}  // namespace
}  // namespace lockcast::profile_test
