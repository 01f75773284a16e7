// probe as a user runs it: briefly, because no test believes what it measures.

#include "tests/cli/program.hpp"

namespace lockcast::probe_test {
namespace {

TEST(Probe, writes_a_machine_that_check_takes_and_simulate_runs_on) {
  const TemporaryFolder folder;
  const std::string machine = folder.path("my-box.yaml");
  const std::string matrix = folder.path("cores.csv");
  const Outcome probed = lockcast({"probe", "--brief", "-o", machine, "--export-core-matrix", matrix});
  ASSERT_EQ(probed.code, 0) << probed.err;
  EXPECT_NE(probed.out.find("compare-and-swap, own line"), std::string::npos) << probed.out;
  EXPECT_NE(probed.err.find("lockcast probe: "), std::string::npos) << "a word about quality";

  const std::string text = folder.read("my-box.yaml");
  EXPECT_NE(text.find("\nname: my-box\n"), std::string::npos) << text;
  EXPECT_EQ(lockcast({"check", machine}).code, 0);
  const std::vector<std::string> rows = lines_of(folder.read("cores.csv"));
  ASSERT_FALSE(rows.empty());
  for (const std::string& row : rows) {
    EXPECT_EQ(static_cast<std::size_t>(std::count(row.begin(), row.end(), ',')) + 1, rows.size());
  }
  const Outcome simulated = lockcast(
      std::vector<std::string>{"simulate", folder.write("tiny.yaml", tiny_scenario), "--machine", machine} + quick);
  EXPECT_EQ(simulated.code, 0) << simulated.err;
  EXPECT_NE(simulated.out.find("my-box"), std::string::npos) << simulated.out;
}

TEST(Probe, refuses_before_measuring_what_it_could_not_write) {
  const TemporaryFolder folder;
  const Outcome nameless = lockcast({"probe", "--brief", "-o", folder.path("2 boxes.yaml")});
  EXPECT_EQ(nameless.code, 2);
  EXPECT_NE(nameless.err.find("'2 boxes'"), std::string::npos) << nameless.err;
  EXPECT_EQ(lockcast({"probe", "--brief", "-o", folder.path("none/box.yaml")}).code, 4);
  EXPECT_EQ(lockcast({"probe", "--rounds", "0"}).code, 2);
}

}  // namespace
}  // namespace lockcast::probe_test
