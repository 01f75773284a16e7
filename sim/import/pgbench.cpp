// pgbench's report begins with "transaction type" in all versions. Of its figures of throughput the one without the
// time to connect counts: "excluding connections establishing" to version 13, "without initial connection time" since.
// Lines between reports (vacuum, progress, latencies by statement) mean nothing here.

#include "models/check.hpp"
#include "sim/import/import.hpp"
#include "sim/import/lines.hpp"
#include "sim/workload/language.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

namespace lockcast {

namespace {

struct Run {
  const Line* begin = nullptr;
  std::string workload;
  std::int64_t scale = 0;
  std::int64_t clients = 0;
  std::string mode;
  double tps = 0;
};

// What pgbench calls its scripts, and what the workload library does.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> scripts{{
    {"TPC-B (sort of)", "tpcb"},
    {"<builtin: TPC-B (sort of)>", "tpcb"},
    {"SELECT only", "select-only"},
    {"<builtin: select only>", "select-only"},
    {"Update only pgbench_accounts", "tpcb-N"},
    {"<builtin: simple update>", "tpcb-N"},
}};
constexpr std::array<std::string_view, 2> without_connecting{" (excluding connections establishing)",
                                                             " (without initial connection time)"};
constexpr std::array<std::string_view, 3> with_connecting{
    " (including connections establishing)", " (including reconnection times)", " (including connection establishing)"};

std::string workload_of(const Line& line, std::size_t offset, std::string_view script, const MeasuredAs& as) {
  if (as.workload) { return *as.workload; }
  for (const auto& [name, workload] : scripts) {
    if (name == script) { return std::string(workload); }
  }
  yaml::fail(line.at(offset), "a script of its own: " + yaml::quote(script), "--workload NAME, the workload it is");
}

class Reader {
 public:
  explicit Reader(const MeasuredAs& as) : as_(as) {}

  void read(const Line& line) {
    if (value(line, "transaction type: ")) {
      finish();
      runs_.emplace_back().begin = &line;
      runs_.back().workload = workload_of(line, offset_, value_, as_);
    } else if (value(line, "scaling factor: ")) {
      run(line).scale = count_at(line, offset_, value_, "scaling factor", 1);
    } else if (value(line, "query mode: ")) {
      run(line).mode = value_;
    } else if (value(line, "number of clients: ")) {
      run(line).clients = count_at(line, offset_, value_, "number of clients", 1);
      if (run(line).clients > clients_max) {
        yaml::fail(line.at(offset_), "more clients than a scenario may have", "at most " + std::to_string(clients_max));
      }
    } else if (value(line, "tps = ")) {
      throughput(line);
    }
  }

  // The last report must be whole too.
  void finish() const {
    if (runs_.empty()) { return; }
    const Run& last = runs_.back();
    const auto need = [&](bool there, std::string_view what) {
      if (!there) { yaml::fail(last.begin->mark, "a run without " + std::string(what), "pgbench's whole report"); }
    };
    need(last.scale > 0, "'scaling factor'");
    need(last.clients > 0, "'number of clients'");
    need(!last.mode.empty(), "'query mode'");
    need(last.tps > 0, "'tps' that leaves out the time to connect");
  }

  [[nodiscard]] const std::vector<Run>& runs() const { return runs_; }

 private:
  // Does the line begin so? Then what stands behind it is kept.
  bool value(const Line& line, std::string_view key) {
    if (!line.text.starts_with(key)) { return false; }
    offset_ = key.size();
    value_ = std::string_view(line.text).substr(offset_);
    return true;
  }

  Run& run(const Line& line) {
    if (runs_.empty()) {
      yaml::fail(line.mark, "part of a report whose beginning is missing", "'transaction type: ...'");
    }
    return runs_.back();
  }

  void throughput(const Line& line) {
    for (const std::string_view ending : with_connecting) {
      if (value_.ends_with(ending)) { return; }
    }
    for (const std::string_view ending : without_connecting) {
      if (!value_.ends_with(ending)) { continue; }
      Run& of = run(line);
      if (of.tps > 0) { yaml::fail(line.mark, "a second tps of the same run", "'transaction type: ...' before it"); }
      of.tps = number_at(line, offset_, value_.substr(0, value_.size() - ending.size()), "tps", 0);
      if (of.tps == 0) { yaml::fail(line.at(offset_), "a run in which nothing was done", "tps above 0"); }
      return;
    }
    yaml::fail(line.at(offset_), "tps of an unknown kind: " + yaml::quote(value_),
               "'(excluding connections establishing)' or '(without initial connection time)'");
  }

  const MeasuredAs& as_;
  std::vector<Run> runs_;
  std::size_t offset_ = 0;
  std::string_view value_;
};

// Runs of several modes are several variants, not repetitions.
std::string only_mode(const std::vector<Run>& runs, const MeasuredAs& as) {
  if (as.mode) { return *as.mode; }
  for (const Run& run : runs) {
    if (run.mode == runs.front().mode) { continue; }
    yaml::fail(run.begin->mark, "a run in query mode " + run.mode + " behind one in query mode " + runs.front().mode,
               "--mode, which of them is meant");
  }
  return runs.front().mode;
}

}  // namespace

std::string import_pgbench(const std::string& path, const MeasuredAs& as) {
  const std::vector<Line> lines = lines_of_file(path);
  Reader reader(as);
  for (const Line& line : lines) { reader.read(line); }
  reader.finish();
  if (reader.runs().empty()) {
    yaml::fail(lines.front().mark, "no report of pgbench", "a line 'transaction type: ...' and what follows it");
  }
  const std::string mode = only_mode(reader.runs(), as);

  std::map<std::tuple<std::string, std::int64_t, std::int64_t>, std::vector<double>> points;
  for (const Run& run : reader.runs()) {
    if (run.mode == mode) { points[{run.workload, run.scale, run.clients}].push_back(run.tps); }
  }
  if (points.empty()) { yaml::fail(lines.front().mark, "no run in query mode " + mode, "a mode of this file"); }
  std::string text =
      "series,machine,workload,tables,scale,variant,clients,role,statistic,tps,tps_low,tps_high,source\n";
  for (auto& [point, tps] : points) {
    const auto& [workload, scale, clients] = point;
    const std::size_t runs = tps.size();
    const double median = median_of(tps);
    const std::string bounds = runs > 1 ? shortest(tps.front()) + "," + shortest(tps.back()) : ",";
    for (const std::string& field :
         {as.series, as.machine, workload, as.tables, std::to_string(scale), as.variant, std::to_string(clients),
          as.role, runs > 1 ? "median" + std::to_string(runs) : std::string("single"), shortest(median)}) {
      text += csv_field(field) + ",";
    }
    text += bounds + "," + csv_field("pgbench, query mode " + mode) + "\n";
  }
  return text;
}

}  // namespace lockcast
