// calibrate STUDY: the joint fit, and the overlays it leaves.

#include "sim/study/calibrate.hpp"

#include "models/check.hpp"
#include "sim/cli/calibration_report.hpp"
#include "sim/cli/catalog.hpp"
#include "sim/cli/interrupt.hpp"
#include "sim/cli/options.hpp"
#include "sim/cli/output.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/run_options.hpp"
#include "sim/cli/selection.hpp"
#include "sim/cli/values.hpp"
#include "sim/cli/verbs.hpp"
#include "sim/study/program.hpp"

#include <array>
#include <cstdio>
#include <filesystem>

namespace lockcast {

namespace {

const Command calibrate_description{
    .usage = "calibrate STUDY [OPTIONS]",
    .about =
        "Fits the free parameters of a study file (schema lockcast/calibration/1) on the measured rows of role\n"
        "calibrate of its scenarios, all at once; rows to be forecast are not even read. Values stay inside their\n"
        "ranges and are drawn to their priors. Prints what was fitted, what the rows cannot see, and the errors\n"
        "before and after in full windows. --write leaves the result in NAME.fitted.yaml beside each file, which\n"
        "'simulate' and the others then load unless told --no-fitted; hand-written files are never changed.\n"
        "Exits with 1 if --write has nothing better to write, with 5 if the iterations were too few to settle.",
    .options = {{"write", "", "write the overlays, if the mean error has become smaller"},
                {"date", "YYYY-MM-DD", "the date that overlays bear; needed to write them"},
                {"iterations", "N", "at most so many derivatives in a row, instead of the study's"},
                {"journal", "FILE", "keep every simulated point there, made if there is none"},
                {"resume", "", "go on with a journal: only what it does not hold is simulated"},
                {"no-fitted", "", "do not load overlays of files that the study does not fit"},
                {"seed", "N", "of all random numbers (1)"},
                jobs_option(),
                {"format", "table|json", "(table)"}},
    .examples =
        "calibrate calibrate-2011\n"
        "calibrate scenarios/studies/calibrate-2011.yaml --journal fit.journal --resume\n"
        "calibrate calibrate-2011 --write --date 2026-12-01\n"
        "show opteron-6128-32\n",
    .operands_min = 1,
    .operands_max = 1};

constexpr std::array<std::string_view, 2> formats{"table", "json"};

std::string date_of(const Arguments& given) {
  std::string date = given.value("date").value_or("");
  if (!given.has("write") && date.empty()) { return "unwritten"; }
  constexpr std::string_view form = "dddd-dd-dd";
  bool good = date.size() == form.size();
  for (std::size_t i = 0; good && i < form.size(); ++i) {
    good = form[i] == 'd' ? date[i] >= '0' && date[i] <= '9' : date[i] == form[i];
  }
  if (!good) {
    fail_usage(date.empty()
                   ? "--write without --date; expected the date that the overlays shall bear: --date YYYY-MM-DD"
                   : "--date " + yaml::quote(date) + ": expected YYYY-MM-DD");
  }
  return date;
}

// An overlay that an earlier fit left, and this one has nothing for, would belong to another set of values.
void write(const OverlayFile& file) {
  if (file.text.empty()) {
    std::error_code error;
    if (std::filesystem::remove(file.path, error)) {
      std::fprintf(stderr, "lockcast: removed %s: nothing of its file was fitted\n", file.path.c_str());
    }
    return;
  }
  Output(file.path).write(file.text);
  std::fprintf(stderr, "lockcast: wrote %s\n", file.path.c_str());
}

}  // namespace

const Command& calibrate_command() { return calibrate_description; }

int calibrate_verb(const std::vector<std::string>& arguments) {
  const Arguments given(calibrate_description, arguments);
  if (given.help()) {
    print(help_text(calibrate_description));
    return 0;
  }
  const std::string_view format = formats[read_one_of("format", given.value("format").value_or("table"), formats)];
  const std::string date = date_of(given);
  if (given.has("resume") && !given.has("journal")) { fail_usage("--resume is of use only with --journal FILE"); }
  const PredictOptions run_options = predict_options_of(given);
  const std::string path = find_file(given.operands()[0], {FileKind::calibration});
  const yaml::Node document = yaml::parse_file(path);
  if (kind_of(document) != FileKind::calibration) {
    throw InputError(yaml::quote(path) + " is no calibration study; expected schema lockcast/calibration/1");
  }
  CalibrationStudy study = read_calibration_study(document);
  if (const auto text = given.value("iterations")) {
    study.iterations = static_cast<int>(read_number("iterations", *text, 1, 100));
  }

  CalibrationOptions options;
  options.folders = data_folders();
  options.program = std::string(LOCKCAST_VERSION) + "+" + model_fingerprint;
  options.seed = run_options.seed;
  options.jobs = run_options.jobs;
  options.beside = load_options_of(given).overlays.beside;
  FreeValues priors;
  for (const FreeEntry& entry : study.free) { priors.push_back(entry.prior.value); }
  const std::vector<CalibrationRow> rows =
      calibration_rows(study.scenarios, options.folders, overlays_of(study, priors, options.beside));
  Journal journal(given.value("journal"), given.has("resume"));
  Calibration calibration;
  {
    const InterruptHandler handler;
    ProgressLine line;
    options.progress = [&](const Progress& progress) { line.show(progress); };
    calibration = calibrate(study, rows, options, journal);
  }

  const CalibrationReport report{study, rows, calibration, options.seed};
  print(format == "json" ? calibration_as_json(report) : calibration_as_text(report));
  const bool better = mean_error(rows, calibration.after) < mean_error(rows, calibration.before);
  const std::vector<OverlayFile> files = overlay_files(study, rows, calibration, date, options.seed);
  if (given.has("write") && !better) {
    std::fprintf(stderr, "lockcast: nothing written: the mean error in full windows has not become smaller\n");
    return static_cast<int>(ExitCode::check_failed);
  }
  if (given.has("write")) {
    for (const OverlayFile& file : files) { write(file); }
  } else if (format == "table") {
    for (const OverlayFile& file : files) {
      if (!file.text.empty()) { print("\nWith --write, " + file.path + ":\n" + file.text); }
    }
  }
  return static_cast<int>(calibration.converged ? ExitCode::ok : ExitCode::unfinished);
}

}  // namespace lockcast
