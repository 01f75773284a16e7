// Inclusion is a union of maps in the order of the files: first what is included, then the file's own, so that adding
// to a file moves nothing that was there.

#include "sim/workload/library.hpp"

#include "sim/workload/language.hpp"
#include "sim/yaml/reader.hpp"

#include <algorithm>
#include <filesystem>
#include <vector>

namespace lockcast {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view workload_schema = "lockcast/workload/1";
constexpr std::string_view include_schema = "lockcast/include/1";
constexpr std::array<std::string_view, 2> difference_keys{"variants", "tables"};
// Maps whose entries may come from several files; anything else has one place.
constexpr std::array<std::string_view, 10> shared_maps{"constants", "lines",      "locks",     "slru",     "wal",
                                                       "versions",  "procedures", "processes", "variants", "tables"};

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
    if (is_workload) { name = map.name("workload"); }
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
  std::vector<std::string> being_read_;
  std::vector<std::string> included_;
};

}  // namespace

Library read_library(const yaml::Node& document, const yaml::Overlays& overlays) {
  Reader reader(document.mark, overlays);
  Library library;
  library.name = reader.read(document, workload_schema);
  library.workload = reader.all().part(workload_keys);
  library.variants = reader.all().value("variants");
  library.tables = reader.all().value("tables");
  return library;
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
