// lstopo's XML, read by hwloc itself. A die is what shares a last-level cache, because that is where a line is found
// without leaving it; where a package has one such cache, a die is what hwloc calls so, or else a NUMA node. Distances
// between NUMA nodes (SLIT) only say which are near: 1 or 2 hops. Asymmetric machines cannot be described.

#include "models/check.hpp"
#include "sim/import/import.hpp"
#include "sim/import/lines.hpp"
#include "sim/import/machine_file.hpp"

#include <hwloc.h>

#include <algorithm>
#include <memory>

namespace lockcast {

namespace {

using Loaded = std::unique_ptr<hwloc_topology, void (*)(hwloc_topology*)>;

class Source {
 public:
  explicit Source(const std::string& path) : begin_(lines_of_file(path).front().mark) {
    hwloc_topology_t topology = nullptr;
    CHECK(hwloc_topology_init(&topology) == 0, "hwloc does not start");
    loaded_ = Loaded(topology, &hwloc_topology_destroy);
    if (hwloc_topology_set_xml(topology, path.c_str()) != 0 || hwloc_topology_load(topology) != 0) {
      yaml::fail(begin_, "hwloc cannot read it", "XML of 'lstopo FILE.xml'");
    }
    if (hwloc_get_root_obj(topology)->symmetric_subtree == 0) {
      yaml::fail(begin_, "a machine whose parts are not equal", "the same number of cores and threads in all packages");
    }
  }

  [[nodiscard]] std::uint32_t count(hwloc_obj_type_t type) const {
    const int number = hwloc_get_nbobjs_by_type(loaded_.get(), type);
    return number > 0 ? static_cast<std::uint32_t>(number) : 0;
  }
  // `what` are equal parts of `of`.
  [[nodiscard]] std::uint32_t share(std::uint32_t what, std::uint32_t of, const std::string& names) const {
    if (of == 0 || what % of != 0 || what == 0) {
      yaml::fail(begin_, std::to_string(what) + " " + names + " on " + std::to_string(of), "equal shares");
    }
    return what / of;
  }
  [[nodiscard]] std::int64_t line_bytes() const {
    for (const hwloc_obj_type_t cache : {HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE}) {
      const hwloc_obj_t object = hwloc_get_obj_by_type(loaded_.get(), cache, 0);
      if (object != nullptr && object->attr->cache.linesize > 0) { return object->attr->cache.linesize; }
    }
    return 64;
  }
  // Node by node; empty where hwloc knows none.
  [[nodiscard]] std::vector<std::uint64_t> node_distances(std::uint32_t nodes) const {
    hwloc_distances_s* distances = nullptr;
    unsigned number = 1;
    if (hwloc_distances_get_by_type(loaded_.get(), HWLOC_OBJ_NUMANODE, &number, &distances,
                                    HWLOC_DISTANCES_KIND_MEANS_LATENCY, 0) != 0 ||
        number == 0 || distances == nullptr) {
      return {};
    }
    std::vector<std::uint64_t> values;
    if (distances->nbobjs == nodes) { values.assign(distances->values, distances->values + nodes * nodes); }
    hwloc_distances_release(loaded_.get(), distances);
    return values;
  }
  [[nodiscard]] const yaml::Mark& begin() const { return begin_; }

 private:
  yaml::Mark begin_;
  Loaded loaded_{nullptr, &hwloc_topology_destroy};
};

std::uint32_t dies_of(const Source& source, std::uint32_t packages, std::string& comment) {
  constexpr std::array<std::pair<hwloc_obj_type_t, std::string_view>, 3> kinds{
      {{HWLOC_OBJ_L3CACHE, "L3 cache"}, {HWLOC_OBJ_DIE, "die"}, {HWLOC_OBJ_NUMANODE, "NUMA node"}}};
  for (const auto& [kind, name] : kinds) {
    const std::uint32_t number = source.count(kind);
    if (number > packages) {
      comment += "# A die here is what hwloc calls one " + std::string(name) + ".\n";
      return source.share(number, packages, std::string(name) + "s");
    }
  }
  comment += "# A die here is a package.\n";
  return 1;
}

// 1 to the nearest packages and 2 to all others, where the firmware tells them apart and every far one is reached over
// a near one; otherwise all packages are neighbours.
void read_hops(const Source& source, Topology& shape, std::string& comment) {
  shape.packages_per_group = shape.packages;
  const std::uint32_t nodes = source.count(HWLOC_OBJ_NUMANODE);
  if (shape.packages < 3 || nodes % shape.packages != 0) { return; }
  const std::vector<std::uint64_t> values = source.node_distances(nodes);
  if (values.empty()) { return; }
  const std::uint32_t nodes_per_package = nodes / shape.packages;
  const auto distance = [&](std::uint32_t a, std::uint32_t b) {
    return std::max(values[std::size_t{a} * nodes_per_package * nodes + std::size_t{b} * nodes_per_package],
                    values[std::size_t{b} * nodes_per_package * nodes + std::size_t{a} * nodes_per_package]);
  };
  std::uint64_t nearest = UINT64_MAX;
  for (std::uint32_t a = 0; a < shape.packages; ++a) {
    for (std::uint32_t b = 0; b < a; ++b) { nearest = std::min(nearest, distance(a, b)); }
  }
  const auto is_near = [&](std::uint32_t a, std::uint32_t b) { return distance(a, b) == nearest; };
  bool any_far = false;
  for (std::uint32_t a = 0; a < shape.packages; ++a) {
    for (std::uint32_t b = 0; b < a; ++b) {
      if (is_near(a, b)) { continue; }
      any_far = true;
      bool over_another = false;
      for (std::uint32_t c = 0; c < shape.packages; ++c) {
        over_another = over_another || (c != a && c != b && is_near(a, c) && is_near(c, b));
      }
      if (!over_another) {
        comment += "# More than two kinds of distance between packages: all are taken for neighbours.\n";
        return;
      }
    }
  }
  if (!any_far) { return; }
  for (std::uint32_t a = 0; a < shape.dies(); ++a) {
    for (std::uint32_t b = 0; b < shape.dies(); ++b) {
      const std::uint32_t from = a / shape.dies_per_package;
      const std::uint32_t to = b / shape.dies_per_package;
      shape.hops.push_back(a == b ? 0 : from == to || is_near(from, to) ? 1 : 2);
    }
  }
}

}  // namespace

std::string import_hwloc(const std::string& path, const std::string& name) {
  const Source source(path);
  KnownMachine machine;
  machine.name = name;
  machine.source = "hwloc, " + path;
  machine.line_bytes = source.line_bytes();
  Topology& shape = machine.topology;
  shape.packages = std::max(1U, source.count(HWLOC_OBJ_PACKAGE));
  shape.dies_per_package = dies_of(source, shape.packages, machine.comment);
  const std::uint32_t cores = source.count(HWLOC_OBJ_CORE);
  shape.cores_per_die = source.share(cores, shape.dies(), "cores");
  shape.threads_per_core = source.share(source.count(HWLOC_OBJ_PU), cores, "hardware threads");
  read_hops(source, shape, machine.comment);
  return machine_file(machine);
}

}  // namespace lockcast
