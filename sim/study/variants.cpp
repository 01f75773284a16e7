// The order is the one of the patches' history: what a patch was measured against stands before it.

#include "sim/study/variants.hpp"

#include <algorithm>
#include <array>

namespace lockcast {

namespace {

constexpr std::array<std::string_view, 14> table_order{"",
                                                       "master",
                                                       "tas",
                                                       "ttas-in-tas",
                                                       "ttas-in-loop",
                                                       "pgproc-split",
                                                       "flexlocks",
                                                       "reduce-snapshots",
                                                       "snapshot-micro-opt",
                                                       "recentglobalxmin",
                                                       "clog32",
                                                       "fastpath",
                                                       "sinval-lazy",
                                                       "lock-partitions"};

std::vector<std::ptrdiff_t> ranks_of(std::string_view variant) {
  std::vector<std::ptrdiff_t> ranks;
  for (const std::string& part : parts_of(variant)) {
    ranks.push_back(std::find(table_order.begin(), table_order.end(), part) - table_order.begin());
  }
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

}  // namespace

std::set<std::string> parts_of(std::string_view variant) {
  std::set<std::string> parts;
  while (!variant.empty()) {
    const std::size_t plus = std::min(variant.find('+'), variant.size());
    parts.emplace(variant.substr(0, plus));
    variant.remove_prefix(std::min(plus + 1, variant.size()));
  }
  return parts;
}

std::vector<std::string> in_table_order(const std::vector<std::string>& variants) {
  std::vector<std::string> sorted;
  for (const std::string& variant : variants) {
    if (std::find(sorted.begin(), sorted.end(), variant) == sorted.end()) { sorted.push_back(variant); }
  }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const std::string& a, const std::string& b) { return ranks_of(a) < ranks_of(b); });
  return sorted;
}

}  // namespace lockcast
