// Some hundred rows at most: a map from the key to the place in the result is all the speed that is needed.

#include "sim/study/tables.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace lockcast {

namespace {

template <class KeyOf>
std::vector<Rows> grouped_by(const std::vector<ForecastRow>& rows, const KeyOf& key_of) {
  std::vector<Rows> groups;
  std::map<decltype(key_of(rows.front())), std::size_t> place;
  for (const ForecastRow& row : rows) {
    const auto [found, is_new] = place.emplace(key_of(row), groups.size());
    if (is_new) { groups.emplace_back(); }
    groups[found->second].push_back(&row);
  }
  return groups;
}

}  // namespace

TableKey table_of(const ForecastRow& row) {
  return {row.series.empty() ? "scenario " + row.scenario : row.series,
          row.machine,
          row.workload,
          row.tables,
          row.scale,
          row.settings};
}

std::string name_of(const TableKey& table) {
  std::string name = table.series + ", " + table.machine + ", " + table.workload;
  if (!table.tables.empty()) { name += ", " + table.tables; }
  if (table.scale != 0) { name += ", scale " + std::to_string(table.scale); }
  if (!table.settings.empty()) { name += ", " + table.settings; }
  return name;
}

std::vector<Rows> cells_of(const std::vector<ForecastRow>& rows) {
  return grouped_by(rows, [](const ForecastRow& row) { return std::tuple(table_of(row), row.clients); });
}

std::vector<Rows> curves_of(const std::vector<ForecastRow>& rows) {
  std::vector<Rows> curves =
      grouped_by(rows, [](const ForecastRow& row) { return std::tuple(table_of(row), row.variant); });
  for (Rows& curve : curves) {
    std::sort(curve.begin(), curve.end(),
              [](const ForecastRow* a, const ForecastRow* b) { return a->clients < b->clients; });
  }
  return curves;
}

}  // namespace lockcast
