// compare RESULTS: the score of forecasts against what was measured. compare A B: two result files point by point.

#include "models/check.hpp"
#include "sim/cli/options.hpp"
#include "sim/cli/output.hpp"
#include "sim/cli/values.hpp"
#include "sim/cli/verbs.hpp"
#include "sim/study/difference_report.hpp"
#include "sim/study/rows.hpp"
#include "sim/study/score_report.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace lockcast {

namespace {

const Command compare_description{
    .usage = "compare RESULTS [RESULTS] [OPTIONS]",
    .about =
        "Scores the forecasts of RESULTS, the file of 'lockcast sweep' or a CSV file of 'lockcast simulate', against "
        "the\n"
        "measurements in it: errors by role, series and variant, beside two forecasters that know nothing of locks;\n"
        "gains of variants over their cell's baseline; the worst cells. Several CSV files are joined with cat.\n"
        "Of two files, the second is set beside the first: the change of every point, and whether it is more than "
        "chance,\n"
        "replication by replication where both are results of sweeps with one seed.",
    .options =
        {{"scoreboard", "", "only the table that sets Lockcast beside keep-last and the USL"},
         {"tolerance", "SHARE",
          "exit with 1 when the median error is above it, or nothing was measured; of two files, when a point is "
          "slower by more, and not by chance"},
         {"why", "", "of two files: where the time of a transaction went, as a waterfall"},
         {"format", "table|json", "(table)"},
         {"out,o", "FILE", "write there instead of stdout; the file appears whole or not at all"}},
    .examples =
        "compare results.sqlite\n"
        "compare result.csv --scoreboard\n"
        "compare result.csv --tolerance 10% --format json\n"
        "compare before.sqlite after.sqlite --tolerance 3% --why\n",
    .operands_min = 1,
    .operands_max = 2};

constexpr std::array<std::string_view, 2> compare_formats{"table", "json"};

int compare_two(const Arguments& given, bool json, std::optional<double> tolerance) {
  if (given.has("scoreboard")) { throw InputError("--scoreboard: is of one file", ExitCode::usage); }
  if (given.has("why") && json) { throw InputError("--why: is for people; JSON has everything", ExitCode::usage); }
  const Comparison comparison = compare_results(read_results(given.operands()[0]), read_results(given.operands()[1]));
  const double limit = tolerance.value_or(0);
  Output output(given.value("out"));
  output.write(json ? as_json(comparison, limit, LOCKCAST_VERSION)
                    : as_table(comparison, limit, given.has("why"), output.is_stdout() && colour_wanted()));
  if (!tolerance) { return static_cast<int>(ExitCode::ok); }
  const auto regressions = std::count_if(comparison.points.begin(), comparison.points.end(),
                                         [&](const PointDifference& p) { return is_regression(p, limit); });
  if (regressions == 0) { return static_cast<int>(ExitCode::ok); }
  std::fprintf(stderr, "lockcast: --tolerance: %td of %zu points are slower by more than %.2f %%\n", regressions,
               comparison.points.size(), limit * 100);
  return static_cast<int>(ExitCode::check_failed);
}

}  // namespace

const Command& compare_command() { return compare_description; }

int compare_verb(const std::vector<std::string>& arguments) {
  const Arguments given(compare_description, arguments);
  if (given.help()) {
    print(help_text(compare_description));
    return 0;
  }
  const std::size_t format = read_one_of("format", given.value("format").value_or("table"), compare_formats);
  std::optional<double> tolerance;
  if (const auto text = given.value("tolerance")) { tolerance = read_share("tolerance", *text); }
  if (given.operands().size() == 2) { return compare_two(given, compare_formats[format] == "json", tolerance); }
  if (given.has("why")) { throw InputError("--why: is of two files", ExitCode::usage); }
  if (given.has("scoreboard") && compare_formats[format] == "json") {
    throw InputError("--scoreboard: is for people; JSON has everything", ExitCode::usage);
  }
  const std::vector<ForecastRow> rows = read_rows(given.operands().front());
  const Score score = score_of(rows);
  Output output(given.value("out"));
  output.write(compare_formats[format] == "json"
                   ? score_as_json(score, LOCKCAST_VERSION)
                   : score_as_table(score, given.has("scoreboard"), output.is_stdout() && colour_wanted()));
  if (!tolerance) { return static_cast<int>(ExitCode::ok); }
  const ErrorStatistics& errors = score.total.lockcast.all;
  if (errors.points > 0 && errors.median <= *tolerance) { return static_cast<int>(ExitCode::ok); }
  if (errors.points == 0) {
    std::fprintf(stderr, "lockcast: --tolerance: no forecast stands beside a measurement\n");
  } else {
    std::fprintf(stderr, "lockcast: --tolerance: the median error %.2f %% is above %.2f %%\n", errors.median * 100,
                 *tolerance * 100);
  }
  return static_cast<int>(ExitCode::check_failed);
}

}  // namespace lockcast
