#pragma once
// A YAML file as a tree that remembers where every part stood. Strict: one document, no duplicate keys, no anchors or
// aliases (an alias can be recursive or grow exponentially, and a scenario never needs one), no tags, valid UTF-8,
// bounded size and depth. Every defect is an InputError "file:line:column: what is wrong; expected ...; did you mean
// ...". This folder is the only user of yaml-cpp.

#include "models/check.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lockcast::yaml {

// Where something stood; line and column count from 1, columns in bytes. A value given with --set carries "--set PATH"
// as its file.
struct Mark {
  std::shared_ptr<const std::string> file;
  int line = 1;
  int column = 1;
};
std::string to_string(const Mark& mark);  // "file:line:column"

struct Entry;

struct Node {
  enum class Kind : std::uint8_t { null, scalar, sequence, map };
  Kind kind = Kind::null;
  bool from_command_line = false;  // came from --set: an experiment, exempt from provenance and range rules
  bool quoted = false;
  std::string text;            // scalar
  std::vector<Node> items;     // sequence
  std::vector<Entry> entries;  // map, in file order
  Mark mark;

  [[nodiscard]] const Node* find(std::string_view key) const;
  [[nodiscard]] Node* find(std::string_view key);
};

struct Entry {
  std::string key;
  Mark mark;
  Node value;
};

// Reads exactly one document. `name` is what error messages call the file.
Node parse_file(const std::string& path);
Node parse_text(std::string_view text, const std::string& name);

// Puts `value` (YAML flow text, e.g. "16", "0 ns", "[1, 2]") at a dotted path below `root`; map keys by name, sequence
// items by number. Where the old value is a parameter map with a `value` key, the whole map is replaced by the scalar.
// The last key need not exist yet (the reader will reject it if it is unknown); every key before it must.
void assign(Node& root, std::string_view path, std::string_view value);

// The node at a dotted path, read as `assign` reads it; `mark` is where somebody wrote the path.
Node& at_path(Node& root, std::string_view path, const Mark& mark);

// Replaces or adds what `patch` (a map) says below `base` (a map), key by key and recursively; anything but two maps
// is replaced.
void merge(Node& base, const Node& patch);

// Throws "file:line:column: what; expected ...; hint" as one line; `hint` is what did_you_mean() gives.
[[noreturn]] void fail(const Mark& mark, std::string_view what, std::string_view expected = {},
                       std::string_view hint = {});

// 'text' as a message may show it: in quotes, control characters escaped, cut after 60 characters.
std::string quote(std::string_view text);

}  // namespace lockcast::yaml
