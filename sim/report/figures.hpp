#pragma once
// What a report draws: the points of a results document, in panels of curves over clients. A panel is what one person
// would compare: all variants of one workload, kind of tables and scale on one machine.

#include "sim/run/point.hpp"

#include <nlohmann/json_fwd.hpp>

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockcast {

struct FigurePoint {
  std::uint32_t clients = 0;
  double tps = 0;
  double low = 0;  // 95 % interval between replications
  double high = 0;
  struct Measured {
    double tps = 0;
    std::optional<double> low;
    std::optional<double> high;
    std::string role;
  };
  std::optional<Measured> measured;
  std::optional<double> error;
  Regime regime = Regime::linear;
  std::string limit;
  double latency_us = 0;
  std::array<double, category_count> spent_us{};  // sums to latency_us
  std::array<double, 3> quantiles_ms{};           // p50, p95, p99
  double cpu_idle = 0;
  std::size_t index = 0;  // in the document's points
};

struct FigureCurve {
  std::string variant;              // empty: the scenario has none
  std::vector<FigurePoint> points;  // by clients
  [[nodiscard]] std::string_view label() const { return variant.empty() ? std::string_view("forecast") : variant; }
};

struct Panel {
  std::string scenario, series, machine, workload, tables;
  std::int64_t scale = 0;
  std::uint32_t cores = 0;
  std::vector<FigureCurve> curves;  // in the order of the document
  [[nodiscard]] std::string title() const;
};

// Of a document of `simulate --format json` or of a sweep. Throws InputError if it is neither; `name` is its file.
std::vector<Panel> panels_of(const nlohmann::ordered_json& document, const std::string& name);

// Of the variants that were forecast for several numbers of cores at one client count.
struct CoresCurve {
  std::string name;
  std::uint32_t clients = 0;
  struct At {
    std::uint32_t cores = 0;
    double tps = 0, low = 0, high = 0;
  };
  std::vector<At> points;
};
std::vector<CoresCurve> curves_over_cores(const std::vector<Panel>& panels);

}  // namespace lockcast
