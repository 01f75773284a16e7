// Everything that can be said about a study without simulating is said here, at its line.

#include "sim/study/calibration_study.hpp"

#include "sim/yaml/reader.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

namespace lockcast {

namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 3> differences{"variants", "tables", "scales"};

std::string beside(const yaml::Node& node, const std::string& path) {
  return fs::path(path).is_absolute() ? path : (fs::path(*node.mark.file).parent_path() / path).lexically_normal().string();
}

std::string existing_file(const yaml::Node& node, std::string_view what) {
  const std::string path = beside(node, yaml::read_string(node, what));
  std::error_code error;
  if (!path.ends_with(".yaml") || path.ends_with(yaml::overlay_ending) || !fs::is_regular_file(path, error)) {
    yaml::fail(node.mark, "there is no " + std::string(what) + " " + yaml::quote(path),
               "a hand-written .yaml file, its path beside this file");
  }
  return path;
}

CalibrationWindow read_window(const yaml::Node& node, std::string_view what) {
  yaml::MapReader map(node, what);
  CalibrationWindow window;
  window.replications =
      static_cast<std::uint32_t>(yaml::read_count(map.required("replications"), "replications", 1, 32));
  window.warmup = yaml::read_duration(map.required("warmup"), "warmup");
  window.measure = yaml::read_duration(map.required("measure"), "measure", Picos{1us});
  map.finish();
  return window;
}

std::vector<double> read_grid(const yaml::Node& node, const FreeEntry& entry) {
  std::vector<double> grid;
  for (const yaml::Node& item : yaml::read_sequence(node, "grid")) {
    const double value = yaml::read_free_value(item, "grid value", entry.prior.quantity);
    if (value < entry.prior.range.low || value > entry.prior.range.high) {
      yaml::fail(item.mark, "grid value " + yaml::quote(item.text) + " leaves the range of " + entry.path,
                 yaml::print_free_value(entry.prior.range.low, entry.prior.quantity) + " to " +
                     yaml::print_free_value(entry.prior.range.high, entry.prior.quantity));
    }
    if (std::find(grid.begin(), grid.end(), value) != grid.end()) {
      yaml::fail(item.mark, "grid value " + yaml::quote(item.text) + " stands here twice", "each once");
    }
    grid.push_back(value);
  }
  if (grid.empty()) { yaml::fail(node.mark, "grid is empty", "values to try such as [8 ns, 12 ns]"); }
  return grid;
}

FreeEntry read_entry(const yaml::Node& node, yaml::Node& document, std::size_t file) {
  FreeEntry entry;
  entry.file = file;
  entry.mark = node.mark;
  const yaml::Node* grid = nullptr;
  if (node.kind == yaml::Node::Kind::map) {
    yaml::MapReader map(node, "free parameter");
    entry.path = yaml::read_string(map.required("path"), "path");
    grid = &map.required("grid");
    map.finish();
  } else {
    entry.path = yaml::read_string(node, "free parameter");
  }
  for (const std::string_view difference : differences) {
    if (entry.path.starts_with(std::string(difference) + ".")) {
      yaml::fail(node.mark, yaml::quote(entry.path) + " belongs to some points only", "a parameter that all share");
    }
  }
  const yaml::Node& parameter = yaml::at_path(document, entry.path, node.mark);
  if (parameter.kind != yaml::Node::Kind::map || parameter.find("value") == nullptr) {
    yaml::fail(node.mark, yaml::quote(entry.path) + " is no parameter", "the path of one with value, interval and range");
  }
  if (parameter.find("range") == nullptr) {
    yaml::fail(node.mark, yaml::quote(entry.path) + " has no range, so it cannot be fitted", "a parameter with a range");
  }
  entry.prior = yaml::read_free_parameter(parameter, entry.path);
  if (!(entry.half_width() > 0)) {
    yaml::fail(node.mark, "the interval of " + yaml::quote(entry.path) + " has no width, so it cannot be fitted",
               "a prior that leaves something open");
  }
  if (grid != nullptr) { entry.grid = read_grid(*grid, entry); }
  return entry;
}

void read_free(const yaml::Node& node, CalibrationStudy& study) {
  for (const yaml::Node& item : yaml::read_sequence(node, "free")) {
    yaml::MapReader map(item, "free file");
    const yaml::Node& file = map.required("file");
    const std::string path = existing_file(file, "file");
    for (const std::string& other : study.files) {
      if (yaml::overlay_key(other) == yaml::overlay_key(path)) {
        yaml::fail(file.mark, yaml::quote(path) + " stands here twice", "each file once, with all its parameters");
      }
    }
    study.files.push_back(path);
    yaml::Node document = yaml::parse_file(path);
    const yaml::Node& parameters = map.required("parameters");
    const std::size_t before = study.free.size();
    for (const yaml::Node& parameter : yaml::read_sequence(parameters, "parameters")) {
      FreeEntry entry = read_entry(parameter, document, study.files.size() - 1);
      for (std::size_t i = before; i < study.free.size(); ++i) {
        if (study.free[i].path == entry.path) {
          yaml::fail(parameter.mark, yaml::quote(entry.path) + " stands here twice", "each parameter once");
        }
      }
      study.free.push_back(std::move(entry));
      if (study.free.size() > free_parameters_max) {
        yaml::fail(parameter.mark, "more than " + std::to_string(free_parameters_max) + " free parameters",
                   "so few that the rows can tell them apart");
      }
    }
    if (study.free.size() == before) { yaml::fail(parameters.mark, "no parameter of this file", "at least one"); }
    map.finish();
  }
  if (study.free.empty()) { yaml::fail(node.mark, "nothing is free", "[{file: ..., parameters: [...]}]"); }
}

}  // namespace

std::string CalibrationStudy::name_of(std::size_t parameter) const {
  const FreeEntry& entry = free[parameter];
  return fs::path(files[entry.file]).stem().string() + ": " + entry.path;
}

CalibrationStudy read_calibration_study(const yaml::Node& document) {
  yaml::MapReader map(document, "calibration file");
  constexpr std::array<std::string_view, 1> schemas{"lockcast/calibration/1"};
  yaml::read_choice(map.required("schema"), "schema", schemas);
  CalibrationStudy study;
  study.name = yaml::read_name(map.required("name"), "name");
  study.question = yaml::read_string(map.required("question"), "question");
  const yaml::Node& scenarios = map.required("scenarios");
  for (const yaml::Node& item : yaml::read_sequence(scenarios, "scenarios")) {
    study.scenarios.push_back(existing_file(item, "scenario"));
    const auto same = [&](const std::string& other) {
      return yaml::overlay_key(other) == yaml::overlay_key(study.scenarios.back());
    };
    if (std::count_if(study.scenarios.begin(), study.scenarios.end(), same) > 1) {
      yaml::fail(item.mark, "scenario " + yaml::quote(item.text) + " stands here twice", "each once");
    }
  }
  if (study.scenarios.empty()) { yaml::fail(scenarios.mark, "no scenario", "at least one"); }
  const yaml::Node& scale = map.required("error_scale");
  study.error_scale = yaml::read_ratio(scale, "error_scale", 0.001, 1);
  study.null_share = yaml::read_ratio(map.required("null_share"), "null_share", 0.0001, 0.5);
  study.iterations = static_cast<int>(yaml::read_count(map.required("iterations"), "iterations", 1, 100));
  study.fit = read_window(map.required("fit"), "fit");
  study.check = read_window(map.required("check"), "check");
  read_free(map.required("free"), study);
  map.finish();
  return study;
}

}  // namespace lockcast
