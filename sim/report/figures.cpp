// One document has its scenario at the top, one with every point.

#include "sim/report/figures.hpp"

#include "models/check.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace lockcast {

namespace {

using Json = nlohmann::ordered_json;

std::string text_at(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() || !found->is_string() ? std::string{} : found->get<std::string>();
}

std::optional<double> number_at(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() || !found->is_number() ? std::nullopt : std::optional(found->get<double>());
}

FigurePoint figure_point(const Json& json, std::size_t index) {
  FigurePoint p;
  p.clients = json.at("clients").get<std::uint32_t>();
  p.tps = json.at("tps").get<double>();
  p.low = json.at("tps_interval").at(0).get<double>();
  p.high = json.at("tps_interval").at(1).get<double>();
  if (const Json& measured = json.at("measured"); !measured.is_null()) {
    p.measured = {measured.at("tps").get<double>(), number_at(measured, "low"), number_at(measured, "high"),
                  text_at(measured, "role")};
  }
  p.error = number_at(json, "error");
  const std::string regime = json.at("regime").get<std::string>();
  const auto found = std::find(regime_names.begin(), regime_names.end(), regime);
  if (found == regime_names.end()) { throw InputError("unknown regime '" + regime + "'"); }
  p.regime = static_cast<Regime>(found - regime_names.begin());
  p.limit = text_at(json, "limit");
  p.latency_us = json.at("latency_us").get<double>();
  for (std::size_t i = 0; i < category_count; ++i) {
    p.spent_us[i] = json.at("latency_us_by_category").at(std::string(category_names[i])).get<double>();
  }
  const Json& quantiles = json.at("latency_ms_quantiles");
  p.quantiles_ms = {quantiles.at("p50").get<double>(), quantiles.at("p95").get<double>(),
                    quantiles.at("p99").get<double>()};
  p.cpu_idle = json.at("cpu_idle").get<double>();
  p.index = index;
  return p;
}

bool same(const Panel& a, const Panel& b) {
  const auto key = [](const Panel& p) {
    return std::tie(p.scenario, p.series, p.machine, p.workload, p.tables, p.scale, p.cores);
  };
  return key(a) == key(b);
}

void put(std::vector<Panel>& panels, const Json& document, std::size_t index) {
  const Json& json = document.at("points").at(index);
  const auto own_or_shared = [&](const char* key) {
    return json.contains(key) ? text_at(json, key) : text_at(document, key);
  };
  Panel panel{own_or_shared("scenario"),
              own_or_shared("series"),
              own_or_shared("machine"),
              own_or_shared("workload"),
              text_at(json, "tables"),
              json.at("scale").is_null() ? 0 : json.at("scale").get<std::int64_t>(),
              json.at("cores").get<std::uint32_t>(),
              {}};
  auto into = std::find_if(panels.begin(), panels.end(), [&](const Panel& p) { return same(p, panel); });
  if (into == panels.end()) { into = panels.insert(panels.end(), std::move(panel)); }
  const std::string variant = text_at(json, "variant");
  auto curve = std::find_if(into->curves.begin(), into->curves.end(),
                            [&](const FigureCurve& c) { return c.variant == variant; });
  if (curve == into->curves.end()) { curve = into->curves.insert(into->curves.end(), {variant, {}}); }
  curve->points.push_back(figure_point(json, index));
}

}  // namespace

std::string Panel::title() const {
  std::string text = scenario;
  if (!tables.empty()) { text += ", " + tables + " tables"; }
  if (scale != 0) { text += ", scale " + std::to_string(scale); }
  return text;
}

std::vector<Panel> panels_of(const Json& document, const std::string& name) {
  std::vector<Panel> panels;
  try {
    for (std::size_t i = 0; i < document.at("points").size(); ++i) { put(panels, document, i); }
  } catch (const Json::exception& error) {
    throw InputError(name + ": not a results document (" + error.what() +
                     "); expected what 'lockcast simulate --format json' or 'lockcast sweep' wrote");
  } catch (const InputError& error) { throw InputError(name + ": " + error.what()); }
  for (Panel& panel : panels) {
    for (FigureCurve& curve : panel.curves) {
      std::stable_sort(curve.points.begin(), curve.points.end(),
                       [](const FigurePoint& a, const FigurePoint& b) { return a.clients < b.clients; });
    }
  }
  return panels;
}

std::vector<CoresCurve> curves_over_cores(const std::vector<Panel>& panels) {
  // Everything but machine and cores.
  using Key = std::tuple<std::string, std::string, std::string, std::int64_t, std::string, std::uint32_t>;
  std::map<Key, std::map<std::uint32_t, const FigurePoint*>> found;
  for (const Panel& panel : panels) {
    for (const FigureCurve& curve : panel.curves) {
      for (const FigurePoint& p : curve.points) {
        found[{panel.scenario, panel.workload, panel.tables, panel.scale, curve.variant, p.clients}][panel.cores] = &p;
      }
    }
  }
  std::vector<CoresCurve> curves;
  for (const auto& [key, by_cores] : found) {
    if (by_cores.size() < 2) { continue; }
    const auto& [scenario, workload, tables, scale, variant, clients] = key;
    std::string name = variant.empty() ? scenario : variant;
    if (!tables.empty()) { name += ", " + tables; }
    CoresCurve curve{name + ", " + std::to_string(clients) + " clients", clients, {}};
    for (const auto& [cores, p] : by_cores) { curve.points.push_back({cores, p->tps, p->low, p->high}); }
    curves.push_back(std::move(curve));
  }
  return curves;
}

}  // namespace lockcast
