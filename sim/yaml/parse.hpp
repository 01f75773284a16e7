#pragma once
// The only door to yaml-cpp. Internal to sim/yaml.

#include "sim/yaml/document.hpp"

#include <string>
#include <string_view>

namespace lockcast::yaml {

// Reads one document; a null node when the text holds none. `from_command_line` is noted in every node.
Node parse(std::string_view text, const std::string& name, bool from_command_line);

}  // namespace lockcast::yaml
