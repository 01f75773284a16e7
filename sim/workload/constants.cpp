// Looking up $names.

#include "sim/workload/constants.hpp"

#include "models/check.hpp"

namespace lockcast {

namespace {

void check(const yaml::MapReader::Field& field, yaml::Form form) {
  CHECK(field.value.form == form && field.value.may_be_constant, "a key is read as something else than its table says");
}

}  // namespace

Constants::Constants(const yaml::Node* node) {
  if (node == nullptr) { return; }
  if (node->kind != yaml::Node::Kind::map) {
    yaml::fail(node->mark, "constants must be a map", "NAME: {value: ..., interval: ...}");
  }
  for (const yaml::Entry& entry : node->entries) {
    constants_.emplace(entry.key, Constant{&entry.value, entry.mark, false});
  }
}

const yaml::Node* Constants::find(const yaml::Node& node) const {
  if (node.kind != yaml::Node::Kind::scalar || node.text.empty() || node.text.front() != '$') { return nullptr; }
  const auto name = std::string_view(node.text).substr(1);
  const auto found = constants_.find(name);
  if (found == constants_.end()) {
    std::vector<std::string_view> known;
    for (const auto& [key, constant] : constants_) { known.push_back(key); }
    yaml::fail(node.mark, "unknown constant '" + node.text + "'", "a name declared under constants",
               did_you_mean(name, known));
  }
  found->second.used = true;
  return found->second.value;
}

Picos Constants::duration(const yaml::Node& node, std::string_view what) const {
  const yaml::Node* constant = find(node);
  return constant != nullptr ? yaml::read_duration_parameter(*constant, what).value : yaml::read_duration(node, what);
}

double Constants::ratio(const yaml::Node& node, std::string_view what, double low, double high) const {
  const yaml::Node* constant = find(node);
  return constant != nullptr ? yaml::read_ratio_parameter(*constant, what, low, high).value
                             : yaml::read_ratio(node, what, low, high);
}

std::int64_t Constants::count(const yaml::Node& node, std::string_view what, std::int64_t low,
                              std::int64_t high) const {
  const yaml::Node* constant = find(node);
  return constant != nullptr ? yaml::read_count_parameter(*constant, what, low, high).value
                             : yaml::read_count(node, what, low, high);
}

Picos Constants::duration(const yaml::MapReader::Field& field) const {
  check(field, yaml::Form::duration);
  return duration(field.node, field.what);
}

double Constants::ratio(const yaml::MapReader::Field& field) const {
  check(field, yaml::Form::ratio);
  return ratio(field.node, field.what, field.value.low_ratio, field.value.high_ratio);
}

std::int64_t Constants::count(const yaml::MapReader::Field& field) const {
  check(field, yaml::Form::count);
  return count(field.node, field.what, field.value.low, field.value.high);
}

std::int64_t Constants::size(const yaml::Node& node, std::string_view what, std::int64_t high, std::uint32_t clients,
                             std::uint32_t connections) const {
  if (node.kind == yaml::Node::Kind::scalar && !node.quoted) {
    if (node.text == "clients") { return clients; }
    if (node.text == "connections") { return connections; }
  }
  return count(node, what, 1, high);
}

void Constants::finish() const {
  for (const auto& [name, constant] : constants_) {
    if (!constant.used) {
      yaml::fail(constant.mark, "constant '" + name + "' is never used",
                 "a constant that some operation refers to as $" + name);
    }
  }
}

}  // namespace lockcast
