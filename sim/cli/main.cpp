#include <cstdio>
#include "sim/run/predict.hpp"
using namespace lockcast;
int main(int argc, char** argv) {
  try {
    std::vector<Assignment> sets;
    for (int i = 2; i + 1 < argc; i += 2) { sets.emplace_back(argv[i], argv[i + 1]); }
    std::int64_t scale = 100; std::vector<std::int64_t> clients; std::string only; std::uint64_t seed = 1; unsigned meas=1000;
    for (auto it = sets.begin(); it != sets.end();) {
      if (it->first == "@clients") { clients.push_back(std::atoi(it->second.c_str())); it = sets.erase(it); }
      else if (it->first == "@variant") { only = it->second; it = sets.erase(it); }
      else if (it->first == "@scale") { scale = std::atoi(it->second.c_str()); it = sets.erase(it); }
      else if (it->first == "@seed") { seed = std::atoi(it->second.c_str()); it = sets.erase(it); }
      else if (it->first == "@ms") { meas = std::atoi(it->second.c_str()); it = sets.erase(it); }
      else ++it;
    }
    Scenario s = load_scenario(argv[1], sets, {LOCKCAST_SOURCE_DIR});
    if (!clients.empty()) s.clients = clients;
    std::vector<Case> cases;
    for (auto& c : s.cases()) if ((c.scale == scale || c.scale == 0) && (only.empty() || c.variant == only)) cases.push_back(c);
    PredictOptions o; o.jobs = 2; o.seed = seed; o.measured = std::chrono::milliseconds{meas};
    auto p = predict(s, cases, o, {});
    for (auto& r : p.points) {
      std::printf("%3u %-13s %8.0f [%8.0f %8.0f] g%8.0f meas %8.0f err %+6.1f%% idle %.2f net %.2f pre %.4f %-12s |", r.point.clients, r.point.variant.c_str(), r.tps, r.tps_low, r.tps_high, r.tps_geometric,
        r.measured ? r.measured->tps : 0.0, r.error ? *r.error * 100 : 0.0, r.cpu_idle, r.network_busy, r.preempted_holds, std::string(regime_names[int(r.regime)]).c_str());
      for (unsigned i = 0; i < category_count; ++i) std::printf(" %s %.1f", std::string(category_names[i]).c_str(), r.share[i] * r.latency_s * 1e6);
      std::printf(" us |"); for (auto& x : r.replications) std::printf(" %.0fk", x.tps / 1000);
      if (r.replications[0].scans) std::printf(" miss/scan %.1f", double(r.replications[0].scan_misses)/double(r.replications[0].scans));
      std::printf(" ev/tx %.0f\n", double(r.replications[0].events)/double(r.replications[0].transactions));
    }
  } catch (const InputError& e) { std::fprintf(stderr, "%s\n", e.what()); return int(e.code()); }
}
