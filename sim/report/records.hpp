#pragma once
// Finished points apart from the run that made them: as a result store keeps them, and as CSV and JSON print them. A
// point read back from a store gives the bytes that it gave when it was new, because both go through this text.

#include "sim/run/point.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockcast {

// A point as text: the JSON object that `simulate --format json` has below `points`.
std::string point_text(const PointResult& point);
// The same forecast beside another measurement.
std::string measured_again(const std::string& point, const std::optional<MeasuredPoint>& measured);

struct PointRecord {
  std::string series;
  std::string scenario;
  std::string machine;
  std::string workload;
  std::string point;          // point_text
  std::string configuration;  // JSON, or empty: not to be shown
  std::string settings = {};  // of a sweep's axes
};

std::string as_csv(const std::vector<PointRecord>& records);
// The same in pieces, for more records than memory wants to hold: the header, then line by line.
std::string csv_header();
std::string csv_row(const PointRecord& record);
// A document of many scenarios: {schema_version, version, points: [{series, scenario, machine, workload, ...}]}.
std::string as_json(const std::vector<PointRecord>& records, std::string_view version);
// The same in pieces: what stands before the first record, the records in their order, what stands after the last.
std::string json_begin(std::string_view version);
std::string json_record(const PointRecord& record, bool is_first);
std::string json_end(bool is_empty);

}  // namespace lockcast
