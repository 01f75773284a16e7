#include "sim/study/queueing.hpp"

#include <algorithm>

namespace lockcast {

double mva_tps(const std::vector<Station>& stations, double think_s, std::uint32_t clients) {
  std::vector<double> queue(stations.size(), 0.0);  // mean number at one of the copies
  double tps = 0;
  for (std::uint32_t n = 1; n <= clients; ++n) {
    double response_s = 0;
    std::vector<double> visit_s;
    for (std::size_t i = 0; i < stations.size(); ++i) {
      const double crowd = (1 + queue[i]) / stations[i].servers;
      visit_s.push_back(stations[i].demand_s / stations[i].copies * std::max(1.0, crowd));
      response_s += visit_s.back() * stations[i].copies;
    }
    const double cycle_s = think_s + response_s;
    tps = cycle_s > 0 ? n / cycle_s : 0;
    for (std::size_t i = 0; i < stations.size(); ++i) { queue[i] = tps * visit_s[i]; }
  }
  return tps;
}

double NonScalableLock::acquisitions_per_second(std::uint32_t cores) const {
  const auto service = [&](std::uint32_t k) { return section_s + re_read_s * k / 2; };
  // Rescaled on the way: the terms of a thousand cores overflow a double.
  double weight = 1;
  double sum = 1;
  double rate = 0;
  for (std::uint32_t k = 0; k < cores; ++k) {
    weight *= (cores - k) / between_s * service(k + 1);
    sum += weight;
    rate += weight / service(k + 1);
    if (sum > 1e200) {
      weight /= sum;
      rate /= sum;
      sum = 1;
    }
  }
  return rate / sum;
}

}  // namespace lockcast
