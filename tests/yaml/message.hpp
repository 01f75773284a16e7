#pragma once
// What a reader said about bad input, as data that a table can hold.

#include "models/check.hpp"
#include "sim/yaml/document.hpp"

#include <string>
#include <string_view>

namespace lockcast::yaml {

template <class Action>
std::string message_of(Action&& action) {
  try {
    action();
  } catch (const InputError& error) { return error.what(); }
  return "(accepted)";
}

template <class Action>
ExitCode code_of(Action&& action) {
  try {
    action();
  } catch (const InputError& error) { return error.code(); }
  return ExitCode::ok;
}

inline std::string parse_message(std::string_view text) {
  return message_of([text] { static_cast<void>(parse_text(text, "f")); });
}

// The tree in one line of flow text: quoted scalars in '', nulls as ~.
inline std::string flow(const Node& node) {
  std::string out;
  switch (node.kind) {
    case Node::Kind::null: return "~";
    case Node::Kind::scalar: return node.quoted ? "'" + node.text + "'" : node.text;
    case Node::Kind::sequence:
      for (const Node& item : node.items) { out += (out.empty() ? "" : ", ") + flow(item); }
      return "[" + out + "]";
    case Node::Kind::map: break;
  }
  for (const Entry& entry : node.entries) { out += (out.empty() ? "" : ", ") + entry.key + ": " + flow(entry.value); }
  return "{" + out + "}";
}

// What a table of bad scalars needs: the node that "v: TEXT" gives to key v.
inline Node value_node(std::string_view text) {
  Node root = parse_text("v: " + std::string(text), "f");
  return *root.find("v");
}

struct Case {
  std::string_view text;
  std::string_view message;
};

}  // namespace lockcast::yaml
