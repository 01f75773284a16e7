// Files that are wrong in every way we could think of: exit code 3 and one line that says where.

#include "tests/cli/program.hpp"

namespace lockcast::bad_file_test {

namespace {

struct BadFile {
  std::string what;
  std::string text;
  std::string place;  // line:column
  std::string message;
};

std::string with(const std::string& what, const std::string& by) { return replaced(tiny_scenario, what, by); }

// Its keys begin in column 47 of line 25.
std::string with_rig(const std::string& keys) {
  return tiny_scenario + "rig: {source: a test, scheduling: time-share, " + keys + "}\n";
}

std::string repeated(const std::string& text, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) { out += text; }
  return out;
}

// a0: [x, x], a1: [*a0, *a0], ... : each level doubles what the one before stands for.
std::string alias_bomb() {
  std::string text = "a0: &a0 [x, x]\n";
  for (int i = 1; i < 40; ++i) {
    const std::string last = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + last + ", " + last + "]\n";
  }
  return text;
}

std::vector<BadFile> bad_files() {
  return {
      {"empty", "", "1:1", "the file is empty"},
      {"only a comment", "# nothing\n", "1:1", "the file is empty"},
      {"binary",
       std::string("\x7f"
                   "ELF\x02\x01\x00\x00",
                   8),
       "1:1", "not text"},
      {"no schema", "name: x\n", "1:1", "missing key 'schema'"},
      {"a list", "- schema\n", "1:1", "not a map"},
      {"unknown schema", with("scenario/1", "scenaro/1"), "1:9", "did you mean 'lockcast/scenario/1'?"},
      {"unknown key", with("known_gaps", "known_gap"), "24:1", "unknown key 'known_gap'"},
      {"missing key", with("clients: [1, 4]\n", ""), "1:1", "missing key 'clients'"},
      {"missing unit", with("mean: 20 us", "mean: 20"), "19:18", "missing unit"},
      {"negative duration", with("mean: 20 us", "mean: -20 us"), "19:18", "negative duration"},
      {"unknown lock kind", with("kind: ttas", "kind: ttass"), "8:17", "did you mean 'ttas'?"},
      {"unknown lock", with("lock: guard", "lock: gaurd"), "20:21", "did you mean 'guard'?"},
      {"unknown operation", with("- call: update", "- cal: update"), "21:5", "did you mean 'call'?"},
      {"unknown procedure", with("call: update", "call: updat"), "21:11", "did you mean 'update'?"},
      {"unknown machine", with("textbook-32", "textbook-23"), "4:10", "did you mean 'textbook-32'?"},
      {"cyclic procedure", with("    - touch: {lines: data, access: write}", "    - call: update"), "11:13", "cycle"},
      {"lock never released", with("  - release: guard\n", ""), "19:3", "never released"},
      {"recursive alias", "schema: &a [*a]\n", "1:9", "anchor"},
      {"alias bomb", alias_bomb(), "1:5", "anchor"},
      {"duplicate key", with("name: tiny", "name: tiny\nname: tiny"), "3:1", "duplicate key 'name'"},
      {"second document", tiny_scenario + "---\na: b\n", "", "second document"},
      {"deep nesting", "a: " + repeated("[", 100'000) + repeated("]", 100'000), "", "nested"},
      {"deep block nesting", repeated("- ", 100'000) + "x", "", ""},
      {"zero clients", with("[1, 4]", "[0]"), "23:11", "expected a whole number from 1 to 100000"},
      {"ten million clients", with("[1, 4]", "[10000000]"), "23:11", "expected a whole number from 1 to 100000"},
      {"overflowing array", with("count: 1, stride: 64 B", "count: 10000000, stride: 1 KiB"), "6:3", "overflow"},
      {"entry count beyond 32 bits", with("count: 1,", "count: 99999999999,"), "6:17", "out of bounds"},
      {"number beyond 64 bits", with("count: 1,", "count: 99999999999999999999,"), "6:17", "out of bounds"},
      {"duration beyond 64 bits", with("20 us", "99999999999999999999 s"), "19:18", "out of bounds"},
      {"a scale that is no number", with("  2: {}", "  two: {}"), "17:3", "not a whole number"},
      {"an unknown key in a variant", with("{locks: {guard: {kind: tas}}}", "{lock: {}}"), "14:13",
       "did you mean 'locks'?"},
      {"a client beside a network", with_rig("client: {local: {}}, network: {}"), "25:55",
       "one of 'client' and 'network'"},
      {"a client of no kind", with_rig("client: {remote: {}}"), "25:55", "missing key 'local'"},
      {"a local client without work", with_rig("client: {local: {threads: 2}}"), "25:63", "missing key 'work'"},
      {"no client threads", with_rig("client: {local: {threads: 0}}"), "25:73", "threads"},
      {"a bare work of a client", with_rig("client: {local: {work: 44 us, distribution: constant}}"), "25:70",
       "has no origin"},
      {"fewer connections than clients", with_rig("connections: 3"), "25:60", "3 connections for 4 clients"},
      {"no connections", with_rig("connections: 0"), "25:60", "connections"},
      {"a round trip to nobody", with("  - release: guard\n", "  - release: guard\n  - roundtrip\n"), "1:1",
       "rig: {client: {local: {...}}}"},
      {"measurements that are not there", tiny_scenario + "measured: {file: none.csv, series: s}\n", "25:18",
       "cannot read"},
  };
}

TEST(BadFile, is_refused_with_exit_code_3_and_one_line_that_says_where) {
  const TemporaryFolder folder;
  const std::string file = folder.path("bad.yaml");
  for (const BadFile& row : bad_files()) {
    folder.write("bad.yaml", row.text);
    const Outcome outcome = lockcast({"simulate", file});
    EXPECT_EQ(outcome.code, 3) << row.what << ": " << outcome.err;
    EXPECT_EQ(outcome.out, "") << row.what;
    EXPECT_EQ(outcome.error_lines(), 1U) << row.what << ": " << outcome.err;
    EXPECT_TRUE(outcome.err.starts_with("lockcast: " + file + ":" + (row.place.empty() ? "" : row.place + ": ")))
        << row.what << ": " << outcome.err;
    EXPECT_LT(outcome.err.size(), 600U) << row.what;
  }
}

TEST(BadFile, check_says_of_each_what_is_wrong) {
  const TemporaryFolder folder;
  const std::vector<BadFile> table = bad_files();
  std::vector<std::string> command{"check"};
  for (std::size_t i = 0; i < table.size(); ++i) {
    command.push_back(folder.write(std::to_string(i) + ".yaml", table[i].text));
  }
  const Outcome outcome = lockcast(command);
  EXPECT_EQ(outcome.code, 3);
  EXPECT_EQ(outcome.out, "");
  const std::vector<std::string> messages = lines_of(outcome.err);
  ASSERT_EQ(messages.size(), table.size());
  for (std::size_t i = 0; i < table.size(); ++i) {
    EXPECT_TRUE(messages[i].starts_with("lockcast: " + command[i + 1] + ":")) << table[i].what << ": " << messages[i];
    EXPECT_NE(messages[i].find(table[i].message), std::string::npos) << table[i].what << ": " << messages[i];
  }
}

TEST(BadFile, a_machine_without_a_unit_or_with_a_negative_latency_is_located) {
  const TemporaryFolder folder;
  std::ifstream source(LOCKCAST_SOURCE_DIR "/machines/textbook-32.yaml", std::ios::binary);
  const std::string machine{std::istreambuf_iterator<char>(source), {}};
  for (const char* value : {"40", "-40 ns", "40 n", "one"}) {
    const std::string file =
        folder.write("machine.yaml", replaced(machine, "value: 40 ns", std::string("value: ") + value));
    const Outcome outcome = lockcast({"check", file});
    EXPECT_EQ(outcome.code, 3) << value;
    EXPECT_EQ(outcome.error_lines(), 1U) << outcome.err;
    EXPECT_TRUE(outcome.err.starts_with("lockcast: " + file + ":")) << outcome.err;
    EXPECT_NE(outcome.err.find(value), std::string::npos) << outcome.err;
  }
}

TEST(BadFile, check_goes_on_after_a_bad_file_and_still_fails) {
  const TemporaryFolder folder;
  const std::string good = folder.write("good.yaml", tiny_scenario);
  const std::string bad = folder.write("bad.yaml", "");
  const Outcome outcome = lockcast({"check", bad, good, folder.path("none.yaml")});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_EQ(outcome.out, "ok: " + good + " (scenario, 8 points on textbook-32)\n");
  EXPECT_EQ(outcome.error_lines(), 2U) << outcome.err;
}

TEST(BadFile, what_a_set_breaks_names_the_set) {
  const TemporaryFolder folder;
  const std::string tiny = folder.write("tiny.yaml", tiny_scenario);
  const Outcome outcome = lockcast({"simulate", tiny, "--set", "workload.locks.guard.kind=mcss"});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_EQ(outcome.error_lines(), 1U) << outcome.err;
  EXPECT_NE(outcome.err.find("--set "), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("did you mean 'mcs'?"), std::string::npos) << outcome.err;
}

TEST(BadFile, a_what_if_that_a_hop_matrix_cannot_follow_points_at_the_matrix) {
  const TemporaryFolder folder;
  const std::string tiny = folder.write("tiny.yaml", tiny_scenario);
  const Outcome outcome =
      lockcast({"simulate", tiny, "--machine", "opteron-6128-32", "--set", "machine.topology.packages=16"});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_EQ(outcome.error_lines(), 1U) << outcome.err;
  EXPECT_NE(outcome.err.find("opteron-6128-32.yaml:"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("8 rows in hops; expected 32, one per die"), std::string::npos) << outcome.err;
}

TEST(BadFile, a_name_nobody_has_is_a_bad_file_with_a_suggestion) {
  const Outcome outcome = lockcast({"show", "textbook-23"});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_NE(outcome.err.find("did you mean 'textbook-32'?"), std::string::npos) << outcome.err;
}

}  // namespace

}  // namespace lockcast::bad_file_test
