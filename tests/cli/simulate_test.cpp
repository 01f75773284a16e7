// What a prediction looks like from outside: the three formats, the same bytes whatever the circumstances, and an
// interrupt that keeps what is finished.

#include "tests/cli/program.hpp"
#include "tests/support/sanitized.hpp"

#include <nlohmann/json.hpp>
#include <pty.h>

#include <csignal>

namespace lockcast::simulate_test {

namespace {

using Json = nlohmann::json;

const std::string csv_header =
    "series,scenario,machine,workload,tables,scale,variant,clients,cores,tps,tps_low,tps_high,measured_tps,measured_"
    "low,"
    "measured_high,error,role,regime,cpu_idle,";

class Simulate : public testing::Test {
 protected:
  Outcome simulate(const std::vector<std::string>& more, const std::vector<std::string>& environment = {}) const {
    return lockcast(std::vector<std::string>{"simulate", tiny_} + quick + more, environment);
  }

  TemporaryFolder folder_;
  std::string tiny_ = folder_.write("tiny.yaml", tiny_scenario);
};

// The scenario with a client behind a network and two measured points, one of which nobody could predict.
std::string measured_scenario(const TemporaryFolder& folder) {
  folder.write("m.csv",
               "series,machine,workload,tables,scale,variant,clients,role,statistic,tps,tps_low,tps_high,source\n"
               "s,textbook-32,tiny,,1,plain,1,calibrate,single,4700,,,x\n"
               "s,textbook-32,tiny,,1,plain,4,predict,median3,1000,900,1100,x\n");
  const std::string parameter = ", origin: assumed, reference: test}";
  const std::string rig =
      "measured: {file: m.csv, series: s}\n"
      "rig:\n  source: test\n  scheduling: time-share\n  network:\n"
      "    latency: {value: 90 us, interval: [90 us, 90 us], range: [90 us, 90 us]" +
      parameter +
      "\n"
      "    bandwidth_per_second: 125000000 B\n    message: 200 B\n"
      "    server:\n      width: {value: 1, interval: [1, 1], range: [1, 1]" +
      parameter +
      "\n"
      "      service: {value: 9 us, interval: [9 us, 9 us], range: [9 us, 9 us]" +
      parameter +
      "\n"
      "      distribution: exponential\n";
  const std::string text = replaced(tiny_scenario, "  - release: guard\n", "  - release: guard\n  - roundtrip\n") + rig;
  return folder.write("measured.yaml", text);
}

TEST_F(Simulate, csv_begins_with_the_promised_columns_and_has_a_row_per_point) {
  const Outcome outcome = simulate({"--format", "csv"});
  EXPECT_EQ(outcome.code, 0);
  const std::vector<std::string> lines = lines_of(outcome.out);
  ASSERT_EQ(lines.size(), 1U + 8U);
  EXPECT_TRUE(lines[0].starts_with(csv_header)) << lines[0];
  EXPECT_TRUE(lines[1].starts_with(",tiny,textbook-32,tiny,,1,plain,1,32,")) << lines[1];
  EXPECT_TRUE(lines[8].starts_with(",tiny,textbook-32,tiny,,2,polling,4,32,")) << lines[8];
  for (const std::string& line : lines) {
    EXPECT_EQ(std::count(line.begin(), line.end(), ','), std::count(lines[0].begin(), lines[0].end(), ',')) << line;
  }
}

TEST_F(Simulate, selected_points_come_in_the_order_of_the_file_and_new_client_counts_are_welcome) {
  const Outcome outcome = simulate(
      {"--format", "csv", "--variant", "polling,plain", "--scale", "2", "--clients", "2..4..2", "--clients", "3"});
  const std::vector<std::string> lines = lines_of(outcome.out);
  ASSERT_EQ(lines.size(), 1U + 6U);
  EXPECT_TRUE(lines[1].starts_with(",tiny,textbook-32,tiny,,2,plain,2,")) << lines[1];
  EXPECT_TRUE(lines[2].starts_with(",tiny,textbook-32,tiny,,2,polling,2,")) << lines[2];
  EXPECT_TRUE(lines[6].starts_with(",tiny,textbook-32,tiny,,2,polling,4,")) << lines[6];
}

TEST_F(Simulate, kinds_of_tables_are_points_with_a_column_a_heading_and_an_option) {
  const std::string file = folder_.write(
      "tiny.yaml", tiny_scenario + "tables: {permanent: {}, unlogged: {lines: {data: {stride: 128 B}}}}\n");
  const Outcome csv = simulate({"--format", "csv", "--clients", "1", "--scale", "2"});
  const std::vector<std::string> lines = lines_of(csv.out);
  ASSERT_EQ(lines.size(), 1U + 4U) << csv.err;
  EXPECT_TRUE(lines[1].starts_with(",tiny,textbook-32,tiny,permanent,2,plain,1,")) << lines[1];
  EXPECT_TRUE(lines[4].starts_with(",tiny,textbook-32,tiny,unlogged,2,polling,1,")) << lines[4];
  const Outcome table = simulate({"--tables", "unlogged", "--clients", "1", "--scale", "2"});
  EXPECT_NE(table.out.find("\nunlogged tables, scale 2\n"), std::string::npos) << table.out;
  EXPECT_EQ(table.out.find("permanent"), std::string::npos) << table.out;
  const Outcome json = simulate({"--tables", "unlogged", "--format", "json", "--clients", "1", "--scale", "2"});
  EXPECT_EQ(Json::parse(json.out).at("points").at(0).at("tables"), "unlogged");
  const Outcome wrong = simulate({"--tables", "unloged"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_NE(wrong.err.find("did you mean 'unlogged'?"), std::string::npos) << wrong.err;
  EXPECT_NE(lockcast({"show", file, "--tables", "unlogged"}).out.find("unlogged tables"), std::string::npos);
}

TEST_F(Simulate, the_bytes_depend_on_nothing_but_the_input) {
  const std::vector<std::string> options{"--format", "csv", "--scale", "1", "--clients", "1,6"};
  const Outcome first = simulate(options + std::vector<std::string>{"--jobs", "1"});
  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_EQ(simulate(options + std::vector<std::string>{"--jobs", "1"}).out, first.out) << "the same command twice";
  EXPECT_EQ(simulate(options + std::vector<std::string>{"--jobs", "2"}).out, first.out) << "two workers";
  // libm chooses by instruction set, and its variants differ in the last bit.
  EXPECT_EQ(simulate(options, {"GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-FMA"}).out, first.out) << "another libm";
  EXPECT_EQ(simulate(options, {"LC_ALL=de_DE.UTF-8", "TZ=Asia/Tokyo"}).out, first.out) << "another locale";
  EXPECT_NE(simulate(options + std::vector<std::string>{"--seed", "2"}).out, first.out) << "another seed";
}

TEST_F(Simulate, json_is_one_document_with_results_and_the_configuration_they_came_from) {
  const Outcome outcome = simulate({"--format", "json", "--scale", "1", "--variant", "polling", "--seed", "7", "--set",
                                    "machine.cpu.poll=9 ns", "--set", "workload.lines.data.stride=128 B"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  const Json json = Json::parse(outcome.out);
  EXPECT_EQ(json.at("schema_version"), 1);
  EXPECT_EQ(json.at("options").at("seed"), 7);
  EXPECT_EQ(json.at("options").at("measure"), "20 ms");
  EXPECT_EQ(json.at("interrupted"), false);
  EXPECT_EQ(json.at("configuration").at("machine").at("cpu").at("poll"), "9 ns");
  const Json& workload = json.at("configuration").at("workloads").at(0).at("workload");
  EXPECT_EQ(workload.at("locks").at("guard").at("kind"), "tas");
  EXPECT_EQ(workload.at("lines").at("data").at("stride"), "128 B");
  ASSERT_EQ(json.at("points").size(), 2U);
  const Json& point = json.at("points").at(1);
  EXPECT_EQ(point.at("clients"), 4);
  EXPECT_GE(point.at("replications").size(), 4U);
  EXPECT_EQ(point.at("replications").at(0).at("digest").get<std::string>().size(), 16U);
  EXPECT_EQ(point.at("locks").at(0).at("name"), "guard");
  EXPECT_EQ(point.at("measured"), nullptr);
  double sum = 0;
  for (const auto& [category, value] : point.at("latency_us_by_category").items()) { sum += value.get<double>(); }
  EXPECT_NEAR(sum, point.at("latency_us").get<double>(), 1e-6 * sum);
}

TEST_F(Simulate, the_table_has_no_measured_columns_without_measurements_and_lists_known_gaps) {
  const Outcome outcome = simulate({});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.err, "") << "stderr is for a terminal or for trouble";
  EXPECT_EQ(outcome.out.find("measured "), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("Known gaps:\n  - nobody runs this\n"), std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.out.find('\x1b'), std::string::npos) << "no colour in a file";
  for (const std::string& line : lines_of(outcome.out)) { EXPECT_LE(line.size(), 140U) << line; }
}

TEST_F(Simulate, a_wrong_prediction_is_marked_and_named) {
  const std::string file = measured_scenario(folder_);
  const Outcome outcome =
      lockcast(std::vector<std::string>{"simulate", file, "--scale", "1", "--variant", "plain"} + quick);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find(" % !  predict"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("1 of 2 points are off by more than 15 % (!); the worst: plain, scale 1, 4 clients"),
            std::string::npos)
      << outcome.out;
  EXPECT_NE(outcome.out.find("messages   inner events with the latency of SimGrid's route"), std::string::npos)
      << outcome.out;
}

TEST_F(Simulate, csv_says_on_stderr_which_messages_it_simulated) {
  const std::string file = measured_scenario(folder_);
  const std::vector<std::string> command =
      std::vector<std::string>{"simulate", file,        "--scale", "1",        "--variant",
                               "plain",    "--clients", "4",       "--format", "csv"} +
      quick;
  const Outcome inner = lockcast(command);
  EXPECT_TRUE(inner.err.starts_with("messages: inner events")) << inner.err;
  EXPECT_EQ(inner.error_lines(), 1U) << inner.err;
  EXPECT_NE(inner.out.find(",1000,900,1100,"), std::string::npos) << inner.out;
  const Outcome full = lockcast(command + std::vector<std::string>{"--network", "full"});
  EXPECT_TRUE(full.err.starts_with("messages: SimGrid communications over SimGrid's link (as asked")) << full.err;
  const Outcome narrow =
      lockcast(command + std::vector<std::string>{"--set", "rig.network.bandwidth_per_second=1000000 B"});
  EXPECT_TRUE(narrow.err.starts_with("messages: SimGrid communications over SimGrid's link (the load")) << narrow.err;
}

TEST_F(Simulate, simgrids_kernel_gives_the_same_bytes_and_is_named) {
  if (addresses_are_watched) { GTEST_SKIP() << "AddressSanitizer does not know SimGrid's stacks"; }
  const std::vector<std::string> inner{"--scale", "1"};
  const std::vector<std::string> simgrid = inner + std::vector<std::string>{"--kernel", "simgrid"};
  const std::vector<std::string> csv{"--format", "csv"};
  const Outcome expected = simulate(csv + inner);
  const Outcome outcome = simulate(csv + simgrid);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, expected.out);
  EXPECT_NE(outcome.err.find("\nkernel: SimGrid: an actor per backend"), std::string::npos) << outcome.err;

  const Outcome table = simulate(simgrid);
  EXPECT_NE(table.out.find("\nkernel     SimGrid: an actor per backend"), std::string::npos) << table.out;
  EXPECT_EQ(simulate(inner).out.find("\nkernel "), std::string::npos) << "the usual kernel is not worth a line";

  Json ours = Json::parse(simulate(inner + std::vector<std::string>{"--format", "json"}).out);
  const Json theirs = Json::parse(simulate(std::vector<std::string>{"--format", "json"} + simgrid).out);
  EXPECT_EQ(ours.at("options").at("kernel"), "inner");
  ours["options"]["kernel"] = "simgrid";
  EXPECT_EQ(ours, theirs) << "every digest and every count of events";
}

TEST_F(Simulate, simgrids_kernel_is_refused_where_clients_are_behind_a_network) {
  const Outcome outcome = lockcast({"simulate", measured_scenario(folder_), "--kernel", "simgrid"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.error_lines(), 1U) << outcome.err;
  EXPECT_NE(outcome.err.find("expected a scenario without rig.network"), std::string::npos) << outcome.err;
}

TEST_F(Simulate, a_dead_locked_server_is_reported_alike_on_both_kernels) {
  if (addresses_are_watched) { GTEST_SKIP() << "AddressSanitizer does not know SimGrid's stacks"; }
  const std::string file = folder_.write(
      "deadlock.yaml",
      "schema: lockcast/scenario/1\nname: deadlock\nquestion: who waits for whom?\nmachine: textbook-32\n"
      "locks: {A: {kind: lwlock-9.1}, B: {kind: lwlock-9.1}}\n"
      "transaction:\n"
      "  - work: 1 us\n"
      "  - choose:\n"
      "      probability: 0.5\n"
      "      do: [{acquire: {lock: A}}, {work: 5 us}, {acquire: {lock: B}}, {release: B}, {release: A}]\n"
      "      else: [{acquire: {lock: B}}, {work: 5 us}, {acquire: {lock: A}}, {release: A}, {release: B}]\n"
      "clients: [2]\n");
  const std::vector<std::string> command{"simulate", file, "--warmup", "2 ms", "--measure", "2 ms"};
  const Outcome inner = lockcast(command);
  const Outcome simgrid = lockcast(command + std::vector<std::string>{"--kernel", "simgrid"});
  EXPECT_EQ(inner.code, 5) << inner.err;
  EXPECT_NE(inner.err.find("the scenario is dead-locked"), std::string::npos) << inner.err;
  EXPECT_EQ(simgrid.code, 5);
  EXPECT_EQ(simgrid.err, inner.err);
}

TEST_F(Simulate, explain_replaces_the_details_by_every_point_in_full) {
  const std::vector<std::string> options{"--scale", "1", "--variant", "polling"};
  const std::string text = simulate(options + std::vector<std::string>{"--explain"}).out;
  for (const std::string part : {"\npolling, scale 1, 1 client: ", "\npolling, scale 1, 4 clients: ", "\n  lock ",
                                 "\n  guard ", "\n  hottest lines ", "\n  perf top ", "\n  acquire tas ",
                                 "\n  wait events ", "\n  CPU: running ", "\n  vmstat: r "}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
  for (const std::string& line : lines_of(text)) { EXPECT_LE(line.size(), 140U) << line; }
  const std::string usual = simulate(options).out;
  EXPECT_EQ(usual.find("perf top"), std::string::npos);
  EXPECT_EQ(text.substr(0, text.find("\npolling, ")), usual.substr(0, text.find("\npolling, ")))
      << "the points are the same";
}

TEST_F(Simulate, explain_is_in_json_and_leaves_csv_alone) {
  const std::vector<std::string> options{"--scale", "1", "--variant", "polling", "--clients", "4"};
  const Json plain = Json::parse(simulate(options + std::vector<std::string>{"--format", "json"}).out);
  EXPECT_FALSE(plain.at("points").at(0).contains("explanation"));
  const Json json = Json::parse(simulate(options + std::vector<std::string>{"--format", "json", "--explain"}).out);
  const Json& point = json.at("points").at(0);
  EXPECT_EQ(point.at("replications"), plain.at("points").at(0).at("replications"));
  const Json& explanation = point.at("explanation");
  EXPECT_EQ(explanation.at("locks").at(0).at("name"), "guard");
  EXPECT_EQ(explanation.at("scans"), Json::array());
  double events = 0;
  for (const auto& [name, share] : explanation.at("wait_events").items()) { events += share.get<double>(); }
  EXPECT_NEAR(events, 1, 1e-9);
  double cpu = 0;
  for (const Json& row : explanation.at("cpu")) { cpu += row.at("us_per_tx").get<double>(); }
  const Json& stack = point.at("latency_us_by_category");
  double on_cpu = 0;
  for (const std::string category : {"work", "line transfer", "spin"}) { on_cpu += stack.at(category).get<double>(); }
  EXPECT_NEAR(cpu, on_cpu, 0.01 * on_cpu) << "latency is clients over tps, this is time over transactions";
  const Json& vmstat = explanation.at("vmstat");
  EXPECT_NEAR(vmstat.at("us").get<double>() + vmstat.at("sy").get<double>() + vmstat.at("id").get<double>(), 1, 1e-9);
  const std::vector<std::string> csv{"--format", "csv"};
  EXPECT_EQ(simulate(options + csv + std::vector<std::string>{"--explain"}).out, simulate(options + csv).out);
}

TEST_F(Simulate, what_is_free_is_said_and_makes_a_difference) {
  const std::vector<std::string> options{"--scale", "1", "--variant", "polling", "--clients", "8"};
  const std::vector<std::string> free{"--free", "guard,lines"};
  const Outcome table = simulate(options + free);
  EXPECT_EQ(table.code, 0) << table.err;
  EXPECT_NE(table.out.find("\nfree       guard, lines\n"), std::string::npos) << table.out;
  EXPECT_EQ(simulate(options).out.find("\nfree "), std::string::npos);
  const std::vector<std::string> as_json{"--format", "json"};
  const Json json = Json::parse(simulate(options + as_json + free).out);
  EXPECT_EQ(json.at("options").at("free"), (Json{"guard", "lines"}));
  const Json usual = Json::parse(simulate(options + as_json).out);
  EXPECT_EQ(usual.at("options").at("free"), Json::array());
  const Json& point = json.at("points").at(0);
  EXPECT_GT(point.at("tps").get<double>(), usual.at("points").at(0).at("tps").get<double>());
  EXPECT_EQ(point.at("locks").at(0).at("exacq"), 0);
  EXPECT_EQ(point.at("latency_us_by_category").at("line transfer"), 0);
  EXPECT_EQ(point.at("latency_us_by_category").at("spin"), 0);
}

TEST_F(Simulate, a_run_with_something_free_is_not_compared_with_measurements) {
  const std::string file = measured_scenario(folder_);
  const std::vector<std::string> command =
      std::vector<std::string>{"simulate", file, "--scale", "1", "--variant", "plain", "--clients", "4"} + quick;
  EXPECT_NE(lockcast(command).out.find("measured"), std::string::npos);
  const Outcome free = lockcast(command + std::vector<std::string>{"--free", "guard"});
  EXPECT_EQ(free.code, 0) << free.err;
  EXPECT_EQ(free.out.find("measured"), std::string::npos) << free.out;
}

TEST_F(Simulate, without_preemption_a_backend_keeps_its_core_until_it_sleeps) {
  const std::string file = folder_.write("busy.yaml", replaced(tiny_scenario, "mean: 20 us", "mean: 2 ms"));
  const std::vector<std::string> command =
      std::vector<std::string>{"simulate", file,        "--format", "json",      "--scale",
                               "1",        "--variant", "plain",    "--clients", "40"} +
      quick;
  const auto preemptions = [](const Outcome& outcome) {
    double sum = 0;
    const Json json = Json::parse(outcome.out);
    for (const Json& r : json.at("points").at(0).at("replications")) { sum += r.at("preemptions").get<double>(); }
    return sum;
  };
  EXPECT_GT(preemptions(lockcast(command)), 0);
  EXPECT_EQ(preemptions(lockcast(command + std::vector<std::string>{"--free", "preemption"})), 0);
}

TEST_F(Simulate, what_is_to_be_free_must_exist) {
  const Outcome outcome = simulate({"--free", "gaurd"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.error_lines(), 1U) << outcome.err;
  EXPECT_NE(outcome.err.find("--free: the workload has no lock 'gaurd'; expected a lock's name, 'lines' or "
                             "'preemption'; did you mean 'guard'?"),
            std::string::npos)
      << outcome.err;
  EXPECT_NE(simulate({"--free", "line"}).err.find("did you mean 'lines'?"), std::string::npos);
}

TEST_F(Simulate, another_machine_leaves_the_measurements_of_the_first_behind) {
  const std::string file = measured_scenario(folder_);
  const Outcome outcome =
      lockcast(std::vector<std::string>{"simulate", file, "--scale", "1", "--variant", "plain", "--clients", "4",
                                        "--format", "csv", "--machine", "integrity-32"} +
               quick);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("s,tiny,integrity-32,tiny,,1,plain,4,32,"), std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.out.find(",1000,900,1100,"), std::string::npos) << outcome.out;
}

TEST_F(Simulate, an_output_file_appears_whole_and_alone) {
  const std::vector<std::string> options{"--format", "csv", "--scale", "1", "--clients", "1"};
  const Outcome direct = simulate(options);
  folder_.write("result.csv", "old");
  const Outcome outcome = simulate(options + std::vector<std::string>{"--out", folder_.path("result.csv")});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(folder_.read("result.csv"), direct.out);
  // A failing run leaves the old file and nothing beside it.
  EXPECT_EQ(
      simulate(options + std::vector<std::string>{"--out", folder_.path("result.csv"), "--set", "clients=[0]"}).code,
      3);
  EXPECT_EQ(folder_.read("result.csv"), direct.out);
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder_.path(""))) { ++files; }
  EXPECT_EQ(files, 2U) << "tiny.yaml and result.csv";
}

TEST_F(Simulate, a_window_in_which_no_transaction_ends_exits_with_5) {
  const Outcome outcome = lockcast({"simulate", tiny_, "--measure", "1 us", "--warmup", "0 s"});
  EXPECT_EQ(outcome.code, 5) << outcome.err;
  EXPECT_EQ(outcome.error_lines(), 1U) << outcome.err;
}

TEST_F(Simulate, an_interrupt_keeps_the_finished_points_and_exits_with_130) {
  int terminal = -1;
  int line = -1;
  ASSERT_EQ(openpty(&terminal, &line, nullptr, nullptr, nullptr), 0);
  const File out = temporary_file();
  // The second point takes seconds, so an interrupt right after the first finds it unfinished.
  const pid_t pid = start({"simulate", tiny_, "--format", "csv", "--variant", "plain", "--scale", "1", "--clients",
                           "1,32", "--measure", "2 s", "--jobs", "1"},
                          fileno(out.get()), line);
  close(line);
  EXPECT_TRUE(shown(terminal, "  1/2 points, "));
  kill(pid, SIGINT);
  while (!shown(terminal, "\n") && errno == EINTR) {}  // until the program has closed it
  EXPECT_EQ(wait_for(pid), 130);
  close(terminal);
  const std::vector<std::string> lines = lines_of(text_of(out.get()));
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_TRUE(lines[1].starts_with(",tiny,textbook-32,tiny,,1,plain,1,")) << lines[1];
}

}  // namespace

}  // namespace lockcast::simulate_test
