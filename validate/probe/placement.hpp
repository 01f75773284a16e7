#pragma once
// From where the host says its CPUs sit to the regular shape a machine file has: so many packages of so many dies of
// so many cores of so many threads. A die is what shares a last-level cache. Where the CPUs that this process may use
// form no regular shape (a cpuset, cores of two kinds), the largest regular part of them is taken and a note says so.
// Pure functions; hwloc_topology.hpp gets the places.

#include "models/topology.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace lockcast::probe {

// Numbers are identities, not positions.
struct Place {
  int cpu = 0;  // as Linux numbers it
  std::uint32_t package = 0;
  std::uint32_t die = 0;
  std::uint32_t core = 0;
  std::uint32_t node = 0;  // of memory
};

struct HostPlaces {
  std::vector<Place> places;
  // As firmware tells them (ACPI SLIT), by node number; empty where it does not.
  std::vector<std::vector<std::uint64_t>> node_distances;
  std::uint32_t line_bytes = 64;
  std::vector<std::string> notes;
};

struct Arrangement {
  Topology topology;
  std::vector<int> cpus;             // of each thread of the topology, by its number
  std::vector<std::uint32_t> nodes;  // of memory, of each die
  std::vector<std::string> notes;

  [[nodiscard]] Distance distance(std::size_t a, std::size_t b) const {
    return topology.distance(CoreId{static_cast<std::uint32_t>(a)}, CoreId{static_cast<std::uint32_t>(b)});
  }
};

// Precondition: at least one place.
Arrangement arrange(const HostPlaces& host);

// Two threads of an arrangement, by number.
struct Pair {
  std::size_t a = 0;
  std::size_t b = 0;
  friend bool operator==(const Pair&, const Pair&) = default;
};

// Up to `most` pairs of one distance class, spread evenly over all there are; another `round` takes others where there
// are more. Deterministic, each pair once.
std::vector<Pair> sample_pairs(const Arrangement& arrangement, Distance distance, std::size_t most, std::size_t round);

// For a matrix of all cores: all pairs a > b, row by row, or evenly spread `most` of them.
std::vector<Pair> matrix_pairs(std::size_t threads, std::size_t most);

}  // namespace lockcast::probe
