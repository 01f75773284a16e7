// One document with everything that went in and came out. Keys keep their order and numbers their shortest exact form,
// so two equal runs give equal bytes. `schema_version` grows when a key changes its meaning or goes away.

#include "sim/report/explanation.hpp"
#include "sim/report/records.hpp"
#include "sim/report/report.hpp"
#include "sim/report/totals.hpp"
#include "sim/run/tree.hpp"
#include "sim/yaml/reader.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace lockcast {

namespace {

using Json = nlohmann::ordered_json;

constexpr int schema_version = 1;

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json options_of(const Report& report) {
  const PredictOptions& o = report.options;
  Json sets = Json::array();
  for (const auto& [path, value] : report.sets) { sets.push_back({{"path", path}, {"value", value}}); }
  return {{"seed", o.seed},
          {"kernel", kernel_names[static_cast<std::size_t>(o.kernel)]},
          {"warmup", yaml::print_duration(o.warmup)},
          {"measure", yaml::print_duration(o.measured)},
          {"precision", o.precision > 0 ? Json(o.precision) : Json(nullptr)},
          {"replications_min", o.replications_min},
          {"replications_disagreeing", o.replications_disagreeing},
          {"replications_max", o.replications_max},
          {"free", report.free},
          {"set", sets}};
}

Json network_of(const NetworkChoice& choice) {
  if (!choice.has_network) { return nullptr; }
  return {{"messages", choice.messages == Messages::inner ? "inner" : "full"},
          {"asked_for", choice.asked_for},
          {"link_share_at_most", choice.link_share}};
}

// Every kind of tables, variant and scale of the run with the workload it means.
Json workloads_of(const Report& report) {
  Json result = Json::array();
  std::vector<std::tuple<std::string, std::int64_t, std::string>> seen;
  for (const PointResult& p : report.prediction.points) {
    const std::tuple key{p.point.variant, p.point.scale, p.point.tables};
    if (std::find(seen.begin(), seen.end(), key) != seen.end()) { continue; }
    seen.push_back(key);
    Json workload{{"tables", p.point.tables.empty() ? Json(nullptr) : Json(p.point.tables)},
                  {"variant", p.point.variant.empty() ? Json(nullptr) : Json(p.point.variant)},
                  {"scale", p.point.scale != 0 ? Json(p.point.scale) : Json(nullptr)}};
    workload["workload"] = to_json(report.scenario.workload_at(p.point));
    result.push_back(workload);
  }
  return result;
}

Json time_stack(const PointResult& p) {
  Json stack = Json::object();
  for (std::size_t i = 0; i < category_count; ++i) {
    stack[std::string(category_names[i])] = spent_per_transaction_s(p, static_cast<Category>(i)) * 1e6;
  }
  return stack;
}

Json replications_of(const PointResult& p) {
  Json result = Json::array();
  for (const Replication& r : p.replications) {
    // A digest has 64 bits; most readers of JSON keep 53 of a number.
    result.push_back({{"tps", r.tps},
                      {"transactions", r.transactions},
                      {"measured_s", r.measured_s},
                      {"p50_ms", r.latency_p50_s * 1e3},
                      {"p95_ms", r.latency_p95_s * 1e3},
                      {"p99_ms", r.latency_p99_s * 1e3},
                      {"cpu_idle", r.cpu_idle},
                      {"switches", r.switches},
                      {"preemptions", r.preemptions},
                      {"scans", r.scans},
                      {"scan_misses", r.scan_misses},
                      {"events", r.events},
                      {"digest", fmt::format("{:016x}", r.digest)}});
  }
  return result;
}

Json locks_of(const PointResult& p) {
  Json result = Json::array();
  for (const LockTotals& lock : lock_totals(p)) {
    const LockCounters& c = lock.counters;
    const auto acquisitions = static_cast<double>(c.shacq + c.exacq);
    const double waits = acquisitions + static_cast<double>(c.delegated);
    result.push_back({{"name", lock.name},
                      {"shacq", c.shacq},
                      {"exacq", c.exacq},
                      {"delegated", c.delegated},
                      {"blk", c.blk},
                      {"spindelay", c.spindelay},
                      {"preempted_holds", c.preempted},
                      {"wait_us", waits > 0 ? Json(seconds(c.wait) * 1e6 / waits) : Json(nullptr)},
                      {"hold_us", acquisitions > 0 ? Json(seconds(c.hold) * 1e6 / acquisitions) : Json(nullptr)}});
  }
  return result;
}

Json lines_of(const PointResult& p) {
  Json result = Json::array();
  for (const LineTotals& total : line_totals(p)) {
    result.push_back({{"what", total.line.what},
                      {"transfers", total.line.transfers},
                      {"transactions", total.transactions},
                      {"waited_s", total.line.waited_s}});
  }
  return result;
}

Json explanation_of(const Report& report, const PointResult& p) {
  const Explanation e = explain(p, report.scenario.program(p.point), report.scenario.machine.topology.threads());
  const auto per_tx_us = [&](double spent_s) { return spent_s * 1e6 / e.transactions; };
  Json json{{"locks", Json::array()},
            {"lines", Json::array()},
            {"scans", Json::array()},
            {"cpu", Json::array()},
            {"wait_events", Json::object()}};
  for (const auto& [totals, q, caused_s] : e.locks) {
    json["locks"].push_back({{"name", totals.name},
                             {"wait_us_per_tx", per_tx_us(seconds(totals.counters.wait))},
                             {"blamed_us_per_tx", per_tx_us(caused_s)},
                             {"wait_p50_us", q.wait_p50_s * 1e6},
                             {"wait_p99_us", q.wait_p99_s * 1e6},
                             {"hold_p50_us", q.hold_p50_s * 1e6},
                             {"hold_p99_us", q.hold_p99_s * 1e6}});
  }
  for (const LineGroup& group : e.lines) {
    json["lines"].push_back({{"what", group.what},
                             {"lines", group.lines},
                             {"transfers", group.transfers},
                             {"us_per_tx", per_tx_us(group.waited_s)}});
  }
  for (const ScanTotals& scan : e.scans) {
    json["scans"].push_back({{"what", scan.what},
                             {"scans", scan.runs},
                             {"lines", scan.lines},
                             {"misses", scan.misses},
                             {"us_per_tx", per_tx_us(scan.moved_s)}});
  }
  for (const CpuProfile::Row& row : e.cpu) {
    json["cpu"].push_back({{"what", row.name}, {"us_per_tx", per_tx_us(row.spent_s)}});
  }
  for (const WaitEvent& event : e.events) { json["wait_events"][event.name] = event.share; }
  json["vmstat"] = {
      {"r", e.vmstat.r}, {"cs", e.vmstat.cs}, {"us", e.vmstat.us}, {"sy", e.vmstat.sy}, {"id", e.vmstat.id}};
  return json;
}

Json regimes_of(const PointResult& p) {
  if (!p.two_regimes) { return nullptr; }
  const TwoRegimes& two = *p.two_regimes;
  return {{"low_share", two.low_share}, {"low", {two.low_min, two.low_max}}, {"high", {two.high_min, two.high_max}}};
}

Json measured_of(const std::optional<MeasuredPoint>& measured) {
  if (!measured) { return nullptr; }
  return {{"tps", measured->tps},
          {"low", or_null(measured->low)},
          {"high", or_null(measured->high)},
          {"role", measured->role}};
}

Json point_of(const PointResult& p) {
  Json json;
  json["tables"] = p.point.tables.empty() ? Json(nullptr) : Json(p.point.tables);
  json["variant"] = p.point.variant.empty() ? Json(nullptr) : Json(p.point.variant);
  json["scale"] = p.point.scale != 0 ? Json(p.point.scale) : Json(nullptr);
  json["clients"] = p.point.clients;
  json["cores"] = p.cores;
  json["tps"] = p.tps;
  json["tps_interval"] = {p.tps_low, p.tps_high};
  json["tps_geometric"] = p.tps_geometric;
  json["two_regimes"] = regimes_of(p);
  json["measured"] = measured_of(p.measured);
  json["error"] = or_null(p.error);
  json["regime"] = regime_names[static_cast<std::size_t>(p.regime)];
  json["limit"] = p.limit;
  json["latency_us"] = p.latency_s * 1e6;
  json["latency_us_by_category"] = time_stack(p);
  json["latency_ms_quantiles"] = {{"p50", mean_of(p, &Replication::latency_p50_s) * 1e3},
                                  {"p95", mean_of(p, &Replication::latency_p95_s) * 1e3},
                                  {"p99", mean_of(p, &Replication::latency_p99_s) * 1e3}};
  json["cpu_idle"] = p.cpu_idle;
  json["network_busy"] = p.network_busy;
  json["preempted_holds"] = p.preempted_holds;
  json["locks"] = locks_of(p);
  json["lines"] = lines_of(p);
  json["replications"] = replications_of(p);
  return json;
}

}  // namespace

std::string point_text(const PointResult& point) {
  return point_of(point).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string measured_again(const std::string& point, const std::optional<MeasuredPoint>& measured) {
  Json json = Json::parse(point);
  json["measured"] = measured_of(measured);
  json["error"] = measured ? Json(json.at("tps").get<double>() / measured->tps - 1) : Json(nullptr);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string json_begin(std::string_view version) {
  const std::string head = Json{{"schema_version", schema_version}, {"version", version}}.dump(2);
  return head.substr(0, head.size() - 2) + ",\n  \"points\": [";
}

std::string json_record(const PointRecord& record, bool is_first) {
  Json point{{"series", record.series.empty() ? Json(nullptr) : Json(record.series)},
             {"scenario", record.scenario},
             {"machine", record.machine},
             {"workload", record.workload}};
  if (!record.settings.empty()) { point["settings"] = record.settings; }
  point.update(Json::parse(record.point));
  if (!record.configuration.empty()) { point["configuration"] = Json::parse(record.configuration); }
  // Text of JSON holds no line ends of its own, so each of these begins a line of the document.
  std::string text = is_first ? "\n    " : ",\n    ";
  for (const char c : point.dump(2, ' ', false, Json::error_handler_t::replace)) {
    text += c;
    if (c == '\n') { text += "    "; }
  }
  return text;
}

std::string json_end(bool is_empty) { return is_empty ? "]\n}\n" : "\n  ]\n}\n"; }

std::string as_json(const std::vector<PointRecord>& records, std::string_view version) {
  std::string text = json_begin(version);
  for (const PointRecord& record : records) { text += json_record(record, &record == &records.front()); }
  return text + json_end(records.empty());
}

std::string as_json(const Report& report, std::string_view version) {
  const Scenario& s = report.scenario;
  Json json;
  json["schema_version"] = schema_version;
  json["version"] = version;
  json["scenario"] = s.name;
  json["question"] = s.question;
  json["machine"] = s.machine.name;
  json["workload"] = s.workload;
  json["series"] = s.series.empty() ? Json(nullptr) : Json(s.series);
  json["interrupted"] = report.prediction.interrupted;
  json["known_gaps"] = s.known_gaps;
  json["options"] = options_of(report);
  json["network"] = network_of(report.network);
  json["points"] = Json::array();
  for (const PointResult& point : report.prediction.points) {
    json["points"].push_back(point_of(point));
    if (report.options.profile) { json["points"].back()["explanation"] = explanation_of(report, point); }
  }
  json["configuration"] = {{"scenario", to_json(s.scenario_tree)},
                           {"machine", to_json(s.machine_tree)},
                           {"workloads", workloads_of(report)}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace lockcast
