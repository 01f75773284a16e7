// Scenarios are known by the name they give themselves, machines by the name of their file, because that is how a
// scenario refers to one.

#include "sim/cli/catalog.hpp"

#include "models/check.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

namespace lockcast {

namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 7> schemas{"lockcast/machine/1",  "lockcast/workload/1",    "lockcast/include/1",
                                                  "lockcast/scenario/1", "lockcast/calibration/1", "lockcast/fitted/1",
                                                  "lockcast/study/1"};
constexpr std::array<std::string_view, 7> kind_names{"machine",     "workload", "include file", "scenario",
                                                     "calibration", "overlay",  "study"};

std::string any_of_kinds(const std::vector<FileKind>& kinds) {
  std::string text;
  for (const FileKind kind : kinds) {
    text.append(text.empty() ? "" : " or ").append(kind_names[static_cast<std::size_t>(kind)]);
  }
  return text;
}

bool contains(const std::vector<FileKind>& kinds, FileKind kind) {
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

// PREFIX/share/lockcast of a program in PREFIX/bin; the source tree of one that was not installed.
std::string own_data_folder() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path installed = program.parent_path().parent_path() / "share" / "lockcast";
  return !error && fs::is_directory(installed / "machines", error) ? installed.string() : LOCKCAST_SOURCE_DIR;
}

std::vector<CatalogEntry> read_catalog() {
  std::vector<CatalogEntry> entries;
  for (const std::string& folder : data_folders()) {
    for (const char* part : {"machines", "scenarios"}) {
      for (const std::string& path : yaml_files_below((fs::path(folder) / part).string())) {
        try {
          CatalogEntry entry;
          entry.document = yaml::parse_file(path);
          entry.kind = kind_of(entry.document);
          entry.path = path;
          entry.name =
              entry.kind == FileKind::machine ? fs::path(path).stem().string() : text_of(entry.document, "name");
          if (entry.kind == FileKind::machine || entry.kind == FileKind::scenario ||
              entry.kind == FileKind::calibration || entry.kind == FileKind::study) {
            entries.push_back(std::move(entry));
          }
        } catch (const InputError&) {  // one broken file must not hide the others
        }
      }
    }
  }
  // The folders are in order of preference, and a name found twice is the first one's.
  std::stable_sort(entries.begin(), entries.end(), [](const CatalogEntry& a, const CatalogEntry& b) {
    return std::pair(a.kind, a.name) < std::pair(b.kind, b.name);
  });
  const auto same = [](const CatalogEntry& a, const CatalogEntry& b) { return a.kind == b.kind && a.name == b.name; };
  entries.erase(std::unique(entries.begin(), entries.end(), same), entries.end());
  return entries;
}

}  // namespace

const std::vector<std::string>& data_folders() {
  static const std::vector<std::string> folders = [] {
    std::vector<std::string> result{"."};
    const std::string own = own_data_folder();
    std::error_code error;
    if (!fs::equivalent(".", own, error)) { result.emplace_back(own); }
    return result;
  }();
  return folders;
}

FileKind kind_of(const yaml::Node& document) {
  constexpr std::string_view expected =
      "lockcast/machine/1, lockcast/workload/1, lockcast/include/1, lockcast/scenario/1, lockcast/calibration/1, "
      "lockcast/fitted/1 or lockcast/study/1";
  if (document.kind != yaml::Node::Kind::map) {
    yaml::fail(document.mark, "the file is not a map", "a map of keys to values");
  }
  const yaml::Node* schema = document.find("schema");
  if (schema == nullptr) { yaml::fail(document.mark, "missing key 'schema'", expected); }
  const auto found = std::find(schemas.begin(), schemas.end(), schema->text);
  if (schema->kind != yaml::Node::Kind::scalar || found == schemas.end()) {
    yaml::fail(schema->mark, "unknown schema " + yaml::quote(schema->text), expected,
               did_you_mean(schema->text, {schemas.begin(), schemas.end()}));
  }
  return static_cast<FileKind>(found - schemas.begin());
}

std::vector<std::string> yaml_files_below(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  const auto options = fs::directory_options::skip_permission_denied;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder, options, error)) {
    if (entry.is_regular_file(error) && entry.path().extension() == ".yaml") {
      files.push_back(entry.path().lexically_normal().string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

const std::vector<CatalogEntry>& catalog() {
  static const std::vector<CatalogEntry> entries = read_catalog();
  return entries;
}

std::string find_file(const std::string& name_or_path, const std::vector<FileKind>& kinds) {
  std::error_code error;
  for (const std::string& folder : data_folders()) {
    const fs::path path = folder == "." ? fs::path(name_or_path) : fs::path(folder) / name_or_path;
    if (!name_or_path.empty() && fs::exists(path, error) && !fs::is_directory(path, error)) { return path.string(); }
  }
  std::vector<std::string> known;
  for (const CatalogEntry& entry : catalog()) {
    if (!contains(kinds, entry.kind)) { continue; }
    if (entry.name == name_or_path) { return entry.path; }
    known.push_back(entry.name);
    known.push_back(entry.path);
  }
  throw InputError("no " + any_of_kinds(kinds) + " " + yaml::quote(name_or_path) +
                   "; expected a path or a name that 'lockcast list' prints" +
                   did_you_mean(name_or_path, {known.begin(), known.end()}));
}

std::string text_of(const yaml::Node& map, std::string_view key) {
  const yaml::Node* node = map.find(key);
  return node != nullptr && node->kind == yaml::Node::Kind::scalar ? node->text : std::string{};
}

}  // namespace lockcast
