#pragma once
// A Machine as the text of a machine file: the inverse of sim/yaml/machine_reader. Numbers are written exactly, so what
// is read back is what was written. Pure function.

#include "models/machine.hpp"

#include <string>
#include <vector>

namespace lockcast::probe {

// `head` becomes the comment at the top, one paragraph each. A Linux machine (policy cfs) without semaphore sets and
// governor; other sections have no probe.
std::string machine_yaml(const Machine& machine, const std::vector<std::string>& head);

}  // namespace lockcast::probe
