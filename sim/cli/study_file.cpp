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

std::vector<std::string> assignment_texts(const yaml::Node& node, std::string_view what) {
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

namespace form = yaml::form;

constexpr yaml::Value text_form = form::text();
constexpr std::array one_or_more{text_form, form::list(text_form)};
constexpr yaml::Value list_form = form::any_of(one_or_more);
constexpr yaml::Value set_form = form::entries(text_form);
constexpr yaml::Value axes_form = form::entries(list_form);

// The keys that are options, and the options.
struct OptionKey {
  std::string_view key;
  std::string_view option;
};
constexpr std::array common_options{
    OptionKey{"tables", "tables"},   OptionKey{"variants", "variant"}, OptionKey{"scales", "scale"},
    OptionKey{"clients", "clients"}, OptionKey{"machine", "machine"},  OptionKey{"warmup", "warmup"},
    OptionKey{"measure", "measure"}, OptionKey{"seed", "seed"},        OptionKey{"precision", "precision"}};
constexpr std::array whatif_options{OptionKey{"cores", "cores"}, OptionKey{"lock", "lock"}, OptionKey{"free", "free"}};

constexpr std::array sweep_keys{
    form::optional("scenario", text_form),
    form::optional("scenarios", form::list(text_form)),
    form::optional("sweep", axes_form),
};
constexpr yaml::KeyTable sweep_table{"sweep", sweep_keys};
constexpr std::array whatif_keys{
    form::required("scenario", text_form),
    form::optional("cores", list_form),
    form::optional("lock", list_form),
    form::optional("free", list_form),
};
constexpr yaml::KeyTable whatif_table{"whatif", whatif_keys};
// In the order of study_verbs.
constexpr std::array verb_tables{&sweep_table, &whatif_table};
constexpr std::array<std::string_view, 2> study_verbs{"sweep", "whatif"};
constexpr std::array<std::string_view, 1> study_schemas{"lockcast/study/1"};
constexpr std::array study_keys{
    form::required("schema", form::choice(study_schemas)),
    form::required("name", form::name()),
    form::required("question", form::text()),
    form::required("verb", form::choice(study_verbs)),
    form::optional("tables", list_form),
    form::optional("variants", list_form),
    form::optional("scales", list_form),
    form::optional("clients", list_form),
    form::optional("machine", text_form),
    form::optional("set", set_form),
    form::optional("warmup", text_form),
    form::optional("measure", text_form),
    form::optional("seed", text_form),
    form::optional("precision", text_form),
};

}  // namespace

const yaml::KeyTable study_table{.what = "study file", .keys = study_keys, .by = "verb", .kinds = verb_tables};

StudyFile read_study(const yaml::Node& document) {
  yaml::MapReader map(document, study_table);
  map.choice("schema");
  map.name("name");
  map.text("question");
  StudyFile study;
  const std::size_t verb = map.choice("verb");
  map.also(*verb_tables[verb]);
  study.verb = study_verbs[verb];
  const auto take = [&](std::span<const OptionKey> options) {
    for (const OptionKey& one : options) {
      if (const yaml::Node* node = map.optional(one.key)) {
        study.options[std::string(one.option)] = texts_of(*node, one.key);
      }
    }
  };
  take(common_options);
  if (const yaml::Node* set = map.optional("set")) { study.options["set"] = assignment_texts(*set, "set"); }
  if (study.verb == "whatif") {
    study.scenarios.push_back(scenario_path(map.required("scenario")));
    take(whatif_options);
  } else {
    const yaml::Node* one = map.optional("scenario");
    const yaml::Node* many = map.optional("scenarios");
    if ((one == nullptr) == (many == nullptr)) {
      yaml::fail(document.mark, one == nullptr ? "missing key 'scenario'" : "scenario beside scenarios",
                 "one of the two: a path, or a list of them");
    }
    if (one != nullptr) { study.scenarios.push_back(scenario_path(*one)); }
    if (many != nullptr) {
      for (const yaml::Node& each : yaml::read_sequence(*many, "scenarios")) {
        study.scenarios.push_back(scenario_path(each));
      }
      if (study.scenarios.empty()) { yaml::fail(many->mark, "no scenario", "at least one"); }
    }
    if (const yaml::Node* axes = map.optional("sweep")) { study.options["sweep"] = assignment_texts(*axes, "sweep"); }
  }
  map.finish();
  return study;
}

void take_study(Arguments& given, const std::string& verb) {
  if (given.operands().size() != 1) { return; }
  std::error_code error;
  std::string path;
  for (const std::string& folder : data_folders()) {
    const fs::path at =
        folder == "." ? fs::path(given.operands().front()) : folder / fs::path(given.operands().front());
    if (path.empty() && fs::is_regular_file(at, error)) { path = at.string(); }
  }
  // A file's path needs no catalog, which reads every file there is.
  if (path.empty()) {
    for (const CatalogEntry& entry : catalog()) {
      if (entry.kind == FileKind::study && entry.name == given.operands().front()) { path = entry.path; }
    }
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
