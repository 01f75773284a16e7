#include "sim/study/peak_search.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace lockcast {

namespace {

constexpr double same_height = 0.99;
constexpr double gap_max = 1.5;  // of neighbouring client counts beside the peak

bool is_linear(const std::pair<const std::uint32_t, double>& before,
               const std::pair<const std::uint32_t, double>& after) {
  const double marginal = (after.second - before.second) / (after.first - before.first);
  return marginal >= before.second / before.first / 2;
}

std::uint32_t between(std::uint32_t low, std::uint32_t high) {
  return static_cast<std::uint32_t>(std::lround(std::sqrt(static_cast<double>(low) * high)));
}

}  // namespace

std::optional<std::uint32_t> knee_of(const std::map<std::uint32_t, double>& tps) {
  for (auto at = tps.begin(); at != tps.end() && std::next(at) != tps.end(); ++at) {
    if (!is_linear(*at, *std::next(at))) { return std::next(at)->first; }
  }
  return std::nullopt;
}

std::uint32_t peak_of(const std::map<std::uint32_t, double>& tps) {
  double highest = 0;
  for (const auto& [clients, value] : tps) { highest = std::max(highest, value); }
  return std::find_if(tps.begin(), tps.end(), [&](const auto& at) { return at.second >= highest * same_height; })
      ->first;
}

PeakSearch::PeakSearch(std::uint32_t guess, std::uint32_t limit, bool with_knee)
    : guess_(std::clamp(guess, 1U, limit)), limit_(limit), with_knee_(with_knee) {}

std::uint32_t PeakSearch::peak() const { return peak_of(tps_); }

std::vector<std::uint32_t> PeakSearch::wanted() const {
  if (tps_.empty()) {
    const std::uint32_t twice = std::min(guess_ * 2, limit_);
    return twice == guess_ ? std::vector{guess_} : std::vector{guess_, twice};
  }
  const auto first = tps_.begin();
  const auto last = std::prev(tps_.end());
  const auto at = tps_.find(peak());
  if (at == last && last->first < limit_) { return {std::min(last->first * 2, limit_)}; }
  if (at == first && first->first > 1) { return {first->first / 2}; }
  std::vector<std::uint32_t> wanted;
  for (const auto& [low, high] :
       {std::pair(at == first ? at : std::prev(at), at), std::pair(at, at == last ? at : std::next(at))}) {
    const std::uint32_t middle = between(low->first, high->first);
    if (high->first > low->first * gap_max && !tps_.contains(middle)) { wanted.push_back(middle); }
  }
  if (!wanted.empty()) { return wanted; }
  const bool begins_linear = tps_.size() > 1 && is_linear(*first, *std::next(first));
  if (with_knee_ && !begins_linear && first->first > 1) { return {first->first / 2}; }
  return {};
}

}  // namespace lockcast
