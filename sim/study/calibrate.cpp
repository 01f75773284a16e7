#include "sim/study/calibrate.hpp"

#include "models/check.hpp"
#include "models/rng.hpp"
#include "sim/study/statistics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>

namespace lockcast {

namespace {

// Files show so many digits of what was fitted, and the fit itself uses no more.
constexpr int digits = 4;
// A derivative's step, and the longest way in one iteration, in half widths of the prior.
constexpr double derivative_step = 0.5;
constexpr double way_max = 2;
// Dampings that are tried side by side, for the same Jacobian; where none is better, once more much stiffer.
constexpr std::array<double, 3> damping_factors{0.1, 1, 10};
constexpr double damping_start = 0.1;
constexpr double damping_stiffer = 1000;
// What counts as better. Less is noise.
constexpr double lower_by = 0.005;
constexpr double enough = 0.01;
// A value this close to its bound, in shares of the range, has hit it.
constexpr double bound_share = 0.02;
// Components of a direction that are worth naming.
constexpr double component_min = 0.3;

class Fit {
 public:
  Fit(const CalibrationStudy& study, const std::vector<CalibrationRow>& rows, const CalibrationOptions& options,
      Journal& journal)
      : study_(study), rows_(rows), options_(options), runs_(study, rows, options, journal) {
    for (const FreeEntry& entry : study.free) {
      values_.push_back(entry.prior.value);
      fates_.push_back(entry.grid.empty() ? Fate::fitted : Fate::held);
      bounds_.push_back({entry.prior.range.low, entry.prior.range.high});
      u_.push_back(bounds_.back().free(entry.prior.value));
    }
    priors_ = values_;
  }

  Calibration run() {
    check_parameters();
    const std::size_t descents = has_grid() ? 2 : 1;
    expect(descents * static_cast<std::size_t>(study_.iterations));
    start();
    result_.converged = descend();
    if (has_grid() && try_grids()) { result_.converged = descend(); }
    Matrix jacobian = jacobian_in_half_widths();
    while (!active().empty()) {
      const std::vector<std::size_t> unseen = hold_unseen(jacobian);
      if (unseen.empty()) { break; }
      update("held at the prior: " + std::to_string(unseen.size()));
      if (active().empty()) { break; }
      result_.converged = descend();
      jacobian = jacobian_in_half_widths();
    }
    describe(jacobian);
    result_.fit_tps = tps_;
    runs_.expect(0, 2);
    const std::vector<Forecasts> full = runs_.run({priors_, values_}, study_.check, options_.seed);
    for (const Forecasts& forecasts : full) { fail_if_incomplete(forecasts); }
    result_.before = full[0].tps;
    result_.after = full[1].tps;
    return std::move(result_);
  }

 private:
  // A parameter no row depends on, or one that must be whole, would only show after hours.
  void check_parameters() const {
    for (std::size_t i = 0; i < study_.free.size(); ++i) {
      const FreeEntry& entry = study_.free[i];
      if (!runs_.depends_on(i, values_)) {
        yaml::fail(
            entry.mark,
            "no calibrate row depends on " + yaml::quote(entry.path) + " of " + study_.files[entry.files.front()],
            "a parameter that these scenarios use");
      }
    }
  }

  [[nodiscard]] bool has_grid() const {
    return std::any_of(study_.free.begin(), study_.free.end(), [](const FreeEntry& e) { return !e.grid.empty(); });
  }

  [[nodiscard]] std::vector<std::size_t> active() const {
    std::vector<std::size_t> result;
    for (std::size_t i = 0; i < fates_.size(); ++i) {
      if (fates_[i] == Fate::fitted) { result.push_back(i); }
    }
    return result;
  }

  void expect(std::size_t iterations) {
    std::size_t grids = 0;
    for (const FreeEntry& entry : study_.free) { grids += entry.grid.size(); }
    runs_.expect(2 + grids + (iterations + 1) * (active().size() + damping_factors.size()), 2);
  }

  static void fail_if_incomplete(const Forecasts& forecasts) {
    if (forecasts.failure.empty()) { return; }
    throw InputError("the fit has come to where a row cannot be forecast: " + forecasts.failure, ExitCode::unfinished);
  }

  [[nodiscard]] double residual(std::size_t row, const std::vector<double>& tps) const {
    return bounded_pull(natural_log(tps[row] / rows_[row].tps) / study_.error_scale);
  }
  [[nodiscard]] double prior_residual(std::size_t i, const FreeValues& values) const {
    return (values[i] - priors_[i]) / study_.free[i].half_width();
  }

  // Nothing when a point failed.
  [[nodiscard]] std::optional<double> cost(const FreeValues& values, const Forecasts& forecasts) const {
    if (!forecasts.failure.empty()) { return std::nullopt; }
    double sum = 0;
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      const double r = residual(row, forecasts.tps);
      sum += r * r;
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double r = prior_residual(i, values);
      sum += r * r;
    }
    return sum;
  }

  std::vector<Forecasts> forecast(const std::vector<FreeValues>& candidates) {
    return runs_.run(candidates, study_.fit, options_.seed);
  }

  void log(const std::string& what) { result_.steps.push_back({what, cost_, mean_error(rows_, tps_)}); }

  // Takes what is in values_ as the place where the fit stands.
  void update(const std::string& what) {
    const Forecasts now = forecast({values_}).front();
    fail_if_incomplete(now);
    tps_ = now.tps;
    cost_ = *cost(values_, now);
    log(what);
  }

  void start() {
    update("start");
    const Forecasts again = runs_.run({values_}, study_.fit, options_.seed + 1).front();
    fail_if_incomplete(again);
    double sum = 0;
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      const double difference = natural_log(again.tps[row] / tps_[row]);
      sum += difference * difference;
      result_.row_noise.push_back(magnitude(difference));
    }
    result_.noise = std::sqrt(sum / static_cast<double>(2 * rows_.size()));
    result_.noise_singular =
        result_.noise * std::sqrt(2.0 * static_cast<double>(rows_.size())) / derivative_step / study_.error_scale;
  }

  // Half a half-width from where the fit stands, or as far as there is room.
  [[nodiscard]] FreeValues beside(std::size_t i, bool up) const {
    const Bounded& bounds = bounds_[i];
    const double way = derivative_step * study_.free[i].half_width();
    FreeValues there = values_;
    there[i] = rounded(i, up ? std::min(values_[i] + way, bounds.high) : std::max(values_[i] - way, bounds.low));
    return there;
  }

  // d(residual) / d(value in half widths), rows only. By one step each to the side with more room, or where a row
  // fails there, to the other.
  Matrix jacobian_in_half_widths() {
    const std::vector<std::size_t> free = active();
    std::vector<FreeValues> candidates;
    std::vector<FreeValues> others;
    for (const std::size_t i : free) {
      const bool up = bounds_[i].high - values_[i] >= values_[i] - bounds_[i].low;
      candidates.push_back(beside(i, up));
      others.push_back(beside(i, !up));
    }
    std::vector<Forecasts> forecasts = forecast(candidates);
    Matrix jacobian(rows_.size(), free.size());
    for (std::size_t column = 0; column < free.size(); ++column) {
      if (!forecasts[column].failure.empty() && others[column] != values_) {
        result_.failures.push_back(forecasts[column].failure);
        candidates[column] = others[column];
        forecasts[column] = forecast({others[column]}).front();
      }
      fail_if_incomplete(forecasts[column]);
      const std::size_t i = free[column];
      const double way = (candidates[column][i] - values_[i]) / study_.free[i].half_width();
      CHECK(way != 0, "a step of a derivative that rounding took away");
      for (std::size_t row = 0; row < rows_.size(); ++row) {
        jacobian.at(row, column) = (residual(row, forecasts[column].tps) - residual(row, tps_)) / way;
      }
    }
    return jacobian;
  }

  // With the rows of the priors, which are those of the unit matrix.
  static Matrix with_priors(const Matrix& rows) {
    Matrix all(rows.rows + rows.columns, rows.columns);
    for (std::size_t column = 0; column < rows.columns; ++column) {
      for (std::size_t row = 0; row < rows.rows; ++row) { all.at(row, column) = rows.at(row, column); }
      all.at(rows.rows + column, column) = 1;
    }
    return all;
  }

  [[nodiscard]] double rounded(std::size_t i, double value) const {
    const double near = yaml::rounded_free_value(value, study_.free[i].prior.quantity, digits);
    return std::clamp(near, bounds_[i].low, bounds_[i].high);
  }

  struct Trial {
    std::vector<double> u;
    FreeValues values;
    double damping = 0;
  };

  [[nodiscard]] Trial trial(const Matrix& jacobian, const std::vector<double>& residuals, double damping) const {
    const std::vector<std::size_t> free = active();
    std::vector<double> step = damped_step(jacobian, residuals, damping);
    Trial trial{u_, values_, damping};
    for (int halvings = 0; halvings < 60; ++halvings) {
      double longest = 0;
      for (std::size_t column = 0; column < free.size(); ++column) {
        const std::size_t i = free[column];
        trial.u[i] = u_[i] + step[column];
        trial.values[i] = rounded(i, bounds_[i].inside(trial.u[i]));
        longest = std::max(longest, magnitude(trial.values[i] - values_[i]) / study_.free[i].half_width());
      }
      if (longest <= way_max) { break; }
      for (double& part : step) { part /= 2; }
    }
    return trial;
  }

  // True when it ended because nothing got better any more.
  bool descend() {
    double damping = damping_start;
    for (int iteration = 1; iteration <= study_.iterations && !active().empty(); ++iteration) {
      const std::vector<std::size_t> free = active();
      Matrix jacobian = with_priors(jacobian_in_half_widths());
      std::vector<double> residuals;
      for (std::size_t row = 0; row < rows_.size(); ++row) { residuals.push_back(residual(row, tps_)); }
      for (std::size_t column = 0; column < free.size(); ++column) {
        residuals.push_back(prior_residual(free[column], values_));
        const double slope = bounds_[free[column]].slope(u_[free[column]]) / study_.free[free[column]].half_width();
        for (std::size_t row = 0; row < jacobian.rows; ++row) { jacobian.at(row, column) *= slope; }
      }
      const double before = cost_;
      if (!step(jacobian, residuals, damping) && !step(jacobian, residuals, damping *= damping_stiffer)) {
        return true;
      }
      log("iteration " + std::to_string(iteration));
      if (cost_ > before * (1 - enough)) { return true; }
    }
    return active().empty();
  }

  // Takes the best of the trials around `damping` if it is better than where the fit stands.
  bool step(const Matrix& jacobian, const std::vector<double>& residuals, double& damping) {
    std::vector<Trial> trials;
    std::vector<FreeValues> candidates;
    for (const double factor : damping_factors) {
      trials.push_back(trial(jacobian, residuals, damping * factor));
      candidates.push_back(trials.back().values);
    }
    const std::vector<Forecasts> forecasts = forecast(candidates);
    const Trial* best = nullptr;
    double lowest = cost_ * (1 - lower_by);
    for (std::size_t t = 0; t < trials.size(); ++t) {
      if (!forecasts[t].failure.empty()) { result_.failures.push_back(forecasts[t].failure); }
      const std::optional<double> here = cost(trials[t].values, forecasts[t]);
      if (!here || *here >= lowest) { continue; }
      best = &trials[t];
      lowest = *here;
      tps_ = forecasts[t].tps;
    }
    if (best == nullptr) { return false; }
    u_ = best->u;
    values_ = best->values;
    damping = best->damping;
    cost_ = lowest;
    return true;
  }

  // Did any of them leave its prior?
  bool try_grids() {
    bool changed = false;
    for (std::size_t i = 0; i < study_.free.size(); ++i) {
      const FreeEntry& entry = study_.free[i];
      if (entry.grid.empty()) { continue; }
      std::vector<FreeValues> candidates;
      for (const double value : entry.grid) { candidates.emplace_back(values_)[i] = value; }
      const std::vector<Forecasts> forecasts = forecast(candidates);
      double lowest = cost_ * (1 - lower_by);
      for (std::size_t c = 0; c < candidates.size(); ++c) {
        const std::optional<double> here = cost(candidates[c], forecasts[c]);
        if (!here || *here >= lowest) { continue; }
        lowest = cost_ = *here;
        values_ = candidates[c];
        tps_ = forecasts[c].tps;
        fates_[i] = values_[i] == priors_[i] ? Fate::held : Fate::chosen;
        changed = true;
      }
      log("grid of " + study_.name_of(i));
    }
    return changed;
  }

  // Puts what the rows cannot see back to its prior, and says in which directions they are blind.
  std::vector<std::size_t> hold_unseen(const Matrix& jacobian) {
    const std::vector<std::size_t> free = active();
    const Identification found = identify(jacobian, study_.null_share);
    for (const NullDirection& direction : found.null_directions) {
      std::string text;
      for (std::size_t column = 0; column < free.size(); ++column) {
        const double component = direction.components[column];
        if (magnitude(component) < component_min) { continue; }
        // The sign of a singular vector is nobody's: the first one named is positive.
        const bool flip = text.empty() ? component < 0 : flipped_;
        if (text.empty()) { flipped_ = flip; }
        text.append(text.empty() ? "" : (component < 0) != flip ? ", against it " : ", with it ");
        text.append(study_.name_of(free[column]));
      }
      result_.unseen.push_back(text);
    }
    std::vector<std::size_t> held;
    for (const std::size_t column : found.held) {
      const std::size_t i = free[column];
      held.push_back(i);
      fates_[i] = Fate::held;
      values_[i] = priors_[i];
      u_[i] = bounds_[i].free(priors_[i]);
    }
    result_.singular_values = found.singular_values;
    return held;
  }

  void describe(const Matrix& jacobian) {
    const std::vector<std::size_t> free = active();
    const std::vector<double> deviations =
        free.empty() ? std::vector<double>{} : standard_deviations(with_priors(jacobian));
    for (std::size_t i = 0; i < study_.free.size(); ++i) {
      const FreeEntry& entry = study_.free[i];
      FittedParameter fitted{fates_[i], values_[i], entry.prior.interval, false};
      if (fates_[i] == Fate::fitted) {
        const auto column = static_cast<std::size_t>(std::find(free.begin(), free.end(), i) - free.begin());
        const double width = deviations[column] * entry.half_width();
        fitted.interval = {std::min(rounded(i, values_[i] - width), values_[i]),
                           std::max(rounded(i, values_[i] + width), values_[i])};
      } else if (fates_[i] == Fate::chosen) {
        fitted.interval = {values_[i], values_[i]};
        for (const double value : entry.grid) {
          if (value < values_[i] && (fitted.interval.low == values_[i] || value > fitted.interval.low)) {
            fitted.interval.low = value;
          }
          if (value > values_[i] && (fitted.interval.high == values_[i] || value < fitted.interval.high)) {
            fitted.interval.high = value;
          }
        }
      }
      const double nearest = std::min(values_[i] - bounds_[i].low, bounds_[i].high - values_[i]);
      fitted.at_bound = fates_[i] != Fate::held && nearest <= bound_share * (bounds_[i].high - bounds_[i].low);
      result_.parameters.push_back(fitted);
    }
  }

  const CalibrationStudy& study_;
  const std::vector<CalibrationRow>& rows_;
  const CalibrationOptions& options_;
  CalibrationRuns runs_;
  Calibration result_;
  std::vector<Fate> fates_;
  std::vector<Bounded> bounds_;
  FreeValues priors_;
  // Where the fit stands.
  FreeValues values_;
  std::vector<double> u_;
  std::vector<double> tps_;
  double cost_ = 0;
  bool flipped_ = false;
};

}  // namespace

Calibration calibrate(const CalibrationStudy& study, const std::vector<CalibrationRow>& rows,
                      const CalibrationOptions& options, Journal& journal) {
  return Fit(study, rows, options, journal).run();
}

double mean_error(const std::vector<CalibrationRow>& rows, const std::vector<double>& tps) {
  double sum = 0;
  for (std::size_t row = 0; row < rows.size(); ++row) { sum += magnitude(tps[row] / rows[row].tps - 1); }
  return sum / static_cast<double>(rows.size());
}

}  // namespace lockcast
