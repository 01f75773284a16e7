#pragma once
// Where the CPUs of this process sit, as hwloc reads it from the system. In a virtual machine this is what the
// hypervisor claims. (sim/import reads hwloc's XML of other machines.)

#include "validate/probe/placement.hpp"

#include <string>
#include <vector>

namespace lockcast::probe {

// Only these CPUs. Throws (host cannot) when hwloc cannot read this system or knows none of them.
HostPlaces host_places(const std::vector<int>& cpus);

// The same of a machine described in hwloc's own language ("package:2 l3:2 core:4 pu:2"), all of its CPUs.
HostPlaces synthetic_places(const std::string& description);

}  // namespace lockcast::probe
