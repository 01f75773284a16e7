// Inclusion is a union of maps in the order of the files: first what is included, then the file's own, so that adding
// to a file moves nothing that was there. A base is merged, as a scenario is with its library.

#include "sim/workload/library.hpp"

#include "sim/workload/language.hpp"
#include "sim/yaml/reader.hpp"

#include <algorithm>
#include <filesystem>
#include <span>
#include <utility>
#include <vector>

namespace lockcast {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view workload_schema = "lockcast/workload/1";
constexpr std::string_view include_schema = "lockcast/include/1";
constexpr std::array<std::string_view, 2> difference_keys{"variants", "tables"};
// Maps whose entries may come from several files; anything else has one place.
constexpr std::array<std::string_view, 11> shared_maps{"constants", "lines",    "locks",      "slru",
                                                       "wal",       "versions", "procedures", "extend",
                                                       "processes", "variants", "tables"};
// Of these a library may say that it has some of its base's entries no more.
constexpr auto removable_maps = std::span(shared_maps).first(shared_maps.size() - difference_keys.size());

template <class Names>
bool contains(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

yaml::Node empty_map(const yaml::Mark& mark) {
  yaml::Node node;
  node.kind = yaml::Node::Kind::map;
  node.mark = mark;
  return node;
}

class Union {
 public:
  explicit Union(const yaml::Mark& mark) : all_(empty_map(mark)) {}

  void add(const yaml::Entry& entry) {
    yaml::Node* known = all_.find(entry.key);
    if (known == nullptr) {
      all_.entries.push_back(entry);
      return;
    }
    if (!contains(shared_maps, entry.key)) { fail_twice(entry, known->mark); }
    if (known->kind != yaml::Node::Kind::map || entry.value.kind != yaml::Node::Kind::map) {
      yaml::fail(entry.value.mark, entry.key + " must be a map", "NAME: {...}");
    }
    for (const yaml::Entry& one : entry.value.entries) {
      const auto same = std::find_if(known->entries.begin(), known->entries.end(),
                                     [&](const yaml::Entry& other) { return other.key == one.key; });
      if (same != known->entries.end()) { fail_twice(one, same->mark); }
      known->entries.push_back(one);
    }
  }

  // The entries with these keys, in the order of the keys.
  template <class Keys>
  [[nodiscard]] yaml::Node part(const Keys& keys) const {
    yaml::Node result = empty_map(all_.mark);
    for (const std::string_view key : keys) {
      const auto found = std::find_if(all_.entries.begin(), all_.entries.end(),
                                      [&](const yaml::Entry& entry) { return entry.key == key; });
      if (found != all_.entries.end()) { result.entries.push_back(*found); }
    }
    return result;
  }
  [[nodiscard]] yaml::Node value(std::string_view key) const {
    const yaml::Node* found = all_.find(key);
    return found != nullptr ? *found : yaml::Node{};
  }

 private:
  [[noreturn]] static void fail_twice(const yaml::Entry& entry, const yaml::Mark& first) {
    yaml::fail(entry.mark, "'" + entry.key + "' is already defined at " + to_string(first),
               "another name, or a difference in a variant");
  }

  yaml::Node all_;
};

class Reader {
 public:
  Reader(const yaml::Mark& mark, const yaml::Overlays& overlays) : all_(mark), overlays_(overlays) {}

  std::string read(const yaml::Node& document, std::string_view schema) {
    const bool is_workload = schema == workload_schema;
    yaml::MapReader map(document, is_workload ? workload_file_table : include_file_table);
    map.choice("schema");
    std::string name;
    if (is_workload) {
      name = map.name("workload");
      base_ = map.optional("base");
    }
    map.text("summary");
    if (const yaml::Node* files = map.optional("include")) { include(*files, *document.mark.file); }
    for (const std::string_view key : workload_keys) {
      if (is_workload || key != "transaction") { map.optional(key); }
    }
    for (const std::string_view key : difference_keys) {
      if (const yaml::Node* node = map.optional(key)) { check_differences(*node, key); }
    }
    map.finish();
    for (const yaml::Entry& entry : document.entries) {
      if (contains(workload_keys, entry.key) || contains(difference_keys, entry.key)) { all_.add(entry); }
    }
    return name;
  }

  [[nodiscard]] const Union& all() const { return all_; }
  // Null when the library stands by itself.
  [[nodiscard]] const yaml::Node* base() const { return base_; }

 private:
  void include(const yaml::Node& files, const std::string& from) {
    being_read_.push_back(fs::path(from).lexically_normal().string());
    for (const yaml::Node& node : yaml::read_sequence(files, "include")) {
      const std::string text = yaml::read_string(node, "file to include");
      const std::string path = (fs::path(from).parent_path() / text).lexically_normal().string();
      if (contains(being_read_, path)) {
        std::string cycle;
        for (const std::string& file : being_read_) { cycle += file + " -> "; }
        yaml::fail(node.mark, "files include each other in a cycle: " + cycle + path, "files that end");
      }
      if (contains(included_, path)) { yaml::fail(node.mark, "'" + text + "' is included twice", "each file once"); }
      std::error_code error;
      if (!fs::exists(path, error)) {
        yaml::fail(node.mark, "there is no file '" + path + "' to include", "a path beside this file");
      }
      included_.push_back(path);
      read(yaml::parse_file(path, overlays_), include_schema);
    }
    being_read_.pop_back();
  }

  Union all_;
  const yaml::Overlays& overlays_;
  const yaml::Node* base_ = nullptr;
  std::vector<std::string> being_read_;
  std::vector<std::string> included_;
};

// without: {locks: [NAME, ...], constants: [NAME, ...]}
void remove_named(yaml::Node& workload, const yaml::Node& without) {
  yaml::MapReader map(without, without_table);
  for (const std::string_view key : removable_maps) {
    const yaml::Node* names = map.optional(key);
    if (names == nullptr) { continue; }
    yaml::Node* all = workload.find(key);
    for (const yaml::Node& item : yaml::read_sequence(*names, key)) {
      const std::string name = yaml::read_name(item, key);
      if (all == nullptr || all->find(name) == nullptr) {
        std::vector<std::string_view> known;
        if (all != nullptr) {
          for (const yaml::Entry& entry : all->entries) { known.push_back(entry.key); }
        }
        yaml::fail(item.mark, "the base has no '" + name + "' among its " + std::string(key), "a name it defines",
                   did_you_mean(name, known));
      }
      std::erase_if(all->entries, [&](const yaml::Entry& entry) { return entry.key == name; });
    }
  }
  map.finish();
}

// The differences on offer: the base's that were chosen, then the library's own.
yaml::Node joined_variants(yaml::Node chosen, const yaml::Node& own) {
  if (chosen.kind == yaml::Node::Kind::null) { return own; }
  for (const yaml::Entry& entry : own.entries) {
    if (chosen.find(entry.key) != nullptr) {
      yaml::fail(entry.mark, "'" + entry.key + "' is already a variant that 'base' takes over",
                 "another name, or not to take it over");
    }
    chosen.entries.push_back(entry);
  }
  return chosen;
}

// `chain`: the libraries being read, each the base of the one before.
Library read_derived(const yaml::Node& document, const yaml::Overlays& overlays, std::vector<std::string> chain);

Library over_base(Library own, const yaml::Node& node, const yaml::Overlays& overlays,
                  const std::vector<std::string>& chain) {
  yaml::MapReader map(node, base_table);
  const yaml::Node& file = map.required("file");
  const std::string text = map.text("file");
  const std::string path = (fs::path(*file.mark.file).parent_path() / text).lexically_normal().string();
  const yaml::Node* with = map.optional("with");
  const yaml::Node* without = map.optional("without");
  const yaml::Node* variants = map.optional("variants");
  map.finish();
  if (contains(chain, path)) {
    std::string cycle;
    for (const std::string& one : chain) { cycle += one + " -> "; }
    yaml::fail(file.mark, "libraries are each other's base in a cycle: " + cycle + path, "a library without a base");
  }
  std::error_code error;
  if (!fs::exists(path, error)) {
    yaml::fail(file.mark, "there is no file '" + path + "' to be the base", "a path beside this file");
  }
  Library library = read_derived(yaml::parse_file(path, overlays), overlays, chain);
  library.name = own.name;
  if (with != nullptr) {
    yaml::read_sequence(*with, "with");
    const yaml::Node differences = chosen_differences(with, "variants", library.variants);
    for (const yaml::Entry& entry : differences.entries) { yaml::merge(library.workload, entry.value); }
  }
  if (without != nullptr) { remove_named(library.workload, *without); }
  yaml::merge(library.workload, own.workload);
  if (variants != nullptr) { yaml::read_sequence(*variants, "variants"); }
  library.variants = joined_variants(chosen_differences(variants, "variants", library.variants), own.variants);
  if (own.tables.kind != yaml::Node::Kind::null) { yaml::merge(library.tables, own.tables); }
  return library;
}

Library read_derived(const yaml::Node& document, const yaml::Overlays& overlays, std::vector<std::string> chain) {
  Reader reader(document.mark, overlays);
  Library library;
  library.name = reader.read(document, workload_schema);
  library.workload = reader.all().part(workload_keys);
  library.variants = reader.all().value("variants");
  library.tables = reader.all().value("tables");
  if (reader.base() == nullptr) { return library; }
  chain.push_back(fs::path(*document.mark.file).lexically_normal().string());
  return over_base(std::move(library), *reader.base(), overlays, chain);
}

}  // namespace

Library read_library(const yaml::Node& document, const yaml::Overlays& overlays) {
  return read_derived(document, overlays, {});
}

void check_include(const yaml::Node& document) {
  const yaml::Overlays none{.beside = false};
  Reader(document.mark, none).read(document, include_schema);
}

void check_differences(const yaml::Node& node, std::string_view what) {
  if (node.kind != yaml::Node::Kind::map || node.entries.empty()) {
    yaml::fail(node.mark, std::string(what) + " must be a map", "NAME: {what differs}");
  }
  for (const yaml::Entry& entry : node.entries) {
    if (entry.value.kind != yaml::Node::Kind::map) {
      yaml::fail(entry.value.mark, "a difference must be a map", "{} or {spin: tas}");
    }
    for (const yaml::Entry& change : entry.value.entries) {
      if (!contains(workload_keys, change.key)) {
        yaml::fail(change.mark, "unknown key '" + change.key + "' in '" + entry.key + "'", "a key of a workload",
                   did_you_mean(change.key, {workload_keys.begin(), workload_keys.end()}));
      }
    }
  }
}

yaml::Node chosen_differences(const yaml::Node* node, std::string_view what, const yaml::Node& library) {
  if (node == nullptr) { return {}; }
  if (node->kind != yaml::Node::Kind::sequence) {
    check_differences(*node, what);
    return *node;
  }
  std::vector<std::string_view> known;
  for (const yaml::Entry& entry : library.entries) { known.push_back(entry.key); }
  yaml::Node chosen = empty_map(node->mark);
  for (const yaml::Node& item : node->items) {
    const std::string name = yaml::read_name(item, what);
    // A name, or several joined by '+': one laid over the other.
    yaml::Node combined = empty_map(item.mark);
    for (std::size_t begin = 0; begin <= name.size();) {
      const std::size_t end = std::min(name.find('+', begin), name.size());
      const std::string part = name.substr(begin, end - begin);
      const yaml::Node* difference = library.find(part);
      if (difference == nullptr) {
        yaml::fail(item.mark, "'" + part + "' is not among the workload's " + std::string(what),
                   known.empty() ? "a map NAME: {what differs}: the workload has none"
                                 : "a name it defines, or several joined by '+'",
                   did_you_mean(part, known));
      }
      yaml::merge(combined, *difference);
      begin = end + 1;
    }
    if (chosen.find(name) != nullptr) { yaml::fail(item.mark, "'" + name + "' stands here twice", "each name once"); }
    chosen.entries.push_back({name, item.mark, combined});
  }
  if (chosen.entries.empty()) { yaml::fail(node->mark, std::string(what) + " is empty", "at least one name"); }
  return chosen;
}

}  // namespace lockcast
