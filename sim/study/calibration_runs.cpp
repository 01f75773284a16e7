// A scenario is loaded once for all candidates that give its files the same values.

#include "sim/study/calibration_runs.hpp"

#include "models/check.hpp"
#include "sim/run/network_choice.hpp"
#include "sim/study/identity.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace lockcast {

namespace {

void add_files(const yaml::Node& node, std::set<std::string>& found) {
  if (node.mark.file != nullptr) { found.insert(*node.mark.file); }
  for (const yaml::Node& item : node.items) { add_files(item, found); }
  for (const yaml::Entry& entry : node.entries) {
    if (entry.mark.file != nullptr) { found.insert(*entry.mark.file); }
    add_files(entry.value, found);
  }
}

std::set<std::string> files_of(const Scenario& scenario) {
  std::set<std::string> found;
  for (const yaml::Node* tree : {&scenario.scenario_tree, &scenario.machine_tree, &scenario.workload_tree,
                                 &scenario.tables_trees, &scenario.variant_trees}) {
    add_files(*tree, found);
  }
  std::set<std::string> keys;
  for (const std::string& file : found) { keys.insert(yaml::overlay_key(file)); }
  return keys;
}

yaml::Node scalar(const std::string& text, const yaml::Mark& mark) {
  yaml::Node node;
  node.kind = yaml::Node::Kind::scalar;
  node.text = text;
  node.mark = mark;
  return node;
}

PredictOptions predict_options(const CalibrationWindow& window, std::uint64_t seed, std::uint32_t jobs) {
  PredictOptions options;
  options.seed = seed;
  options.jobs = jobs;
  options.warmup = window.warmup;
  options.measured = window.measure;
  options.replications_min = options.replications_disagreeing = options.replications_max = window.replications;
  return options;
}

}  // namespace

struct CalibrationRuns::Loaded {
  Scenario scenario;
  Messages messages = Messages::inner;
};

yaml::Overlays overlays_of(const CalibrationStudy& study, const FreeValues& values, bool beside) {
  yaml::Overlays overlays{.beside = beside};
  for (std::size_t i = 0; i < study.free.size(); ++i) {
    const FreeEntry& entry = study.free[i];
    const yaml::Node value = scalar(yaml::print_free_value(values[i], entry.prior.quantity), entry.mark);
    for (const std::size_t file : entry.files) {
      yaml::Overlay& overlay = overlays.instead[yaml::overlay_key(study.files[file])];
      overlay.source = "being fitted by study " + study.name;
      overlay.values.push_back({entry.path, entry.mark, value, {}, {}});
    }
  }
  return overlays;
}

CalibrationRuns::CalibrationRuns(const CalibrationStudy& study, const std::vector<CalibrationRow>& rows,
                                 const CalibrationOptions& options, Journal& journal)
    : study_(study), rows_(rows), options_(options), journal_(journal) {
  FreeValues priors;
  for (const FreeEntry& entry : study.free) { priors.push_back(entry.prior.value); }
  const yaml::Overlays overlays = overlays_of(study, priors, options.beside);
  for (std::size_t s = 0; s < study.scenarios.size(); ++s) {
    const Scenario scenario = load_unmeasured(study.scenarios[s], options.folders, overlays);
    const std::set<std::string> files = files_of(scenario);
    std::vector<bool>& reads = reads_file_.emplace_back();
    for (const std::string& file : study.files) { reads.push_back(files.contains(yaml::overlay_key(file))); }
    for (const CalibrationRow& row : rows_) {
      if (row.scenario == s) { cost_of_rows_ += relative_cost({&scenario, row.point, Messages::inner}); }
    }
  }
}

bool CalibrationRuns::reads(std::size_t scenario, const FreeEntry& entry) const {
  return std::any_of(entry.files.begin(), entry.files.end(),
                     [&](std::size_t file) { return reads_file_[scenario][file]; });
}

FreeValues CalibrationRuns::read_by(std::size_t scenario, const FreeValues& values) const {
  FreeValues read;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (reads(scenario, study_.free[i])) { read.push_back(values[i]); }
  }
  return read;
}

CalibrationRuns::Loaded CalibrationRuns::load(std::size_t scenario, const FreeValues& values) const {
  Loaded loaded;
  loaded.scenario =
      load_unmeasured(study_.scenarios[scenario], options_.folders, overlays_of(study_, values, options_.beside));
  // Once per scenario, as a sweep chooses.
  loaded.messages = choose_network(loaded.scenario, loaded.scenario.cases(), std::nullopt).messages;
  return loaded;
}

bool CalibrationRuns::depends_on(std::size_t parameter, const FreeValues& values) const {
  const FreeEntry& entry = study_.free[parameter];
  FreeValues other = values;
  if (entry.grid.empty()) {
    // A fraction that no whole number comes near to: what must be whole is found now.
    const bool up = entry.prior.range.high - values[parameter] > values[parameter] - entry.prior.range.low;
    other[parameter] += (up ? 0.371 : -0.371) * entry.half_width();
  } else {
    const auto differs = [&](double value) { return value != values[parameter]; };
    const auto found = std::find_if(entry.grid.begin(), entry.grid.end(), differs);
    if (found == entry.grid.end()) { return false; }
    other[parameter] = *found;
  }
  const PredictOptions options = predict_options(study_.fit, options_.seed, 1);
  for (std::size_t s = 0; s < study_.scenarios.size(); ++s) {
    if (!reads(s, entry)) { continue; }
    const Loaded one = load(s, values);
    const Loaded two = load(s, other);
    for (const CalibrationRow& row : rows_) {
      if (row.scenario == s && identify({&one.scenario, row.point, one.messages}, options, "").key !=
                                   identify({&two.scenario, row.point, one.messages}, options, "").key) {
        return true;
      }
    }
  }
  return false;
}

std::string CalibrationRuns::described(const FreeValues& values) const {
  std::string text = "with";
  for (std::size_t i = 0; i < values.size(); ++i) {
    text += (i > 0 ? ", " : " ") + study_.name_of(i) + " = " +
            yaml::print_free_value(values[i], study_.free[i].prior.quantity);
  }
  return text;
}

double CalibrationRuns::cost_of(const CalibrationWindow& window) const {
  return seconds(window.warmup + window.measure) * window.replications;
}

void CalibrationRuns::expect(std::size_t fits, std::size_t checks) {
  cost_expected_ = cost_of_rows_ * (static_cast<double>(fits) * cost_of(study_.fit) +
                                    static_cast<double>(checks) * cost_of(study_.check));
}

void CalibrationRuns::report(const Progress& batch, double scale) const {
  if (!options_.progress) { return; }
  Progress all = batch;
  all.points += points_done_;
  all.points_done += points_done_;
  all.cost_done = cost_done_ + batch.cost_done * scale;
  all.cost_planned = cost_done_ + batch.cost_planned * scale + cost_expected_;
  options_.progress(all);
}

std::vector<Forecasts> CalibrationRuns::run(const std::vector<FreeValues>& candidates, const CalibrationWindow& window,
                                            std::uint64_t seed) {
  const PredictOptions options = predict_options(window, seed, options_.jobs);
  std::map<std::pair<std::size_t, FreeValues>, Loaded> loaded;
  std::vector<std::vector<std::string>> keys(candidates.size());
  std::map<std::string, PointTask> wanted;
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    for (const CalibrationRow& row : rows_) {
      const std::pair which(row.scenario, read_by(row.scenario, candidates[c]));
      auto found = loaded.find(which);
      if (found == loaded.end()) { found = loaded.emplace(which, load(row.scenario, candidates[c])).first; }
      const PointTask task{&found->second.scenario, row.point, found->second.messages};
      keys[c].push_back(identify(task, options, options_.program).key);
      if (!journal_.find(keys[c].back())) { wanted.emplace(keys[c].back(), task); }
    }
  }

  // Dearest first, so that the last ones are short and all workers end together.
  std::vector<std::pair<std::string, PointTask>> order(wanted.begin(), wanted.end());
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return relative_cost(a.second) > relative_cost(b.second); });
  std::vector<PointTask> tasks;
  tasks.reserve(order.size());
  for (const auto& [key, task] : order) { tasks.push_back(task); }
  std::map<std::string, std::string> failures;
  PoolEvents events;
  events.finished = [&](std::size_t task, const PointResult& result) { journal_.add(order[task].first, result.tps); };
  events.failed = [&](std::size_t task, const InputError& error) {
    if (error.code() != ExitCode::unfinished) { throw error; }
    failures.emplace(order[task].first, tasks[task].scenario->name + ": " + error.what());
  };
  const double scale = cost_of(window) / window.replications;
  events.progress = [&](const Progress& progress) { report(progress, scale); };
  if (!tasks.empty() && !run_points(tasks, options, events)) {
    throw InputError("interrupted; with --journal, what is finished is kept and --resume goes on",
                     ExitCode::interrupted);
  }
  points_done_ += tasks.size();
  for (const PointTask& task : tasks) { cost_done_ += relative_cost(task) * cost_of(window); }

  std::vector<Forecasts> results(candidates.size());
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    for (const std::string& key : keys[c]) {
      const auto failed = failures.find(key);
      if (failed != failures.end()) {
        results[c] = {{}, failed->second + "; " + described(candidates[c])};
        break;
      }
      results[c].tps.push_back(*journal_.find(key));
    }
  }
  return results;
}

}  // namespace lockcast
