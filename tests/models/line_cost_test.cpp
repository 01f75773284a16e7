// What hits and what an access does to a line, as tables over all states; then laws over random histories of accesses.

#include "models/line_cost.hpp"

#include "models/rng.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace lockcast::line_cost_test {
namespace {

using enum LineState;

constexpr std::array all_states{uncached, shared, exclusive, modified, owned};
constexpr std::array all_operations{Operation::load, Operation::store, Operation::atomic};

// A cost that names its cell: operation, state, distance.
constexpr CostTable numbered = [] {
  CostTable table;
  for (std::size_t operation = 0; operation < operation_count; ++operation) {
    for (std::size_t state = 0; state < line_state_count; ++state) {
      for (std::size_t distance = 0; distance < distance_count; ++distance) {
        table.cost[operation][state][distance] =
            Picos{static_cast<std::int64_t>(100 * operation + 10 * state + distance)};
      }
    }
  }
  return table;
}();

std::string_view name(LineState state) { return line_state_names[static_cast<std::size_t>(state)]; }
std::string_view name(Operation operation) { return operation_names[static_cast<std::size_t>(operation)]; }

std::string shown(const LineTag& tag) {
  return std::string(name(tag.state)) + " of core " + std::to_string(tag.owner) + ", version " +
         std::to_string(tag.version);
}

TEST(Hits, a_load_hits_exactly_with_the_current_version_whoever_owns_the_line) {
  for (const LineState state : all_states) {
    for (const std::uint32_t core : {0U, 1U}) {
      const LineTag line{.version = 5, .owner = 0, .state = state};
      EXPECT_FALSE(hits(line, CoreId{core}, 4, Operation::load)) << name(state);
      EXPECT_TRUE(hits(line, CoreId{core}, 5, Operation::load)) << name(state);
    }
  }
}

TEST(Hits, a_write_hits_only_for_the_owner_of_an_exclusive_or_modified_line_in_its_current_version) {
  for (const Operation operation : {Operation::store, Operation::atomic}) {
    for (const LineState state : all_states) {
      const LineTag line{.version = 5, .owner = 3, .state = state};
      const bool writable = state == exclusive || state == modified;
      EXPECT_EQ(hits(line, CoreId{3}, 5, operation), writable) << name(state);
      EXPECT_FALSE(hits(line, CoreId{3}, 4, operation)) << name(state) << ", stale";
      EXPECT_FALSE(hits(line, CoreId{2}, 5, operation)) << name(state) << ", not the owner";
    }
  }
}

TEST(LineCost, an_access_costs_its_cell_of_the_table) {
  for (const Operation operation : all_operations) {
    for (const LineState state : all_states) {
      for (std::size_t distance = 0; distance < distance_count; ++distance) {
        const LineTag line{.version = 5, .owner = 3, .state = state};
        EXPECT_EQ(access_cost(numbered, line, static_cast<Distance>(distance), operation),
                  numbered.of(operation, state, static_cast<Distance>(distance)));
      }
    }
  }
  static_assert(access_cost(numbered, {.version = 1, .owner = 0, .state = modified}, Distance::one_hop,
                            Operation::atomic) == Picos{233});
}

// Between two parties the table is all; a home on a third die is asked by the requester and asks the owner.
TEST(LineCost, a_third_leg_is_paid_exactly_when_an_owner_supplies_the_line) {
  for (const Operation operation : all_operations) {
    for (const LineState state : all_states) {
      const LineTag line{.version = 5, .owner = 3, .state = state};
      const Picos two = access_cost(numbered, line, Distance::one_hop, operation);
      const Picos three = access_cost(numbered, line, Distance::one_hop, operation, 40ns);
      const bool owner_sends = state == exclusive || state == modified || state == owned;
      EXPECT_EQ(three - two, owner_sends ? 40ns : 0ns) << name(operation) << " of " << name(state);
    }
  }
}

TEST(LineCost, a_load_leads_to_these_states) {
  struct Row {
    LineState before;
    bool migrating;
    LineTag after;
    bool exclusive_transfer;
  };
  // Core 7 loads version 5 of core 3's line. Only a new version takes the old copies away.
  constexpr Row rows[] = {
      {uncached, false, {5, 7, exclusive}, false}, {uncached, true, {5, 7, exclusive}, false},
      {shared, false, {5, 3, shared}, false},      {shared, true, {5, 3, shared}, false},
      {exclusive, false, {5, 3, shared}, false},   {exclusive, true, {5, 3, shared}, false},
      {modified, false, {5, 3, owned}, true},      {modified, true, {6, 7, exclusive}, true},
      {owned, false, {5, 3, owned}, false},        {owned, true, {5, 3, owned}, false},
  };
  for (const Row& row : rows) {
    const LineTag line{.version = 5, .owner = 3, .state = row.before};
    const LineTag after = after_access(line, CoreId{7}, Operation::load, row.migrating);
    EXPECT_EQ(shown(after), shown(row.after)) << name(row.before) << (row.migrating ? ", migrating" : "");
    EXPECT_EQ(takes_the_line(line, Operation::load), row.exclusive_transfer) << name(row.before);
  }
}

TEST(LineCost, a_write_always_takes_the_line_over_in_a_new_version) {
  for (const Operation operation : {Operation::store, Operation::atomic}) {
    for (const LineState state : all_states) {
      for (const bool migrating : {false, true}) {
        const LineTag line{.version = 5, .owner = 3, .state = state};
        const LineTag after = after_access(line, CoreId{7}, operation, migrating);
        EXPECT_EQ(shown(after), "modified of core 7, version 6") << name(operation) << " of " << name(state);
        EXPECT_TRUE(takes_the_line(line, operation)) << name(operation) << " of " << name(state);
      }
    }
  }
}

// Every core with its last seen version, as MemorySystem keeps them.
struct History {
  static constexpr std::uint32_t cores = 6;
  bool migrating;
  LineTag line{};
  std::array<std::uint32_t, cores> seen{};
  Rng random{11};

  struct Step {
    std::uint32_t core;
    Operation operation;
    bool hit;
    std::array<bool, cores> readable_before, readable_after;
  };

  [[nodiscard]] std::array<bool, cores> readable() const {
    std::array<bool, cores> result{};
    for (std::uint32_t core = 0; core < cores; ++core) {
      result[core] = hits(line, CoreId{core}, seen[core], Operation::load);
    }
    return result;
  }
  Step next() {
    Step step{random.below(cores), all_operations[random.below(operation_count)], false, readable(), {}};
    step.hit = hits(line, CoreId{step.core}, seen[step.core], step.operation);
    if (!step.hit) {
      line = after_access(line, CoreId{step.core}, step.operation, migrating);
      seen[step.core] = line.version;
    } else if (step.operation != Operation::load) {
      line.state = modified;
    }
    step.readable_after = readable();
    return step;
  }
};

TEST(LineCost, whoever_accessed_a_line_hits_when_it_repeats_the_access) {
  for (const bool migrating : {false, true}) {
    History history{migrating};
    for (int i = 0; i < 20'000; ++i) {
      const History::Step step = history.next();
      ASSERT_TRUE(hits(history.line, CoreId{step.core}, history.seen[step.core], step.operation)) << "step " << i;
      ASSERT_TRUE(step.readable_after[step.core]) << "step " << i;
    }
  }
}

TEST(LineCost, after_a_write_nobody_else_can_read_and_after_a_plain_read_nobody_has_lost_a_copy) {
  for (const bool migrating : {false, true}) {
    History history{migrating};
    for (int i = 0; i < 20'000; ++i) {
      const LineState before = history.line.state;
      const History::Step step = history.next();
      for (std::uint32_t core = 0; core < History::cores; ++core) {
        if (core == step.core) { continue; }
        const bool takes = step.operation != Operation::load || (migrating && before == modified && !step.hit);
        ASSERT_EQ(step.readable_after[core], takes ? false : step.readable_before[core]) << "step " << i;
      }
    }
  }
}

TEST(LineCost, at_most_one_core_can_write_without_a_transfer) {
  for (const bool migrating : {false, true}) {
    History history{migrating};
    for (int i = 0; i < 20'000; ++i) {
      history.next();
      int writers = 0;
      for (std::uint32_t core = 0; core < History::cores; ++core) {
        writers += hits(history.line, CoreId{core}, history.seen[core], Operation::store) ? 1 : 0;
      }
      ASSERT_LE(writers, 1) << "step " << i;
    }
  }
}

}  // namespace
}  // namespace lockcast::line_cost_test
