#pragma once
// Where a core sits and how far two cores are apart. Five distance classes, as cost tables of coherence benchmarks use
// them (ccbench; David, Guerraoui & Trigonakis, SOSP 2013): same core, same die, package mate, one hop, two hops. Left
// out: routes and their sharing; a link is never a resource of its own.

#include "models/units.hpp"

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace lockcast {

enum class Distance : std::uint8_t { same_core, same_die, package_mate, one_hop, two_hops };
inline constexpr std::size_t distance_count = 5;
inline constexpr std::array<std::string_view, distance_count> distance_names{"same_core", "same_die", "package_mate",
                                                                             "one_hop", "two_hops"};

// A CoreId is what a thread runs on: a hardware thread, of which a core has `threads_per_core` with consecutive
// numbers (Linux calls it a CPU). The threads of a core share its caches, so to a line they are one place.
struct Topology {
  std::uint32_t packages = 1;
  std::uint32_t dies_per_package = 1;
  std::uint32_t cores_per_die = 1;
  // The rule of machines built of equal boxes: packages with consecutive numbers form groups (a blade, a cell); inside
  // a group any two are one hop apart, outside two.
  std::uint32_t packages_per_group = 1;
  std::uint32_t threads_per_core = 1;  // a power of two
  // Or, where the wiring follows no rule, links between every two dies, row by row. Empty: the rule holds.
  std::vector<std::uint8_t> hops{};

  [[nodiscard]] constexpr std::uint32_t dies() const { return packages * dies_per_package; }
  [[nodiscard]] constexpr std::uint32_t cores() const { return dies() * cores_per_die; }
  [[nodiscard]] constexpr std::uint32_t threads() const { return cores() * threads_per_core; }
  [[nodiscard]] constexpr std::uint32_t core_of(CoreId thread) const { return index(thread) / threads_per_core; }
  [[nodiscard]] constexpr std::uint32_t die_of(CoreId thread) const { return core_of(thread) / cores_per_die; }

  [[nodiscard]] constexpr Distance distance(CoreId a, CoreId b) const {
    if (core_of(a) == core_of(b)) { return Distance::same_core; }
    const std::uint32_t die_a = die_of(a);
    const std::uint32_t die_b = die_of(b);
    if (die_a == die_b) { return Distance::same_die; }
    const std::uint32_t package_a = die_a / dies_per_package;
    const std::uint32_t package_b = die_b / dies_per_package;
    if (package_a == package_b) { return Distance::package_mate; }
    const bool one_hop = hops.empty() ? package_a / packages_per_group == package_b / packages_per_group
                                      : hops[std::size_t{die_a} * dies() + die_b] == 1;
    return one_hop ? Distance::one_hop : Distance::two_hops;
  }
};

}  // namespace lockcast
