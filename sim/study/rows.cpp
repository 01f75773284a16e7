// A row of the CSV is checked as a whole: a measurement has a role, an interval is not upside down, names are known.

#include "sim/study/rows.hpp"

#include "sim/report/figures.hpp"
#include "sim/run/point.hpp"
#include "sim/study/statistics.hpp"
#include "sim/study/store.hpp"
#include "sim/study/tables.hpp"
#include "sim/workload/csv.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <tuple>

namespace lockcast {

namespace {

constexpr std::string_view sqlite_magic = "SQLite format 3";
constexpr std::int64_t scale_max = 1'000'000'000;
constexpr std::int64_t cores_max = 1'000'000;

std::string text_at(const std::string& path) {
  std::optional<std::string> text = text_of_file(path);
  if (!text) {
    throw InputError(path +
                     ": cannot read it; expected a result file of 'lockcast sweep' or a CSV file of 'lockcast"
                     " simulate --format csv'");
  }
  return *std::move(text);
}

// A store keeps a point once for each scenario; two scenarios may forecast the same measurement.
std::vector<ForecastRow> rows_of_store(const std::string& path) {
  std::vector<ForecastRow> rows;
  std::map<std::tuple<TableKey, std::string, std::string, std::uint32_t>, std::string> seen;
  for (StoredPoint& point : Store(path, Store::Opening::existing).points()) {
    const auto [first, is_new] = seen.emplace(
        std::tuple(table_of(point.row), point.row.settings, point.row.variant, point.row.clients), point.row.scenario);
    if (!is_new) {
      throw InputError(path + ": " + first->second + " and " + point.row.scenario + " both forecast " +
                       name_of(table_of(point.row)) + ", " + point.row.variant + ", " +
                       std::to_string(point.row.clients) + " clients; expected each point once");
    }
    rows.push_back(std::move(point.row));
  }
  return rows;
}

std::string role_of(const CsvTable::Row& row) {
  const std::string& role = row.text("role");
  if (role != "calibrate" && role != "predict") {
    yaml::fail(row.mark("role"), "role " + yaml::quote(role), "calibrate or predict",
               did_you_mean(role, {"calibrate", "predict"}));
  }
  return role;
}

std::optional<MeasuredTps> measured_of(const CsvTable::Row& row) {
  const std::optional<double> tps = row.positive_if_given("measured_tps");
  const std::optional<double> low = row.positive_if_given("measured_low");
  const std::optional<double> high = row.positive_if_given("measured_high");
  if (!tps) {
    for (const char* column : {"measured_low", "measured_high", "role"}) {
      if (!row.text(column).empty()) {
        yaml::fail(row.mark(column), std::string(column) + " without measured_tps", "all of them or none");
      }
    }
    return std::nullopt;
  }
  if (low && high && *low > *high) { yaml::fail(row.mark("measured_low"), "measured_low above measured_high"); }
  return MeasuredTps{*tps, low, high, role_of(row)};
}

// The parts of a transaction's time, in the order of Category.
constexpr std::array<std::string_view, category_count> spent_columns{
    "work_us", "transfer_us", "spin_us", "lock_queue_us", "backoff_us", "runnable_us", "client_us", "disk_us"};

ForecastRow row_of(const CsvTable& table, const CsvTable::Row& from) {
  ForecastRow row;
  row.series = from.text("series");
  row.scenario = from.text("scenario");
  row.machine = from.text("machine");
  row.workload = from.text("workload");
  row.tables = from.text("tables");
  row.scale = from.text("scale").empty() ? 0 : from.count("scale", 1, scale_max);
  row.variant = from.text("variant");
  row.clients = static_cast<std::uint32_t>(from.count("clients", 1, clients_max));
  row.cores = static_cast<std::uint32_t>(from.count("cores", 1, cores_max));
  row.tps = from.positive("tps");
  row.tps_low = from.not_negative("tps_low");
  row.tps_high = from.not_negative("tps_high");
  if (row.tps_low > row.tps_high) { yaml::fail(from.mark("tps_low"), "tps_low above tps_high"); }
  row.measured = measured_of(from);
  row.regime = from.text("regime");
  if (std::find(regime_names.begin(), regime_names.end(), row.regime) == regime_names.end()) {
    yaml::fail(from.mark("regime"), "unknown regime " + yaml::quote(row.regime), "a regime of 'lockcast simulate'",
               did_you_mean(row.regime, {regime_names.begin(), regime_names.end()}));
  }
  row.cpu_idle = from.not_negative("cpu_idle");
  if (table.has("settings")) { row.settings = from.text("settings"); }
  if (table.has("limit")) { row.limit = from.text("limit"); }
  if (table.has("latency_ms")) { row.latency_us = from.not_negative("latency_ms") * 1e3; }
  for (std::size_t i = 0; i < category_count; ++i) {
    if (table.has(spent_columns[i])) { row.spent_us[i] = from.not_negative(spent_columns[i]); }
  }
  return row;
}

std::string with_variant(const TableKey& table, const std::string& variant) {
  return variant.empty() ? name_of(table) : name_of(table) + ", " + variant;
}

std::vector<MeasuredCurve> curves_of_measurements(const CsvTable& table) {
  table.require({"series", "machine", "workload", "tables", "scale", "variant", "clients", "role", "tps"});
  std::vector<MeasuredCurve> curves;
  std::map<std::string, std::map<std::uint32_t, std::vector<double>>> runs;
  for (const CsvTable::Row& row : table.rows()) {
    static_cast<void>(role_of(row));
    const TableKey key{row.text("series"),
                       row.text("machine"),
                       row.text("workload"),
                       row.text("tables"),
                       row.text("scale").empty() ? 0 : row.count("scale", 1, scale_max),
                       {}};
    const std::string name = with_variant(key, row.text("variant"));
    if (!runs.contains(name)) { curves.push_back({name, {}}); }
    runs[name][static_cast<std::uint32_t>(row.count("clients", 1, clients_max))].push_back(row.positive("tps"));
  }
  for (MeasuredCurve& curve : curves) {
    for (const auto& [clients, tps] : runs[curve.name]) {
      curve.points.push_back({static_cast<double>(clients), statistics_of(tps).median});
    }
  }
  return curves;
}

std::vector<LockWait> lock_waits_of(const nlohmann::ordered_json& point) {
  double transactions = 0;
  for (const auto& replication : point.at("replications")) {
    transactions += replication.at("transactions").get<double>();
  }
  std::vector<LockWait> waits;
  for (const auto& lock : point.at("locks")) {
    const double waited =
        lock.at("shacq").get<double>() + lock.at("exacq").get<double>() + lock.at("delegated").get<double>();
    const double mean_us = lock.at("wait_us").is_null() ? 0 : lock.at("wait_us").get<double>();
    waits.push_back({lock.at("name").get<std::string>(), mean_us * waited / transactions});
  }
  return waits;
}

std::vector<ForecastRow> rows_of(const CsvTable& table) {
  table.require({"series", "scenario", "machine", "workload", "tables", "scale", "variant", "clients", "cores", "tps",
                 "tps_low", "tps_high", "measured_tps", "measured_low", "measured_high", "role", "regime", "cpu_idle"});
  std::vector<ForecastRow> rows;
  std::map<std::tuple<TableKey, std::string, std::string, std::uint32_t>, int> seen;
  for (const CsvTable::Row& from : table.rows()) {
    rows.push_back(row_of(table, from));
    const ForecastRow& row = rows.back();
    const auto [first, is_new] =
        seen.emplace(std::tuple(table_of(row), row.settings, row.variant, row.clients), from.mark().line);
    if (!is_new) {
      yaml::fail(from.mark(), "a second forecast of the same point, after line " + std::to_string(first->second),
                 "one row per series, machine, workload, tables, scale, variant and clients");
    }
  }
  return rows;
}

}  // namespace

std::vector<ForecastRow> read_rows(const std::string& path) {
  const std::string text = text_at(path);
  return text.starts_with(sqlite_magic) ? rows_of_store(path) : rows_of(CsvTable(text, path));
}

std::vector<ForecastRow> rows_of_document(const nlohmann::ordered_json& document, const std::string& name) {
  std::vector<ForecastRow> rows;
  for (const Panel& panel : panels_of(document, name)) {
    for (const FigureCurve& curve : panel.curves) {
      for (const FigurePoint& p : curve.points) {
        ForecastRow row;
        row.series = panel.series;
        row.scenario = panel.scenario;
        row.machine = panel.machine;
        row.workload = panel.workload;
        row.tables = panel.tables;
        row.scale = panel.scale;
        row.variant = curve.variant;
        row.clients = p.clients;
        row.cores = panel.cores;
        row.tps = p.tps;
        row.tps_low = p.low;
        row.tps_high = p.high;
        if (const auto& m = p.measured) { row.measured = MeasuredTps{m->tps, m->low, m->high, m->role}; }
        row.regime = regime_names[static_cast<std::size_t>(p.regime)];
        row.cpu_idle = p.cpu_idle;
        row.limit = p.limit;
        row.latency_us = p.latency_us;
        row.spent_us = p.spent_us;
        row.lock_waits = lock_waits_of(document.at("points").at(p.index));
        rows.push_back(std::move(row));
      }
    }
  }
  return rows;
}

std::vector<MeasuredCurve> read_measured_curves(const std::string& path) {
  if (const std::string text = text_at(path); !text.starts_with(sqlite_magic)) {
    const CsvTable table(text, path);
    if (!table.has("measured_tps")) { return curves_of_measurements(table); }
  }
  const std::vector<ForecastRow> rows = read_rows(path);
  std::vector<MeasuredCurve> curves;
  for (const Rows& curve : curves_of(rows)) {
    std::vector<UslPoint> points;
    for (const ForecastRow* row : curve) {
      if (row->measured) { points.push_back({static_cast<double>(row->clients), row->measured->tps}); }
    }
    if (!points.empty()) {
      curves.push_back({with_variant(table_of(*curve.front()), curve.front()->variant), std::move(points)});
    }
  }
  return curves;
}

}  // namespace lockcast
