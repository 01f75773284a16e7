#include "validate/judgement.hpp"

#include "validate/probe/statistics.hpp"
#include "validate/visit.hpp"

#include <algorithm>
#include <cmath>

namespace lockcast {

namespace {

std::string percent_of(double share) { return std::to_string(std::lround(share * 100)) + " %"; }

double geometric_mean(const std::vector<PairOfTps>& visits, double PairOfTps::*value) {
  double sum = 0;
  for (const PairOfTps& visit : visits) { sum += std::log(visit.*value); }
  return std::exp(sum / static_cast<double>(visits.size()));
}

ClassSummary summary_of(PointClass point_class, std::size_t points, const std::vector<double>& errors) {
  ClassSummary summary{.point_class = point_class, .points = points, .usable = errors.size()};
  if (!errors.empty()) {
    constexpr double ninety = 0.9;
    summary.median = probe::median(errors);
    summary.p90 = probe::quantile(errors, ninety);
  }
  return summary;
}

SignSummary signs_of(const std::vector<JudgedPoint>& points) {
  SignSummary signs;
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = i + 1; j < points.size(); ++j) {
      const JudgedPoint* more = &points[i];
      const JudgedPoint* less = &points[j];
      const bool comparable = more->group == less->group && more->outcome.unusable.empty() &&
                              less->outcome.unusable.empty() && more->point_class != PointClass::fifo_collapse &&
                              less->point_class != PointClass::fifo_collapse;
      if (!comparable) { continue; }
      if (more->outcome.measured < less->outcome.measured) { std::swap(more, less); }
      if (more->outcome.measured <= (1 + clear_difference) * less->outcome.measured) { continue; }
      ++signs.clear;
      if (more->outcome.predicted > less->outcome.predicted) {
        ++signs.right;
      } else {
        signs.wrong.push_back(more->group + ": " + more->variant + " over " + less->variant);
      }
    }
  }
  return signs;
}

}  // namespace

PointClass class_of(std::uint32_t threads, std::uint32_t cpus, bool spins_in_order, double private_share) {
  if (threads > cpus) { return spins_in_order ? PointClass::fifo_collapse : PointClass::oversubscribed; }
  if (threads == 1) { return PointClass::one_thread; }
  return private_share > private_share_easy ? PointClass::hardly_contended : PointClass::contended;
}

PointOutcome outcome_of(const std::vector<PairOfTps>& visits) {
  PointOutcome outcome;
  if (!visits.empty()) {
    outcome.measured = geometric_mean(visits, &PairOfTps::measured);
    outcome.predicted = geometric_mean(visits, &PairOfTps::predicted);
    std::vector<double> errors;
    errors.reserve(visits.size());
    for (const PairOfTps& visit : visits) { errors.push_back(std::log(visit.predicted / visit.measured)); }
    outcome.error = std::exp(probe::median(errors)) - 1;
  }
  std::vector<double> apart;
  double worst = 0;
  std::string modes;
  for (std::size_t i = 0; i < visits.size(); ++i) {
    for (std::size_t j = i + 1; j < visits.size(); ++j) {
      if (!same_distance(visits[i].line_ns, visits[j].line_ns)) { continue; }
      const auto [low, high] = std::minmax(visits[i].measured, visits[j].measured);
      apart.push_back(high / low - 1);
      if (apart.back() > worst) {
        worst = apart.back();
        modes = std::to_string(std::llround(low)) + " and " + std::to_string(std::llround(high));
      }
    }
  }
  if (!apart.empty()) { outcome.native_error = probe::median(apart); }
  if (visits.size() < visits_needed) {
    outcome.unusable = std::to_string(visits.size()) + " usable visits";
  } else if (worst > modes_apart - 1) {
    outcome.unusable = "two modes in one regime: " + modes;
  }
  return outcome;
}

PointOutcome collapse_outcome(const std::vector<double>& measured, const std::vector<double>& predicted) {
  PointOutcome outcome;
  outcome.measured = probe::median(measured);
  outcome.predicted = probe::median(predicted);
  if (outcome.measured > 0) {
    outcome.error = outcome.predicted / outcome.measured - 1;
  } else {
    outcome.unusable = "no transaction finished";
  }
  return outcome;
}

Judgement judgement_of(const std::vector<JudgedPoint>& points, double tolerance) {
  Judgement judgement;
  std::vector<double> all;
  std::vector<double> native;
  std::size_t ordinary = 0;
  for (std::size_t c = 0; c < point_class_count; ++c) {
    const auto point_class = static_cast<PointClass>(c);
    std::vector<double> errors;
    std::size_t count = 0;
    for (const JudgedPoint& point : points) {
      if (point.point_class != point_class) { continue; }
      ++count;
      if (point.outcome.native_error) { native.push_back(*point.outcome.native_error); }
      if (point.outcome.unusable.empty()) { errors.push_back(std::abs(point.outcome.error)); }
    }
    if (count == 0) { continue; }
    judgement.classes.push_back(summary_of(point_class, count, errors));
    if (point_class == PointClass::fifo_collapse) { continue; }
    ordinary += count;
    all.insert(all.end(), errors.begin(), errors.end());
  }
  judgement.all = summary_of({}, ordinary, all);
  judgement.signs = signs_of(points);
  if (!native.empty()) { judgement.native_error = probe::median(native); }

  const double unusable = ordinary == 0 ? 0 : 1 - static_cast<double>(all.size()) / static_cast<double>(ordinary);
  if (judgement.native_error && *judgement.native_error > native_error_max) {
    judgement.reasons.push_back("native against native differs by " + percent_of(*judgement.native_error));
  }
  if (unusable > unusable_share_max) {
    judgement.reasons.push_back(percent_of(unusable) + " of the points are unusable");
  }
  if (!judgement.reasons.empty()) { return judgement; }

  constexpr double quantile_factor = 3;
  for (const ClassSummary& summary : judgement.classes) {
    const double limit = summary.point_class == PointClass::fifo_collapse ? collapse_tolerance : tolerance;
    if (summary.median > limit) {
      judgement.reasons.push_back(std::string(point_class_names[static_cast<std::size_t>(summary.point_class)]) +
                                  ": median error " + percent_of(summary.median) + ", above " + percent_of(limit));
    }
  }
  if (judgement.all.p90 > quantile_factor * tolerance) {
    judgement.reasons.push_back("all points: 90 % quantile " + percent_of(judgement.all.p90) + ", above " +
                                percent_of(quantile_factor * tolerance));
  }
  judgement.kind = judgement.reasons.empty() ? VerdictKind::pass : VerdictKind::fail;
  return judgement;
}

}  // namespace lockcast
