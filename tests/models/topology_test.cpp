// Distance classes by hand on the textbook shape; everything else as laws over several shapes.

#include "models/topology.hpp"

#include "models/machine.hpp"

#include <gtest/gtest.h>

#include <map>
#include <vector>

namespace lockcast::topology_test {
namespace {

constexpr Topology textbook{.packages = 4, .dies_per_package = 2, .cores_per_die = 4, .packages_per_group = 2};

std::vector<Topology> shapes() {
  return {textbook,
          {.packages = 8, .dies_per_package = 1, .cores_per_die = 4, .packages_per_group = 2},
          {.packages = 1, .dies_per_package = 1, .cores_per_die = 1, .packages_per_group = 1},
          {.packages = 1, .dies_per_package = 3, .cores_per_die = 2, .packages_per_group = 1},
          {.packages = 5, .dies_per_package = 2, .cores_per_die = 1, .packages_per_group = 3},
          {.packages = 2, .dies_per_package = 2, .cores_per_die = 2, .packages_per_group = 1, .threads_per_core = 4}};
}

TEST(Topology, has_five_distance_classes_on_the_textbook_shape) {
  struct Row {
    std::uint32_t first, last;  // cores seen from core 0
    Distance distance;
  };
  constexpr Row rows[] = {{0, 0, Distance::same_core},
                          {1, 3, Distance::same_die},
                          {4, 7, Distance::package_mate},
                          {8, 15, Distance::one_hop},     // the other package of the group
                          {16, 31, Distance::two_hops}};  // the other group
  for (const Row& row : rows) {
    for (std::uint32_t core = row.first; core <= row.last; ++core) {
      EXPECT_EQ(textbook.distance(CoreId{0}, CoreId{core}), row.distance) << "core " << core;
    }
  }
  static_assert(textbook.cores() == 32 && textbook.dies() == 8);
}

TEST(Topology, every_core_of_the_textbook_shape_sees_as_many_cores_in_each_class) {
  for (std::uint32_t from = 0; from < textbook.cores(); ++from) {
    std::map<Distance, int> seen;
    for (std::uint32_t to = 0; to < textbook.cores(); ++to) { ++seen[textbook.distance(CoreId{from}, CoreId{to})]; }
    const std::map<Distance, int> expected{{Distance::same_core, 1},
                                           {Distance::same_die, 3},
                                           {Distance::package_mate, 4},
                                           {Distance::one_hop, 8},
                                           {Distance::two_hops, 16}};
    EXPECT_EQ(seen, expected) << "core " << from;
  }
}

TEST(Topology, distance_is_symmetric_and_only_the_threads_of_a_core_are_at_one_place) {
  for (const Topology& shape : shapes()) {
    for (std::uint32_t a = 0; a < shape.threads(); ++a) {
      for (std::uint32_t b = 0; b < shape.threads(); ++b) {
        EXPECT_EQ(shape.distance(CoreId{a}, CoreId{b}), shape.distance(CoreId{b}, CoreId{a})) << a << " and " << b;
        EXPECT_EQ(shape.distance(CoreId{a}, CoreId{b}) == Distance::same_core,
                  a / shape.threads_per_core == b / shape.threads_per_core)
            << a << " and " << b;
      }
    }
  }
}

TEST(Topology, more_threads_to_a_core_change_no_distance_between_cores) {
  for (const Topology& shape : shapes()) {
    Topology doubled = shape;
    doubled.threads_per_core *= 2;
    for (std::uint32_t a = 0; a < shape.threads(); ++a) {
      for (std::uint32_t b = 0; b < shape.threads(); ++b) {
        EXPECT_EQ(doubled.distance(CoreId{2 * a}, CoreId{2 * b + 1}), shape.distance(CoreId{a}, CoreId{b}));
      }
    }
  }
}

// A ring of four packages of one die: the opposite one is two hops away. No rule of groups gives that.
TEST(Topology, a_hop_matrix_replaces_the_rule_between_packages_and_only_there) {
  Topology ring{.packages = 4, .dies_per_package = 1, .cores_per_die = 2};
  ring.hops = {0, 1, 2, 1,  //
               1, 0, 1, 2,  //
               2, 1, 0, 1,  //
               1, 2, 1, 0};
  const std::vector<Distance> from_core_2{Distance::one_hop,  Distance::one_hop, Distance::same_core,
                                          Distance::same_die, Distance::one_hop, Distance::one_hop,
                                          Distance::two_hops, Distance::two_hops};
  for (std::uint32_t core = 0; core < ring.cores(); ++core) {
    EXPECT_EQ(ring.distance(CoreId{2}, CoreId{core}), from_core_2[core]) << core;
  }
  ring.packages = 2;
  ring.dies_per_package = 2;  // of the same dies two by two: dies 0 and 1, 2 and 3 are mates now
  EXPECT_EQ(ring.distance(CoreId{2}, CoreId{0}), Distance::package_mate);
  EXPECT_EQ(ring.distance(CoreId{2}, CoreId{4}), Distance::one_hop);
  EXPECT_EQ(ring.distance(CoreId{2}, CoreId{6}), Distance::two_hops);
}

// The matrix that says what the rule says.
TEST(Topology, rule_and_matrix_agree_on_the_textbook_shape) {
  Topology matrix = textbook;
  for (std::uint32_t a = 0; a < textbook.dies(); ++a) {
    for (std::uint32_t b = 0; b < textbook.dies(); ++b) { matrix.hops.push_back(a == b ? 0 : a / 4 == b / 4 ? 1 : 2); }
  }
  matrix.packages_per_group = 1;
  for (std::uint32_t a = 0; a < textbook.cores(); ++a) {
    for (std::uint32_t b = 0; b < textbook.cores(); ++b) {
      EXPECT_EQ(matrix.distance(CoreId{a}, CoreId{b}), textbook.distance(CoreId{a}, CoreId{b})) << a << " and " << b;
    }
  }
}

// An ultrametric, as a hierarchy of boxes is: no detour over a third core is shorter.
TEST(Topology, distance_never_exceeds_the_larger_one_over_a_third_core) {
  for (const Topology& shape : shapes()) {
    for (std::uint32_t a = 0; a < shape.threads(); ++a) {
      for (std::uint32_t b = 0; b < shape.threads(); ++b) {
        for (std::uint32_t c = 0; c < shape.threads(); ++c) {
          EXPECT_LE(shape.distance(CoreId{a}, CoreId{c}),
                    std::max(shape.distance(CoreId{a}, CoreId{b}), shape.distance(CoreId{b}, CoreId{c})));
        }
      }
    }
  }
}

TEST(Home, neighbouring_lines_have_different_ones_and_every_die_the_same_share) {
  for (const Topology& shape : shapes()) {
    Machine machine;
    machine.topology = shape;
    std::vector<int> lines(shape.dies());
    for (std::uint32_t line = 0; line < 100 * shape.dies(); ++line) { ++lines[machine.home_of(LineId{line})]; }
    EXPECT_EQ(lines, std::vector<int>(shape.dies(), 100));
    for (std::uint32_t line = 0; shape.dies() > 1 && line < 100; ++line) {
      EXPECT_NE(machine.home_of(LineId{line}), machine.home_of(LineId{line + 1}));
    }
    machine.coherence.home = HomePlacement::first_touch;
    for (std::uint32_t line = 0; line < 100; ++line) { EXPECT_EQ(machine.home_of(LineId{line}), 0U); }
  }
}

}  // namespace
}  // namespace lockcast::topology_test
