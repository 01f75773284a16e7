// Everything that can be said about a study without simulating is said here, at its line.

#include "sim/study/calibration_study.hpp"

#include "sim/yaml/reader.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

namespace lockcast {

namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 3> difference_keys{"variants", "tables", "scales"};

namespace form = yaml::form;

constexpr std::array window_keys{
    form::required("replications", form::count(1, 32)),
    form::required("warmup", form::duration()),
    form::required("measure", form::duration(Picos{1us})),
};
constexpr yaml::KeyTable window_table{"window", window_keys};

constexpr std::array grid_forms{form::ratio(0, yaml::fitted_number_max), form::duration()};
constexpr yaml::Value grid_value = form::any_of(grid_forms);
constexpr std::array entry_keys{
    form::required("path", form::text()),
    form::required("grid", form::list(grid_value)),
};
constexpr yaml::KeyTable entry_table{"free parameter", entry_keys};

constexpr yaml::Value a_text = form::text();
constexpr std::array entry_forms{a_text, form::map(entry_table)};
constexpr yaml::Value free_entry = form::any_of(entry_forms);
constexpr std::array group_keys{
    form::required("files", form::list(a_text)),
    form::required("parameters", form::list(free_entry)),
};
constexpr yaml::KeyTable group_table{"free group", group_keys};

constexpr yaml::Value group = form::map(group_table);
constexpr std::array<std::string_view, 1> schemas{"lockcast/calibration/1"};
constexpr std::array study_keys{
    form::required("schema", form::choice(schemas)),
    form::required("name", form::name()),
    form::required("question", form::text()),
    form::required("scenarios", form::list(a_text)),
    form::required("error_scale", form::ratio(0.001, 1)),
    form::required("null_share", form::ratio(0.0001, 0.5)),
    form::required("iterations", form::count(1, 100)),
    form::required("fit", form::map(window_table)),
    form::required("check", form::map(window_table)),
    form::required("free", form::list(group)),
};

std::string beside(const yaml::Node& node, const std::string& path) {
  return fs::path(path).is_absolute() ? path
                                      : (fs::path(*node.mark.file).parent_path() / path).lexically_normal().string();
}

std::string existing_file(const yaml::Node& node, std::string_view what) {
  std::string path = beside(node, yaml::read_string(node, what));
  std::error_code error;
  if (!path.ends_with(".yaml") || path.ends_with(yaml::overlay_ending) || !fs::is_regular_file(path, error)) {
    yaml::fail(node.mark, "there is no " + std::string(what) + " " + yaml::quote(path),
               "a hand-written .yaml file, its path beside this file");
  }
  return path;
}

CalibrationWindow read_window(const yaml::Node& node, std::string_view what) {
  yaml::MapReader map(node, window_table, what);
  CalibrationWindow window;
  window.replications = map.count<std::uint32_t>("replications");
  window.warmup = map.duration("warmup");
  window.measure = map.duration("measure");
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

// As `document` has it, which is one of the files that share it.
FreeEntry read_entry(const yaml::Node& node, yaml::Node& document) {
  FreeEntry entry;
  entry.mark = node.mark;
  const yaml::Node* grid = nullptr;
  if (node.kind == yaml::Node::Kind::map) {
    yaml::MapReader map(node, entry_table);
    entry.path = map.text("path");
    grid = &map.required("grid");
    map.finish();
  } else {
    entry.path = yaml::read_string(node, "free parameter");
  }
  for (const std::string_view difference : difference_keys) {
    if (entry.path.starts_with(std::string(difference) + ".")) {
      yaml::fail(node.mark, yaml::quote(entry.path) + " belongs to some points only", "a parameter that all share");
    }
  }
  const yaml::Node& parameter = yaml::at_path(document, entry.path, node.mark);
  if (parameter.kind != yaml::Node::Kind::map || parameter.find("value") == nullptr) {
    yaml::fail(node.mark, yaml::quote(entry.path) + " is no parameter",
               "the path of one with value, interval and range");
  }
  if (parameter.find("range") == nullptr) {
    yaml::fail(node.mark, yaml::quote(entry.path) + " has no range, so it cannot be fitted",
               "a parameter with a range");
  }
  entry.prior = yaml::read_free_parameter(parameter, entry.path);
  if (!(entry.half_width() > 0)) {
    yaml::fail(node.mark, "the interval of " + yaml::quote(entry.path) + " has no width, so it cannot be fitted",
               "a prior that leaves something open");
  }
  if (grid != nullptr) { entry.grid = read_grid(*grid, entry); }
  return entry;
}

// The number of a file, which may be new.
std::size_t file_number(const std::string& path, CalibrationStudy& study) {
  for (std::size_t i = 0; i < study.files.size(); ++i) {
    if (yaml::overlay_key(study.files[i]) == yaml::overlay_key(path)) { return i; }
  }
  study.files.push_back(path);
  return study.files.size() - 1;
}

bool same_prior(const yaml::FreeParameter& a, const yaml::FreeParameter& b) {
  const auto same = [](const Bounds<double>& x, const Bounds<double>& y) { return x.low == y.low && x.high == y.high; };
  return a.quantity == b.quantity && a.value == b.value && same(a.interval, b.interval) && same(a.range, b.range);
}

void check_twice(const CalibrationStudy& study, const FreeEntry& entry) {
  for (const FreeEntry& other : study.free) {
    if (other.path != entry.path) { continue; }
    for (const std::size_t file : entry.files) {
      if (std::find(other.files.begin(), other.files.end(), file) != other.files.end()) {
        yaml::fail(entry.mark, yaml::quote(entry.path) + " of " + study.files[file] + " is free already", "each once");
      }
    }
  }
}

// {files: [...], parameters: [...]}
void read_group(const yaml::Node& item, CalibrationStudy& study) {
  yaml::MapReader map(item, group_table);
  const yaml::Node& files = map.required("files");
  const yaml::Node& parameters = map.required("parameters");
  map.finish();
  std::vector<std::size_t> numbers;
  std::vector<yaml::Node> documents;
  for (const yaml::Node& file : yaml::read_sequence(files, "files")) {
    numbers.push_back(file_number(existing_file(file, "file"), study));
    documents.push_back(yaml::parse_file(study.files[numbers.back()]));
    if (std::count(numbers.begin(), numbers.end(), numbers.back()) > 1) {
      yaml::fail(file.mark, yaml::quote(file.text) + " stands here twice", "each file once");
    }
  }
  if (numbers.empty()) { yaml::fail(files.mark, "no file", "at least one"); }
  if (yaml::read_sequence(parameters, "parameters").empty()) {
    yaml::fail(parameters.mark, "no parameter of these files", "at least one");
  }
  for (const yaml::Node& parameter : parameters.items) {
    FreeEntry entry = read_entry(parameter, documents.front());
    entry.files = numbers;
    for (std::size_t i = 1; i < documents.size(); ++i) {
      if (!same_prior(read_entry(parameter, documents[i]).prior, entry.prior)) {
        yaml::fail(parameter.mark,
                   yaml::quote(entry.path) + " is not the same in " + study.files[numbers.front()] + " and " +
                       study.files[numbers[i]],
                   "equal value, interval and range in files that share a parameter");
      }
    }
    check_twice(study, entry);
    study.free.push_back(std::move(entry));
    if (study.free.size() > free_parameters_max) {
      yaml::fail(parameter.mark, "more than " + std::to_string(free_parameters_max) + " free parameters",
                 "so few that the rows can tell them apart");
    }
  }
}

}  // namespace

constinit const yaml::KeyTable calibration_table{"calibration file", study_keys};

std::string CalibrationStudy::name_of(std::size_t parameter) const {
  const FreeEntry& entry = free[parameter];
  const std::string more = entry.files.size() > 1 ? " and " + std::to_string(entry.files.size() - 1) + " more" : "";
  return fs::path(files[entry.files.front()]).stem().string() + more + ": " + entry.path;
}

CalibrationStudy read_calibration_study(const yaml::Node& document) {
  yaml::MapReader map(document, calibration_table);
  map.choice("schema");
  CalibrationStudy study;
  study.name = map.name("name");
  study.question = map.text("question");
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
  study.error_scale = map.ratio("error_scale");
  study.null_share = map.ratio("null_share");
  study.iterations = map.count<int>("iterations");
  study.fit = read_window(map.required("fit"), "fit");
  study.check = read_window(map.required("check"), "check");
  const yaml::Node& free = map.required("free");
  for (const yaml::Node& group : yaml::read_sequence(free, "free")) { read_group(group, study); }
  if (study.free.empty()) { yaml::fail(free.mark, "nothing is free", "[{files: [...], parameters: [...]}]"); }
  map.finish();
  return study;
}

}  // namespace lockcast
