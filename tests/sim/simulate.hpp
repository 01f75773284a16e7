#pragma once
// One simulated run of a workload written in the test itself, on machines/textbook-32.yaml with changes. Every run is
// made twice, in two processes side by side, and must give the same digest: that law is tested by every test that
// simulates.

#include "sim/run/replication.hpp"
#include "sim/run/transport.hpp"
#include "sim/workload/compile.hpp"
#include "tests/sim/textbook.hpp"
#include "tests/support/in_child.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <string>

namespace lockcast {

struct TestRun {
  std::string workload;  // the keys of a workload: locks, lines, transaction, ...
  std::uint32_t clients = 1;
  Changes machine{};
  Rig rig{};
  std::uint64_t seed = 1;
  Picos warmup{1ms};
  Picos measured{20ms};
};

inline Replication simulate(const Machine& machine, const Rig& rig, const Program& program,
                            const ReplicationOptions& options) {
  const auto once = [&] { return to_bytes(replicate(machine, rig, program, options)); };
  Child first(once);
  Child second(once);
  const Replication result = from_bytes(first.bytes());
  const Replication again = from_bytes(second.bytes());
  EXPECT_EQ(result.digest, again.digest) << "the same seed must give the same run";
  EXPECT_EQ(result.transactions, again.transactions);
  EXPECT_EQ(result.events, again.events);
  return result;
}

inline Replication simulate(const TestRun& run) {
  return simulate(textbook(run.machine), run.rig,
                  compile(yaml::parse_text(run.workload, "workload of the test"), run.clients, run.rig.connections),
                  {.seed = run.seed, .warmup = run.warmup, .measured = run.measured});
}

inline double total_spent_s(const Replication& r) { return std::accumulate(r.spent_s.begin(), r.spent_s.end(), 0.0); }
inline double spent_s(const Replication& r, Category category) { return r.spent_s[static_cast<std::size_t>(category)]; }

}  // namespace lockcast
