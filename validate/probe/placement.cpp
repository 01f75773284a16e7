// The largest regular part of a tree, and pairs of its leaves.

#include "validate/probe/placement.hpp"

#include "models/check.hpp"

#include <algorithm>
#include <map>

namespace lockcast::probe {

namespace {

using Core = std::vector<int>;  // CPUs
struct Die {
  std::uint32_t node = 0;
  std::map<std::uint32_t, Core> cores;
};
using Package = std::map<std::uint32_t, Die>;
using Tree = std::map<std::uint32_t, Package>;

Tree tree_of(const std::vector<Place>& places) {
  Tree tree;
  for (const Place& place : places) {
    Die& die = tree[place.package][place.die];
    die.node = place.node;
    die.cores[place.core].push_back(place.cpu);
  }
  return tree;
}

std::size_t cores_with(const Die& die, std::size_t threads) {
  return static_cast<std::size_t>(
      std::ranges::count_if(die.cores, [&](const auto& core) { return core.second.size() >= threads; }));
}

std::size_t dies_with(const Package& package, std::size_t cores, std::size_t threads) {
  return static_cast<std::size_t>(
      std::ranges::count_if(package, [&](const auto& die) { return cores_with(die.second, threads) >= cores; }));
}

std::size_t packages_with(const Tree& tree, std::size_t dies, std::size_t cores, std::size_t threads) {
  return static_cast<std::size_t>(std::ranges::count_if(
      tree, [&](const auto& package) { return dies_with(package.second, cores, threads) >= dies; }));
}

struct Shape {
  std::size_t packages = 0;
  std::size_t dies = 0;
  std::size_t cores = 0;
  std::size_t threads = 0;
  [[nodiscard]] std::size_t total() const { return packages * dies * cores * threads; }
};

// Of equally large ones the one with most threads to a core, cores to a die and dies to a package.
Shape largest_shape(const Tree& tree) {
  Shape best;
  for (const std::size_t threads : {8U, 4U, 2U, 1U}) {
    std::size_t cores_max = 0;
    std::size_t dies_max = 0;
    for (const auto& [number, package] : tree) {
      dies_max = std::max(dies_max, package.size());
      for (const auto& [die_number, die] : package) { cores_max = std::max(cores_max, cores_with(die, threads)); }
    }
    for (std::size_t cores = cores_max; cores > 0; --cores) {
      for (std::size_t dies = dies_max; dies > 0; --dies) {
        const Shape shape{packages_with(tree, dies, cores, threads), dies, cores, threads};
        if (shape.total() > best.total()) { best = shape; }
      }
    }
  }
  return best;
}

// Links between dies from the distances of their memories: the smallest between two packages counts as one hop.
std::vector<std::uint8_t> hops_of(const Arrangement& arrangement,
                                  const std::vector<std::vector<std::uint64_t>>& distances) {
  const std::size_t dies = arrangement.nodes.size();
  const std::uint32_t per_package = arrangement.topology.dies_per_package;
  const auto apart = [&](std::size_t a, std::size_t b) {
    return distances[arrangement.nodes[a]][arrangement.nodes[b]];
  };
  std::uint64_t nearest = UINT64_MAX;
  for (std::size_t a = 0; a < dies; ++a) {
    for (std::size_t b = 0; b < dies; ++b) {
      if (a / per_package != b / per_package) { nearest = std::min({nearest, apart(a, b), apart(b, a)}); }
    }
  }
  std::vector<std::uint8_t> hops(dies * dies, 0);
  for (std::size_t a = 0; a < dies; ++a) {
    for (std::size_t b = 0; b < dies; ++b) {
      if (a == b) { continue; }
      const bool one = a / per_package == b / per_package || std::min(apart(a, b), apart(b, a)) <= nearest;
      hops[a * dies + b] = one ? 1 : 2;
    }
  }
  return hops;
}

}  // namespace

Arrangement arrange(const HostPlaces& host) {
  CHECK(!host.places.empty(), "a host without CPUs");
  const Tree tree = tree_of(host.places);
  const Shape shape = largest_shape(tree);
  Arrangement result;
  result.notes = host.notes;
  result.topology.packages = static_cast<std::uint32_t>(shape.packages);
  result.topology.dies_per_package = static_cast<std::uint32_t>(shape.dies);
  result.topology.cores_per_die = static_cast<std::uint32_t>(shape.cores);
  result.topology.threads_per_core = static_cast<std::uint32_t>(shape.threads);
  result.topology.packages_per_group = result.topology.packages;
  for (const auto& [number, package] : tree) {
    if (dies_with(package, shape.cores, shape.threads) < shape.dies) { continue; }
    std::size_t dies = 0;
    for (const auto& [die_number, die] : package) {
      if (cores_with(die, shape.threads) < shape.cores || dies == shape.dies) { continue; }
      ++dies;
      result.nodes.push_back(die.node);
      std::size_t cores = 0;
      for (const auto& [core_number, core] : die.cores) {
        if (core.size() < shape.threads || cores == shape.cores) { continue; }
        ++cores;
        result.cpus.insert(result.cpus.end(), core.begin(), core.begin() + static_cast<std::ptrdiff_t>(shape.threads));
      }
    }
  }
  if (result.cpus.size() < host.places.size()) {
    result.notes.push_back("the CPUs of this process form no regular machine; the file describes " +
                           std::to_string(result.cpus.size()) + " of " + std::to_string(host.places.size()));
  }
  if (shape.packages > 2) {
    const std::uint32_t node_max = *std::ranges::max_element(result.nodes);
    if (host.node_distances.size() > node_max) {
      result.topology.hops = hops_of(result, host.node_distances);
    } else {
      result.notes.push_back("the firmware tells no distances between packages; all are taken to be one hop apart");
    }
  }
  return result;
}

std::vector<Pair> sample_pairs(const Arrangement& arrangement, Distance distance, std::size_t most, std::size_t round) {
  // Counted first, then picked by number: a large machine has millions of pairs.
  const std::size_t threads = arrangement.cpus.size();
  std::size_t count = 0;
  for (std::size_t a = 0; a < threads; ++a) {
    for (std::size_t b = 0; b < a; ++b) { count += arrangement.distance(a, b) == distance ? 1U : 0U; }
  }
  const std::size_t wanted = std::min(most, count);
  if (wanted == 0) { return {}; }
  // Evenly spread, and moved on by the round; all pairs come at once where they are few.
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < wanted; ++i) { numbers.push_back((i * count / wanted + round) % count); }
  std::sort(numbers.begin(), numbers.end());
  std::vector<Pair> pairs;
  std::size_t number = 0;
  for (std::size_t a = 0; a < threads && pairs.size() < wanted; ++a) {
    for (std::size_t b = 0; b < a && pairs.size() < wanted; ++b) {
      if (arrangement.distance(a, b) != distance) { continue; }
      if (number++ == numbers[pairs.size()]) { pairs.push_back({a, b}); }
    }
  }
  return pairs;
}

std::vector<Pair> matrix_pairs(std::size_t threads, std::size_t most) {
  const std::size_t count = threads * (threads - 1) / 2;
  const std::size_t wanted = std::min(most, count);
  std::vector<Pair> pairs;
  std::size_t number = 0;
  for (std::size_t a = 0; a < threads; ++a) {
    for (std::size_t b = 0; b < a; ++b, ++number) {
      if (pairs.size() < wanted && number == pairs.size() * count / wanted) { pairs.push_back({a, b}); }
    }
  }
  return pairs;
}

}  // namespace lockcast::probe
