// Two kernels that share no code must tell the same history: every event at the same picosecond, in the same order,
// and so the same digest, counters and bytes. A rule for equal times that only one of them keeps shows here.

#include "tests/sim/simulate.hpp"
#include "tests/support/sanitized.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace lockcast::oracle_test {
namespace {

// The same replication on both kernels; everything it says must be equal, the digest first. Returns the oracle's,
// which counts ties too.
Replication on_both_kernels(const Machine& machine, const Program& program, ReplicationOptions options) {
  const auto on = [&](KernelKind kernel) {
    options.kernel = kernel;
    return [&machine, &program, options] { return to_bytes(replicate(machine, {}, program, options)); };
  };
  Child inner_child(on(KernelKind::inner));
  Child oracle_child(on(KernelKind::simgrid));
  const Replication inner = from_bytes(inner_child.bytes());
  const Replication oracle = from_bytes(oracle_child.bytes());
  EXPECT_EQ(oracle.digest, inner.digest);
  Replication uncounted = oracle;
  uncounted.ties = inner.ties;
  EXPECT_EQ(to_bytes(uncounted), to_bytes(inner));
  return oracle;
}

// What both kernels say of every variant of a teaching scenario.
std::vector<Replication> of_every_variant(const std::string& name, std::int64_t clients, Picos measured) {
  Scenario scenario = load_scenario(LOCKCAST_SOURCE_DIR "/scenarios/" + name + ".yaml", {}, {LOCKCAST_SOURCE_DIR});
  scenario.clients = {clients};
  std::vector<Replication> result;
  for (const Case& point : scenario.cases()) {
    SCOPED_TRACE(point.variant);
    result.push_back(on_both_kernels(scenario.machine, scenario.program(point),
                                     {.seed = 7, .warmup = Picos{1}, .measured = measured}));
    EXPECT_GT(result.back().transactions, 0U);
  }
  return result;
}

class Oracle : public testing::Test {
 protected:
  void SetUp() override {
    if (addresses_are_watched) { GTEST_SKIP() << "AddressSanitizer does not know SimGrid's stacks"; }
  }
};

TEST_F(Oracle, tells_the_same_history_of_every_hot_spinlock) {
  EXPECT_EQ(of_every_variant("hot-spinlock", 32, 1ms).size(), 5U);
}

TEST_F(Oracle, tells_the_same_history_of_a_reader_mostly_lwlock) {
  std::uint64_t blocked = 0;
  for (const Replication& r : of_every_variant("reader-mostly-lwlock", 32, 1ms)) {
    blocked += r.locks.front().counters.blk;
  }
  EXPECT_GT(blocked, 100U) << "backends slept in the lock's queue and were woken";
}

TEST_F(Oracle, tells_the_same_history_of_more_threads_than_cores) {
  // The first time slices end at 10 ms.
  for (const Replication& r : of_every_variant("more-threads-than-cores", 40, 10ms + 500us)) {
    EXPECT_GT(r.preemptions, 0U);
  }
}

// Whoever waits for the lock goes on at a time its releaser gives, so all backends soon march on one grid of round
// numbers, and those woken together start together. 12 backends on 4 cores; a time slice is short.
const std::string tied_workload = R"(
locks: {L: {kind: lwlock-9.1}}
lines: {data: {count: 4, stride: 64 B}}
transaction:
  - work: 5 us
  - acquire: {lock: L, mode: shared}
  - work: 2 us
  - release: L
  - acquire: {lock: L}
  - touch: {lines: data, pick: uniform, access: write}
  - work: 1 us
  - release: L
)";

TEST_F(Oracle, tells_the_same_history_when_events_tie_and_holders_of_an_lwlock_are_preempted) {
  const Machine machine = textbook(one_die(4) + free_scheduling +
                                   Changes{{"coherence.home_occupancy", "0 ns"}, {"scheduler.quantum_ticks", "1"}});
  const Program program = compile(yaml::parse_text(tied_workload, "workload of the test"), 12);
  const Replication run = on_both_kernels(machine, program, {.seed = 3, .warmup = Picos{1}, .measured = 15ms});
  EXPECT_GT(run.ties, run.events / 10);
  EXPECT_GT(run.preemptions, 0U);
  EXPECT_GT(run.locks.front().counters.preempted, 0U) << "a holder lost its core";
  EXPECT_GT(run.locks.front().counters.blk, 0U);
}

// Both wait for the other's lock: nobody but the clock tick has an event any more.
TEST_F(Oracle, tells_the_same_history_of_a_dead_lock) {
  const std::string workload = R"(
locks: {A: {kind: lwlock-9.1}, B: {kind: lwlock-9.1}}
transaction:
  - work: 1 us
  - choose:
      probability: 0.5
      do: [{acquire: {lock: A}}, {work: 5 us}, {acquire: {lock: B}}, {release: B}, {release: A}]
      else: [{acquire: {lock: B}}, {work: 5 us}, {acquire: {lock: A}}, {release: A}, {release: B}]
)";
  const Program program = compile(yaml::parse_text(workload, "workload of the test"), 2);
  const Replication run = on_both_kernels(textbook(), program, {.seed = 1, .warmup = 1ms, .measured = 100ms});
  EXPECT_EQ(run.transactions, 0U);
  EXPECT_EQ(run.cpu_idle, 1.0);
  EXPECT_GE(run.events, 100U) << "the tick goes on";
}

}  // namespace
}  // namespace lockcast::oracle_test
