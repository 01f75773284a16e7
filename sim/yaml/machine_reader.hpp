#pragma once
// machines/NAME.yaml -> Machine. Every number must say where it came from; nothing is defaulted.

#include "models/machine.hpp"
#include "sim/yaml/document.hpp"

namespace lockcast::yaml {

Machine read_machine(const Node& document);

}  // namespace lockcast::yaml
