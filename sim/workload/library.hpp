#pragma once
// Workload libraries: a workload that scenarios share, with the differences (variants, tables) it knows of. A library
// may include files of procedures, locks and lines that other libraries include too. What is included is added, never
// overridden: a name defined twice is an error, because a change of somebody else's procedure belongs in a variant.
// A library may also be the difference to another one, its base, as one version of a program is to the one before:
//
//   base:
//     file: ../9.2/tpcb.yaml
//     with: [pgproc-split]           # differences of the base that are part of this library
//     without: {locks: [info_lck]}   # what is no more
//     variants: [prepared]           # differences of the base that are still on offer
//
// Everything else that this library says, itself or in what it includes, is then laid over that, key by key.

#include "sim/yaml/document.hpp"
#include "sim/yaml/overlay.hpp"

#include <array>
#include <string>
#include <string_view>

namespace lockcast {

// What a workload consists of; a scenario may say any of it itself.
inline constexpr std::array<std::string_view, 12> workload_keys{"spin",       "constants", "lines",     "locks",
                                                                "waiter",     "slru",      "wal",       "versions",
                                                                "procedures", "extend",    "processes", "transaction"};

struct Library {
  std::string name;
  yaml::Node workload;  // a map with some of the workload keys, inclusions resolved
  yaml::Node variants;  // maps of differences; null when there are none
  yaml::Node tables;
};

// `overlays` are for the files it includes: the document is read already.
Library read_library(const yaml::Node& document, const yaml::Overlays& overlays = {});
// A file for inclusion, as far as it can be judged alone: what its steps mean depends on who includes it.
void check_include(const yaml::Node& document);

// A map NAME: {difference}, of which every difference is a map of workload keys.
void check_differences(const yaml::Node& node, std::string_view what);
// What a scenario says: such a map of its own, or a list of names from the library's. Null stays null.
yaml::Node chosen_differences(const yaml::Node* node, std::string_view what, const yaml::Node& library);

}  // namespace lockcast
