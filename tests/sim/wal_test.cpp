// The write-ahead log: what a commit that waits for the disk costs alone and together, and how the time until a record
// is flushed makes visitors look again.

#include "tests/sim/simulate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace lockcast::wal_test {
namespace {

const LockCounters& counters(const Replication& run, std::string_view name) {
  return std::ranges::find(run.locks, name, &LockTotals::name)->counters;
}

// A page holds 8 KiB = 1 ms of this disk.
TEST(Wal, a_flush_is_one_synchronisation_and_its_pages_and_a_page_begun_is_written_again) {
  const Wal wal{.name = "W", .page = 8192, .sync = 2ms, .bytes_per_second = 8'192'000};
  WalState state;
  EXPECT_EQ(state.insert(100), 100);
  EXPECT_EQ(state.time_to(wal, 100), Picos{3ms});
  state.flushed_up_to(100);
  EXPECT_TRUE(state.is_flushed(100));
  EXPECT_EQ(state.insert(8192), 8292);
  EXPECT_FALSE(state.is_flushed(8292));
  EXPECT_EQ(WalState::filled(wal, 8292), 8192);
  EXPECT_EQ(state.time_to(wal, 8192), Picos{3ms}) << "the first page again";
  EXPECT_EQ(state.time_to(wal, 8292), Picos{4ms}) << "and the second";
}

// Each transaction works 10 us, logs, and waits until its record is flushed: 1 ms, and a disk so fast that its pages
// take no time.
const std::string commits =
    "locks: {write: {kind: lwlock-9.1}}\n"
    "wal: {W: {page: 8 KiB, sync: 1 ms, bytes_per_second: 1000000 MiB}}\n"
    "transaction:\n"
    "  - work: 10 us\n"
    "  - log: {wal: W, bytes: 100 B}\n"
    "  - unless_flushed:\n"
    "      wal: W\n"
    "      record: own\n"
    "      do:\n"
    "        - acquire: {lock: write}\n"
    "        - unless_flushed: {wal: W, record: own, do: [{flush: {wal: W, to: inserted}}]}\n"
    "        - release: write\n";

double commits_per_second(std::uint32_t clients) {
  const Replication run = simulate({.workload = commits,
                                    .clients = clients,
                                    .machine = free_transfers + free_scheduling,
                                    .warmup = 20ms,
                                    .measured = 200ms});
  EXPECT_GT(spent_s(run, Category::disk), 0);
  return run.tps;
}

TEST(GroupCommit, alone_a_commit_takes_its_work_and_a_synchronisation) {
  EXPECT_NEAR(commits_per_second(1), 1 / 1.010e-3, 6);
}

// A record logged while the disk writes is flushed by the next write, together with all others logged meanwhile. So the
// backends fall into two groups that take turns, and half of them commit with each write: far more than one a write,
// and never more than all.
TEST(GroupCommit, together_many_commit_with_one_synchronisation) {
  for (const std::uint32_t clients : {4U, 16U, 32U}) {
    SCOPED_TRACE(clients);
    const double per_write = commits_per_second(clients) * 1e-3;
    EXPECT_NEAR(per_write, clients / 2.0, clients * 0.05);
    EXPECT_LE(per_write, clients);
  }
}

// One backend changes a row of a thousand with each transaction and visits all rows. Rows that have no hint bit yet are
// looked up. The log is flushed every `nap`, in no time.
std::string visits(const std::string& nap, const std::string& hint, const std::string& rouse) {
  return "lines: {numbers: {count: 8, stride: 8 B}, used: {count: 8, stride: 4 B}}\n"
         "locks: {control: {kind: lwlock-9.1}, slots: {kind: lwlock-9.1, count: 8}, write: {kind: lwlock-9.1}}\n"
         "slru: {S: {control: control, buffers: slots, page_numbers: numbers, used: used, ids_per_page: 32768, search: "
         "1 ps, "
         "read: 1 us, write: 1 us, history: 0}}\n"
         "wal: {W: {page: 8 KiB, sync: 0 ms, bytes_per_second: 1000000 MiB}}\n"
         "versions: {rows: {count: 1000, slru: S, wal: W, hint: " +
         hint +
         "}}\n"
         "processes:\n"
         "  writer: [{nap: " +
         nap +
         "}, {acquire: {lock: write}}, {flush: {wal: W, to: inserted}}, {release: write}]\n"
         "transaction:\n"
         "  - visit: {versions: rows, pick: 0, every: 1, do: [{slru_lookup: {slru: S, id: visited, access: read, do: "
         "[]}}]}\n"
         "  - give_id: S\n"
         "  - log: {wal: W, bytes: 100 B}\n"
         "  - stamp: {versions: rows, pick: uniform}\n" +
         rouse + "  - work: 10 us\n";
}

struct Looked {
  double per_transaction;
  double transaction_s;
};
Looked lookups(const std::string& nap, const std::string& hint, const std::string& rouse = "") {
  const Replication run = simulate({.workload = visits(nap, hint, rouse),
                                    .machine = free_transfers + free_scheduling,
                                    .warmup = 5ms,
                                    .measured = 50ms});
  const auto transactions = static_cast<double>(run.transactions);
  return {static_cast<double>(counters(run, "control").shacq) / transactions, run.measured_s / transactions};
}

// The next visit is a transaction later, and so on; a change is flushed half a nap later on average, which is
// nap / 2T - 1/2 whole transactions; the visit after that sets the hint bit.
TEST(HintBits, a_change_is_looked_up_until_it_is_flushed_and_once_more) {
  for (const auto& [nap, nap_s] : {std::pair{"100 us", 1e-4}, std::pair{"400 us", 4e-4}}) {
    SCOPED_TRACE(nap);
    const Looked looked = lookups(nap, "when-flushed");
    EXPECT_NEAR(looked.per_transaction / (0.5 + nap_s / looked.transaction_s / 2), 1, 0.08);
  }
}

TEST(HintBits, a_change_is_looked_up_once_when_the_log_is_flushed_at_once_or_does_not_matter) {
  EXPECT_NEAR(lookups("1 us", "when-flushed").per_transaction, 1, 0.02);
  EXPECT_NEAR(lookups("400 us", "at-once").per_transaction, 1, 0.001);
}

TEST(HintBits, a_writer_that_is_roused_does_not_sleep_out) {
  EXPECT_NEAR(lookups("1 s", "when-flushed", "  - rouse: writer\n").per_transaction, 1, 0.02);
}

}  // namespace
}  // namespace lockcast::wal_test
