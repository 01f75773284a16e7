#include "sim/report/numbers.hpp"
#include "sim/report/show.hpp"
#include "sim/report/text_table.hpp"
#include "sim/study/whatif_report.hpp"
#include "sim/yaml/reader.hpp"

#include <fmt/format.h>

namespace lockcast {

namespace {

constexpr std::size_t whatif_width = 140;

std::string line_of(std::string_view label, const std::string& text) {
  return wrapped(text, fmt::format("{:<11}", label), whatif_width);
}

std::string window_text(const PredictOptions& o) {
  return fmt::format("{} of {} after {}", o.replications_min, yaml::print_duration(o.measured),
                     yaml::print_duration(o.warmup));
}

std::string title(const WhatIfReport& r) {
  const WhatIfMachine& first = r.question.machines.front();
  const Scenario& s = first.scenario;
  std::string text = line_of("scenario", s.name);
  text += line_of("", s.question);
  text += line_of("machine", s.machine.name + ": " + s.machine.summary);
  std::string workload = s.workload;
  if (!r.question.tables.empty()) { workload += ", " + r.question.tables + " tables"; }
  if (r.question.scale != 0) { workload += ", scale " + std::to_string(r.question.scale); }
  text += line_of("workload", workload);
  for (const auto& [path, value] : r.sets) { text += line_of("set", path + "=" + value); }
  text += line_of("rule", std::string(scaling_rule));
  for (const WhatIfMachine& machine : r.question.machines) {
    text += line_of("", fmt::format("{:>4} cores{} {}", machine.scaling.cores,
                                    machine.scaling.is_extrapolated ? "*" : " ", machine.scaling.words));
  }
  if (std::any_of(r.question.machines.begin(), r.question.machines.end(),
                  [](const WhatIfMachine& m) { return m.scaling.is_extrapolated; })) {
    text += line_of(
        "", "* beyond the machine of the file: nobody has measured such a one, and costs by distance need not hold");
  }
  if (r.options.clients.empty()) {
    text += line_of("search", "clients by factors of 2, then 1.4 around the peak, at most " +
                                  std::to_string(r.options.clients_per_core_max) +
                                  " a core; replications: " + window_text(r.options.search) +
                                  "; peaks again in full: " + window_text(r.options.full) + ", seed " +
                                  std::to_string(r.options.full.seed));
  } else {
    text += line_of("clients", "only those asked for; replications: " + window_text(r.options.search) +
                                   "; peaks again in full: " + window_text(r.options.full) + ", seed " +
                                   std::to_string(r.options.full.seed));
  }
  if (r.options.shorten_above > 0 && r.question.machines.back().scaling.cores > r.options.shorten_above) {
    text += line_of(
        "", fmt::format("above {} cores only half as long is measured (with --measure: as long as on the others)",
                        r.options.shorten_above));
  }
  return text;
}

std::string hops_text(const WhatIfReport& r) {
  const Topology* largest = nullptr;
  for (const WhatIfMachine& machine : r.question.machines) {
    const Topology& t = machine.scenario.machine.topology;
    if (largest == nullptr || t.dies() > largest->dies()) { largest = &t; }
  }
  std::string text =
      fmt::format("\nlinks between the dies of {} cores (. same die, p package mate, 1, 2)\n", largest->cores());
  for (std::uint32_t a = 0; a < largest->dies(); ++a) {
    text += fmt::format("  die {:>3}  ", a);
    for (std::uint32_t b = 0; b < largest->dies(); ++b) {
      const std::uint32_t threads = largest->cores_per_die * largest->threads_per_core;
      const CoreId from{a * threads};
      const CoreId to{b * threads};
      if (a == b) {
        text += '.';
        continue;
      }
      const Distance d = largest->distance(from, to);
      text += d == Distance::package_mate ? 'p' : d == Distance::one_hop ? '1' : '2';
    }
    text += "\n";
  }
  return text;
}

std::string interval_text(const PointResult& p) {
  if (p.two_regimes) { return "two regimes: " + short_range(p.two_regimes->low_min, p.two_regimes->high_max); }
  return rounded_tps(p.tps_low) + " to " + rounded_tps(p.tps_high);
}

std::string or_dash(const std::optional<double>& tps) { return tps ? rounded_tps(*tps) : std::string("-"); }

std::string cells_table(const WhatIfReport& r, bool colour) {
  bool has_measured = false;
  for (const PeakCell& cell : r.answer.cells) { has_measured = has_measured || cell.peak.measured; }
  std::vector<Column> columns{{"cores"},
                              {"variant", Align::left},
                              {"peak tps"},
                              {"95 % interval", Align::left},
                              {"at clients"},
                              {"knee"},
                              {"gain"},
                              {"USL"},
                              {"MVA"},
                              {"Markov"},
                              {"limited by", Align::left}};
  TextTable table(std::move(columns));
  const PeakCell* base = nullptr;
  for (const PeakCell& cell : r.answer.cells) {
    const Scaling& scaling = r.question.machines[cell.machine].scaling;
    if (cell.fixes == 0) { base = &cell; }
    const bool has_base = base != nullptr && base->machine == cell.machine && base != &cell;
    std::string limit = cell.peak.limit;
    if (!cell.beyond.empty() && cell.ends_by_what_is_beyond()) {
      limit += fmt::format("; at {}: {}", cell.beyond_clients, cell.beyond);
    }
    table.row({std::to_string(scaling.cores) + (scaling.is_extrapolated ? "*" : " "), cell.name,
               rounded_tps(cell.peak.tps), interval_text(cell.peak),
               std::to_string(cell.peak.point.clients) + (cell.is_open ? "+" : " "),
               cell.knee ? std::to_string(*cell.knee) : "-",
               has_base && base->peak.tps > 0 ? signed_percent(cell.peak.tps / base->peak.tps - 1) : "",
               or_dash(cell.baselines.usl), or_dash(cell.baselines.mva), or_dash(cell.baselines.markov), limit});
  }
  std::string text = table.text(colour, 0, whatif_width + 20);
  bool is_open = false;
  for (const PeakCell& cell : r.answer.cells) { is_open = is_open || cell.is_open; }
  if (is_open) { text += "+ the most clients that were looked at: more may bring more\n"; }
  return text;
}

std::string rivals_text(const WhatIfReport& r) {
  bool usl = false;
  bool mva = false;
  bool markov = false;
  for (const PeakCell& cell : r.answer.cells) {
    usl = usl || cell.baselines.usl;
    mva = mva || cell.baselines.mva;
    markov = markov || cell.baselines.markov;
  }
  std::string text;
  if (usl) {
    text += line_of("USL",
                    "fitted to the peaks up to the machine of the file: a smooth bend of cores; it misses what a "
                    "larger machine meets first, and every fix is a new fit");
  }
  if (mva) {
    text += line_of("MVA",
                    "queueing alone, with the demands of one client, at the client count of the peak: it misses "
                    "moving lines, spinning, wake-ups and preemption, so it is too high where those matter");
  }
  if (markov) {
    text += line_of("Markov",
                    "one non-scalable spinlock, its waiters re-reading the line: it misses all other locks, "
                    "requests of waiters that spin by exchange, and preemption");
  }
  return text;
}

std::string words(const WhatIfReport& r) {
  std::string text;
  const auto name_cell = [&](const PeakCell& cell) {
    return fmt::format("{} cores{}{}", r.question.machines[cell.machine].scaling.cores,
                       r.question.machines[cell.machine].scaling.is_extrapolated ? "*" : "",
                       cell.name.empty() ? "" : ", " + cell.name);
  };
  text += "what limits\n";
  for (const PeakCell& cell : r.answer.cells) {
    text += wrapped(verdict_text(cell), "  " + name_cell(cell) + ": ", whatif_width);
  }
  return text;
}

std::string matrix(const WhatIfQuestion& q, const Mending& m) {
  std::vector<Column> columns{{"alone or with", Align::left}};
  for (const Fix& fix : q.fixes) { columns.push_back({fix.name}); }
  columns.push_back({"after all others"});
  TextTable table(std::move(columns));
  const auto gain_of = [&](FixSet set) {
    if (const std::optional<double> gain = m.order.gain(set)) { return signed_percent(*gain - 1); }
    return std::string(m.impossible.contains(set) ? "x" : "");
  };
  for (std::size_t a = 0; a < q.fixes.size(); ++a) {
    std::vector<Cell> row;
    row.emplace_back(q.fixes[a].name);
    for (std::size_t b = 0; b < q.fixes.size(); ++b) {
      std::string text = gain_of(only(a) | only(b));
      if (const std::optional<double> together = a == b ? std::nullopt : m.order.interaction(a, b)) {
        text += fmt::format(" (x{:.2f})", *together);
      }
      row.emplace_back(text);
    }
    const std::optional<double> last = m.order.last_gain(a);
    row.emplace_back(last ? signed_percent(*last - 1) : "-");
    table.row(std::move(row));
  }
  return table.text(false, 2, whatif_width);
}

std::string mending_text(const WhatIfReport& r, const Mending& m) {
  const Scaling& scaling = r.question.machines[m.machine].scaling;
  const PeakCell& base = m.cells.at(0);
  std::string text = fmt::format(
      "\nfix order at {} cores{}: peak over {}, {} tps ({})\n", scaling.cores, scaling.is_extrapolated ? "*" : "",
      base.name.empty() ? "the scenario as it is" : base.name, rounded_tps(base.peak.tps), verdict_text(base));
  text += matrix(r.question, m);
  if (r.question.fixes.size() > 1) {
    text +=
        "  (x: both over the product of each alone; above 1 they make room for each other, below 1 they mend the "
        "same)\n";
  }
  for (const std::string& line : fix_order_text(r.question, m)) { text += wrapped(line, "  ", whatif_width); }
  const std::vector<FixStep> steps = m.order.steps();
  if (!steps.empty()) {
    const PeakCell& last = m.cells.at(steps.back().set);
    text += wrapped("with all of them: " + rounded_tps(last.peak.tps) + " tps; next: " + verdict_text(last), "  ",
                    whatif_width);
  }
  return text;
}

}  // namespace

std::string as_table(const WhatIfReport& r, bool colour) {
  std::string text = title(r);
  if (r.with_hops) { text += hops_text(r); }
  text += "\n" + cells_table(r, colour) + rivals_text(r) + "\n" + words(r);
  for (const Mending& mending : r.answer.mendings) { text += mending_text(r, mending); }
  return text;
}

}  // namespace lockcast
