// One row per point, every column always there. The first nineteen are a promise; new ones come at the end.

#include "sim/report/numbers.hpp"
#include "sim/report/report.hpp"
#include "sim/report/totals.hpp"

#include <array>
#include <functional>

namespace lockcast {

namespace {

// RFC 4180.
std::string quoted(const std::string& field) {
  if (field.find_first_of(",\"\r\n") == std::string::npos) { return field; }
  std::string out = "\"";
  for (const char c : field) { out.append(c == '"' ? 2 : 1, c); }
  return out + "\"";
}

std::string optional_number(const std::optional<double>& value) { return value ? plain(*value) : std::string{}; }

std::string micros_of(const PointResult& point, Category category) {
  return plain(spent_per_transaction_s(point, category) * 1e6);
}

struct CsvColumn {
  std::string_view name;
  std::string (*text)(const Scenario&, const PointResult&);
};

using S = Scenario;
using P = PointResult;

constexpr std::array columns{
    CsvColumn{"series", [](const S& s, const P&) { return s.series; }},
    CsvColumn{"scenario", [](const S& s, const P&) { return s.name; }},
    CsvColumn{"machine", [](const S& s, const P&) { return s.machine.name; }},
    CsvColumn{"workload", [](const S& s, const P&) { return s.workload; }},
    CsvColumn{"tables", [](const S&, const P& p) { return p.point.tables; }},
    CsvColumn{"scale",
              [](const S&, const P& p) { return p.point.scale != 0 ? std::to_string(p.point.scale) : std::string{}; }},
    CsvColumn{"variant", [](const S&, const P& p) { return p.point.variant; }},
    CsvColumn{"clients", [](const S&, const P& p) { return std::to_string(p.point.clients); }},
    CsvColumn{"cores", [](const S&, const P& p) { return std::to_string(p.cores); }},
    CsvColumn{"tps", [](const S&, const P& p) { return plain(p.tps); }},
    CsvColumn{"tps_low", [](const S&, const P& p) { return plain(p.tps_low); }},
    CsvColumn{"tps_high", [](const S&, const P& p) { return plain(p.tps_high); }},
    CsvColumn{"measured_tps", [](const S&, const P& p) { return p.measured ? plain(p.measured->tps) : std::string{}; }},
    CsvColumn{"measured_low",
              [](const S&, const P& p) { return p.measured ? optional_number(p.measured->low) : std::string{}; }},
    CsvColumn{"measured_high",
              [](const S&, const P& p) { return p.measured ? optional_number(p.measured->high) : std::string{}; }},
    CsvColumn{"error", [](const S&, const P& p) { return optional_number(p.error); }},
    CsvColumn{"role", [](const S&, const P& p) { return p.measured ? p.measured->role : std::string{}; }},
    CsvColumn{"regime",
              [](const S&, const P& p) { return std::string(regime_names[static_cast<std::size_t>(p.regime)]); }},
    CsvColumn{"cpu_idle", [](const S&, const P& p) { return plain(p.cpu_idle); }},
    CsvColumn{"tps_geometric", [](const S&, const P& p) { return plain(p.tps_geometric); }},
    CsvColumn{"replications", [](const S&, const P& p) { return std::to_string(p.replications.size()); }},
    CsvColumn{"two_regime", [](const S&, const P& p) { return std::string(p.two_regimes ? "1" : "0"); }},
    CsvColumn{"low_share",
              [](const S&, const P& p) { return p.two_regimes ? plain(p.two_regimes->low_share) : std::string{}; }},
    CsvColumn{"low_min",
              [](const S&, const P& p) { return p.two_regimes ? plain(p.two_regimes->low_min) : std::string{}; }},
    CsvColumn{"low_max",
              [](const S&, const P& p) { return p.two_regimes ? plain(p.two_regimes->low_max) : std::string{}; }},
    CsvColumn{"high_min",
              [](const S&, const P& p) { return p.two_regimes ? plain(p.two_regimes->high_min) : std::string{}; }},
    CsvColumn{"high_max",
              [](const S&, const P& p) { return p.two_regimes ? plain(p.two_regimes->high_max) : std::string{}; }},
    CsvColumn{"latency_ms", [](const S&, const P& p) { return plain(p.latency_s * 1e3); }},
    CsvColumn{"p50_ms", [](const S&, const P& p) { return plain(mean_of(p, &Replication::latency_p50_s) * 1e3); }},
    CsvColumn{"p95_ms", [](const S&, const P& p) { return plain(mean_of(p, &Replication::latency_p95_s) * 1e3); }},
    CsvColumn{"p99_ms", [](const S&, const P& p) { return plain(mean_of(p, &Replication::latency_p99_s) * 1e3); }},
    CsvColumn{"work_us", [](const S&, const P& p) { return micros_of(p, Category::work); }},
    CsvColumn{"transfer_us", [](const S&, const P& p) { return micros_of(p, Category::transfer); }},
    CsvColumn{"spin_us", [](const S&, const P& p) { return micros_of(p, Category::spin); }},
    CsvColumn{"lock_queue_us", [](const S&, const P& p) { return micros_of(p, Category::lock_queue); }},
    CsvColumn{"backoff_us", [](const S&, const P& p) { return micros_of(p, Category::backoff); }},
    CsvColumn{"runnable_us", [](const S&, const P& p) { return micros_of(p, Category::runnable); }},
    CsvColumn{"client_us", [](const S&, const P& p) { return micros_of(p, Category::client); }},
    CsvColumn{"preempted_holds", [](const S&, const P& p) { return plain(p.preempted_holds); }},
    CsvColumn{"network_busy", [](const S&, const P& p) { return plain(p.network_busy); }},
    CsvColumn{"limit", [](const S&, const P& p) { return p.limit; }},
};

}  // namespace

std::string as_csv(const Report& report) {
  std::string out;
  const auto line = [&](const auto& text_of) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      out.append(i > 0 ? "," : "").append(quoted(text_of(columns[i])));
    }
    out += "\n";
  };
  line([](const CsvColumn& column) { return std::string(column.name); });
  for (const PointResult& point : report.prediction.points) {
    line([&](const CsvColumn& column) { return column.text(report.scenario, point); });
  }
  return out;
}

}  // namespace lockcast
