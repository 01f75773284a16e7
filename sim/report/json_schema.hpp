#pragma once
// Key tables as JSON Schema, draft-07, for editors and other programs. It says of every value by itself what the reader
// would say; what takes two values, or another file, is said by `lockcast check` only.

#include "sim/yaml/keys.hpp"

#include <span>
#include <string>

namespace lockcast {

// Of a file that is one of `files`, told apart by their key `schema`.
std::string json_schema(const std::string& title, std::span<const yaml::KeyTable* const> files);

}  // namespace lockcast
