// JSON has no units, so only what is a number without one becomes a number.

#include "sim/run/tree.hpp"

#include <nlohmann/json.hpp>

#include <charconv>

namespace lockcast {

namespace {

using OrderedJson = nlohmann::ordered_json;

template <class Number>
bool reads_as(const std::string& text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

OrderedJson scalar(const yaml::Node& node) {
  const bool starts_like_a_number =
      !node.text.empty() && std::string_view("-0123456789").find(node.text.front()) != std::string_view::npos;
  if (node.quoted || !starts_like_a_number) { return node.text; }
  if (std::int64_t whole = 0; reads_as(node.text, whole)) { return whole; }
  if (double decimal = 0; reads_as(node.text, decimal)) { return decimal; }
  return node.text;
}

}  // namespace

OrderedJson to_json(const yaml::Node& node) {
  switch (node.kind) {
    case yaml::Node::Kind::null: return nullptr;
    case yaml::Node::Kind::scalar: return scalar(node);
    case yaml::Node::Kind::sequence: {
      OrderedJson items = OrderedJson::array();
      for (const yaml::Node& item : node.items) { items.push_back(to_json(item)); }
      return items;
    }
    case yaml::Node::Kind::map: break;
  }
  OrderedJson entries = OrderedJson::object();
  for (const yaml::Entry& entry : node.entries) { entries[entry.key] = to_json(entry.value); }
  return entries;
}

}  // namespace lockcast
