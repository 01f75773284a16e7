// One row per point, every column always there. The first nineteen are a promise; new ones come at the end. Cells are
// read from the point's JSON, so that a stored point and a new one make the same row.

#include "sim/report/numbers.hpp"
#include "sim/report/records.hpp"
#include "sim/report/report.hpp"

#include <nlohmann/json.hpp>

#include <array>

namespace lockcast {

namespace {

using Json = nlohmann::ordered_json;

// RFC 4180.
std::string csv_field(const std::string& field) {
  if (field.find_first_of(",\"\r\n") == std::string::npos) { return field; }
  std::string out = "\"";
  for (const char c : field) { out.append(c == '"' ? 2 : 1, c); }
  return out + "\"";
}

// What is null has an empty cell.
std::string cell(const Json& value) {
  switch (value.type()) {
    case Json::value_t::null: return {};
    case Json::value_t::string: return value.get<std::string>();
    case Json::value_t::number_float: return plain(value.get<double>());
    default: return value.dump();
  }
}

std::string cell(const Json& point, std::string_view path) {
  const Json::json_pointer pointer{std::string(path)};
  return point.contains(pointer) ? cell(point.at(pointer)) : std::string{};
}

struct CsvColumn {
  std::string_view name;
  std::string_view path = {};  // in the point; empty: `text` says it
  std::string (*text)(const PointRecord&, const Json& point) = nullptr;
};

using R = PointRecord;

std::string milliseconds(const Json& point, std::string_view path) {
  return plain(point.at(Json::json_pointer(std::string(path))).get<double>() / 1e3);
}

constexpr std::array csv_columns{
    CsvColumn{"series", {}, [](const R& r, const Json&) { return r.series; }},
    CsvColumn{"scenario", {}, [](const R& r, const Json&) { return r.scenario; }},
    CsvColumn{"machine", {}, [](const R& r, const Json&) { return r.machine; }},
    CsvColumn{"workload", {}, [](const R& r, const Json&) { return r.workload; }},
    CsvColumn{"tables", "/tables"},
    CsvColumn{"scale", "/scale"},
    CsvColumn{"variant", "/variant"},
    CsvColumn{"clients", "/clients"},
    CsvColumn{"cores", "/cores"},
    CsvColumn{"tps", "/tps"},
    CsvColumn{"tps_low", "/tps_interval/0"},
    CsvColumn{"tps_high", "/tps_interval/1"},
    CsvColumn{"measured_tps", "/measured/tps"},
    CsvColumn{"measured_low", "/measured/low"},
    CsvColumn{"measured_high", "/measured/high"},
    CsvColumn{"error", "/error"},
    CsvColumn{"role", "/measured/role"},
    CsvColumn{"regime", "/regime"},
    CsvColumn{"cpu_idle", "/cpu_idle"},
    CsvColumn{"tps_geometric", "/tps_geometric"},
    CsvColumn{"replications", {}, [](const R&, const Json& p) { return std::to_string(p.at("replications").size()); }},
    CsvColumn{"two_regime",
              {},
              [](const R&, const Json& p) { return std::string(p.at("two_regimes").is_null() ? "0" : "1"); }},
    CsvColumn{"low_share", "/two_regimes/low_share"},
    CsvColumn{"low_min", "/two_regimes/low/0"},
    CsvColumn{"low_max", "/two_regimes/low/1"},
    CsvColumn{"high_min", "/two_regimes/high/0"},
    CsvColumn{"high_max", "/two_regimes/high/1"},
    CsvColumn{"latency_ms", {}, [](const R&, const Json& p) { return milliseconds(p, "/latency_us"); }},
    CsvColumn{"p50_ms", "/latency_ms_quantiles/p50"},
    CsvColumn{"p95_ms", "/latency_ms_quantiles/p95"},
    CsvColumn{"p99_ms", "/latency_ms_quantiles/p99"},
    CsvColumn{"work_us", "/latency_us_by_category/work"},
    CsvColumn{"transfer_us", "/latency_us_by_category/line transfer"},
    CsvColumn{"spin_us", "/latency_us_by_category/spin"},
    CsvColumn{"lock_queue_us", "/latency_us_by_category/lock queue"},
    CsvColumn{"backoff_us", "/latency_us_by_category/back-off"},
    CsvColumn{"runnable_us", "/latency_us_by_category/runnable"},
    CsvColumn{"client_us", "/latency_us_by_category/client"},
    CsvColumn{"disk_us", "/latency_us_by_category/disk"},
    CsvColumn{"preempted_holds", "/preempted_holds"},
    CsvColumn{"network_busy", "/network_busy"},
    CsvColumn{"limit", "/limit"},
    CsvColumn{"settings", {}, [](const R& r, const Json&) { return r.settings; }},
};

}  // namespace

std::string csv_header() {
  std::string out;
  for (const CsvColumn& column : csv_columns) { out.append(out.empty() ? "" : ",").append(column.name); }
  return out + "\n";
}

std::string csv_row(const PointRecord& record) {
  const Json point = Json::parse(record.point);
  std::string out;
  for (std::size_t i = 0; i < csv_columns.size(); ++i) {
    const CsvColumn& column = csv_columns[i];
    out.append(i > 0 ? "," : "")
        .append(csv_field(column.path.empty() ? column.text(record, point) : cell(point, column.path)));
  }
  return out + "\n";
}

std::string as_csv(const std::vector<PointRecord>& records) {
  std::string out = csv_header();
  for (const PointRecord& record : records) { out += csv_row(record); }
  return out;
}

std::string as_csv(const Report& report) {
  const Scenario& s = report.scenario;
  std::vector<PointRecord> records;
  for (const PointResult& point : report.prediction.points) {
    records.push_back({s.series, s.name, s.machine.name, s.workload, point_text(point), {}});
  }
  return as_csv(records);
}

}  // namespace lockcast
