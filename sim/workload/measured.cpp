// Columns are found by name; a row with a wrong number of fields, an unreadable number or an unknown role is an error
// with its line, because a measurement that is silently lost changes the verdict.

#include "sim/workload/measured.hpp"

#include "sim/workload/csv.hpp"

#include <algorithm>
#include <limits>
#include <set>

namespace lockcast {

std::map<Case, MeasuredPoint> read_measured(const MeasuredSource& source) {
  const std::optional<std::string> text = text_of_file(source.path);
  if (!text) {
    yaml::fail(source.mark, "cannot read measurements from '" + source.path + "'", "a CSV file beside the scenario");
  }
  const CsvTable table(*text, source.path);
  table.require(
      {"series", "machine", "workload", "tables", "scale", "variant", "clients", "role", "tps", "tps_low", "tps_high"});
  std::map<Case, MeasuredPoint> points;
  bool series_known = false;
  std::set<std::string> left_out;
  for (const CsvTable::Row& row : table.rows()) {
    if (row.text("series") != source.series) { continue; }
    series_known = true;
    if (std::find(source.without.begin(), source.without.end(), row.text("variant")) != source.without.end()) {
      left_out.insert(row.text("variant"));
      continue;
    }
    if (row.text("machine") != source.machine || row.text("workload") != source.workload) { continue; }
    MeasuredPoint point;
    point.role = row.text("role");
    if (point.role != "calibrate" && point.role != "predict") {
      yaml::fail(row.mark("role"), "role " + yaml::quote(point.role), "calibrate or predict");
    }
    if (source.only_calibrate_rows && point.role != "calibrate") { continue; }
    point.tps = row.positive("tps");
    point.low = row.positive_if_given("tps_low");
    point.high = row.positive_if_given("tps_high");
    const Case key{row.text("variant"), row.count("scale", 1, std::numeric_limits<std::int64_t>::max()),
                   static_cast<std::uint32_t>(row.count("clients", 1, clients_max)), row.text("tables")};
    if (!points.emplace(key, point).second) {
      yaml::fail(row.mark(), "a second measurement of the same point",
                 "one row per series, tables, scale, variant and clients");
    }
  }
  if (!series_known) {
    yaml::fail(source.mark, "no series '" + source.series + "' in '" + source.path + "'",
               "a name from its column 'series'");
  }
  for (const std::string& variant : source.without) {
    if (!left_out.contains(variant)) {
      yaml::fail(source.mark, "no row of variant '" + variant + "' to leave out", "a variant of the series");
    }
  }
  return points;
}

}  // namespace lockcast
