// A parameter is any map with a `value` key; a value put there with --set has lost its provenance and says so.

#include "sim/report/show.hpp"
#include "sim/report/text_table.hpp"

namespace lockcast {

namespace {

// References are shown whole: a cut source cannot be looked up.
constexpr std::size_t unlimited = 100'000;
// Longer plain texts stand in the last column.
constexpr std::size_t value_columns_max = 24;

std::string flow(const yaml::Node* node) {
  if (node == nullptr) { return ""; }
  if (node->kind == yaml::Node::Kind::scalar) { return node->text; }
  std::string text;
  for (const yaml::Node& item : node->items) { text.append(text.empty() ? "" : ", ").append(flow(&item)); }
  for (const yaml::Entry& entry : node->entries) {
    text.append(text.empty() ? "" : ", ").append(entry.key).append(": ").append(flow(&entry.value));
  }
  return node->kind == yaml::Node::Kind::map ? "{" + text + "}" : "[" + text + "]";
}

// A matrix is shown row by row.
bool is_matrix(const yaml::Node& node) {
  return node.kind == yaml::Node::Kind::sequence && !node.items.empty() &&
         node.items.front().kind == yaml::Node::Kind::sequence;
}

void add_rows(TextTable& table, const yaml::Node& node, const std::string& path) {
  if (is_matrix(node)) {
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      add_rows(table, node.items[i], path + "." + std::to_string(i));
    }
    return;
  }
  if (node.kind != yaml::Node::Kind::map || node.entries.empty()) {
    const std::string text = flow(&node);
    const bool is_prose = text.size() > value_columns_max;
    table.row({path, is_prose ? "" : text, "", "", node.from_command_line ? "set" : "", is_prose ? text : ""});
    return;
  }
  if (const yaml::Node* value = node.find("value")) {
    const bool set = value->from_command_line;
    table.row({path, flow(value), set ? "" : flow(node.find("interval")), set ? "" : flow(node.find("range")),
               set ? "set" : flow(node.find("origin")), set ? "" : flow(node.find("reference"))});
    return;
  }
  for (const yaml::Entry& entry : node.entries) {
    add_rows(table, entry.value, path.empty() ? entry.key : path + "." + entry.key);
  }
}

}  // namespace

std::string parameters_text(const yaml::Node& tree) {
  TextTable table({{"parameter", Align::left},
                   {"value"},
                   {"interval", Align::left},
                   {"range", Align::left},
                   {"origin", Align::left},
                   {"reference", Align::left}});
  add_rows(table, tree, "");
  return table.text(false, 0, unlimited);
}

}  // namespace lockcast
