// Distance classes by hand on the textbook shape; everything else as laws over several shapes.

#include "models/topology.hpp"

#include "models/machine.hpp"

#include <gtest/gtest.h>

#include <map>
#include <vector>

namespace lockcast {
namespace {

constexpr Topology textbook{.packages = 4, .dies_per_package = 2, .cores_per_die = 4, .packages_per_group = 2};

std::vector<Topology> shapes() {
  return {textbook,
          {.packages = 8, .dies_per_package = 1, .cores_per_die = 4, .packages_per_group = 2},
          {.packages = 1, .dies_per_package = 1, .cores_per_die = 1, .packages_per_group = 1},
          {.packages = 1, .dies_per_package = 3, .cores_per_die = 2, .packages_per_group = 1},
          {.packages = 5, .dies_per_package = 2, .cores_per_die = 1, .packages_per_group = 3}};
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

TEST(Topology, distance_is_symmetric_and_only_a_core_is_at_its_own_place) {
  for (const Topology& shape : shapes()) {
    for (std::uint32_t a = 0; a < shape.cores(); ++a) {
      for (std::uint32_t b = 0; b < shape.cores(); ++b) {
        EXPECT_EQ(shape.distance(CoreId{a}, CoreId{b}), shape.distance(CoreId{b}, CoreId{a})) << a << " and " << b;
        EXPECT_EQ(shape.distance(CoreId{a}, CoreId{b}) == Distance::same_core, a == b) << a << " and " << b;
      }
    }
  }
}

// An ultrametric, as a hierarchy of boxes is: no detour over a third core is shorter.
TEST(Topology, distance_never_exceeds_the_larger_one_over_a_third_core) {
  for (const Topology& shape : shapes()) {
    for (std::uint32_t a = 0; a < shape.cores(); ++a) {
      for (std::uint32_t b = 0; b < shape.cores(); ++b) {
        for (std::uint32_t c = 0; c < shape.cores(); ++c) {
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
}  // namespace lockcast
