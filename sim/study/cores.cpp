// The whole block is replaced, so that nothing of the old shape stays behind.

#include "sim/study/cores.hpp"

#include "models/check.hpp"

namespace lockcast {

namespace {

constexpr std::uint32_t scaled_cores_max = 4096;

std::string counted(std::uint32_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

[[noreturn]] void refuse(const Machine& machine, std::uint32_t cores, std::uint32_t whole, const std::string& what) {
  const std::uint32_t below = cores / whole * whole;
  throw InputError(std::to_string(cores) + " cores cannot be built of whole " + what + " of " + std::to_string(whole) +
                       " cores, which " + machine.name + " has; expected " +
                       (below > 0 ? std::to_string(below) + " or " : std::string{}) + std::to_string(below + whole),
                   ExitCode::usage);
}

std::string hops_text(const Topology& t, std::uint32_t dies) {
  std::string text = "[";
  for (std::uint32_t a = 0; a < dies; ++a) {
    text += a > 0 ? ", [" : "[";
    for (std::uint32_t b = 0; b < dies; ++b) {
      text.append(b > 0 ? ", " : "").append(std::to_string(t.hops[std::size_t{a} * t.dies() + b]));
    }
    text += "]";
  }
  return text + "]";
}

std::string words_of(const Topology& shape, std::uint32_t packages_per_box) {
  std::string text = counted(shape.packages, "package") + " x " + counted(shape.dies_per_package, "die") + " x " +
                     counted(shape.cores_per_die, "core");
  if (packages_per_box == 0) {
    if (shape.packages > 1 && shape.packages_per_group > 1) {
      text += ", one link in groups of " + std::to_string(shape.packages_per_group) + " packages, two between them";
    }
  } else if (shape.packages > packages_per_box) {
    text += ", " + std::to_string((shape.packages + packages_per_box - 1) / packages_per_box) +
            " boxes wired as the file's matrix, two links between boxes";
  }
  return text;
}

}  // namespace

Scaling scaled_to(const Machine& machine, std::uint32_t cores) {
  const Topology& now = machine.topology;
  if (cores < 1 || cores > scaled_cores_max / now.threads_per_core) {
    throw InputError(std::to_string(cores) + " cores: expected 1 to " +
                         std::to_string(scaled_cores_max / now.threads_per_core) + " on " + machine.name,
                     ExitCode::usage);
  }
  Scaling scaling;
  scaling.cores = cores;
  scaling.is_extrapolated = cores > now.cores();
  Topology& shape = scaling.topology;
  shape = now;
  shape.hops.clear();
  const std::uint32_t per_package = now.dies_per_package * now.cores_per_die;
  if (cores >= per_package) {
    if (cores % per_package != 0) { refuse(machine, cores, per_package, "packages"); }
    shape.packages = cores / per_package;
  } else {
    shape.packages = 1;
    if (cores >= now.cores_per_die) {
      if (cores % now.cores_per_die != 0) { refuse(machine, cores, now.cores_per_die, "dies"); }
      shape.dies_per_package = cores / now.cores_per_die;
    } else {
      shape.dies_per_package = 1;
      shape.cores_per_die = cores;
    }
  }
  const bool has_matrix = !now.hops.empty() && shape.packages > 1;
  // In a machine of several boxes the first stands for all of them; a file says so rarely, and a copy of the whole is
  // as true.
  scaling.words = words_of(shape, has_matrix ? now.packages : 0);
  if (cores == now.cores()) { return scaling; }
  std::string block = "{packages: " + std::to_string(shape.packages) +
                      ", dies_per_package: " + std::to_string(shape.dies_per_package) +
                      ", cores_per_die: " + std::to_string(shape.cores_per_die) +
                      ", threads_per_core: " + std::to_string(shape.threads_per_core);
  if (has_matrix) {
    block += ", packages_per_box: " + std::to_string(now.packages) + ", hops: " + hops_text(now, now.dies());
  } else {
    block += ", packages_per_group: " + std::to_string(now.hops.empty() ? now.packages_per_group : 1);
  }
  scaling.sets.emplace_back("machine.topology", block + "}");
  return scaling;
}

}  // namespace lockcast
