#pragma once
// What a fit found lies beside the hand-written file it belongs to: NAME.fitted.yaml beside NAME.yaml, be that a
// machine, a workload, a file it includes, or a scenario (for its rig). Only value and interval of parameters that are
// there are replaced; ranges never change, and an overlay whose prior is no longer what the file says is refused rather
// than applied to something else.
//
//   schema: lockcast/fitted/1
//   of: opteron-6128-32            # the stem of the file
//   study: calibrate-2011
//   date: 2026-12-01
//   data: "20 calibrate rows of procarray"
//   parameters:
//     cpu.work_scale: {value: 1.41, interval: [1.36, 1.46], prior: 1.5}

#include "sim/yaml/document.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace lockcast::yaml {

inline constexpr std::string_view overlay_schema = "lockcast/fitted/1";
inline constexpr std::string_view overlay_ending = ".fitted.yaml";

struct OverlayValue {
  std::string path;
  Mark mark;  // of the path
  Node value;
  Node interval;  // null: as wide as the range
  Node prior;     // null: whatever the file says
};

struct Overlay {
  std::string source;  // what the parameter's reference will begin with
  std::vector<OverlayValue> values;
};

struct Overlays {
  bool beside = true;  // those on disk are loaded
  // By overlay_key: takes the place of what lies beside that file.
  std::map<std::string, Overlay> instead{};
};

// Equal for equal files, however their paths are written.
std::string overlay_key(const std::string& path);
// Where the overlay of a file lies. `path` ends in .yaml.
std::string overlay_path(const std::string& path);

Overlay read_overlay(const Node& document);
// Fails where an overlay names what is not there or leaves a range.
void apply_overlay(Node& document, const Overlay& overlay);

// How many values of a document come from which overlay files.
std::map<std::string, int> overlaid_values(const Node& document);

// parse_file, and what is laid over that file.
Node parse_file(const std::string& path, const Overlays& overlays);

}  // namespace lockcast::yaml
