// whatif SCENARIO: other core counts, and every fix alone and together.

#include "sim/study/whatif.hpp"

#include "models/check.hpp"
#include "sim/cli/catalog.hpp"
#include "sim/cli/interrupt.hpp"
#include "sim/cli/options.hpp"
#include "sim/cli/output.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/run_options.hpp"
#include "sim/cli/selection.hpp"
#include "sim/cli/study_file.hpp"
#include "sim/cli/values.hpp"
#include "sim/cli/verbs.hpp"
#include "sim/report/records.hpp"
#include "sim/study/variants.hpp"
#include "sim/study/whatif_report.hpp"

#include <algorithm>
#include <cstdio>

namespace lockcast {

namespace {

const Command whatif_description{
    .usage = "whatif SCENARIO [OPTIONS]",
    .about =
        "Says what other core counts and fixes would bring: for each core count and variant the peak throughput, the\n"
        "clients it needs, the knee and what limits it; then each fix alone, together with the others, and in which\n"
        "order they are worth making. Fixes are the scenario's variants (or those of --variant, which may be any of "
        "the\n"
        "workload's library), another kind of lock, and what --free makes cost nothing. The first variant is what "
        "they\n"
        "are compared with. --set and --machine change all of it.",
    .options =
        std::vector<Option>{
            {"cores", "LIST", "these core counts: 8,16,48 or doubling 8..256 or 8..64..8 (the machine's own)", true},
            {"variant", "A,B+C", "these variants beside the first: of the scenario or its workload, '+' for both",
             true},
            {"lock", "NAME=KIND", "a fix: this lock of another kind", true},
            {"free", "WHAT", "a fix nobody can beat: a lock's name, 'lines' or 'preemption' costs nothing", true},
            {"clients", "LIST", "only these client counts, instead of searching the peak", true},
            {"tables", "NAME", "this kind of tables (the first)"},
            {"scale", "N", "this scale (the first)"},
            {"machine", "NAME", "another machine: a name from 'lockcast list machines', or a file"},
            {"set", "PATH=VALUE", "change one value of the scenario, machine.* or workload.*; see 'show'", true},
            {"no-fitted", "", "the hand-written values, without what 'calibrate' has found (NAME.fitted.yaml)"},
            {"explain", "", "also the wiring of the largest machine, die by die"},
            {"seed", "N", "of all random numbers (1)"},
            {"precision", "SHARE", "of the peaks: more replications until the interval is within +-SHARE, such as 3%"},
            {"warmup", "TIME", "simulated before anything counts (50 ms)"},
            {"measure", "TIME", "of the peaks: simulated and counted in each replication (200 ms)"}} +
        std::vector<Option>{jobs_option(),
                            {"format", "table|json|csv", "(table)"},
                            {"out,o", "FILE", "write there instead of stdout; the file appears whole or not at all"}},
    .examples =
        "whatif procarraylock-opteron --cores 8..256\n"
        "whatif procarraylock-opteron --cores 32,64 --variant pgproc-split,flexlocks,clog32 --tables unlogged\n"
        "whatif hot-spinlock --lock counter_lock=mcs --free lines\n",
    .operands_min = 1,
    .operands_max = 1};

constexpr std::int64_t cores_max = 4096;
// Search windows: long enough to tell a percent or two, not to show.
constexpr Picos search_measured{100ms};
constexpr Picos default_warmup{50ms};
constexpr Picos default_measured{200ms};
constexpr std::uint32_t search_replications = 2;

// Lists and steps as everywhere; FIRST..LAST doubles.
std::vector<std::int64_t> read_cores(const std::vector<std::string>& texts) {
  std::vector<std::int64_t> all;
  for (const std::string& item : read_list("cores", texts)) {
    const std::size_t dots = item.find("..");
    if (dots == std::string::npos || item.find("..", dots + 2) != std::string::npos) {
      for (const std::int64_t n : read_numbers("cores", {item}, 1, cores_max)) { all.push_back(n); }
      continue;
    }
    const auto low = static_cast<std::int64_t>(read_number("cores", item.substr(0, dots), 1, cores_max));
    const auto high = static_cast<std::int64_t>(read_number("cores", item.substr(dots + 2), 1, cores_max));
    std::int64_t n = low;
    for (; n < high; n *= 2) { all.push_back(n); }
    if (n != high) {
      fail_usage("--cores " + yaml::quote(item) + ": " + std::to_string(low) + " doubled never is " +
                 std::to_string(high) + "; expected FIRST..LAST in doublings, FIRST..LAST..STEP, or a list");
    }
    all.push_back(high);
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

void check_single(const std::string& option, const std::vector<std::string>& values) {
  if (values.size() > 1) { fail_usage("--" + option + ": a what-if is of one at a time"); }
}

WhatIfQuestion question_of(const Arguments& given, const std::vector<Assignment>& sets) {
  const std::string file = find_file(given.operands()[0], {FileKind::scenario});
  LoadOptions load = load_options_of(given);
  const std::vector<std::string> asked = read_list("variant", given.values("variant"));
  load.more_variants = asked;
  Scenario own = load_scenario(file, sets, data_folders(), load);
  own.measured.clear();

  WhatIfQuestion question;
  std::vector<std::string> variants = in_table_order(own.variants);
  if (!variants.empty()) {
    question.baseline = variants.front();
    if (!asked.empty()) { variants = in_table_order(asked); }
    std::erase(variants, question.baseline);
  }
  question.asked = {0};
  question.fixes = fixes_of(own, question.baseline, variants, question.asked);
  const auto add = [&](Fix fix) {
    question.asked.push_back(only(question.fixes.size()));
    question.fixes.push_back(std::move(fix));
  };
  for (const std::string& text : read_list("lock", given.values("lock"))) { add(lock_fix(text, own)); }
  for (const std::string& name : read_list("free", given.values("free"))) {
    Scenario probe = own;
    make_free(probe, name);
    add({"free " + name, Fix::Kind::free, name});
  }
  if (question.fixes.size() > fixes_max) {
    fail_usage("more than " + std::to_string(fixes_max) +
               " fixes at once; expected some of the variants with --variant A,B");
  }

  std::vector<std::int64_t> cores = read_cores(given.values("cores"));
  if (cores.empty()) { cores.push_back(own.machine.topology.cores()); }
  for (const Fix& fix : question.fixes) {
    if (fix.kind == Fix::Kind::variant) { load.more_variants.push_back(fix.target); }
  }
  for (const std::int64_t n : cores) {
    WhatIfMachine machine{scaled_to(own.machine, static_cast<std::uint32_t>(n)), {}};
    std::vector<Assignment> all = sets;
    all.insert(all.end(), machine.scaling.sets.begin(), machine.scaling.sets.end());
    machine.scenario = load_scenario(file, all, data_folders(), load);
    if (!all.empty()) { machine.scenario.measured.clear(); }
    question.machines.push_back(std::move(machine));
  }
  check_single("tables", read_list("tables", given.values("tables")));
  check_single("scale", read_list("scale", given.values("scale")));
  select_tables_and_scales(given, own);
  question.tables = own.tables.empty() ? "" : own.tables.front();
  question.scale = own.scales.empty() ? 0 : own.scales.front();

  // The largest machine that exists, and the largest.
  std::size_t existing = 0;
  for (std::size_t i = 0; i < question.machines.size(); ++i) {
    if (!question.machines[i].scaling.is_extrapolated) { existing = i; }
  }
  question.mend_at = {existing};
  if (existing + 1 != question.machines.size()) { question.mend_at.push_back(question.machines.size() - 1); }
  return question;
}

WhatIfOptions whatif_options_of(const Arguments& given) {
  WhatIfOptions options;
  options.full = predict_options_of(given);
  if (!given.has("warmup")) { options.full.warmup = default_warmup; }
  if (!given.has("measure")) { options.full.measured = default_measured; }
  if (!given.has("measure") && !given.has("warmup")) { options.shorten_above = 32; }
  options.full.profile = false;
  options.full.replications_disagreeing = options.full.replications_min;
  options.search = options.full;
  options.search.precision = 0;
  options.search.measured = std::min(options.full.measured, search_measured);
  options.search.replications_min = search_replications;
  options.search.replications_disagreeing = search_replications;
  for (const std::int64_t clients : read_numbers("clients", given.values("clients"), 1, clients_max)) {
    options.clients.push_back(static_cast<std::uint32_t>(clients));
  }
  return options;
}

// The rows of simulate, with what a what-if adds at their end.
std::string rows_of(const WhatIfReport& report) {
  const Scenario& s = report.question.machines.front().scenario;
  std::vector<PointRecord> records;
  const std::vector<const PeakCell*> cells = cells_of(report.answer);
  for (const PeakCell* cell : cells) {
    const Scaling& scaling = report.question.machines[cell->machine].scaling;
    records.push_back({s.series,
                       s.name,
                       s.machine.name,
                       s.workload,
                       point_text(cell->peak),
                       {},
                       scaling.sets.empty() ? "" : "cores=" + std::to_string(scaling.cores)});
  }
  const std::string rows = as_csv(records);
  std::string text;
  std::size_t line = 0;
  for (std::size_t begin = 0; begin < rows.size(); ++line) {
    const std::size_t end = rows.find('\n', begin);
    text.append(rows, begin, end - begin).append(",");
    text += line == 0 ? std::string(whatif_columns)
                      : whatif_columns_of(report, *cells[line - 1], line > report.answer.cells.size());
    text += "\n";
    begin = end + 1;
  }
  return text;
}

}  // namespace

const Command& whatif_command() { return whatif_description; }

int whatif_verb(const std::vector<std::string>& arguments) {
  Arguments given(whatif_description, arguments);
  if (given.help()) {
    print(help_text(whatif_description));
    return 0;
  }
  take_study(given, "whatif");
  const std::string_view format =
      format_names[read_one_of("format", given.value("format").value_or("table"), format_names)];
  const WhatIfOptions options = whatif_options_of(given);
  const std::vector<Assignment> sets = sets_of(given);
  const WhatIfQuestion question = question_of(given, sets);
  Output output(given.value("out"));
  WhatIf answer;
  {
    const InterruptHandler handler;
    ProgressLine line;
    answer = ask(question, options, [&](const Progress& progress) { line.show(progress); });
  }
  const WhatIfReport report{question, options, sets, answer, given.has("explain")};
  if (answer.cells.empty()) { return static_cast<int>(ExitCode::interrupted); }
  output.write(format == "json"  ? as_json(report, LOCKCAST_VERSION)
               : format == "csv" ? rows_of(report)
                                 : as_table(report, output.is_stdout() && colour_wanted()));
  return static_cast<int>(answer.interrupted ? ExitCode::interrupted : ExitCode::ok);
}

}  // namespace lockcast
