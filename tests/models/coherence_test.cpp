// Laws over every coherence model in the table, with drawn parameters; then what each model promises besides.

#include "models/coherence/coherence.hpp"

#include "models/machine.hpp"
#include "models/rng.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace lockcast::coherence_test {
namespace {

Duration duration(Picos value) { return {.value = value, .interval = {value, value}, .range = {value, value}}; }

// Nearer is never dearer, as on every machine; otherwise anything up to a microsecond, zero included.
CoherenceParameters drawn(Rng& random) {
  CoherenceParameters parameters;
  for (auto* costs : {&parameters.transfer, &parameters.memory, &parameters.write_extra, &parameters.invalidate}) {
    std::array<Picos, distance_count> sorted{};
    for (Picos& cost : sorted) { cost = Picos{random.below(1'000'000)}; }
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t d = 0; d < distance_count; ++d) { (*costs)[d] = duration(sorted[d]); }
  }
  parameters.atomic_extra = duration(Picos{random.below(100'000)});
  return parameters;
}

CoherenceParameters doubled(CoherenceParameters parameters) {
  for (auto* costs : {&parameters.transfer, &parameters.memory, &parameters.write_extra, &parameters.invalidate}) {
    for (Duration& cost : *costs) { cost.value *= 2; }
  }
  parameters.atomic_extra.value *= 2;
  return parameters;
}

// Calls check(table, parameters, state, distance) for every model, many parameters, every state and distance.
template <class Check>
void for_every_model(Check check) {
  for (const CoherenceModel& model : coherence_models) {
    SCOPED_TRACE(model.name);
    Rng random(1);
    for (int round = 0; round < 200; ++round) {
      const CoherenceParameters parameters = drawn(random);
      const CostTable table = model.make(parameters);
      for (std::size_t state = 0; state < line_state_count; ++state) {
        for (std::size_t d = 0; d < distance_count; ++d) {
          check(table, parameters, static_cast<LineState>(state), static_cast<Distance>(d));
        }
      }
    }
  }
}

TEST(Coherence, no_access_costs_less_than_nothing) {
  for_every_model([](const CostTable& table, const CoherenceParameters&, LineState state, Distance distance) {
    for (const Operation operation : {Operation::load, Operation::store, Operation::atomic}) {
      ASSERT_GE(table.of(operation, state, distance), Picos{0});
    }
  });
}

TEST(Coherence, a_store_costs_at_least_a_load_and_an_atomic_at_least_a_store) {
  for_every_model([](const CostTable& table, const CoherenceParameters&, LineState state, Distance distance) {
    ASSERT_GE(table.of(Operation::store, state, distance), table.of(Operation::load, state, distance));
    ASSERT_GE(table.of(Operation::atomic, state, distance), table.of(Operation::store, state, distance));
  });
}

TEST(Coherence, a_farther_owner_is_never_cheaper) {
  for_every_model([](const CostTable& table, const CoherenceParameters&, LineState state, Distance distance) {
    if (distance == Distance::two_hops) { return; }
    const auto farther = static_cast<Distance>(static_cast<std::size_t>(distance) + 1);
    for (const Operation operation : {Operation::load, Operation::store, Operation::atomic}) {
      ASSERT_LE(table.of(operation, state, distance), table.of(operation, state, farther));
    }
  });
}

TEST(Coherence, doubling_every_parameter_doubles_every_cost) {
  for (const CoherenceModel& model : coherence_models) {
    Rng random(2);
    for (int round = 0; round < 200; ++round) {
      const CoherenceParameters parameters = drawn(random);
      CostTable expected = model.make(parameters);
      for (auto& operation : expected.cost) {
        for (auto& state : operation) {
          for (Picos& cost : state) { cost *= 2; }
        }
      }
      EXPECT_EQ(model.make(doubled(parameters)).cost, expected.cost) << model.name;
    }
  }
}

TEST(Coherence, every_model_has_a_name_of_its_own_and_a_summary) {
  std::set<std::string_view> names;
  for (const CoherenceModel& model : coherence_models) {
    EXPECT_TRUE(names.insert(model.name).second) << model.name;
    EXPECT_FALSE(model.summary.empty()) << model.name;
  }
}

TEST(Coherence, a_machine_uses_the_model_it_chose) {
  for (std::size_t model = 0; model < coherence_models.size(); ++model) {
    Rng random(3);
    Machine machine;
    machine.coherence.model = model;
    machine.coherence.parameters = drawn(random);
    EXPECT_EQ(machine.costs().cost, coherence_models[model].make(machine.coherence.parameters).cost);
  }
}

TEST(Constant, charges_the_same_die_transfer_for_everything_and_nothing_else_matters) {
  Rng random(4);
  for (int round = 0; round < 200; ++round) {
    const CoherenceParameters parameters = drawn(random);
    const CostTable table = make_constant(parameters);
    for (const auto& operation : table.cost) {
      for (const auto& state : operation) {
        for (const Picos cost : state) {
          ASSERT_EQ(cost, parameters.transfer[static_cast<std::size_t>(Distance::same_die)].value);
        }
      }
    }
  }
}

// The numbers of machines/textbook-32.yaml.
CoherenceParameters textbook() {
  CoherenceParameters parameters;
  parameters.transfer = {duration(0ns), duration(40ns), duration(80ns), duration(100ns), duration(140ns)};
  parameters.memory = {duration(0ns), duration(60ns), duration(100ns), duration(120ns), duration(160ns)};
  parameters.invalidate.fill(duration(150ns));
  parameters.atomic_extra = duration(10ns);
  return parameters;
}

TEST(Directory, costs_these_on_the_textbook_machine) {
  using enum LineState;
  struct Row {
    LineState state;
    Distance distance;
    Picos load, store, atomic;
  };
  constexpr Row rows[] = {
      {uncached, Distance::same_die, 60ns, 60ns, 70ns},     // memory
      {uncached, Distance::two_hops, 160ns, 160ns, 170ns},  //
      {modified, Distance::same_die, 40ns, 40ns, 50ns},     // cache to cache
      {modified, Distance::two_hops, 140ns, 140ns, 150ns},  //
      {exclusive, Distance::one_hop, 100ns, 100ns, 110ns},  //
      {shared, Distance::same_die, 40ns, 150ns, 160ns},     // a write waits for every invalidation
      {owned, Distance::package_mate, 80ns, 150ns, 160ns},  //
      {shared, Distance::same_core, 40ns, 150ns, 160ns},    // the home answers the last owner: not nearer than its die
      {uncached, Distance::same_core, 60ns, 60ns, 70ns},
  };
  const CostTable table = make_directory(textbook());
  for (const Row& row : rows) {
    EXPECT_EQ(table.of(Operation::load, row.state, row.distance), row.load);
    EXPECT_EQ(table.of(Operation::store, row.state, row.distance), row.store);
    EXPECT_EQ(table.of(Operation::atomic, row.state, row.distance), row.atomic);
  }
}

TEST(Directory, a_write_that_takes_a_line_from_its_only_holder_costs_the_extra_of_its_distance) {
  using enum LineState;
  CoherenceParameters parameters = textbook();
  parameters.write_extra = {duration(0ns), duration(1ns), duration(5ns), duration(9ns), duration(11ns)};
  const CostTable with = make_directory(parameters);
  const CostTable without = make_directory(textbook());
  for (const LineState state : {uncached, shared, exclusive, modified, owned}) {
    for (std::size_t d = 0; d < distance_count; ++d) {
      const auto distance = static_cast<Distance>(d);
      const bool one_holder = state == exclusive || state == modified;
      const Picos extra = one_holder ? parameters.write_extra[std::max<std::size_t>(d, 1)].value : 0ns;
      EXPECT_EQ(with.of(Operation::load, state, distance), without.of(Operation::load, state, distance));
      EXPECT_EQ(with.of(Operation::store, state, distance), without.of(Operation::store, state, distance) + extra);
      EXPECT_EQ(with.of(Operation::atomic, state, distance), without.of(Operation::atomic, state, distance) + extra);
    }
  }
}

TEST(Directory, a_write_of_a_shared_line_waits_as_long_as_its_distance_says) {
  CoherenceParameters parameters = textbook();
  parameters.invalidate = {duration(0ns), duration(110ns), duration(120ns), duration(130ns), duration(150ns)};
  const CostTable table = make_directory(parameters);
  EXPECT_EQ(table.of(Operation::store, LineState::shared, Distance::same_core), 110ns);
  EXPECT_EQ(table.of(Operation::store, LineState::shared, Distance::same_die), 110ns);
  EXPECT_EQ(table.of(Operation::store, LineState::owned, Distance::package_mate), 120ns);
  EXPECT_EQ(table.of(Operation::atomic, LineState::owned, Distance::one_hop), 140ns);
  EXPECT_EQ(table.of(Operation::store, LineState::shared, Distance::two_hops), 150ns);
}

TEST(Directory, a_write_of_a_shared_line_costs_the_invalidation_until_the_transfer_takes_longer) {
  CoherenceParameters parameters = textbook();
  struct Row {
    Picos invalidate, store;
  };
  constexpr Row rows[] = {
      {0ns, 140ns}, {140ns - Picos{1}, 140ns}, {140ns, 140ns}, {140ns + Picos{1}, 140ns + Picos{1}}};
  for (const Row& row : rows) {
    parameters.invalidate.fill(duration(row.invalidate));
    EXPECT_EQ(make_directory(parameters).of(Operation::store, LineState::shared, Distance::two_hops), row.store);
  }
}

}  // namespace
}  // namespace lockcast::coherence_test
