// The sentences and the order of fixes: what people came for. Numbers below the noise of a point are not praised.

#include "sim/report/numbers.hpp"
#include "sim/study/whatif_report.hpp"

#include <fmt/format.h>

namespace lockcast {

namespace {

// A gain that the noise of two peaks cannot make: repeated runs of one table differ as much.
constexpr double gain_min = 0.03;
constexpr double hidden_min = 0.10;

std::string gain_text(double gain) { return signed_percent(gain - 1); }

std::string others_text(const WhatIfQuestion& question, FixSet set) {
  std::string text;
  for (std::size_t i = 0; i < question.fixes.size(); ++i) {
    if (has(set, i)) { text.append(text.empty() ? "" : " and ").append(question.fixes[i].name); }
  }
  return text;
}

}  // namespace

std::string verdict_text(const PeakCell& cell) {
  const auto beyond = [&] {
    return cell.ends_by_what_is_beyond() ? fmt::format(", beyond the peak (at {} clients)", cell.beyond_clients)
                                         : std::string{};
  };
  const std::string& limit = cell.verdict_limit();
  switch (cell.verdict()) {
    case Resource::lock: return "a lock: " + limit + beyond();
    case Resource::cores: {
      std::string text = "the cores, not a lock: " + limit + beyond();
      if (cell.load_generator > 0.005) {
        text += fmt::format(", {} of them by the load generator", percent(cell.load_generator));
      }
      return text;
    }
    case Resource::network: return "the network, not a lock: " + limit + beyond();
    case Resource::disk: return "the disk, not a lock" + beyond();
    case Resource::client:
      if (cell.is_open) { return "the client, not a lock: more clients would bring more"; }
      return "the client, not a lock: " + limit + beyond();
    case Resource::work:
      if (cell.is_open) { return "the work of each backend, not a lock: more clients would bring more"; }
      return "the work of each backend, not a lock" + beyond();
    case Resource::unknown:
      return fmt::format("not known: at {} clients {}, it may be too short", cell.beyond_clients, limit);
  }
  return {};
}

std::vector<std::string> fix_order_text(const WhatIfQuestion& question, const Mending& mending) {
  std::vector<std::string> lines;
  const std::vector<FixStep> steps = mending.order.steps();
  std::size_t number = 0;
  const PeakCell* before = &mending.cells.at(0);
  bool done = false;
  for (const FixStep& step : steps) {
    const PeakCell& after = mending.cells.at(step.set);
    const std::string& name = question.fixes[step.fix].name;
    const double alone = mending.order.gain(only(step.fix)).value_or(1);
    if (step.gain - 1 >= gain_min && !done) {
      std::string line = fmt::format("{}. {}: {}, {} -> {} tps", ++number, name, gain_text(step.gain),
                                     rounded_tps(before->peak.tps), rounded_tps(after.peak.tps));
      if (number > 1) { line += fmt::format(" (alone {})", gain_text(alone)); }
      line += "; then " + verdict_text(after);
      lines.push_back(line);
    } else {
      // The best of those that are left brings nothing now; what comes after it is told as it comes.
      const std::string change = step.gain - 1 <= -gain_min ? "costs " + percent(1 - step.gain, 1)
                                 : step.gain - 1 < gain_min
                                     ? "brings nothing that could be told from noise (" + gain_text(step.gain) + ")"
                                     : "brings " + gain_text(step.gain);
      lines.push_back(fmt::format("-  {}: {} {}", name, change, number == 0 && !done ? "alone" : "after these"));
      done = true;
    }
    before = &after;
  }
  for (std::size_t fix = 0; fix < question.fixes.size(); ++fix) {
    const std::optional<double> alone = mending.order.gain(only(fix));
    const std::optional<double> last = mending.order.last_gain(fix);
    if (!alone || !last || steps.size() < 2) { continue; }
    if (*alone - 1 < gain_min && *last - 1 >= hidden_min) {
      lines.push_back(fmt::format("hidden: {} brings {} alone, but {} once {} is in: another bottleneck hides it",
                                  question.fixes[fix].name, gain_text(*alone), gain_text(*last),
                                  others_text(question, steps.back().set & ~only(fix))));
    }
  }
  for (const auto& [set, why] : mending.impossible) {
    lines.push_back("not combined: " + others_text(question, set) + ": " + why);
  }
  return lines;
}

}  // namespace lockcast
