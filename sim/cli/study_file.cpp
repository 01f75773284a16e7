#include "sim/cli/study_file.hpp"

#include "models/check.hpp"
#include "sim/cli/catalog.hpp"
#include "sim/yaml/reader.hpp"

#include <array>
#include <filesystem>

namespace lockcast {

namespace {

namespace fs = std::filesystem;

std::string scenario_path(const yaml::Node& node) {
  const std::string text = yaml::read_string(node, "scenario");
  const fs::path path = (fs::path(*node.mark.file).parent_path() / text).lexically_normal();
  std::error_code error;
  if (!fs::is_regular_file(path, error)) {
    yaml::fail(node.mark, "there is no scenario " + yaml::quote(path.string()), "a path beside this file");
  }
  return path.string();
}

// A scalar, or a list of them.
std::vector<std::string> texts_of(const yaml::Node& node, std::string_view what) {
  if (node.kind == yaml::Node::Kind::scalar) { return {node.text}; }
  if (node.kind != yaml::Node::Kind::sequence || node.items.empty()) {
    yaml::fail(node.mark, std::string(what) + " is neither a value nor a list of them", "8 or [8, 16]");
  }
  std::vector<std::string> texts;
  for (const yaml::Node& item : node.items) {
    if (item.kind != yaml::Node::Kind::scalar) {
      yaml::fail(item.mark, "an item of " + std::string(what) + " is not a value", "8 or 20 ns");
    }
    texts.push_back(item.text);
  }
  return texts;
}

std::vector<std::string> assignments_of(const yaml::Node& node, std::string_view what) {
  if (node.kind != yaml::Node::Kind::map) {
    yaml::fail(node.mark, std::string(what) + " is not a map", "{machine.cpu.poll: 8 ns}");
  }
  std::vector<std::string> texts;
  for (const yaml::Entry& entry : node.entries) {
    std::string values;
    for (const std::string& text : texts_of(entry.value, entry.key)) {
      values.append(values.empty() ? "" : ",").append(text);
    }
    texts.push_back(entry.key + "=" + values);
  }
  return texts;
}

struct Key {
  std::string_view name;
  std::string_view option;
  bool of_sweep;
  bool of_whatif;
};
constexpr std::array keys{Key{"tables", "tables", true, true},   Key{"variants", "variant", true, true},
                          Key{"scales", "scale", true, true},    Key{"clients", "clients", true, true},
                          Key{"machine", "machine", true, true}, Key{"cores", "cores", false, true},
                          Key{"lock", "lock", false, true},      Key{"free", "free", false, true},
                          Key{"warmup", "warmup", true, true},   Key{"measure", "measure", true, true},
                          Key{"seed", "seed", true, true},       Key{"precision", "precision", true, true}};

}  // namespace

StudyFile read_study(const yaml::Node& document) {
  yaml::MapReader map(document, "study file");
  constexpr std::array<std::string_view, 1> schemas{"lockcast/study/1"};
  constexpr std::array<std::string_view, 2> verbs{"sweep", "whatif"};
  yaml::read_choice(map.required("schema"), "schema", schemas);
  yaml::read_name(map.required("name"), "name");
  yaml::read_string(map.required("question"), "question");
  StudyFile study;
  study.verb = verbs[yaml::read_choice(map.required("verb"), "verb", verbs)];
  const bool is_sweep = study.verb == "sweep";
  if (const yaml::Node* many = is_sweep ? map.optional("scenarios") : nullptr) {
    for (const yaml::Node& one : yaml::read_sequence(*many, "scenarios")) {
      study.scenarios.push_back(scenario_path(one));
    }
    if (study.scenarios.empty()) { yaml::fail(many->mark, "no scenario", "at least one"); }
  } else {
    study.scenarios.push_back(scenario_path(map.required("scenario")));
  }
  for (const Key& key : keys) {
    if (!(is_sweep ? key.of_sweep : key.of_whatif)) { continue; }
    if (const yaml::Node* node = map.optional(key.name)) {
      study.options[std::string(key.option)] = texts_of(*node, key.name);
    }
  }
  if (const yaml::Node* set = map.optional("set")) { study.options["set"] = assignments_of(*set, "set"); }
  if (const yaml::Node* axes = is_sweep ? map.optional("sweep") : nullptr) {
    study.options["sweep"] = assignments_of(*axes, "sweep");
  }
  map.finish();
  return study;
}

void take_study(Arguments& given, const std::string& verb) {
  if (given.operands().size() != 1) { return; }
  std::error_code error;
  std::string path;
  for (const CatalogEntry& entry : catalog()) {
    if (entry.kind == FileKind::study && entry.name == given.operands().front()) { path = entry.path; }
  }
  for (const std::string& folder : data_folders()) {
    const fs::path at =
        folder == "." ? fs::path(given.operands().front()) : folder / fs::path(given.operands().front());
    if (path.empty() && fs::is_regular_file(at, error)) { path = at.string(); }
  }
  if (path.empty()) { return; }  // a scenario's name, a folder, or nothing: others say so
  const yaml::Node document = yaml::parse_file(path);
  if (kind_of(document) != FileKind::study) { return; }
  StudyFile study = read_study(document);
  if (study.verb != verb) {
    throw InputError(yaml::quote(path) + " is a study for 'lockcast " + study.verb + "'", ExitCode::usage);
  }
  given.replace_operands(std::move(study.scenarios));
  for (auto& [option, values] : study.options) { given.add_default(option, std::move(values)); }
}

}  // namespace lockcast
