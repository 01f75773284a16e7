// Help, and what the program says to a command line it cannot run: exit code 2, one line, what was probably meant.

#include "tests/cli/program.hpp"

namespace lockcast::usage_test {

namespace {

TEST(Help, every_way_of_asking_prints_it_on_stdout) {
  const Outcome help = lockcast({"help"});
  EXPECT_EQ(help.code, 0);
  EXPECT_EQ(help.err, "");
  for (const std::string verb : {"simulate", "sweep", "validate", "compare", "fit", "check", "list", "show", "import",
                                 "schema", "completion", "version"}) {
    EXPECT_NE(help.out.find("\n  " + verb + " "), std::string::npos) << verb;
  }
  EXPECT_EQ(lockcast({}).out, help.out);
  EXPECT_EQ(lockcast({}).code, 0);
  EXPECT_EQ(lockcast({"--help"}).out, help.out);
  EXPECT_EQ(lockcast({"-h"}).out, help.out);
}

TEST(Help, a_verb_explains_itself_with_usage_and_examples) {
  for (const std::string verb : {"simulate", "sweep", "validate", "compare", "fit", "check", "list", "show", "import",
                                 "schema", "completion", "version"}) {
    const Outcome help = lockcast({verb, "--help"});
    EXPECT_EQ(help.code, 0) << verb;
    EXPECT_TRUE(help.out.starts_with("usage: lockcast " + verb)) << help.out;
    EXPECT_NE(help.out.find("\nexamples:\n  lockcast " + verb), std::string::npos) << help.out;
    EXPECT_EQ(lockcast({"help", verb}).out, help.out) << verb;
  }
}

TEST(Help, a_version_is_one_line) {
  EXPECT_TRUE(lockcast({"version"}).out.starts_with("lockcast "));
  EXPECT_EQ(lockcast({"--version"}).out, lockcast({"version"}).out);
}

struct BadUsage {
  std::vector<std::string> arguments;
  std::string message;
};

TEST(Usage, a_command_line_that_cannot_be_meant_exits_with_2_and_one_line) {
  const TemporaryFolder folder;
  const std::string tiny = folder.write("tiny.yaml", tiny_scenario);
  const std::string bounds =
      "expected whole numbers from 1 to 100000 such as 1,8,32 or FIRST..LAST..STEP such as 8..64..8";
  const std::vector<BadUsage> table{
      {{"simulte", tiny}, "unknown verb 'simulte'; did you mean 'simulate'?"},
      {{"help", "chekc"}, "unknown verb 'chekc'; did you mean 'check'?"},
      {{"frobnicate"}, "unknown verb 'frobnicate'; 'lockcast help' lists the verbs"},
      {{"two\nlines"}, "unknown verb 'two\\nlines'; 'lockcast help' lists the verbs"},
      {{"simulate"}, "missing SCENARIO; usage: lockcast simulate SCENARIO [OPTIONS]"},
      {{"simulate", tiny, "b"}, "unexpected argument 'b'; usage: lockcast simulate SCENARIO [OPTIONS]"},
      {{"simulate", tiny, "--varient", "a"}, "unknown option '--varient' of simulate; did you mean '--variant'?"},
      {{"simulate", tiny, "--var", "plain"}, "unknown option '--var' of simulate"},
      {{"simulate", tiny, "--seed"}, "the required argument for option '--seed' is missing"},
      {{"simulate", tiny, "--seed", "1", "--seed", "2"}, "--seed is given more than once"},
      {{"simulate", tiny, "--seed", "-1"}, "--seed '-1': expected a whole number from 0 to 18446744073709551615"},
      {{"simulate", tiny, "--jobs", "0"}, "--jobs '0': expected a whole number from 1 to 1024"},
      {{"simulate", tiny, "--variant", "plane"},
       "no variant 'plane'; expected one of plain, polling; did you mean 'plain'?"},
      {{"simulate", tiny, "--variant", "plain,,polling"}, "expected items separated by single commas"},
      {{"simulate", tiny, "--scale", "3"}, "--scale: the scenario has no scale '3'; expected one of 1, 2"},
      {{"simulate", tiny, "--clients", "0"}, "--clients '0': " + bounds},
      {{"simulate", tiny, "--clients", "10000000"}, "--clients '10000000': " + bounds},
      {{"simulate", tiny, "--clients", "8..4"}, "--clients '8..4': " + bounds},
      {{"simulate", tiny, "--clients", "1..9..0"}, "--clients '1..9..0': " + bounds},
      {{"simulate", tiny, "--clients", "1..5000"}, "at most 1000 numbers"},
      {{"simulate", tiny, "--machine", "textbok-32"}, "unknown machine 'textbok-32'"},
      {{"simulate", tiny, "--measure", "3"}, "--measure: duration '3': missing unit"},
      {{"simulate", tiny, "--warmup", "-3 ms"}, "--warmup: duration '-3 ms': negative duration"},
      {{"simulate", tiny, "--precision", "0%"}, "--precision '0%': expected a share such as 3%"},
      {{"simulate", tiny, "--format", "jsn"}, "--format 'jsn': expected table | json | csv; did you mean 'json'?"},
      {{"simulate", tiny, "--network", "outer"}, "--network 'outer': expected inner | full"},
      {{"simulate", tiny, "--network", "full"}, "--network: the scenario has no network"},
      {{"simulate", tiny, "--kernel", "simgird"},
       "--kernel 'simgird': expected inner | simgrid; did you mean 'simgrid'?"},
      {{"simulate", tiny, "--set", "machine"}, "--set 'machine': expected PATH=VALUE"},
      {{"simulate", tiny, "--set", "=1"}, "--set: the path is empty"},
      {{"check"}, "missing FILE..."},
      {{"list", "machins"},
       "cannot list 'machins'; expected machines, scenarios, studies, locks, models or operations"},
      {{"show", "textbook-32", "--set", "cpu.poll=3 ns"}, "expected a path that begins with machine."},
      {{"show", "textbook-32", "--clients", "3"}, "--clients is for scenarios, not machines"},
      {{"version", "1"}, "unexpected argument '1'"},
  };
  for (const BadUsage& row : table) {
    const Outcome outcome = lockcast(row.arguments);
    EXPECT_EQ(outcome.code, 2) << row.message << "\n" << outcome.err;
    EXPECT_EQ(outcome.out, "") << row.message;
    EXPECT_EQ(outcome.error_lines(), 1U) << outcome.err;
    EXPECT_TRUE(outcome.err.starts_with("lockcast: ")) << outcome.err;
    EXPECT_NE(outcome.err.find(row.message), std::string::npos) << outcome.err << "expected: " << row.message;
  }
}

TEST(Usage, an_output_that_cannot_be_written_exits_with_4_before_anything_is_simulated) {
  const TemporaryFolder folder;
  const std::string tiny = folder.write("tiny.yaml", tiny_scenario);
  const Outcome outcome = lockcast({"simulate", tiny, "--measure", "3000 s", "--out", folder.path("none/x.csv")});
  EXPECT_EQ(outcome.code, 4);
  EXPECT_EQ(outcome.error_lines(), 1U) << outcome.err;
  EXPECT_NE(outcome.err.find("No such file or directory"), std::string::npos) << outcome.err;
}

TEST(Usage, a_full_disk_is_not_a_success) {
  if (!std::filesystem::exists("/dev/full")) { GTEST_SKIP() << "no /dev/full on this host"; }
  const int full = open("/dev/full", O_WRONLY);
  const File err = temporary_file();
  EXPECT_EQ(wait_for(start({"list", "locks"}, full, fileno(err.get()))), 4);
  close(full);
  EXPECT_EQ(text_of(err.get()), "lockcast: cannot write to stdout: No space left on device\n");
}

}  // namespace

}  // namespace lockcast::usage_test
