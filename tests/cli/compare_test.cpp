// compare and fit as a user meets them: what simulate wrote goes in, and a wrong file is said to be wrong where it is.

#include "tests/cli/program.hpp"

#include <nlohmann/json.hpp>

namespace lockcast::compare_test {

namespace {

const std::string header =
    "series,scenario,machine,workload,tables,scale,variant,clients,cores,tps,tps_low,tps_high,measured_tps,"
    "measured_low,measured_high,error,role,regime,cpu_idle\n";

std::string row(const std::string& variant, int clients, const std::string& tps, const std::string& measured,
                const std::string& role) {
  return "s,x,m,tpcb,permanent,100," + variant + "," + std::to_string(clients) + ",32," + tps + "," + tps + "," + tps +
         "," + measured + ",,,," + role + ",linear,0.5\n";
}

// Errors: 10 %, 20 %, 0, 50 %.
const std::string four_rows = row("master", 8, "110", "100", "calibrate") + row("clog32", 8, "120", "100", "predict") +
                              row("master", 32, "200", "200", "calibrate") + row("clog32", 32, "300", "200", "predict");

class Compare : public testing::Test {
 protected:
  std::string file(const std::string& rows, const std::string& name = "r.csv") const {
    return folder_.write(name, header + rows);
  }
  const TemporaryFolder folder_;
};

TEST_F(Compare, says_how_wrong_and_where) {
  const Outcome outcome = lockcast({"compare", file(four_rows)});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_TRUE(outcome.out.starts_with("4 forecasts, 4 beside a measurement\n")) << outcome.out;
  EXPECT_NE(outcome.out.find("\nall                              4  15.0 %  20.0 %  50.0 %"), std::string::npos)
      << outcome.out;
  EXPECT_NE(outcome.out.find("s, m, tpcb, permanent, scale 100, 32 clients  clog32"), std::string::npos);
  const Outcome scoreboard = lockcast({"compare", file(four_rows), "--scoreboard"});
  EXPECT_NE(scoreboard.out.find("\nkeep-last "), std::string::npos);
  EXPECT_EQ(scoreboard.out.find("the worst points"), std::string::npos);
}

TEST_F(Compare, json_has_the_same_figures) {
  const Outcome outcome = lockcast({"compare", file(four_rows), "--format", "json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["schema_version"], 1);
  EXPECT_EQ(json["measured"], 4);
  EXPECT_NEAR(json["total"]["errors"]["all"]["median"].get<double>(), 0.15, 1e-9);
  EXPECT_NEAR(json["total"]["errors"]["from_24"]["mean"].get<double>(), 0.25, 1e-9);
  EXPECT_EQ(json["worst"][0]["clients"], 32);
  EXPECT_EQ(json["bottlenecks"], nullptr);
}

TEST_F(Compare, a_tolerance_makes_it_a_check) {
  const std::string path = file(four_rows);
  EXPECT_EQ(lockcast({"compare", path, "--tolerance", "16%"}).code, 0);
  const Outcome above = lockcast({"compare", path, "--tolerance", "0.14"});
  EXPECT_EQ(above.code, 1);
  EXPECT_EQ(above.err, "lockcast: --tolerance: the median error 15.00 % is above 14.00 %\n");
  EXPECT_NE(above.out, "");
  const std::string unmeasured = file(row("master", 8, "110", "", ""));
  EXPECT_EQ(lockcast({"compare", unmeasured}).code, 0);
  EXPECT_EQ(lockcast({"compare", unmeasured, "--tolerance", "99%"}).code, 1);
}

TEST_F(Compare, files_of_simulate_are_joined_with_cat) {
  const Outcome outcome = lockcast({"compare", file(row("master", 8, "110", "100", "calibrate") + header +
                                                    row("master", 32, "110", "100", "calibrate"))});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(outcome.out.starts_with("2 forecasts, 2 beside")) << outcome.out;
}

TEST_F(Compare, reads_what_simulate_writes) {
  folder_.write("m.csv",
                "series,machine,workload,tables,scale,variant,clients,role,statistic,tps,tps_low,tps_high,source\n"
                "s,textbook-32,tiny,,1,plain,1,calibrate,single,40000,,,here\n"
                "s,textbook-32,tiny,,1,polling,1,predict,single,40000,,,here\n");
  const std::string scenario = folder_.write("tiny.yaml", tiny_scenario + "measured: {file: m.csv, series: s}\n");
  const std::string csv = folder_.path("out.csv");
  const Outcome simulated =
      lockcast(std::vector<std::string>{"simulate", scenario, "--scale", "1", "--format", "csv", "--out", csv} + quick);
  ASSERT_EQ(simulated.code, 0) << simulated.err;
  const Outcome outcome = lockcast({"compare", csv});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(outcome.out.starts_with("4 forecasts, 2 beside")) << outcome.out;
}

TEST_F(Compare, a_wrong_file_exits_with_3_and_the_place) {
  const struct {
    std::string text;
    std::string message;
  } table[] = {
      {"", ":1:1: no column 'series'"},
      {replaced(header, "measured_tps", "mesured_tps"), ":1:1: no column 'measured_tps'"},
      {header + "s,x\n", ":2:1: 2 fields; expected 19 as in the header"},
      {header + row("master", 0, "110", "100", "calibrate"), ":2:33: '0' in column clients; expected a whole number"},
      {header + row("master", 8, "0", "100", "calibrate"), ":2:38: '0' in column tps; expected a positive number"},
      {header + row("master", 8, "110", "-1", "calibrate"), "'-1' in column measured_tps; expected a positive number"},
      {header + row("master", 8, "110", "100", "calibrat"), "role 'calibrat'; expected calibrate or predict; did you"},
      {header + row("master", 8, "110", "100", ""), "role ''; expected calibrate or predict"},
      {header + row("master", 8, "110", "", "predict"), "role without measured_tps; expected all of them or none"},
      {header + replaced(row("master", 8, "110", "100", "predict"), "linear", "liner"), "did you mean 'linear'?"},
      {header + four_rows + row("clog32", 8, "1", "1", "predict"), ":6:1: a second forecast of the same point, after "},
  };
  for (const auto& bad : table) {
    const std::string path = folder_.write("bad.csv", bad.text);
    const Outcome outcome = lockcast({"compare", path});
    EXPECT_EQ(outcome.code, 3) << bad.message;
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.error_lines(), 1U) << outcome.err;
    EXPECT_TRUE(outcome.err.starts_with("lockcast: " + path + ":")) << outcome.err;
    EXPECT_NE(outcome.err.find(bad.message), std::string::npos) << outcome.err << "expected: " << bad.message;
  }
  EXPECT_EQ(lockcast({"compare", folder_.path("none.csv")}).code, 3);
}

TEST_F(Compare, fit_usl_prints_the_parameters_of_each_measured_curve) {
  // gamma 100, alpha 0.1, beta 0.01 at 1, 4 and 11 clients: 100, 400 / 1.42, 1100 / 3.1.
  const std::string rows =
      row("master", 1, "1", "100", "calibrate") + row("master", 4, "1", "281.6901408450704", "calibrate") +
      row("master", 11, "1", "354.8387096774194", "calibrate") + row("clog32", 11, "1", "400", "predict");
  const std::string path = file(rows);
  const Outcome outcome = lockcast({"fit", "usl", path, "--format", "json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto curves = nlohmann::json::parse(outcome.out)["curves"];
  ASSERT_EQ(curves.size(), 2U);
  EXPECT_NEAR(curves[0]["alpha"].get<double>(), 0.1, 1e-6);
  EXPECT_NEAR(curves[0]["beta"].get<double>(), 0.01, 1e-6);
  EXPECT_NEAR(curves[0]["gamma"].get<double>(), 100, 1e-4);
  EXPECT_EQ(curves[1]["alpha"], nullptr) << "one point is no curve";
  const Outcome text = lockcast({"fit", "usl", path});
  EXPECT_NE(text.out.find("0.100000  0.01000000  100.0"), std::string::npos) << text.out;
}

TEST_F(Compare, fit_usl_reads_published_measurements_and_takes_the_median_of_runs) {
  const std::string path =
      folder_.write("m.csv",
                    "series,machine,workload,tables,scale,variant,clients,role,statistic,tps\n"
                    "s,m,select-only,,10,master,1,calibrate,single,10\ns,m,select-only,,10,master,2,calibrate,run1,19\n"
                    "s,m,select-only,,10,master,2,calibrate,run2,90\ns,m,select-only,,10,master,2,calibrate,run3,20\n"
                    "s,m,select-only,,10,master,4,calibrate,single,40\n");
  const Outcome outcome = lockcast({"fit", "usl", path});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(
      outcome.out.find("s, m, select-only, scale 10, master       3  0.000000  0.00000000   10.0            never"),
      std::string::npos)
      << outcome.out;
}

TEST_F(Compare, reads_what_sweep_wrote_as_it_reads_the_csv_of_it) {
  const std::string results = folder_.path("results.sqlite");
  const std::string csv = folder_.path("results.csv");
  const std::vector<std::string> sweep{"sweep",     "hpux-spinlock", "--scale",  "100",  "--clients", "1,8",
                                       "--measure", "20 ms",         "--warmup", "5 ms", "--out",     results};
  ASSERT_EQ(lockcast(sweep).code, 0);
  std::vector<std::string> again{"sweep", "--resume", "--format", "csv", "--out", results};
  const Outcome rows = lockcast(again);
  ASSERT_EQ(rows.code, 0) << rows.err;
  folder_.write("results.csv", rows.out);
  const Outcome of_store = lockcast({"compare", results});
  EXPECT_EQ(of_store.code, 0) << of_store.err;
  EXPECT_NE(of_store.out.find("keep-last"), std::string::npos);
  EXPECT_EQ(lockcast({"compare", csv, "--scoreboard"}).out, lockcast({"compare", results, "--scoreboard"}).out);

  const Outcome foreign = lockcast({"compare", folder_.write("x.sqlite", std::string("SQLite format 3\0", 16))});
  EXPECT_EQ(foreign.code, 3);
  EXPECT_NE(foreign.err.find("is not a result file"), std::string::npos);
}

TEST_F(Compare, a_command_line_that_cannot_be_meant_exits_with_2) {
  const std::string path = file(four_rows);
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"compare"},
                                                    {"compare", path, path, path},
                                                    {"compare", path, "--tolerance", "0"},
                                                    {"compare", path, "--scoreboard", "--format", "json"},
                                                    {"fit", "usl"},
                                                    {"fit", "usk", path}}) {
    const Outcome outcome = lockcast(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments.back();
    EXPECT_EQ(outcome.error_lines(), 1U) << outcome.err;
  }
  EXPECT_NE(lockcast({"fit", "usk", path}).err.find("did you mean 'usl'?"), std::string::npos);
}

}  // namespace

}  // namespace lockcast::compare_test
