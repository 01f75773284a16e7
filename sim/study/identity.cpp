// Names are UUIDs of version 5, which are the first 122 bits of a SHA-1. A parameter's reference and range are part of
// its document too: a machine file that says something else is another machine file.

#include "sim/study/identity.hpp"

#include "models/check.hpp"
#include "sim/run/tree.hpp"

#include <boost/uuid/name_generator_sha1.hpp>
#include <boost/uuid/string_generator.hpp>
#include <boost/uuid/uuid_io.hpp>
#include <nlohmann/json.hpp>

namespace lockcast {

namespace {

using Json = nlohmann::ordered_json;

std::string name_of(const std::string& text) {
  static const boost::uuids::uuid ours = boost::uuids::string_generator()("0d7b2c9a-6f0e-4c55-9e0b-5f4c8f1f7a10");
  return boost::uuids::to_string(boost::uuids::name_generator_sha1(ours)(text));
}

Document document_of(const yaml::Node& tree) {
  std::string text = to_json(tree).dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string key = name_of(text);
  return {std::move(key), std::move(text)};
}

}  // namespace

Identity identify(const PointTask& task, const PredictOptions& o, const std::string& program,
                  const std::string& settings) {
  const Scenario& s = *task.scenario;
  CHECK(s.free_locks.empty() && !s.machine.coherence.free, "what is free is not in the documents");
  Identity identity;
  identity.machine = document_of(s.machine_tree);
  identity.workload = document_of(s.workload_at(task.point));
  const yaml::Node* rig = s.scenario_tree.find("rig");
  Json configuration{{"program", program},
                     {"scenario", s.name},
                     {"series", s.series},
                     {"machine", {{"name", s.machine.name}, {"document", identity.machine.key}}},
                     {"workload", {{"name", s.workload}, {"document", identity.workload.key}}},
                     {"rig", rig != nullptr ? to_json(*rig) : Json(nullptr)},
                     {"tables", task.point.tables},
                     {"scale", task.point.scale},
                     {"variant", task.point.variant},
                     {"clients", task.point.clients},
                     {"seed", o.seed},
                     {"warmup_ps", o.warmup.count()},
                     {"measure_ps", o.measured.count()},
                     {"messages", task.messages == Messages::inner ? "inner" : "full"},
                     {"kernel", kernel_names[static_cast<std::size_t>(o.kernel)]},
                     {"precision", o.precision},
                     {"replications", {o.replications_min, o.replications_disagreeing, o.replications_max}}};
  if (!settings.empty()) { configuration["settings"] = settings; }
  identity.configuration = configuration.dump(-1, ' ', false, Json::error_handler_t::replace);
  identity.key = name_of(identity.configuration);
  return identity;
}

std::vector<std::string> differences(const std::string& a, const std::string& b) {
  const Json left = Json::parse(a);
  const Json right = Json::parse(b);
  std::vector<std::string> keys;
  for (const auto& [key, value] : left.items()) {
    if (!right.contains(key) || right.at(key) != value) { keys.push_back(key); }
  }
  for (const auto& [key, value] : right.items()) {
    if (!left.contains(key)) { keys.push_back(key); }
  }
  return keys;
}

}  // namespace lockcast
