#pragma once
// Reads the resources of a workload that are neither locks nor lines: `slru`, `wal`, `versions`, and the names of
// `processes`.

#include "sim/workload/constants.hpp"
#include "sim/workload/layout.hpp"
#include "sim/workload/program.hpp"

namespace lockcast {

void read_resources(const yaml::Node& workload, const Constants& constants, const Layout& layout, Program& program);

// The number of the resource that `name` names.
std::uint32_t slru_named(const Program& program, const yaml::Node& name);
std::uint32_t wal_named(const Program& program, const yaml::Node& name);
std::uint32_t versions_named(const Program& program, const yaml::Node& name);
std::uint32_t process_named(const Program& program, const yaml::Node& name);

}  // namespace lockcast
