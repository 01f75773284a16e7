// CBOR again. Where a value stood in its file is not sent: what is wrong with a file was found by who read it.

#include "sim/run/errand.hpp"

#include <nlohmann/json.hpp>

namespace lockcast {

namespace {

using Message = nlohmann::json;

Message tree_to_message(const yaml::Node& node) {
  Message message = Message::array({static_cast<int>(node.kind), node.from_command_line, node.quoted});
  switch (node.kind) {
    case yaml::Node::Kind::null: break;
    case yaml::Node::Kind::scalar: message.push_back(node.text); break;
    case yaml::Node::Kind::sequence:
      for (const yaml::Node& item : node.items) { message.push_back(tree_to_message(item)); }
      break;
    case yaml::Node::Kind::map:
      for (const yaml::Entry& entry : node.entries) {
        message.push_back(entry.key);
        message.push_back(tree_to_message(entry.value));
      }
      break;
  }
  return message;
}

yaml::Node node_from(const Message& message) {
  static const yaml::Mark mark{std::make_shared<const std::string>("a point sent by rank 0")};
  yaml::Node node;
  node.mark = mark;
  node.kind = static_cast<yaml::Node::Kind>(message[0].get<int>());
  node.from_command_line = message[1];
  node.quoted = message[2];
  constexpr std::size_t first = 3;
  switch (node.kind) {
    case yaml::Node::Kind::null: break;
    case yaml::Node::Kind::scalar: node.text = message[first]; break;
    case yaml::Node::Kind::sequence:
      for (std::size_t i = first; i < message.size(); ++i) { node.items.push_back(node_from(message[i])); }
      break;
    case yaml::Node::Kind::map:
      for (std::size_t i = first; i < message.size(); i += 2) {
        node.entries.push_back({message[i], mark, node_from(message[i + 1])});
      }
      break;
  }
  return node;
}

}  // namespace

std::vector<std::uint8_t> point_to_bytes(const Scenario& scenario, const Case& point) {
  const PointTrees trees = trees_of(scenario, point);
  return Message::to_cbor(Message::array(
      {tree_to_message(trees.machine), tree_to_message(trees.workload), tree_to_message(trees.rig), point.clients}));
}

SentPoint point_from_bytes(const std::vector<std::uint8_t>& bytes) {
  const Message j = Message::from_cbor(bytes);
  SentPoint sent{scenario_from({node_from(j[0]), node_from(j[1]), node_from(j[2])}), {}};
  sent.point.clients = j[3];  // all else is in the workload's tree
  return sent;
}

std::vector<std::uint8_t> options_to_bytes(const ReplicationOptions& o) {
  CHECK(!o.trace, "a trace is not sent");
  return Message::to_cbor(Message::array({o.seed, o.warmup.count(), o.measured.count(), static_cast<int>(o.messages),
                                          static_cast<int>(o.kernel), o.profile}));
}

ReplicationOptions options_from_bytes(const std::vector<std::uint8_t>& bytes) {
  const Message j = Message::from_cbor(bytes);
  ReplicationOptions o;
  o.seed = j[0];
  o.warmup = Picos{j[1].get<std::int64_t>()};
  o.measured = Picos{j[2].get<std::int64_t>()};
  o.messages = static_cast<Messages>(j[3].get<int>());
  o.kernel = static_cast<KernelKind>(j[4].get<int>());
  o.profile = j[5];
  return o;
}

}  // namespace lockcast
