// Walks the processing units upwards.

#include "validate/probe/hwloc_topology.hpp"

#include "models/check.hpp"

#include <hwloc.h>
#include <hwloc/distances.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

namespace lockcast::probe {

namespace {

struct Destroy {
  void operator()(hwloc_topology* topology) const { hwloc_topology_destroy(topology); }
};
using TopologyHandle = std::unique_ptr<hwloc_topology, Destroy>;

TopologyHandle load(const std::string& synthetic) {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) { throw InputError("hwloc cannot start", ExitCode::host_cannot); }
  TopologyHandle topology(raw);
  if (!synthetic.empty() && hwloc_topology_set_synthetic(raw, synthetic.c_str()) != 0) {
    throw InputError("'" + synthetic + "' is no synthetic hwloc machine");
  }
  if (hwloc_topology_load(raw) != 0) {
    throw InputError("hwloc cannot read this system's topology", ExitCode::host_cannot);
  }
  return topology;
}

// The nearest thing above with this type, or nothing.
hwloc_obj_t above(hwloc_topology_t topology, hwloc_obj_type_t type, hwloc_obj_t unit) {
  return hwloc_get_ancestor_obj_by_type(topology, type, unit);
}

std::uint32_t number_of(hwloc_obj_t object) { return object == nullptr ? 0 : object->logical_index; }

std::uint32_t node_of(hwloc_topology_t topology, hwloc_obj_t unit) {
  for (hwloc_obj_t node = nullptr;
       (node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node)) != nullptr;) {
    if (hwloc_bitmap_isset(node->cpuset, unit->os_index) != 0) { return node->logical_index; }
  }
  return 0;
}

std::vector<std::vector<std::uint64_t>> node_distances(hwloc_topology_t topology) {
  unsigned count = 1;
  hwloc_distances_s* distances = nullptr;
  if (hwloc_distances_get_by_type(topology, HWLOC_OBJ_NUMANODE, &count, &distances, HWLOC_DISTANCES_KIND_MEANS_LATENCY,
                                  0) != 0 ||
      count == 0) {
    return {};
  }
  std::vector<std::vector<std::uint64_t>> matrix;
  const int nodes = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_NUMANODE);
  if (static_cast<int>(distances->nbobjs) == nodes) {
    matrix.assign(distances->nbobjs, std::vector<std::uint64_t>(distances->nbobjs));
    for (unsigned a = 0; a < distances->nbobjs; ++a) {
      for (unsigned b = 0; b < distances->nbobjs; ++b) {
        matrix[distances->objs[a]->logical_index][distances->objs[b]->logical_index] =
            distances->values[a * distances->nbobjs + b];
      }
    }
  }
  hwloc_distances_release(topology, distances);
  return matrix;
}

// Every second unit by its number would be wrong with offline CPUs, so they are taken as hwloc lists them.
HostPlaces places_of(hwloc_topology_t topology, const std::vector<int>* cpus) {
  HostPlaces host;
  bool no_cache = false;
  for (hwloc_obj_t unit = nullptr; (unit = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, unit)) != nullptr;) {
    const int cpu = static_cast<int>(unit->os_index);
    if (cpus != nullptr && !std::binary_search(cpus->begin(), cpus->end(), cpu)) { continue; }
    Place place;
    place.cpu = cpu;
    const hwloc_obj_t package = above(topology, HWLOC_OBJ_PACKAGE, unit);
    hwloc_obj_t die = above(topology, HWLOC_OBJ_L3CACHE, unit);
    if (die == nullptr) {
      no_cache = true;
      die = above(topology, HWLOC_OBJ_DIE, unit);
    }
    if (die == nullptr) { die = package; }
    const hwloc_obj_t core = above(topology, HWLOC_OBJ_CORE, unit);
    place.package = number_of(package);
    place.die = number_of(die);
    place.core = core == nullptr ? unit->logical_index : core->logical_index;
    place.node = node_of(topology, unit);
    if (const hwloc_obj_t cache = above(topology, HWLOC_OBJ_L1CACHE, unit);
        cache != nullptr && cache->attr->cache.linesize > 0) {
      host.line_bytes = cache->attr->cache.linesize;
    }
    host.places.push_back(place);
  }
  if (host.places.empty()) {
    throw InputError("hwloc knows none of the CPUs that this process may use", ExitCode::host_cannot);
  }
  if (no_cache) { host.notes.emplace_back("the system tells no last-level cache; a package counts as one die"); }
  host.node_distances = node_distances(topology);
  return host;
}

}  // namespace

HostPlaces host_places(const std::vector<int>& cpus) {
  const TopologyHandle topology = load({});
  return places_of(topology.get(), &cpus);
}

HostPlaces synthetic_places(const std::string& description) {
  const TopologyHandle topology = load(description);
  return places_of(topology.get(), nullptr);
}

}  // namespace lockcast::probe
