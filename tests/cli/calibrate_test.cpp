// A calibration from outside: a value that a table was made with is found again, on calibrate rows alone, with any
// number of workers; what it leaves is read strictly; what is wrong with a study is said before anything is simulated.

#include "tests/cli/program.hpp"

#include <nlohmann/json.hpp>

#include <set>

namespace lockcast::calibrate_test {

namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

// Throughput is nearly clients / think, so a table made with 30 us tells it.
const std::string scenario = R"(schema: lockcast/scenario/1
name: made
question: "is the value found again?"
machine: textbook-32
workload: w.yaml
measured: {file: made.csv, series: synthetic}
scales: {1: {}}
variants: [plain, patched]
clients: [1, 8]
)";
const std::string workload = R"(schema: lockcast/workload/1
workload: w
summary: "one lock around one line"
constants:
  think: {value: 20 us, interval: [14 us, 26 us], range: [5 us, 60 us], origin: assumed, reference: "a guess"}
  rare: {value: 1 us, interval: [0.5 us, 1.5 us], range: [0.1 us, 5 us], origin: assumed, reference: "never happens"}
  turns: {value: 2, interval: [1, 3], range: [1, 4], origin: assumed, reference: "a whole number"}
  fixed: {value: 1 us, interval: [1 us, 1 us], range: [0 us, 5 us], origin: assumed, reference: "known"}
  others: {value: 1 us, interval: [1 us, 2 us], range: [0 us, 5 us], origin: assumed, reference: "of a variant"}
lines:
  data: {count: 1, stride: 64 B}
  pool: {count: $turns, stride: 64 B}
locks:
  guard: {kind: ttas}
procedures:
  Extra: []
transaction:
  - work: {mean: $think, spread: exponential}
  - work: $fixed
  - choose: {probability: 0.000001, do: [{work: $rare}, {work: $others}]}
  - touch: {lines: pool, access: read, pick: 0}
  - acquire: {lock: guard}
  - touch: {lines: data, access: write}
  - release: guard
variants:
  plain: {}
  patched: {locks: {guard: {kind: tas}}}
)";
// Where only equality is asked for, a fit that is not at its end (exit code 5) will do.
const Words one_step{"--iterations", "1"};
const std::string study = R"(schema: lockcast/calibration/1
name: again
question: "is the value found again?"
scenarios: [made.yaml]
error_scale: 0.05
null_share: 0.02
iterations: 4
fit: {replications: 1, warmup: 1 ms, measure: 8 ms}
check: {replications: 1, warmup: 1 ms, measure: 20 ms}
free:
  - files: [w.yaml]
    parameters: [constants.think, constants.rare]
)";

class Calibrate : public testing::Test {
 protected:
  Calibrate() {
    folder_.write("made.yaml", replaced(scenario, "measured: ", "# measured: "));
    folder_.write("w.yaml", workload);
    study_ = folder_.write("again.yaml", study);
    const Outcome truth =
        lockcast({"simulate", folder_.path("made.yaml"), "--set", "workload.constants.think=30 us", "--variant",
                  "plain", "--seed", "9", "--warmup", "1 ms", "--measure", "20 ms", "--format", "json"});
    EXPECT_EQ(truth.code, 0) << truth.err;
    const Json report = Json::parse(truth.out);
    for (const Json& point : report.at("points")) {
      measured_.push_back(std::to_string(point.at("tps").get<double>()));
    }
    folder_.write("made.yaml", scenario);
    write_table({"1000", "2000"});
  }

  // The rows to be forecast say `predicted`.
  void write_table(const Words& predicted) const {
    std::string csv = "series,machine,workload,tables,scale,variant,clients,role,tps,tps_low,tps_high\n";
    const Words clients{"1", "8"};
    for (std::size_t i = 0; i < clients.size(); ++i) {
      csv += "synthetic,textbook-32,w,,1,plain," + clients[i] + ",calibrate," + measured_[i] + ",,\n";
      if (i < predicted.size()) {
        csv += "synthetic,textbook-32,w,,1,patched," + clients[i] + ",predict," + predicted[i] + ",,\n";
      }
    }
    folder_.write("made.csv", csv);
  }

  Outcome calibrate(const Words& more) const { return lockcast(Words{"calibrate", study_} + more); }

  // What a change of the study, or of another file, is answered with.
  std::string refusal(const std::string& what, const std::string& by, const std::string& text = study) const {
    folder_.write("again.yaml", replaced(text, what, by));
    const Outcome outcome = calibrate({});
    EXPECT_EQ(outcome.code, 3) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    folder_.write("again.yaml", study);
    std::string message = outcome.err;
    const std::string prefix = "lockcast: " + folder_.path("");
    return message.starts_with(prefix) ? message.substr(prefix.size()) : message;
  }

  TemporaryFolder folder_;
  std::string study_;
  Words measured_;
};

double micros(const Json& text) { return std::stod(text.get<std::string>()); }

TEST_F(Calibrate, finds_the_value_that_made_the_table_and_holds_what_no_row_sees) {
  const Outcome outcome = calibrate({"--format", "json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json report = Json::parse(outcome.out);
  const Json& think = report.at("parameters").at(0);
  EXPECT_EQ(think.at("how"), "fitted");
  EXPECT_NEAR(micros(think.at("value")), 30, 2) << "the prior, 20 us, pulls a little";
  EXPECT_FALSE(think.at("at_bound"));
  EXPECT_LT(micros(think.at("interval").at(0)), micros(think.at("value")));
  const Json& rare = report.at("parameters").at(1);
  EXPECT_EQ(rare.at("how"), "held at its prior");
  EXPECT_EQ(rare.at("value"), "1 us");
  EXPECT_EQ(report.at("not_seen"), Json::array({"w: constants.rare"}));
  EXPECT_EQ(report.at("rows").size(), 2U) << "two clients, one variant";
  EXPECT_GT(report.at("errors").at(0).at("mean_before"), 0.3);
  EXPECT_LT(report.at("errors").at(0).at("mean_after"), 0.06);
}

TEST_F(Calibrate, stays_inside_the_range_and_says_that_it_hit_its_bound) {
  folder_.write("w.yaml", replaced(workload, "range: [5 us, 60 us]", "range: [5 us, 27 us]"));
  const Outcome outcome = calibrate({"--format", "json"});
  const Json think = Json::parse(outcome.out).at("parameters").at(0);
  EXPECT_GT(micros(think.at("value")), 26);
  EXPECT_LE(micros(think.at("value")), 27);
  EXPECT_TRUE(think.at("at_bound"));
}

// The boundary: what is to be forecast may be anything, even no number at all, or not be there.
TEST_F(Calibrate, no_row_to_be_forecast_has_any_part_in_it) {
  const std::string expected = calibrate(one_step).out;
  EXPECT_NE(expected.find("constants.think"), std::string::npos);
  for (const Words& predicted : {Words{"999999", "0.001"}, Words{"garbage", "-7"}, Words{}}) {
    write_table(predicted);
    const Outcome outcome = calibrate(one_step);
    EXPECT_EQ(outcome.code, 5) << outcome.err;
    EXPECT_EQ(outcome.out, expected);
  }
  measured_[0] = "40000";
  write_table({"1000", "2000"});
  EXPECT_NE(calibrate(one_step).out, expected) << "rows to calibrate on have a part in it";
}

TEST_F(Calibrate, comes_to_the_same_with_any_number_of_workers_and_after_any_interruption) {
  const std::string journal = folder_.path("journal");
  const std::string expected = calibrate(one_step + Words{"--jobs", "1", "--journal", journal}).out;
  EXPECT_EQ(calibrate(one_step + Words{"--jobs", "3"}).out, expected);
  const std::string full = folder_.read("journal");
  const std::string half = full.substr(0, full.size() / 2);  // also half a line
  folder_.write("journal", half);
  EXPECT_EQ(calibrate(one_step + Words{"--journal", journal, "--resume"}).out, expected);
  const Words entries = lines_of(folder_.read("journal"));
  EXPECT_EQ(std::set<std::string>(entries.begin(), entries.end()).size(), lines_of(full).size()) << "each point once";
  EXPECT_EQ(calibrate({"--journal", journal}).code, 2) << "it is there already";
  folder_.write("journal", "something else\n");
  EXPECT_EQ(calibrate({"--journal", journal, "--resume"}).code, 3);
  EXPECT_EQ(folder_.read("journal"), "something else\n");
}

TEST_F(Calibrate, writes_overlays_that_others_load_unless_told_not_to) {
  const std::string before = folder_.read("w.yaml");
  EXPECT_EQ(calibrate({"--write"}).code, 2) << "no date, and the clock is not asked";
  const Outcome outcome = calibrate({"--write", "--date", "2026-12-01"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(folder_.read("w.yaml"), before) << "what people wrote";
  const std::string overlay = folder_.read("w.fitted.yaml");
  EXPECT_NE(overlay.find("of: w\nstudy: again\ndate: 2026-12-01\ndata: \"2 calibrate rows of synthetic"),
            std::string::npos)
      << overlay;
  EXPECT_NE(overlay.find("prior: 20 us}"), std::string::npos);
  EXPECT_EQ(overlay.find("rare"), std::string::npos) << "held parameters are no result";
  const std::string made = folder_.path("made.yaml");
  const std::string shown = lockcast({"show", made}).out;
  EXPECT_NE(shown.find("fitted   fitted 2026-12-01, study again"), std::string::npos) << shown;
  EXPECT_EQ(lockcast({"show", made, "--no-fitted"}).out.find("fitted 2026"), std::string::npos);
  EXPECT_EQ(lockcast({"check", folder_.path("")}).code, 0);

  const std::size_t at = overlay.find("{value: ") + 8;
  const std::string value = overlay.substr(at, overlay.find(',', at) - at);
  const Words run = Words{"simulate", made, "--clients", "1", "--variant", "plain", "--format", "csv"} + quick;
  const std::string fitted = lockcast(run).out;
  EXPECT_EQ(fitted, lockcast(run + Words{"--no-fitted", "--set", "workload.constants.think=" + value}).out);
  EXPECT_NE(fitted, lockcast(run + Words{"--no-fitted"}).out);
  EXPECT_EQ(calibrate({}).out.substr(0, 500), outcome.out.substr(0, 500)) << "a fit begins with the priors again";
}

TEST_F(Calibrate, an_overlay_of_something_else_is_refused_with_its_place) {
  const std::string head = "schema: lockcast/fitted/1\nof: w\nstudy: again\ndate: 2026-12-01\ndata: d\nparameters:\n";
  const Words run = Words{"simulate", folder_.path("made.yaml"), "--format", "csv"} + quick;
  const auto refused = [&](const std::string& parameter) {
    folder_.write("w.fitted.yaml", head + parameter);
    const Outcome outcome = lockcast(run);
    EXPECT_EQ(outcome.code, 3) << outcome.err;
    EXPECT_EQ(lockcast({"check", folder_.path("w.fitted.yaml")}).code, 3);
    EXPECT_EQ(lockcast(run + Words{"--no-fitted"}).code, 0);
    return outcome.err;
  };
  EXPECT_NE(refused("  constants.thin: {value: 20 us, interval: [19 us, 21 us], prior: 20 us}\n")
                .find("w.fitted.yaml:7:3: there is no 'thin' in 'constants'"),
            std::string::npos);
  EXPECT_NE(refused("  constants.think: {value: 61 us, interval: [19 us, 61 us], prior: 20 us}\n")
                .find("w.fitted.yaml:7:28: constants.think: value '61 us' leaves the range; expected 5 us to 60 us"),
            std::string::npos);
  EXPECT_NE(refused("  constants.think: {value: 40 us, interval: [19 us, 21 us], prior: 20 us}\n")
                .find("w.fitted.yaml:7:28: "),
            std::string::npos)
      << "outside its interval";
}

TEST_F(Calibrate, writes_nothing_that_is_no_better) {
  folder_.write("again.yaml", replaced(study, "[constants.think, constants.rare]", "[constants.rare]"));
  const Outcome outcome = calibrate({"--write", "--date", "2026-12-01"});
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  EXPECT_NE(outcome.err.find("nothing written"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder_.path("w.fitted.yaml")));
}

TEST_F(Calibrate, takes_the_best_of_a_grid) {
  folder_.write("again.yaml", replaced(study, "[constants.think, constants.rare]",
                                       "[{path: constants.think, grid: [10 us, 28 us, 50 us]}]"));
  const Json think = Json::parse(calibrate({"--format", "json"}).out).at("parameters").at(0);
  EXPECT_EQ(think.at("value"), "28 us");
  EXPECT_EQ(think.at("how"), "from its grid");
  EXPECT_EQ(think.at("interval"), Json::array({"10 us", "50 us"}));
}

// Two scenarios of one rig, or two names of one machine.
TEST_F(Calibrate, copies_that_are_named_together_get_one_value) {
  const std::string copy = replaced(workload, "workload: w", "workload: v");
  folder_.write("v.yaml", copy);
  folder_.write("twin.yaml", replaced(replaced(scenario, "name: made", "name: twin"), "w.yaml", "v.yaml"));
  std::string csv = folder_.read("made.csv");
  for (const std::string& line : lines_of(csv)) {
    if (line.find(",calibrate,") != std::string::npos) { csv += replaced(line, ",w,", ",v,") + "\n"; }
  }
  folder_.write("made.csv", csv);
  const std::string shared =
      replaced(replaced(study, "[made.yaml]", "[made.yaml, twin.yaml]"), "files: [w.yaml]", "files: [w.yaml, v.yaml]");
  folder_.write("again.yaml", shared);
  ASSERT_EQ(calibrate({"--write", "--date", "2026-12-01"}).code, 0);
  const std::string one = folder_.read("w.fitted.yaml");
  EXPECT_NE(one.find("constants.think: {value: "), std::string::npos);
  EXPECT_EQ(folder_.read("v.fitted.yaml"), replaced(one, "of: w", "of: v"));

  folder_.write("v.yaml", replaced(copy, "interval: [14 us, 26 us]", "interval: [14 us, 27 us]"));
  EXPECT_NE(calibrate({}).err.find("again.yaml:12:18: 'constants.think' is not the same in "), std::string::npos);
}

TEST_F(Calibrate, a_study_is_read_strictly_and_says_where) {
  const std::string free = "[constants.think, constants.rare]";
  struct Row {
    std::string what, by, message;
  };
  const std::vector<Row> rows{
      {"question:", "answer: 1\nquestion:", "again.yaml:3:1: unknown key 'answer' in calibration file"},
      {"[made.yaml]", "[none.yaml]", "again.yaml:4:13: there is no scenario "},
      {"[made.yaml]", "[made.yaml, ./made.yaml]", "again.yaml:4:24: scenario './made.yaml' stands here twice"},
      {"error_scale: 0.05", "error_scale: 0", "again.yaml:5:14: error_scale '0': out of bounds"},
      {"[w.yaml]", "[w.yaml, w.yaml]", "again.yaml:11:21: 'w.yaml' stands here twice"},
      {free, "[constants.thinks]", "again.yaml:12:18: there is no 'thinks' in 'constants'"},
      {free, "[constants.think, constants.think]", "again.yaml:12:35: 'constants.think' of "},
      {free, "[locks.guard]", "again.yaml:12:18: 'locks.guard' is no parameter"},
      {free, "[constants.fixed]", "again.yaml:12:18: the interval of 'constants.fixed' has no width"},
      {free, "[constants.turns]", "again.yaml:12:18: "},
      {free, "[variants.plain]", "again.yaml:12:18: 'variants.plain' belongs to some points only"},
      {free, "[{path: constants.think}]", "again.yaml:12:18: missing key 'grid' in free parameter"},
      {free, "[{path: constants.think, grid: [70 us]}]",
       "again.yaml:12:49: grid value '70 us' leaves the range of constants.think; expected 5 us to 60 us"},
      {free, "[]", "again.yaml:12:17: no parameter of these files"},
  };
  for (const Row& row : rows) {
    const std::string message = refusal(row.what, row.by);
    EXPECT_TRUE(message.starts_with(row.message)) << row.by << "\n" << message;
  }
  std::string many = "[";
  for (int i = 0; i < 25; ++i) { many += (i > 0 ? ", c" : "c") + std::to_string(i); }
  std::string wide = workload;
  for (int i = 0; i < 25; ++i) {
    wide = replaced(wide, "lines:\n",
                    "  c" + std::to_string(i) +
                        ": {value: 1 us, interval: [1 us, 2 us], range: [1 us, 2 us], origin: assumed, "
                        "reference: r}\nlines:\n");
  }
  folder_.write("w.yaml", wide);
  for (std::size_t at = 0; (at = many.find("c", at)) != std::string::npos; at += 11) { many.insert(at, "constants."); }
  EXPECT_NE(refusal(free, many + "]").find("more than 24 free parameters"), std::string::npos);
}

TEST_F(Calibrate, a_scenario_must_have_something_to_calibrate_on_and_a_parameter_something_to_do) {
  folder_.write("other.yaml", replaced(workload, "workload: w", "workload: other"));
  EXPECT_NE(refusal("files: [w.yaml]", "files: [other.yaml]").find("again.yaml:12:18: no calibrate row depends on"),
            std::string::npos);
  folder_.write("made.csv",
                "series,machine,workload,tables,scale,variant,clients,role,tps,tps_low,tps_high\n"
                "synthetic,textbook-32,w,,1,plain,1,predict,1000,,\n");
  EXPECT_NE(calibrate({}).err.find("no measured row has role calibrate"), std::string::npos);
}

TEST_F(Calibrate, refuses_what_it_cannot_read_as_an_option) {
  EXPECT_EQ(lockcast({"calibrate"}).code, 2);
  EXPECT_EQ(calibrate({"--resume"}).code, 2);
  EXPECT_EQ(calibrate({"--date", "yesterday"}).code, 2);
  EXPECT_EQ(calibrate({"--iterations", "0"}).code, 2);
  EXPECT_EQ(calibrate({"--format", "csv"}).code, 2);
  EXPECT_EQ(lockcast({"calibrate", folder_.path("made.yaml")}).code, 3) << "a scenario is no study";
  EXPECT_EQ(lockcast({"show", study_}).code, 3);
  const Outcome help = lockcast({"calibrate", "--help"});
  EXPECT_EQ(help.code, 0);
  EXPECT_NE(help.out.find("examples:\n  lockcast calibrate"), std::string::npos);
}

}  // namespace

}  // namespace lockcast::calibrate_test
