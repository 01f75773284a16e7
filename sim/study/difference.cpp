#include "sim/study/difference.hpp"

#include "models/check.hpp"
#include "sim/run/student.hpp"
#include "sim/study/rows.hpp"
#include "sim/study/store.hpp"
#include "sim/workload/csv.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace lockcast {

namespace {

ResultRow result_of(StoredPoint& point) {
  ResultRow result;
  const nlohmann::ordered_json stored = nlohmann::ordered_json::parse(point.result);
  for (const auto& replication : stored.at("replications")) {
    result.replication_tps.push_back(replication.at("tps").get<double>());
  }
  const nlohmann::ordered_json configuration = nlohmann::ordered_json::parse(point.configuration);
  if (configuration.contains("seed")) { result.seed = configuration.at("seed").get<std::uint64_t>(); }
  result.row = std::move(point.row);
  return result;
}

auto place_of(const ForecastRow& row, bool with_machine) {
  return std::tuple(row.scenario, with_machine ? row.machine : std::string{}, row.settings, row.workload, row.tables,
                    row.scale, row.variant, row.clients);
}

bool share_machine(const std::vector<ResultRow>& a, const std::vector<ResultRow>& b) {
  return std::any_of(a.begin(), a.end(), [&](const ResultRow& x) {
    return std::any_of(b.begin(), b.end(), [&](const ResultRow& y) { return x.row.machine == y.row.machine; });
  });
}

}  // namespace

std::vector<ResultRow> read_results(const std::string& path) {
  std::vector<ResultRow> results;
  const std::optional<std::string> text = text_of_file(path);
  if (text && text->starts_with("SQLite format 3")) {
    Store(path, Store::Opening::existing).for_each([&](StoredPoint& point) { results.push_back(result_of(point)); });
    return results;
  }
  for (ForecastRow& row : read_rows(path)) { results.push_back({std::move(row), {}, {}}); }
  return results;
}

PointDifference difference_of(const ResultRow& a, const ResultRow& b) {
  PointDifference result{a, b, b.row.tps / a.row.tps - 1, 0, 0, false};
  const std::size_t n = std::min(a.replication_tps.size(), b.replication_tps.size());
  if (a.seed && a.seed == b.seed && n >= 2) {
    // Replications count from 0 on both sides; those that only one side needed have no counterpart.
    double mean = 0;
    for (std::size_t i = 0; i < n; ++i) {
      mean += (b.replication_tps[i] - a.replication_tps[i]) / static_cast<double>(n);
    }
    double squares = 0;
    double base = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double off = b.replication_tps[i] - a.replication_tps[i] - mean;
      squares += off * off;
      base += a.replication_tps[i] / static_cast<double>(n);
    }
    const auto count = static_cast<double>(n);
    const double half = student_t(count - 1) * std::sqrt(squares / (count - 1) / count);
    result.is_paired = true;
    result.low = (mean - half) / base;
    result.high = (mean + half) / base;
    return result;
  }
  const double half = std::hypot(a.row.tps_high - a.row.tps_low, b.row.tps_high - b.row.tps_low) / 2;
  result.low = (b.row.tps - a.row.tps - half) / a.row.tps;
  result.high = (b.row.tps - a.row.tps + half) / a.row.tps;
  return result;
}

Comparison compare_results(const std::vector<ResultRow>& a, const std::vector<ResultRow>& b) {
  Comparison comparison;
  comparison.across_machines = !share_machine(a, b);
  const bool with_machine = !comparison.across_machines;
  std::map<decltype(place_of(ForecastRow{}, true)), const ResultRow*> places;
  for (const ResultRow& row : b) {
    if (!places.emplace(place_of(row.row, with_machine), &row).second) {
      throw InputError("two results of the second file are of one point (" + row.row.scenario + ", " +
                       std::to_string(row.row.clients) + " clients) but for the machine, and no machine is in both");
    }
  }
  for (const ResultRow& row : a) {
    const auto found = places.find(place_of(row.row, with_machine));
    if (found == places.end()) {
      ++comparison.only_in_a;
      continue;
    }
    comparison.points.push_back(difference_of(row, *found->second));
  }
  comparison.only_in_b = b.size() - comparison.points.size();
  if (comparison.points.empty()) {
    throw InputError(
        "the two files have no point in common; expected equal scenario, workload, tables, scale, variant, clients and "
        "settings");
  }
  return comparison;
}

}  // namespace lockcast
