// All of it from measured values; forecasts are not looked at.

#include "sim/study/baselines.hpp"

#include "sim/study/tables.hpp"
#include "sim/study/usl.hpp"
#include "sim/study/variants.hpp"

#include <map>

namespace lockcast {

namespace {

struct Curve {
  Rows rows;
  std::optional<UslCurve> usl;  // of its rows with role calibrate
};

std::optional<UslCurve> fit_to_calibrate_rows(const Rows& rows) {
  std::vector<UslPoint> points;
  for (const ForecastRow* row : rows) {
    if (row->measured && row->measured->role == "calibrate") {
      points.push_back({static_cast<double>(row->clients), row->measured->tps});
    }
  }
  return fit_usl(points);
}

std::optional<UslCurve> first_fit(const std::map<std::string, Curve>& variants) {
  std::vector<std::string> names;
  for (const auto& [name, curve] : variants) {
    if (curve.usl) { names.push_back(name); }
  }
  if (names.empty()) { return std::nullopt; }
  return variants.at(in_table_order(names).front()).usl;
}

}  // namespace

std::vector<BaselineForecast> baseline_forecasts(const std::vector<ForecastRow>& rows) {
  std::vector<BaselineForecast> out(rows.size());
  std::map<TableKey, std::map<std::string, Curve>> tables;
  for (const Rows& curve : curves_of(rows)) {
    tables[table_of(*curve.front())][curve.front()->variant] = {curve, fit_to_calibrate_rows(curve)};
  }
  for (const auto& [key, variants] : tables) {
    const std::optional<UslCurve> of_baseline = first_fit(variants);
    for (const auto& [variant, curve] : variants) {
      std::optional<double> last;
      for (const ForecastRow* row : curve.rows) {
        if (!row->measured) { continue; }
        BaselineForecast& forecast = out[static_cast<std::size_t>(row - rows.data())];
        forecast.keep_last = last;
        last = row->measured->tps;
        const std::optional<UslCurve>& usl = row->measured->role == "calibrate" ? curve.usl : of_baseline;
        if (usl) { forecast.usl = usl->tps(static_cast<double>(row->clients)); }
      }
    }
  }
  return out;
}

}  // namespace lockcast
