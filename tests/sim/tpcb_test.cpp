// The workload tpcb against what was counted in PostgreSQL: lock acquisitions per transaction in a build of commit
// ff4fd4bf with LWLOCK_STATS (one client, warm cache), the lines one snapshot reads, and which locks share a line.

#include "sim/run/sim_executor.hpp"
#include "tests/sim/simulate.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace lockcast::tpcb_test {
namespace {

const Scenario& scenario() {
  static const Scenario loaded =
      load_scenario(LOCKCAST_SOURCE_DIR "/scenarios/published/procarraylock-integrity.yaml", {}, {LOCKCAST_SOURCE_DIR});
  return loaded;
}

Replication simulate_point(const Case& point, Picos measured) {
  return simulate(scenario().machine, scenario().rig, scenario().program(point),
                  {.seed = 1, .warmup = 20ms, .measured = measured});
}

// Acquisitions per transaction, summed over the groups whose name ends like this.
struct PerTransaction {
  const Replication& run;

  [[nodiscard]] double shared(std::string_view name) const { return sum(name, &LockCounters::shacq); }
  [[nodiscard]] double exclusive(std::string_view name) const { return sum(name, &LockCounters::exacq); }
  [[nodiscard]] double delegated(std::string_view name) const { return sum(name, &LockCounters::delegated); }

 private:
  double sum(std::string_view name, std::uint64_t LockCounters::*count) const {
    std::uint64_t total = 0;
    for (const LockTotals& lock : run.locks) { total += lock.name.ends_with(name) ? lock.counters.*count : 0; }
    return static_cast<double>(total) / static_cast<double>(run.transactions);
  }
};

struct Counted {
  std::string tables;
  double wal_insert;
  double mapping;
  double content_shared;
  double content_exclusive;
  double header;
  double mutex_operations;  // of all LWLocks but CLogControlLock
  double lookups_min;
  double lookups_max;
};

// How the buffer locks split over statements is an estimate, so their sums may be off by a tenth; what a statement does
// once must be exact but for the transaction cut off at each end of the window.
TEST(Tpcb, takes_as_many_locks_per_transaction_as_were_counted) {
  for (const Counted& counted : {Counted{"permanent", 5.8, 22.9, 21.5, 6.3, 44, 168, 6, 80},
                                 Counted{"unlogged", 1.0, 21.4, 17.8, 7.1, 41, 148, 1, 4}}) {
    SCOPED_TRACE(counted.tables);
    const Replication run = simulate_point({"master", 100, 1, counted.tables}, 400ms);
    ASSERT_GT(run.transactions, 300U);
    const PerTransaction per{run};
    constexpr double cut = 0.015;
    EXPECT_NEAR(per.shared("ProcArrayLock") / 10, 1, cut);
    EXPECT_NEAR(per.exclusive("ProcArrayLock"), 1, cut);
    EXPECT_NEAR(per.exclusive("XidGenLock"), 1, cut);
    EXPECT_NEAR(per.exclusive("CLogControlLock"), 1, cut);
    EXPECT_NEAR(per.exclusive("backendLock") / 12, 1, cut);
    EXPECT_NEAR(per.exclusive("LockMgrLock") / 2.03, 1, 0.03);
    EXPECT_NEAR(per.exclusive("WALInsertLock") / counted.wal_insert, 1, 0.03);
    EXPECT_NEAR(per.exclusive("_freelist") / 4.1, 1, 0.05);
    EXPECT_NEAR(per.shared("BufMappingLock") / counted.mapping, 1, 0.1);
    EXPECT_NEAR(per.shared("_content") / counted.content_shared, 1, 0.1);
    EXPECT_NEAR(per.exclusive("_content") / counted.content_exclusive, 1, 0.1);
    EXPECT_NEAR(per.exclusive("_header") / counted.header, 1, 0.1);
    EXPECT_GE(per.shared("CLogControlLock"), counted.lookups_min);
    EXPECT_LE(per.shared("CLogControlLock"), counted.lookups_max);
    EXPECT_GT(run.transactions, 0U);
    double acquisitions = 0;
    for (const char* name :
         {"ProcArrayLock", "XidGenLock", "WALInsertLock", "LockMgrLock", "backendLock", "BufMappingLock", "_content"}) {
      acquisitions += per.shared(name) + per.exclusive(name);
    }
    EXPECT_NEAR(2 * acquisitions / counted.mutex_operations, 1, 0.1) << "one to acquire, one to release";
  }
}

// 32 backends: nearly all commits find a snapshot being taken, and leave their xid to whoever takes the last one.
TEST(Tpcb, with_flexlocks_commits_leave_their_xid_to_others) {
  const Replication run = simulate_point({"flexlocks", 100, 32, "unlogged"}, 100ms);
  const PerTransaction per{run};
  EXPECT_NEAR(per.exclusive("ProcArrayLock") + per.delegated("ProcArrayLock"), 1, 0.1);
  EXPECT_GT(per.delegated("ProcArrayLock"), per.exclusive("ProcArrayLock"));
  EXPECT_EQ(per.delegated("WALInsertLock"), 0.0);
}

TEST(TpcbN, takes_as_many_locks_per_transaction_as_were_counted) {
  // Counted where a sync is fast: the longer it takes, the more often info_lck tells whether a commit is safe.
  const Scenario eight = load_scenario(LOCKCAST_SOURCE_DIR "/scenarios/published/eight-cores-tpcb-N.yaml",
                                       {{"machine.disk.sync", "0.3 ms"}}, {LOCKCAST_SOURCE_DIR});
  const Program program = eight.program({"master", 100, 1, "permanent"});
  EXPECT_EQ(std::count_if(program.code.begin(), program.code.end(),
                          [](const Op& op) { return op.code == Opcode::roundtrip; }),
            5);
  const Replication run = simulate(eight.machine, eight.rig, program, {.seed = 1, .warmup = 20ms, .measured = 300ms});
  ASSERT_GT(run.transactions, 300U);
  const PerTransaction per{run};
  constexpr double cut = 0.015;
  EXPECT_NEAR(per.shared("ProcArrayLock") / 6, 1, cut);
  EXPECT_NEAR(per.exclusive("ProcArrayLock"), 1, cut);
  EXPECT_NEAR(per.exclusive("XidGenLock"), 1, cut);
  EXPECT_NEAR(per.exclusive("CLogControlLock"), 1, cut);
  EXPECT_NEAR(per.exclusive("WALInsertLock") / 4.0, 1, cut);
  EXPECT_NEAR(per.exclusive("LockMgrLock") / 2.04, 1, 0.03);
  EXPECT_NEAR(per.exclusive("backendLock") / 8, 1, cut);
  EXPECT_NEAR(per.shared("CLogControlLock"), 0.24, 0.08) << "at random: some 500 draws";
  EXPECT_NEAR(per.shared("BufMappingLock") / 15.6, 1, 0.1);
  EXPECT_NEAR(per.shared("_content") / 14.0, 1, 0.1);
  EXPECT_NEAR(per.exclusive("_content") / 6.0, 1, 0.1);
  EXPECT_NEAR(per.exclusive("_header") / 33, 1, 0.1);
  EXPECT_NEAR(per.exclusive("info_lck") / 2, 1, 0.2);
}

TEST(Tpcb, is_seven_round_trips_with_rows_locked_over_two_and_three_of_them) {
  const Program program = scenario().program({"master", 100, 1, "permanent"});
  int roundtrips = 0;
  std::vector<int> locked_before;
  std::vector<int> released_before;
  for (const Op& op : program.code) {
    roundtrips += op.code == Opcode::roundtrip ? 1 : 0;
    if (op.to_commit && op.code == Opcode::try_acquire) { locked_before.push_back(roundtrips); }
    if (op.to_commit && op.code == Opcode::release) { released_before.push_back(roundtrips); }
  }
  EXPECT_EQ(roundtrips, 7);
  EXPECT_EQ(locked_before, (std::vector{3, 4})) << "in the fourth and fifth statement";
  EXPECT_EQ(released_before, (std::vector{6, 6})) << "before END is answered";
}

// The lines of one snapshot: the ProcArray and the array it leads to, which are the first two scans.
std::size_t lines_of_snapshot(const std::string& variant, std::uint32_t clients, std::uint32_t line_bytes) {
  const Program program = scenario().program({variant, 100, clients, "permanent"});
  const SimMemoryMap map(program.bytes, line_bytes, clients);
  const std::vector<std::vector<LineId>> scans = lines_of_scans(program, map);
  return scans.at(0).size() + scans.at(1).size();
}

// master: xid to vacuumFlags cross a line of 64 B in every second entry of 752 B, subxids are on another line, and 8
// pointers share one: 2.5 N + N/8. Lines of 128 B: every fourth entry, 2.25 N + N/16. pgproc-split: 12 B and 4 B an
// entry.
TEST(Tpcb, a_snapshot_reads_two_and_a_half_lines_per_process_before_the_split_and_a_fifth_after) {
  EXPECT_EQ(lines_of_snapshot("master", 32, 64), 84U);
  EXPECT_EQ(lines_of_snapshot("master", 80, 64), 210U);
  EXPECT_EQ(lines_of_snapshot("pgproc-split", 32, 64), 8U);
  EXPECT_EQ(lines_of_snapshot("pgproc-split", 80, 64), 20U);
  EXPECT_EQ(lines_of_snapshot("master", 80, 128), 185U);
  EXPECT_EQ(lines_of_snapshot("pgproc-split", 80, 128), 11U);
}

TEST(Tpcb, fewer_lines_are_fewer_misses_when_many_backends_write_them) {
  const Replication master = simulate_point({"master", 100, 24, "unlogged"}, 30ms);
  const Replication split = simulate_point({"pgproc-split", 100, 24, "unlogged"}, 30ms);
  const auto misses = [](const Replication& r) {
    return static_cast<double>(r.scan_misses) / static_cast<double>(r.scans);
  };
  EXPECT_GT(misses(master), 2 * misses(split));
}

const LockGroup& group(const Program& program, std::string_view name) {
  return *std::find_if(program.locks.begin(), program.locks.end(), [&](const LockGroup& g) { return g.name == name; });
}

TEST(Tpcb, hot_lwlocks_share_a_line_of_128_bytes_but_none_of_64) {
  const Program program = scenario().program({"master", 100, 8, "permanent"});
  const auto share = [&](std::string_view one, std::string_view other, std::uint64_t line_bytes) {
    return group(program, one).address / line_bytes == group(program, other).address / line_bytes;
  };
  EXPECT_TRUE(share("ProcArrayLock", "WALInsertLock", 128));
  EXPECT_FALSE(share("ProcArrayLock", "WALInsertLock", 64));
  EXPECT_FALSE(share("XidGenLock", "ProcArrayLock", 128));
  EXPECT_FALSE(share("WALInsertLock", "CLogControlLock", 128));
}

TEST(Tpcb, the_split_leaves_wait_queue_words_and_the_own_lock_in_the_smaller_pgproc) {
  const Program program = scenario().program({"pgproc-split", 100, 8, "permanent"});
  ASSERT_FALSE(program.waiter.own_line);
  const LineArray& pgproc = program.arrays[program.waiter.array];
  EXPECT_EQ(pgproc.name, "PGPROC");
  EXPECT_EQ(pgproc.stride, 736U);
  EXPECT_EQ(program.waiter.waiting, 64U);
  EXPECT_EQ(group(program, "backendLock").address - pgproc.address, 648U);
  EXPECT_EQ(group(program, "backendLock").stride, 736U);
}

}  // namespace
}  // namespace lockcast::tpcb_test
