// Keys keep their order; numbers are as they came out.

#include "sim/report/numbers.hpp"
#include "sim/report/records.hpp"
#include "sim/study/whatif_report.hpp"
#include "sim/yaml/reader.hpp"

#include <nlohmann/json.hpp>

namespace lockcast {

namespace {

using Json = nlohmann::ordered_json;

constexpr int whatif_schema = 1;

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json window_of(const PredictOptions& o) {
  return {{"replications_min", o.replications_min},
          {"warmup", yaml::print_duration(o.warmup)},
          {"measure", yaml::print_duration(o.measured)},
          {"precision", o.precision > 0 ? Json(o.precision) : Json(nullptr)}};
}

Json cell_of(const WhatIfReport& r, const PeakCell& cell) {
  const Scaling& scaling = r.question.machines[cell.machine].scaling;
  Json json{{"cores", scaling.cores},
            {"extrapolated", scaling.is_extrapolated},
            {"variant", cell.name.empty() ? Json(nullptr) : Json(cell.name)},
            {"peak", Json::parse(point_text(cell.peak))},
            {"open", cell.is_open},
            {"knee_clients", or_null(cell.knee)},
            {"resource", resource_names[static_cast<std::size_t>(cell.resource)]},
            {"beyond", nullptr},
            {"verdict",
             {{"resource", resource_names[static_cast<std::size_t>(cell.verdict())]},
              {"is_lock", cell.verdict() == Resource::lock},
              {"text", verdict_text(cell)}}},
            {"load_generator", cell.load_generator},
            {"usl_tps", or_null(cell.baselines.usl)},
            {"mva_tps", or_null(cell.baselines.mva)},
            {"markov_tps", or_null(cell.baselines.markov)},
            {"trials", Json::array()}};
  if (!cell.beyond.empty()) {
    json["beyond"] = {{"clients", cell.beyond_clients},
                      {"limit", cell.beyond},
                      {"resource", resource_names[static_cast<std::size_t>(cell.beyond_resource)]}};
  }
  for (const auto& [clients, trial] : cell.trials) {
    json["trials"].push_back({{"clients", clients}, {"tps", trial.tps}, {"limit", trial.limit}});
  }
  return json;
}

Json names_of(const WhatIfQuestion& q, FixSet set) {
  Json names = Json::array();
  for (std::size_t i = 0; i < q.fixes.size(); ++i) {
    if (has(set, i)) { names.push_back(q.fixes[i].name); }
  }
  return names;
}

Json mending_of(const WhatIfReport& r, const Mending& m) {
  const WhatIfQuestion& q = r.question;
  Json json{{"cores", q.machines[m.machine].scaling.cores},
            {"sets", Json::array()},
            {"excluded", Json::array()},
            {"interactions", Json::array()},
            {"steps", Json::array()},
            {"last_gains", Json::object()},
            {"text", fix_order_text(q, m)}};
  for (const auto& [set, cell] : m.cells) {
    json["sets"].push_back(
        {{"fixes", names_of(q, set)}, {"gain", or_null(m.order.gain(set))}, {"cell", cell_of(r, cell)}});
  }
  for (const auto& [set, why] : m.impossible) {
    json["excluded"].push_back({{"fixes", names_of(q, set)}, {"why", why}});
  }
  for (std::size_t a = 0; a < q.fixes.size(); ++a) {
    for (std::size_t b = a + 1; b < q.fixes.size(); ++b) {
      if (const std::optional<double> together = m.order.interaction(a, b)) {
        json["interactions"].push_back({{"fixes", {q.fixes[a].name, q.fixes[b].name}}, {"factor", *together}});
      }
    }
    json["last_gains"][q.fixes[a].name] = or_null(m.order.last_gain(a));
  }
  for (const FixStep& step : m.order.steps()) {
    json["steps"].push_back({{"fix", q.fixes[step.fix].name}, {"gain", step.gain}});
  }
  return json;
}

std::string cell_text(const std::optional<double>& value) { return value ? plain(*value) : std::string{}; }

}  // namespace

std::string as_json(const WhatIfReport& r, std::string_view version) {
  const Scenario& s = r.question.machines.front().scenario;
  Json json;
  json["schema_version"] = whatif_schema;
  json["version"] = version;
  json["scenario"] = s.name;
  json["machine"] = s.machine.name;
  json["workload"] = s.workload;
  json["tables"] = r.question.tables.empty() ? Json(nullptr) : Json(r.question.tables);
  json["scale"] = r.question.scale != 0 ? Json(r.question.scale) : Json(nullptr);
  json["interrupted"] = r.answer.interrupted;
  json["scaling_rule"] = scaling_rule;
  json["machines"] = Json::array();
  for (const WhatIfMachine& machine : r.question.machines) {
    json["machines"].push_back({{"cores", machine.scaling.cores},
                                {"extrapolated", machine.scaling.is_extrapolated},
                                {"shape", machine.scaling.words},
                                {"hops", machine.scenario.machine.topology.hops}});
  }
  json["options"] = {
      {"seed", r.options.full.seed}, {"search", window_of(r.options.search)}, {"full", window_of(r.options.full)}};
  json["options"]["clients"] = r.options.clients;
  json["options"]["set"] = Json::array();
  for (const auto& [path, value] : r.sets) { json["options"]["set"].push_back({{"path", path}, {"value", value}}); }
  json["cells"] = Json::array();
  for (const PeakCell& cell : r.answer.cells) { json["cells"].push_back(cell_of(r, cell)); }
  json["mendings"] = Json::array();
  for (const Mending& mending : r.answer.mendings) { json["mendings"].push_back(mending_of(r, mending)); }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::vector<const PeakCell*> cells_of(const WhatIf& answer) {
  std::vector<const PeakCell*> cells;
  for (const PeakCell& cell : answer.cells) { cells.push_back(&cell); }
  for (const Mending& mending : answer.mendings) {
    for (const auto& [set, cell] : mending.cells) {
      const bool is_there = std::any_of(answer.cells.begin(), answer.cells.end(), [&](const PeakCell& other) {
        return other.machine == cell.machine && other.fixes == cell.fixes;
      });
      if (!is_there) { cells.push_back(&cell); }
    }
  }
  return cells;
}

std::string whatif_columns_of(const WhatIfReport& r, const PeakCell& cell, bool is_mending) {
  std::string text;
  const auto add = [&](const std::string& value) { text.append(text.empty() ? "" : ",").append(value); };
  add(r.question.machines[cell.machine].scaling.is_extrapolated ? "1" : "0");
  add(r.options.clients.empty() ? "1" : "0");
  add(cell.is_open ? "1" : "0");
  add(cell.knee ? std::to_string(*cell.knee) : "");
  add(std::string(resource_names[static_cast<std::size_t>(cell.verdict())]));
  add(cell.beyond.find(',') == std::string::npos ? cell.beyond : "\"" + cell.beyond + "\"");
  add(cell_text(cell.baselines.usl));
  add(cell_text(cell.baselines.mva));
  add(cell_text(cell.baselines.markov));
  add(is_mending ? "fix order" : "cores");
  return text;
}

}  // namespace lockcast
