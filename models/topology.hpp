#pragma once
// Where a core sits and how far two cores are apart. Five distance classes, as cost tables of coherence benchmarks use
// them (ccbench; David, Guerraoui & Trigonakis, SOSP 2013): same core, same die, package mate, one hop, two hops. Left
// out: routes and their sharing; a link is never a resource of its own.

#include "models/units.hpp"

#include <array>
#include <cstdint>
#include <string_view>

namespace lockcast {

enum class Distance : std::uint8_t { same_core, same_die, package_mate, one_hop, two_hops };
inline constexpr std::size_t distance_count = 5;
inline constexpr std::array<std::string_view, distance_count> distance_names{"same_core", "same_die", "package_mate",
                                                                             "one_hop", "two_hops"};

// Packages with consecutive numbers form groups (a blade, a cell): inside a group any two are one hop apart, outside
// two.
struct Topology {
  std::uint32_t packages = 1;
  std::uint32_t dies_per_package = 1;
  std::uint32_t cores_per_die = 1;
  std::uint32_t packages_per_group = 1;

  [[nodiscard]] constexpr std::uint32_t dies() const { return packages * dies_per_package; }
  [[nodiscard]] constexpr std::uint32_t cores() const { return dies() * cores_per_die; }
  [[nodiscard]] constexpr std::uint32_t die_of(CoreId core) const { return index(core) / cores_per_die; }

  [[nodiscard]] constexpr Distance distance(CoreId a, CoreId b) const {
    if (a == b) { return Distance::same_core; }
    const std::uint32_t die_a = die_of(a);
    const std::uint32_t die_b = die_of(b);
    if (die_a == die_b) { return Distance::same_die; }
    const std::uint32_t package_a = die_a / dies_per_package;
    const std::uint32_t package_b = die_b / dies_per_package;
    if (package_a == package_b) { return Distance::package_mate; }
    return package_a / packages_per_group == package_b / packages_per_group ? Distance::one_hop : Distance::two_hops;
  }

  // Memory is interleaved over the dies line by line (HP ccNUMA overview, p. 5), so neighbouring lines have different
  // homes.
  [[nodiscard]] constexpr std::uint32_t home_of(LineId line) const { return index(line) % dies(); }
};

}  // namespace lockcast
