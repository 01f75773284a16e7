#pragma once
// How rows belong together. A table is what one person measured on one machine: all variants and client counts of one
// workload, kind of tables and scale. A cell is a table at one client count, a curve a table's one variant.

#include "sim/study/forecast_row.hpp"

#include <compare>
#include <string>
#include <vector>

namespace lockcast {

struct TableKey {
  std::string series;  // or, of forecasts beside which nothing was measured, "scenario NAME"
  std::string machine;
  std::string workload;
  std::string tables;
  std::int64_t scale = 0;
  std::string settings = {};  // of a sweep: another machine or workload, under the same names

  friend auto operator<=>(const TableKey&, const TableKey&) = default;
};

TableKey table_of(const ForecastRow& row);
std::string name_of(const TableKey& table);  // "spinlock, integrity-32, select-only, scale 100"

// The rows that are equal in something, in the order of the first of each.
using Rows = std::vector<const ForecastRow*>;
std::vector<Rows> cells_of(const std::vector<ForecastRow>& rows);
std::vector<Rows> curves_of(const std::vector<ForecastRow>& rows);  // each by client count

}  // namespace lockcast
