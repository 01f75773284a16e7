// list, show and check: what a reader of data files asks before running anything.

#include "tests/cli/program.hpp"

#include <map>

namespace lockcast::look_test {

namespace {

bool has_row(const std::string& table, const std::string& first_cell) {
  const std::vector<std::string> lines = lines_of(table);
  return std::any_of(lines.begin(), lines.end(),
                     [&](const std::string& line) { return line.starts_with(first_cell + " "); });
}

TEST(List, names_every_kind_of_thing) {
  const std::map<std::string, std::string> examples{
      {"machines", "textbook-32"},   {"scenarios", "hpux-spinlock"},
      {"locks", "lwlock-9.1"},       {"models", "directory"},
      {"studies", "calibrate-2011"}, {"operations", "touch: {lines: NAME, access: write}"}};
  const Outcome all = lockcast({"list"});
  EXPECT_EQ(all.code, 0);
  for (const auto& [kind, example] : examples) {
    const Outcome one = lockcast({"list", kind});
    EXPECT_EQ(one.code, 0) << kind;
    EXPECT_TRUE(has_row(one.out, example)) << one.out;
    EXPECT_NE(all.out.find(one.out), std::string::npos) << kind;
  }
}

// The compiler's own list is in the message about an unknown operation.
TEST(List, knows_the_operations_that_the_compiler_knows) {
  const TemporaryFolder folder;
  const std::string file = folder.write("x.yaml", replaced(tiny_scenario, "- call: update", "- frobnicate: update"));
  const std::string message = lockcast({"check", file}).err;
  const std::string begin = "one of ";
  ASSERT_NE(message.find(begin), std::string::npos) << message;
  std::string names = message.substr(message.find(begin) + begin.size());
  names.resize(std::min(names.find_first_of(";\n"), names.size()));
  const std::string listed = lockcast({"list", "operations"}).out;
  std::size_t count = 0;
  for (std::size_t at = 0; at < names.size(); ++count) {
    const std::string name = names.substr(at, names.find(' ', at) - at);
    EXPECT_NE(listed.find("\n" + name), std::string::npos) << name << " is not in:\n" << listed;
    at += name.size() + 1;
  }
  EXPECT_EQ(lines_of(listed).size(), 1 + count);
}

TEST(Show, a_machine_says_where_every_number_comes_from) {
  const Outcome outcome = lockcast({"show", "textbook-32", "--set", "machine.cpu.poll=8 ns"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("32 cores (4 packages x 2 dies x 4 cores), 64 B lines"), std::string::npos) << outcome.out;
  std::map<std::string, std::string> rows;
  for (const std::string& line : lines_of(outcome.out)) { rows[line.substr(0, line.find(' '))] = line; }
  const std::string& latency = rows["coherence.transfer.one_hop"];
  for (const char* part : {" 100 ns  ", "[50 ns, 200 ns]", "assumed", "round number for tests"}) {
    EXPECT_NE(latency.find(part), std::string::npos) << latency;
  }
  EXPECT_TRUE(rows["cpu.poll"].ends_with("  set")) << rows["cpu.poll"];
}

TEST(Show, a_machine_shows_its_hop_matrix_row_by_row_its_home_rule_and_its_hardware_threads) {
  const Outcome outcome = lockcast({"show", "opteron-6128-32", "--set", "machine.topology.threads_per_core=2", "--set",
                                    "machine.cpu.smt_slowdown=1.5"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("32 cores (4 packages x 2 dies x 4 cores x 2 threads)"), std::string::npos) << outcome.out;
  std::map<std::string, std::string> rows;
  for (const std::string& line : lines_of(outcome.out)) { rows[line.substr(0, line.find(' '))] = line; }
  EXPECT_TRUE(rows["topology.hops.3"].ends_with("  [2, 2, 1, 0, 1, 1, 2, 1]")) << rows["topology.hops.3"];
  EXPECT_TRUE(rows["coherence.home"].ends_with("  first-touch")) << rows["coherence.home"];
}

TEST(Show, a_scenario_has_its_points_its_placement_and_one_transaction) {
  const TemporaryFolder folder;
  const std::string tiny = folder.write("tiny.yaml", tiny_scenario);
  const Outcome outcome = lockcast({"show", tiny, "--variant", "polling", "--clients", "7"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  for (const char* part :
       {"points    8\n", "placement of polling, scale 1, 7 clients on 64 B lines:\n", "own lines\n",
        "  work     20 us (exponential)\n  acquire  guard\n  touch    data write\n  release  guard\n"}) {
    EXPECT_NE(outcome.out.find(part), std::string::npos) << part << " is not in:\n" << outcome.out;
  }
  EXPECT_TRUE(has_row(outcome.out, "guard  tas")) << outcome.out;
}

TEST(Check, our_own_data_files_are_good) {
  const Outcome outcome = lockcast({"check", LOCKCAST_SOURCE_DIR "/machines", LOCKCAST_SOURCE_DIR "/scenarios"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  for (const std::string& line : lines_of(outcome.out)) { EXPECT_TRUE(line.starts_with("ok: ")) << line; }
}

TEST(Check, a_folder_stands_for_every_yaml_below_it) {
  const TemporaryFolder folder;
  EXPECT_EQ(lockcast({"check", folder.path("")}).code, 3) << "an empty folder checks nothing";
  std::filesystem::create_directory(folder.path("below"));
  folder.write("below/tiny.yaml", tiny_scenario);
  folder.write("below/notes.txt", "not YAML: [");
  const Outcome outcome = lockcast({"check", folder.path("")});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(lines_of(outcome.out).size(), 1U);
}

}  // namespace

}  // namespace lockcast::look_test
