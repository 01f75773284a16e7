// What single machine files claim, computed from the files.

#include "models/machine.hpp"

#include "sim/workload/scenario.hpp"

#include <gtest/gtest.h>

#include <map>

namespace lockcast::machine_test {
namespace {

Machine machine(const char* name) { return load_machine(name, {}, {LOCKCAST_SOURCE_DIR}); }

// Mean over all ordered pairs of cores, of a line whose home is on the die of one of them, as benchmarks have it.
double mean_ns(const Machine& m, Operation operation, LineState state) {
  const CostTable costs = m.costs();
  Picos sum{0};
  std::int64_t pairs = 0;
  for (std::uint32_t a = 0; a < m.topology.cores(); ++a) {
    for (std::uint32_t b = 0; b < m.topology.cores(); ++b) {
      if (a == b) { continue; }
      sum += costs.of(operation, state, m.topology.distance(CoreId{a}, CoreId{b}));
      ++pairs;
    }
  }
  return static_cast<double>(sum.count()) * 1e-3 / static_cast<double>(pairs);
}

// numactl on a 48-core box and hwloc's data of a reference board: 8 package mates, 28 one-hop and 20 two-hop pairs.
TEST(Opteron6128, its_dies_are_wired_as_seen) {
  const Topology topology = machine("opteron-6128-32").topology;
  ASSERT_EQ(topology.dies(), 8U);
  std::map<Distance, int> pairs;
  for (std::uint32_t a = 0; a < topology.dies(); ++a) {
    for (std::uint32_t b = 0; b < topology.dies(); ++b) {
      const std::uint32_t size = topology.cores_per_die;
      if (a != b) { ++pairs[topology.distance(CoreId{a * size}, CoreId{b * size})]; }
    }
  }
  const std::map<Distance, int> expected{
      {Distance::package_mate, 8}, {Distance::one_hop, 28}, {Distance::two_hops, 20}};
  EXPECT_EQ(pairs, expected);
}

// The published table over this wiring: 229-234 and 188-193 cycles of 2.1 GHz, 311-312 for a shared line.
TEST(Opteron6128, mean_transfers_from_a_random_other_core_are_those_of_the_published_table) {
  const Machine m = machine("opteron-6128-32");
  const double atomic = mean_ns(m, Operation::atomic, LineState::modified);
  EXPECT_GE(atomic, 109);
  EXPECT_LE(atomic, 112);
  const double load = mean_ns(m, Operation::load, LineState::modified);
  EXPECT_GE(load, 89);
  EXPECT_LE(load, 92);
  EXPECT_NEAR(mean_ns(m, Operation::atomic, LineState::shared), 148, 2.5);
}

// Cell by cell against the published cycles, where an atomic is modelled as a store plus a constant: within 5 %.
TEST(Opteron6128, its_cost_table_is_the_published_one) {
  struct Row {
    Operation operation;
    LineState state;
    std::array<double, 4> cycles;  // same die, package mate, one hop, two hops
  };
  using enum LineState;
  constexpr Row rows[] = {
      {Operation::load, modified, {81, 161, 172, 252}},  {Operation::load, owned, {83, 163, 175, 254}},
      {Operation::load, exclusive, {83, 163, 175, 253}}, {Operation::load, shared, {83, 164, 176, 254}},
      {Operation::load, uncached, {136, 237, 247, 327}}, {Operation::store, modified, {83, 172, 191, 273}},
      {Operation::store, owned, {244, 255, 286, 291}},   {Operation::store, exclusive, {83, 171, 191, 271}},
      {Operation::store, shared, {246, 255, 286, 296}},  {Operation::atomic, modified, {110, 197, 216, 296}},
      {Operation::atomic, shared, {272, 283, 312, 332}},
  };
  const CostTable costs = machine("opteron-6128-32").costs();
  for (const Row& row : rows) {
    for (std::size_t d = 0; d < row.cycles.size(); ++d) {
      const double ns = row.cycles[d] / 2.1;
      const Picos cost = costs.of(row.operation, row.state, static_cast<Distance>(d + 1));
      EXPECT_NEAR(static_cast<double>(cost.count()) * 1e-3, ns, 0.05 * ns)
          << operation_names[static_cast<std::size_t>(row.operation)] << " of "
          << line_state_names[static_cast<std::size_t>(row.state)] << ", " << distance_names[d + 1];
    }
  }
}

TEST(MacBookPro2, has_four_hardware_threads_on_two_cores) {
  const Machine m = machine("macbook-pro-2");
  EXPECT_EQ(m.topology.cores(), 2U);
  EXPECT_EQ(m.topology.threads(), 4U);
  EXPECT_GT(m.cpu.smt_slowdown.value, 1);
}

// HP's figures contain the way through the home already; an extra leg would count it twice.
TEST(Integrity32, has_no_third_leg) {
  const Machine m = machine("integrity-32");
  EXPECT_EQ(m.coherence.home, HomePlacement::interleaved);
  EXPECT_EQ(m.coherence.third_leg.value, 0ns);
}

}  // namespace
}  // namespace lockcast::machine_test
