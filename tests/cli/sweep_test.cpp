// A sweep from outside: its rows are simulate's, whatever the number of workers and however often it was ended; what is
// wrong is refused before anything is lost.

#include "tests/cli/program.hpp"

#include <nlohmann/json.hpp>
#include <pty.h>

#include <csignal>

namespace lockcast::sweep_test {

namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

const std::string deadlock =
    "schema: lockcast/scenario/1\nname: deadlock\nquestion: who waits for whom?\nmachine: textbook-32\n"
    "locks: {A: {kind: lwlock-9.1}, B: {kind: lwlock-9.1}}\n"
    "transaction:\n"
    "  - work: 1 us\n"
    "  - choose:\n"
    "      probability: 0.5\n"
    "      do: [{acquire: {lock: A}}, {work: 5 us}, {acquire: {lock: B}}, {release: B}, {release: A}]\n"
    "      else: [{acquire: {lock: B}}, {work: 5 us}, {acquire: {lock: A}}, {release: A}, {release: B}]\n"
    "clients: [2]\n";

class Sweep : public testing::Test {
 protected:
  Outcome sweep(const Words& more) const {
    return lockcast(Words{"sweep", tiny_, "--out", results_, "--scale", "1"} + quick + more);
  }
  // What the file holds.
  [[nodiscard]] std::string stored(const std::string& format = "json") const {
    return lockcast({"sweep", "--out", results_, "--resume", "--format", format}).out;
  }
  [[nodiscard]] std::size_t rows() const { return Json::parse(stored()).at("points").size(); }
  void begin_again() const {
    for (const std::string end : {"", "-wal", "-shm"}) { std::filesystem::remove(results_ + end); }
  }

  TemporaryFolder folder_;
  std::string tiny_ = folder_.write("tiny.yaml", tiny_scenario);
  std::string results_ = folder_.path("r.sqlite");
};

Words sorted(Words words) {
  std::sort(words.begin(), words.end());
  return words;
}

TEST_F(Sweep, its_rows_are_those_of_simulate) {
  const Outcome outcome = sweep({"--format", "csv"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "") << "stderr is for a terminal or for trouble";
  const Words simulate = Words{"simulate", tiny_, "--scale", "1", "--format"};
  const Words lines = lines_of(outcome.out);
  const Words expected = lines_of(lockcast(simulate + Words{"csv"} + quick).out);
  EXPECT_EQ(lines.size(), 1U + 4U);
  EXPECT_EQ(lines.front(), expected.front());
  EXPECT_EQ(sorted(lines), sorted(expected));
  EXPECT_TRUE(lines[1].starts_with(",tiny,textbook-32,tiny,,1,plain,1,32,")) << lines[1];
  EXPECT_TRUE(lines[2].starts_with(",tiny,textbook-32,tiny,,1,plain,4,32,")) << lines[2];
  EXPECT_TRUE(lines[3].starts_with(",tiny,textbook-32,tiny,,1,polling,1,32,")) << lines[3];

  const Json theirs = Json::parse(lockcast(simulate + Words{"json"} + quick).out).at("points");
  const Json all = Json::parse(stored());
  for (Json ours : all.at("points")) {
    EXPECT_EQ(ours.at("configuration").at("seed"), 1);
    for (const char* key : {"series", "scenario", "machine", "workload", "configuration"}) { ours.erase(key); }
    EXPECT_NE(std::find(theirs.begin(), theirs.end(), ours), theirs.end()) << ours;
  }
}

TEST_F(Sweep, what_is_finished_is_printed_and_not_simulated) {
  const Outcome first = sweep({"--format", "csv"});
  const Outcome second = sweep({"--resume", "--format", "csv"});
  EXPECT_EQ(second.code, 0) << second.err;
  EXPECT_EQ(second.out, first.out);
  EXPECT_EQ(stored("csv"), first.out) << "without a scenario";
  const Outcome part = sweep({"--resume", "--format", "csv", "--variant", "plain"});
  EXPECT_EQ(lines_of(part.out).size(), 1U + 2U) << "the points asked for";
  const Outcome more = sweep({"--resume", "--format", "csv", "--clients", "1,2"});
  EXPECT_EQ(lines_of(more.out).size(), 1U + 4U);
  EXPECT_EQ(rows(), 6U);
  const Outcome table = sweep({"--resume"});
  ASSERT_EQ(lines_of(table.out).size(), 2U) << table.out;
  EXPECT_TRUE(lines_of(table.out)[1].starts_with("tiny")) << table.out;
}

TEST_F(Sweep, the_file_does_not_depend_on_the_number_of_workers) {
  ASSERT_EQ(sweep({"--jobs", "1"}).code, 0);
  const std::string expected = stored();
  begin_again();
  ASSERT_EQ(sweep({"--jobs", "3"}).code, 0);
  EXPECT_EQ(stored(), expected);
}

// Starts a sweep at a terminal, and sends the signal as soon as `words` are shown there.
int ended_by(int signal, const Words& command, const std::string& words) {
  int terminal = -1;
  int line = -1;
  EXPECT_EQ(openpty(&terminal, &line, nullptr, nullptr, nullptr), 0);
  const File out = temporary_file();
  const pid_t pid = start(command, fileno(out.get()), line);
  close(line);
  EXPECT_TRUE(shown(terminal, words)) << words;
  kill(pid, signal);
  while (!shown(terminal, "\n") && errno == EINTR) {}  // until the program has closed it
  close(terminal);
  return wait_for(pid);
}

TEST_F(Sweep, killed_twice_and_resumed_gives_what_an_undisturbed_run_gives) {
  const Words command{"sweep",  tiny_,      "--scale", "1",      "--clients", "1,2,16",   "--measure",
                      "500 ms", "--warmup", "5 ms",    "--jobs", "2",         "--resume", "--out"};
  const std::string undisturbed = folder_.path("undisturbed.sqlite");
  const Outcome expected = lockcast(command + Words{undisturbed, "--format", "csv"});
  ASSERT_EQ(expected.code, 0) << expected.err;
  ASSERT_EQ(lines_of(expected.out).size(), 1U + 6U);

  EXPECT_EQ(ended_by(SIGKILL, command + Words{results_}, "  1/6 points, "), 1000 + SIGKILL);
  const std::size_t first = rows();
  EXPECT_GE(first, 1U);
  EXPECT_LT(first, 5U);
  const std::string next = "  1/" + std::to_string(6 - first) + " points, ";
  EXPECT_EQ(ended_by(SIGKILL, command + Words{results_}, next), 1000 + SIGKILL);
  EXPECT_GT(rows(), first);
  EXPECT_LT(rows(), 6U);
  const Outcome resumed = lockcast(command + Words{results_, "--format", "csv"});
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_EQ(resumed.out, expected.out);
  EXPECT_EQ(stored(), lockcast({"sweep", "--out", undisturbed, "--resume", "--format", "json"}).out);
}

TEST_F(Sweep, an_interrupt_keeps_the_finished_points_and_exits_with_130) {
  const auto command = [&](const std::string& clients) {
    return Words{"sweep",  tiny_, "--variant", "plain",  "--scale",  "1",         "--measure", "1 s",
                 "--jobs", "1",   "--out",     results_, "--resume", "--clients", clients};
  };
  ASSERT_EQ(lockcast(command("1")).code, 0);
  // The other point takes seconds, so an interrupt after its first replication finds it unfinished.
  EXPECT_EQ(ended_by(SIGINT, command("1,32"), "  0/1 points, 1/4 replications"), 130);
  EXPECT_EQ(rows(), 1U);
}

TEST_F(Sweep, a_point_that_fails_is_named_with_a_command_and_the_others_go_on) {
  const std::string bad = folder_.write("dead lock.yaml", deadlock);
  const Words command = Words{"sweep", bad, tiny_, "--out", results_, "--clients", "2"} + quick;
  const Outcome outcome = lockcast(command + Words{"--format", "csv"});
  EXPECT_EQ(outcome.code, 5);
  EXPECT_EQ(outcome.error_lines(), 1U) << outcome.err;
  EXPECT_NE(outcome.err.find("lockcast: deadlock: no transaction finished in 0.02"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("; repeat with: lockcast simulate '" + bad +
                             "' --clients 2 --warmup '5 ms' --measure '20 ms'\n"),
            std::string::npos)
      << outcome.err;
  EXPECT_EQ(lines_of(outcome.out).size(), 1U + 4U) << "of tiny";
  EXPECT_EQ(lockcast({"simulate", bad, "--clients", "2", "--warmup", "5 ms", "--measure", "20 ms"}).code, 5);
  EXPECT_EQ(lockcast(command + Words{"--resume"}).code, 5) << "it is tried again";
}

TEST_F(Sweep, a_file_with_points_is_neither_overwritten_nor_mixed) {
  ASSERT_EQ(sweep({"--clients", "1"}).code, 0);
  const std::string before = stored();
  const Outcome again = sweep({"--clients", "1"});
  EXPECT_EQ(again.code, 2);
  EXPECT_EQ(again.out, "");
  EXPECT_NE(again.err.find("already holds 2 points; expected --resume to go on with it"), std::string::npos)
      << again.err;

  const Words other{"--clients", "1", "--seed", "2", "--resume"};
  const Outcome mixed = sweep(other);
  EXPECT_EQ(mixed.code, 2);
  EXPECT_EQ(mixed.error_lines(), 1U) << mixed.err;
  EXPECT_NE(mixed.err.find("holds 2 points of these with another configuration (tiny, 1 client: other seed); expected"),
            std::string::npos)
      << mixed.err;
  EXPECT_EQ(stored(), before);

  EXPECT_EQ(sweep(other + Words{"--replace"}).code, 0);
  EXPECT_EQ(rows(), 2U);
  const Json all = Json::parse(stored());
  for (const Json& point : all.at("points")) { EXPECT_EQ(point.at("configuration").at("seed"), 2); }
}

TEST_F(Sweep, another_measurement_needs_no_other_forecast) {
  const std::string header =
      "series,machine,workload,tables,scale,variant,clients,role,statistic,tps,tps_low,tps_high,source\n";
  folder_.write("m.csv", header + "s,textbook-32,tiny,,1,plain,1,predict,single,40000,,,x\n");
  folder_.write("tiny.yaml", tiny_scenario + "measured: {file: m.csv, series: s}\n");
  const Words options{"--variant", "plain", "--clients", "1", "--format", "csv"};
  const Outcome before = sweep(options);
  ASSERT_EQ(before.code, 0) << before.err;
  EXPECT_NE(before.out.find(",40000,,,"), std::string::npos) << before.out;
  folder_.write("m.csv", header + "s,textbook-32,tiny,,1,plain,1,calibrate,single,50000,,51000,x\n");
  const Outcome after = sweep(options + Words{"--resume"});
  EXPECT_EQ(after.code, 0) << after.err;
  EXPECT_EQ(lines_of(after.out), lines_of(lockcast(Words{"simulate", tiny_, "--scale", "1"} + options + quick).out));
  EXPECT_NE(after.out.find(",50000,,51000,"), std::string::npos) << after.out;
}

TEST_F(Sweep, a_folder_stands_for_its_scenarios_and_a_selection_leaves_out_those_without_it) {
  std::filesystem::create_directory(folder_.path("all"));
  folder_.write("all/a.yaml", replaced(tiny_scenario, "name: tiny", "name: a"));
  folder_.write("all/b.yaml", replaced(replaced(tiny_scenario, "name: tiny", "name: b"), "polling:", "asking:"));
  folder_.write("all/c.yaml", "schema: lockcast/include/1\nprocedures: {}\n");
  const Words command = Words{"sweep", folder_.path("all"), "--out", results_, "--format", "csv"} + quick;
  const Outcome some = lockcast(command + Words{"--variant", "asking", "--scale", "2"});
  ASSERT_EQ(some.code, 0) << some.err;
  EXPECT_EQ(lines_of(some.out).size(), 1U + 2U) << some.out;
  EXPECT_TRUE(lines_of(some.out)[1].starts_with(",b,")) << some.out;
  const Outcome all = lockcast(command + Words{"--scale", "2", "--clients", "1", "--resume"});
  EXPECT_EQ(lines_of(all.out).size(), 1U + 4U) << all.out;
  const Outcome slip = lockcast(command + Words{"--variant", "askin", "--resume"});
  EXPECT_EQ(slip.code, 2);
  EXPECT_NE(slip.err.find("no scenario has a variant 'askin'; expected one of plain, polling, asking; did you mean "
                          "'asking'?"),
            std::string::npos)
      << slip.err;
  const Outcome twice = lockcast(command + Words{folder_.write("a2.yaml", folder_.read("all/a.yaml"))});
  EXPECT_EQ(twice.code, 2);
  EXPECT_NE(twice.err.find("two scenarios are called 'a': "), std::string::npos) << twice.err;
}

TEST_F(Sweep, a_dry_run_says_what_there_is_to_do_and_makes_no_file) {
  const Outcome fresh = sweep({"--dry-run"});
  EXPECT_EQ(fresh.code, 0) << fresh.err;
  EXPECT_EQ(lines_of(fresh.out).size(), 3U) << fresh.out;
  EXPECT_FALSE(std::filesystem::exists(results_));
  ASSERT_EQ(sweep({"--clients", "1", "--seed", "2"}).code, 0);
  ASSERT_EQ(sweep({"--clients", "2", "--resume"}).code, 0);
  const Outcome rest = sweep({"--clients", "1,2,3", "--dry-run"});
  EXPECT_EQ(lines_of(rest.out).at(0), "scenario  points  finished  outdated  to run");
  EXPECT_EQ(lines_of(rest.out).at(1), "tiny           6         2         2       4");
}

TEST_F(Sweep, a_command_line_or_file_that_cannot_be_meant_is_refused_in_one_line) {
  struct Refused {
    Words arguments;
    int code;
    std::string message;
  };
  const std::string text = folder_.write("text.csv", std::string(3000, 'x'));
  const std::vector<Refused> table{
      {{"sweep", tiny_}, 2, "missing --out RESULTS.sqlite"},
      {{"sweep", "--out", results_}, 2, "missing SCENARIO"},
      {{"sweep", "--out", results_, "--resume"}, 3, "no result file '" + results_ + "'"},
      {{"sweep", tiny_, "--out", results_, "--replace"}, 2, "--replace is of use only with --resume"},
      {{"sweep", tiny_, "--out", results_, "--resum"}, 2, "did you mean '--resume'?"},
      {{"sweep", tiny_, "--out", results_, "--format", "cvs"}, 2, "did you mean 'csv'?"},
      {{"sweep", tiny_, "--out", text}, 3, "is not a result file; expected a file that 'lockcast sweep' wrote"},
      {{"sweep", tiny_, "--out", folder_.path("none/r.sqlite")}, 4, "cannot use "},
      {{"sweep", "tinny", "--out", results_}, 3, "no scenario 'tinny'"},
  };
  for (const Refused& row : table) {
    const Outcome outcome = lockcast(row.arguments + (row.arguments.size() > 3 ? quick : Words{}));
    EXPECT_EQ(outcome.code, row.code) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.error_lines(), 1U) << outcome.err;
    EXPECT_NE(outcome.err.find(row.message), std::string::npos) << outcome.err << "expected: " << row.message;
    EXPECT_FALSE(std::filesystem::exists(results_)) << row.message;
  }
}

}  // namespace

}  // namespace lockcast::sweep_test
