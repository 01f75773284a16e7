#pragma once
// Where forecasts to be scored come from: the one place that knows the forms of a results file.

#include "sim/study/forecast_row.hpp"
#include "sim/study/usl.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace lockcast {

// The result file of 'lockcast sweep', or the tidy CSV of 'lockcast simulate --format csv', several of which may be
// joined with cat. The promised columns must be there;
// of the later ones those that are there are read (latency, its parts, the limit). The error column is not: it is
// computed anew. An InputError says what is wrong and where, also of a point that is forecast twice.
std::vector<ForecastRow> read_rows(const std::string& path);

// The same of a JSON document of simulate or sweep; `name` is its file.
std::vector<ForecastRow> rows_of_document(const nlohmann::ordered_json& document, const std::string& name);

// Measured throughput over clients.
struct MeasuredCurve {
  std::string name;  // "procarray, integrity-32, tpcb, permanent, scale 100, master"
  std::vector<UslPoint> points;
};
// Of a results file, or of a table of measurements such as scenarios/published/*.csv, where several runs of one point
// are one point: their median.
std::vector<MeasuredCurve> read_measured_curves(const std::string& path);

}  // namespace lockcast
