#pragma once
// The data files there are: machines/ and scenarios/ below the current directory, and beside the installed
// program or in the source tree.

#include "sim/yaml/document.hpp"

#include <string>
#include <vector>

namespace lockcast {

// Where machines/ and scenarios/ are looked for, each folder once.
const std::vector<std::string>& data_folders();

enum class FileKind : unsigned char { machine, workload, include, scenario, calibration, overlay, study };

// What a document says it is; fails when its `schema` is missing or none of ours.
FileKind kind_of(const yaml::Node& document);

// All *.yaml below `folder`, sorted.
std::vector<std::string> yaml_files_below(const std::string& folder);

// A file of the data folders: its path and the text of its keys.
struct CatalogEntry {
  FileKind kind{};
  std::string name;
  std::string path;
  yaml::Node document;
};
// All readable machine, scenario, calibration and study files, by kind and name. Files that cannot be read are left to
// `check`. Read once, when first asked for.
const std::vector<CatalogEntry>& catalog();

// A path, also below a data folder, or a name from the catalog -> the path of a file of one of these kinds.
std::string find_file(const std::string& name_or_path, const std::vector<FileKind>& kinds);

// The text of a scalar key, or "".
std::string text_of(const yaml::Node& map, std::string_view key);

}  // namespace lockcast
