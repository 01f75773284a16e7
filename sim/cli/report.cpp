// report RESULTS: one page, or one figure. Several files become one document, with a list of the runs they are of.

#include "models/check.hpp"
#include "sim/cli/options.hpp"
#include "sim/cli/output.hpp"
#include "sim/cli/values.hpp"
#include "sim/cli/verbs.hpp"
#include "sim/report/page.hpp"
#include "sim/report/plots.hpp"
#include "sim/report/records.hpp"
#include "sim/study/rows.hpp"
#include "sim/study/score_report.hpp"
#include "sim/study/store.hpp"
#include "sim/workload/csv.hpp"
#include "sim/yaml/document.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>

namespace lockcast {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 2> report_formats{"html", "svg"};
constexpr std::array<std::string_view, 3> plot_names{"throughput", "stack", "cores"};
constexpr std::array<const char*, 4> selectors{"scenario", "tables", "variant", "scale"};

const Command report_description{
    .usage = "report RESULTS... -o FILE [OPTIONS]",
    .about =
        "Makes one page of RESULTS, the file of 'lockcast sweep' or of 'lockcast simulate --format json': throughput "
        "over\n"
        "clients beside what was measured, where a transaction's time goes, locks, lines, regimes, the score and the\n"
        "configuration. The page needs no network and no other file. Several files become one page; where they differ "
        "in\n"
        "the number of cores, throughput over cores is in it.",
    .options = {{"out,o", "FILE", "write there instead of stdout; the file appears whole or not at all"},
                {"format", "html|svg", "a page, or one figure (html)"},
                {"plot", "throughput|stack|cores", "which figure, of one scenario, or of one variant (throughput)"},
                {"scenario", "NAMES", "only these", true},
                {"tables", "NAMES", "only these", true},
                {"variant", "NAMES", "only these", true},
                {"scale", "LIST", "only these", true}},
    .examples =
        "report results.sqlite -o report.html\n"
        "report results.sqlite --scenario hpux-spinlock --scale 100 --format svg -o spinlock.svg\n"
        "report result.json --format svg --plot stack --variant tas -o stack.svg\n",
    .operands_min = 1,
    .operands_max = std::numeric_limits<std::size_t>::max()};

constexpr std::string_view sqlite_magic = "SQLite format 3";

Json document_of_store(const std::string& path) {
  const Store store(path, Store::Opening::existing);
  std::vector<PointRecord> records;
  Json documents = Json::object();
  for (const StoredPoint& p : store.points()) {
    records.push_back({p.row.series, p.row.scenario, p.row.machine, p.row.workload, p.result, p.configuration});
    for (const std::string& key : {p.machine, p.workload}) {
      if (!documents.contains(key)) { documents[key] = Json::parse(store.document(key)); }
    }
  }
  Json document = Json::parse(as_json(records, LOCKCAST_VERSION));
  document["documents"] = std::move(documents);
  return document;
}

Json read_document(const std::string& path) {
  const std::optional<std::string> text = text_of_file(path);
  if (!text) {
    throw InputError(path +
                     ": cannot read it; expected a file of 'lockcast sweep' or 'lockcast simulate --format json'");
  }
  if (text->starts_with(sqlite_magic)) { return document_of_store(path); }
  Json document = Json::parse(*text, nullptr, false);
  if (!document.is_object()) {
    throw InputError(path +
                     ": neither JSON nor a result file; expected what 'lockcast sweep' or 'lockcast simulate"
                     " --format json' wrote");
  }
  return document;
}

// Whose points name their scenario themselves, whatever the file said once for all of them.
void append(Json& all, Json document) {
  Json run = Json::object();
  for (const auto& [key, value] : document.items()) {
    if (key != "points" && key != "documents" && key != "schema_version") { run[key] = value; }
  }
  const bool is_one_scenario = document.contains("scenario");
  for (Json& point : document["points"]) {
    if (!is_one_scenario) {
      all["points"].push_back(std::move(point));
      continue;
    }
    Json named = Json::object();
    for (const char* key : {"series", "scenario", "machine", "workload"}) {
      if (document.contains(key)) { named[key] = document[key]; }
    }
    named.update(point);
    all["points"].push_back(std::move(named));
  }
  if (is_one_scenario) { all["runs"].push_back(std::move(run)); }
  if (document.contains("documents")) { all["documents"].update(document["documents"]); }
}

void select(Json& points, const Arguments& given) {
  for (const char* selector : selectors) {
    if (!given.has(selector)) { continue; }
    const std::vector<std::string> wanted = read_list(selector, given.values(selector));
    std::vector<std::string_view> known;
    std::vector<std::string> values;
    const auto value_of = [&](const Json& point) {
      const Json& value = point.at(selector);
      return value.is_string() ? value.get<std::string>() : value.is_null() ? std::string{} : value.dump();
    };
    for (const Json& point : points) { values.push_back(value_of(point)); }
    known.assign(values.begin(), values.end());
    for (const std::string& name : wanted) {
      if (std::find(known.begin(), known.end(), name) == known.end()) {
        fail_usage(std::string("--") + selector + ": no point of the results has " + yaml::quote(name) +
                   did_you_mean(name, known));
      }
    }
    Json kept = Json::array();
    for (Json& point : points) {
      if (std::find(wanted.begin(), wanted.end(), value_of(point)) != wanted.end()) {
        kept.push_back(std::move(point));
      }
    }
    points = std::move(kept);
  }
}

std::string figure(const std::vector<Panel>& panels, std::string_view plot) {
  if (plot == "cores") {
    const std::vector<CoresCurve> curves = curves_over_cores(panels);
    if (curves.empty()) { fail_usage("--plot cores: no point was forecast for more than one number of cores"); }
    return cores_svg(curves);
  }
  if (panels.size() != 1) {
    fail_usage("--format svg: " + std::to_string(panels.size()) +
               " tables are asked for; expected one: choose it with --scenario, --tables and --scale");
  }
  if (plot == "throughput") { return throughput_svg(panels.front()); }
  if (panels.front().curves.size() != 1) {
    fail_usage("--plot stack: " + std::to_string(panels.front().curves.size()) +
               " variants are asked for; expected one: choose it with --variant");
  }
  return stack_svg(panels.front(), panels.front().curves.front());
}

std::string page(const Json& document, const std::string& source) {
  const std::vector<ForecastRow> rows = rows_of_document(document, source);
  const Score score = score_of(rows);
  const bool any = score.total.lockcast.all.points > 0;
  return as_html(
      {source, document, any ? score_as_table(score, true, false) : "", any ? score_as_table(score, false, false) : ""},
      LOCKCAST_VERSION);
}

}  // namespace

const Command& report_command() { return report_description; }

int report_verb(const std::vector<std::string>& arguments) {
  const Arguments given(report_description, arguments);
  if (given.help()) {
    print(help_text(report_description));
    return 0;
  }
  const std::string_view format =
      report_formats[read_one_of("format", given.value("format").value_or("html"), report_formats)];
  const std::string_view plot = plot_names[read_one_of("plot", given.value("plot").value_or("throughput"), plot_names)];
  if (given.has("plot") && format != "svg") { fail_usage("--plot is of use only with --format svg"); }
  Json document{{"schema_version", 1}, {"points", Json::array()}};
  std::string source;
  for (const std::string& path : given.operands()) {
    Json one = read_document(path);
    panels_of(one, path);  // says what is wrong with which file
    append(document, std::move(one));
    source += (source.empty() ? "" : ", ") + std::filesystem::path(path).filename().string();
  }
  select(document["points"], given);
  const std::vector<Panel> panels = panels_of(document, source);
  if (panels.empty()) { fail_usage("the results hold no point"); }
  Output output(given.value("out"));
  output.write(format == "svg" ? standalone(figure(panels, plot)) : page(document, source));
  return static_cast<int>(ExitCode::ok);
}

}  // namespace lockcast
