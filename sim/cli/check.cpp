// check FILE...: reads files as strictly as a run would, and reports all of them, not only the first that fails.

#include "models/check.hpp"

#include "sim/cli/catalog.hpp"
#include "sim/cli/options.hpp"
#include "sim/cli/output.hpp"
#include "sim/cli/study_file.hpp"
#include "sim/cli/values.hpp"
#include "sim/cli/verbs.hpp"
#include "sim/report/numbers.hpp"
#include "sim/study/axes.hpp"
#include "sim/study/calibration_rows.hpp"
#include "sim/study/calibration_study.hpp"
#include "sim/workload/compile.hpp"
#include "sim/workload/library.hpp"
#include "sim/workload/scenario.hpp"
#include "sim/yaml/machine_reader.hpp"
#include "sim/yaml/reader.hpp"

#include <array>
#include <cstdio>
#include <filesystem>
#include <limits>

namespace lockcast {

namespace {

const Command check_description{
    .usage = "check FILE...",
    .about =
        "Reads machine, workload, scenario, calibration and overlay files; FILE may be a folder, "
        "which stands for every *.yaml below it.\n"
        "Exits with 3 if any of them is wrong.",
    .options = {},
    .examples = "check machines scenarios\ncheck machines/textbook-32.yaml\n",
    .operands_min = 1,
    .operands_max = std::numeric_limits<std::size_t>::max()};

// With each kind of tables and each variant it defines.
std::string check_workload(const yaml::Node& document, const yaml::Overlays& overlays) {
  const Library library = read_library(document, overlays);
  const Program program = compile(library.workload, 1);
  for (const yaml::Node& differences : {library.tables, library.variants}) {
    for (const yaml::Entry& entry : differences.entries) {
      yaml::Node changed = library.workload;
      yaml::merge(changed, entry.value);
      compile(changed, 1);
    }
  }
  return "workload, " + counted(program.lock_count(), "lock") + ", " + counted(program.code.size(), "operation");
}

std::string check_calibration(const CalibrationStudy& study) {
  const std::vector<CalibrationRow> rows = calibration_rows(study.scenarios, data_folders(), {.beside = false});
  return "calibration, " + counted(study.free.size(), "free parameter") + ", " + counted(rows.size(), "row");
}

// Its scenarios with what it sets; variants may be the library's.
std::string check_study(const yaml::Node& document, const yaml::Overlays& overlays) {
  const StudyFile study = read_study(document);
  const auto option = [&](const std::string& name) {
    const auto found = study.options.find(name);
    return found == study.options.end() ? std::vector<std::string>{} : found->second;
  };
  std::vector<Axis> axes;
  for (const std::string& text : option("sweep")) { axes.push_back(read_axis(text)); }
  const Settings settings(std::move(axes));
  LoadOptions load;
  load.overlays = overlays;
  if (study.verb == "whatif") { load.more_variants = read_list("variant", option("variant")); }
  for (const std::string& file : study.scenarios) {
    for (const std::vector<Assignment>& sample : settings.samples()) {
      std::vector<Assignment> sets = read_assignments(option("set"));
      for (const Assignment& set : assignments_of(sample)) {
        if (set.first != "cores") { sets.push_back(set); }
      }
      static_cast<void>(load_scenario(file, sets, data_folders(), load));
    }
  }
  return "study for " + study.verb + ", " + counted(settings.count(), "setting");
}

std::string check_document(const std::string& path, const yaml::Node& document, const yaml::Overlays& overlays);

// Laid over the file it belongs to.
std::string check_overlay(const std::string& path, const yaml::Node& document) {
  const yaml::Overlay overlay = yaml::read_overlay(document);
  const std::string base = path.substr(0, path.size() - yaml::overlay_ending.size()) + ".yaml";
  std::error_code error;
  if (!std::filesystem::exists(base, error)) {
    yaml::fail(document.mark, "there is no file " + yaml::quote(base) + " for this overlay", "a file beside it");
  }
  check_document(base, yaml::parse_file(base, yaml::Overlays{}), {});
  return "overlay, " + counted(overlay.values.size(), "fitted parameter");
}

std::string check_document(const std::string& path, const yaml::Node& document, const yaml::Overlays& overlays) {
  switch (kind_of(document)) {
    case FileKind::machine: return "machine, " + counted(yaml::read_machine(document).topology.cores(), "core");
    case FileKind::workload: return check_workload(document, overlays);
    case FileKind::include: check_include(document); return "for inclusion by workloads";
    case FileKind::calibration: return check_calibration(read_calibration_study(document));
    case FileKind::overlay: return check_overlay(path, document);
    case FileKind::study: return check_study(document, overlays);
    case FileKind::scenario: break;
  }
  LoadOptions options;
  options.overlays = overlays;
  const Scenario scenario = load_scenario(path, {}, data_folders(), options);
  return "scenario, " + counted(scenario.cases().size(), "point") + " on " + scenario.machine.name;
}

// A file is read as it is written; what is laid over it is a file of its own.
std::string check_file(const std::string& path) {
  return check_document(path, yaml::parse_file(path), {.beside = false});
}

std::vector<std::string> files_of(const std::vector<std::string>& operands) {
  std::vector<std::string> files;
  for (const std::string& operand : operands) {
    std::error_code error;
    if (!std::filesystem::is_directory(operand, error)) {
      files.push_back(operand);
      continue;
    }
    const std::vector<std::string> below = yaml_files_below(operand);
    if (below.empty()) { throw InputError(yaml::quote(operand) + ": no *.yaml below this folder"); }
    files.insert(files.end(), below.begin(), below.end());
  }
  return files;
}

}  // namespace

const Command& check_command() { return check_description; }

int check_verb(const std::vector<std::string>& arguments) {
  const Arguments given(check_description, arguments);
  if (given.help()) {
    print(help_text(check_description));
    return 0;
  }
  bool all_good = true;
  for (const std::string& file : files_of(given.operands())) {
    try {
      print("ok: " + file + " (" + check_file(file) + ")\n");
    } catch (const InputError& error) {
      std::fprintf(stderr, "lockcast: %s\n", error.what());
      all_good = false;
    }
  }
  return static_cast<int>(all_good ? ExitCode::ok : ExitCode::bad_file);
}

}  // namespace lockcast
