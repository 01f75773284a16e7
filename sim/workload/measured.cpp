// Columns are found by name; a row with a wrong number of fields, an unreadable number or an unknown role is an error
// with its line, because a measurement that is silently lost changes the verdict.

#include "sim/workload/measured.hpp"

#include <boost/tokenizer.hpp>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <set>

namespace lockcast {

namespace {

[[noreturn]] void fail_at(const std::string& path, int line, const std::string& what, const std::string& expected) {
  yaml::fail({std::make_shared<const std::string>(path), line, 1}, what, expected);
}

std::vector<std::string> split(const std::string& path, int number, const std::string& line) {
  try {
    const boost::tokenizer<boost::escaped_list_separator<char>> fields(line);
    return {fields.begin(), fields.end()};
  } catch (const boost::escaped_list_error&) { fail_at(path, number, "unreadable quoting", "CSV with double quotes"); }
}

template <class Number>
Number number_in(const std::string& path, int line, const std::string& text, const std::string& column) {
  Number value{};
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc{} || result.ptr != text.data() + text.size() || !(value > 0)) {
    fail_at(path, line, "'" + text + "' in column " + column, "a positive number");
  }
  return value;
}

}  // namespace

std::map<Case, MeasuredPoint> read_measured(const MeasuredSource& source) {
  const std::string& path = source.path;
  std::ifstream file(path);
  if (!file) {
    yaml::fail(source.mark, "cannot read measurements from '" + path + "'", "a CSV file beside the scenario");
  }
  std::string line;
  std::getline(file, line);
  const std::vector<std::string> header = split(path, 1, line);
  std::map<std::string, std::size_t> column;
  for (std::size_t i = 0; i < header.size(); ++i) { column.emplace(header[i], i); }
  for (const char* needed : {"series", "machine", "workload", "tables", "scale", "variant", "clients", "role", "tps",
                             "tps_low", "tps_high"}) {
    if (!column.contains(needed)) {
      fail_at(path, 1, std::string("no column '") + needed + "'",
              "series,machine,workload,tables,scale,variant,clients,role,...");
    }
  }
  std::map<Case, MeasuredPoint> points;
  bool series_known = false;
  std::set<std::string> left_out;
  for (int number = 2; std::getline(file, line); ++number) {
    if (line.empty()) { continue; }
    const std::vector<std::string> fields = split(path, number, line);
    if (fields.size() != header.size()) {
      fail_at(path, number, std::to_string(fields.size()) + " fields",
              std::to_string(header.size()) + " as in the header");
    }
    const auto field = [&](const char* name) -> const std::string& { return fields[column.at(name)]; };
    if (field("series") != source.series) { continue; }
    series_known = true;
    if (std::find(source.without.begin(), source.without.end(), field("variant")) != source.without.end()) {
      left_out.insert(field("variant"));
      continue;
    }
    if (field("machine") != source.machine || field("workload") != source.workload) { continue; }
    MeasuredPoint point;
    point.role = field("role");
    if (point.role != "calibrate" && point.role != "predict") {
      fail_at(path, number, "role '" + point.role + "'", "calibrate or predict");
    }
    point.tps = number_in<double>(path, number, field("tps"), "tps");
    if (!field("tps_low").empty()) { point.low = number_in<double>(path, number, field("tps_low"), "tps_low"); }
    if (!field("tps_high").empty()) { point.high = number_in<double>(path, number, field("tps_high"), "tps_high"); }
    const Case key{field("variant"), number_in<std::int64_t>(path, number, field("scale"), "scale"),
                   static_cast<std::uint32_t>(number_in<std::int64_t>(path, number, field("clients"), "clients")),
                   field("tables")};
    if (!points.emplace(key, point).second) {
      fail_at(path, number, "a second measurement of the same point",
              "one row per series, tables, scale, variant and clients");
    }
  }
  if (!series_known) {
    yaml::fail(source.mark, "no series '" + source.series + "' in '" + path + "'", "a name from its column 'series'");
  }
  for (const std::string& variant : source.without) {
    if (!left_out.contains(variant)) {
      yaml::fail(source.mark, "no row of variant '" + variant + "' to leave out", "a variant of the series");
    }
  }
  return points;
}

}  // namespace lockcast
