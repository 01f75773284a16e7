// whatif, sweep --sweep and compare A B from outside.

#include "tests/cli/program.hpp"

#include <nlohmann/json.hpp>

namespace lockcast::whatif_test {

namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

class WhatIf : public testing::Test {
 protected:
  [[nodiscard]] Outcome whatif(const Words& more) const {
    return lockcast(
        Words{"whatif", tiny_, "--scale", "1", "--clients", "1,4", "--measure", "5 ms", "--warmup", "1 ms"} + more);
  }
  TemporaryFolder folder_;
  std::string tiny_ = folder_.write("tiny.yaml", tiny_scenario);
};

TEST_F(WhatIf, says_for_each_core_count_what_limits_and_marks_what_nobody_has_built) {
  const Outcome outcome = whatif({"--cores", "4,64"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  for (const std::string expected :
       {"4 cores  1 package x 1 die x 4 cores", "64 cores* 8 packages", "* beyond the machine of the file",
        "what limits", "fix order at 4 cores:", "fix order at 64 cores*:", "rule "}) {
    EXPECT_NE(outcome.out.find(expected), std::string::npos) << expected << " in\n" << outcome.out;
  }
  EXPECT_EQ(whatif({"--cores", "4,64", "--jobs", "3"}).out, outcome.out);
}

TEST_F(WhatIf, has_json_and_rows_that_begin_like_those_of_simulate) {
  const Json json = Json::parse(whatif({"--cores", "4..8", "--format", "json"}).out);
  EXPECT_EQ(json.at("cells").size(), 4U);
  EXPECT_EQ(json.at("mendings").size(), 1U);
  EXPECT_TRUE(json.at("cells").at(0).at("verdict").contains("is_lock"));
  const Words lines = lines_of(whatif({"--cores", "4..8", "--format", "csv"}).out);
  ASSERT_EQ(lines.size(), 1U + 4U);
  EXPECT_TRUE(lines[0].starts_with("series,scenario,machine,workload,tables,scale,variant,clients,cores,tps,"))
      << lines[0];
  EXPECT_TRUE(lines[0].ends_with(",markov_tps,part")) << lines[0];
}

TEST_F(WhatIf, refuses_what_cannot_be_meant_in_one_line) {
  struct Refused {
    Words arguments;
    std::string message;
  };
  for (const Refused& row :
       std::vector<Refused>{{{"--cores", "8..48"}, "8 doubled never is 48"},
                            {{"--cores", "12"}, "12 cores cannot be built of whole packages of 8 cores"},
                            {{"--variant", "polling,plian"}, "did you mean 'plain'?"},
                            {{"--lock", "Lx=mcs"}, "the workload has no lock 'Lx'"},
                            {{"--free", "lnes"}, "did you mean 'lines'?"},
                            {{"--core", "8"}, "did you mean '--cores'?"}}) {
    const Outcome outcome = whatif(row.arguments);
    EXPECT_EQ(outcome.code, 2) << outcome.err;
    EXPECT_EQ(outcome.error_lines(), 1U) << outcome.err;
    EXPECT_NE(outcome.err.find(row.message), std::string::npos) << outcome.err << "expected: " << row.message;
  }
}

class Axes : public WhatIf {
 protected:
  [[nodiscard]] Outcome sweep(const std::string& file, const Words& more) const {
    return lockcast(Words{"sweep", tiny_, "--scale", "1", "--variant", "plain", "--clients", "4", "--measure", "5 ms",
                          "--warmup", "1 ms", "--out", folder_.path(file)} +
                    more);
  }
};

TEST_F(Axes, make_a_row_for_each_setting_and_go_on_where_they_ended) {
  const Words poll{"--sweep", "machine.cpu.poll=4 ns,16 ns", "--sweep", "cores=4..8:log"};
  const Outcome dry = sweep("r.sqlite", poll + Words{"--dry-run"});
  EXPECT_EQ(lines_of(dry.out).at(1), "tiny           4         0         0       4") << dry.err;
  const Outcome some = sweep("r.sqlite", {"--sweep", "machine.cpu.poll=4 ns", "--sweep", "cores=4..8:log"});
  ASSERT_EQ(some.code, 0) << some.err;
  EXPECT_EQ(lines_of(sweep("r.sqlite", poll + Words{"--dry-run"}).out).at(1),
            "tiny           4         2         0       2");
  const Outcome all = sweep("r.sqlite", poll + Words{"--resume", "--format", "csv"});
  ASSERT_EQ(all.code, 0) << all.err;
  const Words lines = lines_of(all.out);
  ASSERT_EQ(lines.size(), 1U + 4U);
  EXPECT_TRUE(lines[1].ends_with(",machine.cpu.poll=4 ns; cores=4")) << lines[1];
  EXPECT_TRUE(lines[2].ends_with(",machine.cpu.poll=4 ns; cores=8")) << lines[2];
  EXPECT_TRUE(lines[4].ends_with(",machine.cpu.poll=16 ns; cores=8")) << lines[4];
  const Outcome slip = sweep("s.sqlite", {"--sweep", "machine.cpu.pol=4 ns"});
  EXPECT_EQ(slip.code, 3);
  EXPECT_NE(slip.err.find("did you mean 'poll'?"), std::string::npos) << slip.err;
}

TEST_F(Axes, of_a_study_are_those_of_the_command_line) {
  const std::string study = folder_.write(
      "s.yaml",
      "schema: lockcast/study/1\nname: s\nquestion: q\nverb: sweep\nscenario: tiny.yaml\nvariants: plain\nscales: 1\n"
      "clients: [4]\nwarmup: 1 ms\nmeasure: 5 ms\nsweep: {machine.cpu.poll: [4 ns, 16 ns]}\n");
  const Outcome outcome = lockcast({"sweep", study, "--out", folder_.path("a.sqlite"), "--format", "csv"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, sweep("b.sqlite", {"--sweep", "machine.cpu.poll=4 ns,16 ns", "--format", "csv"}).out);
  EXPECT_EQ(lockcast({"whatif", study}).code, 2);
  EXPECT_EQ(lockcast({"check", study}).code, 0);
  const Outcome slip =
      lockcast({"check", folder_.write("t.yaml", replaced(folder_.read("s.yaml"), "variants", "varants"))});
  EXPECT_EQ(slip.code, 3);
  EXPECT_NE(slip.err.find("did you mean 'variants'?"), std::string::npos) << slip.err;
}

TEST_F(Axes, compared_say_what_changed) {
  const std::string a = folder_.path("a.sqlite");
  const std::string b = folder_.path("b.sqlite");
  ASSERT_EQ(sweep("a.sqlite", {}).code, 0);
  ASSERT_EQ(sweep("b.sqlite", {"--set", "machine.coherence.transfer.two_hops=2 us", "--set",
                               "machine.coherence.transfer.same_die=2 us"})
                .code,
            0);
  EXPECT_EQ(lockcast({"compare", a, a, "--tolerance", "1%"}).code, 0);
  const Outcome worse = lockcast({"compare", a, b, "--tolerance", "1%", "--why"});
  EXPECT_EQ(worse.code, 1) << worse.out << worse.err;
  EXPECT_NE(worse.out.find("us per transaction"), std::string::npos) << worse.out;
  EXPECT_EQ(lockcast({"compare", b, a, "--tolerance", "1%"}).code, 0) << "faster";
  const Json json = Json::parse(lockcast({"compare", a, b, "--format", "json"}).out);
  EXPECT_TRUE(json.at("points").at(0).at("paired"));
  EXPECT_EQ(lockcast({"compare", a, "--why"}).code, 2);
}

}  // namespace

}  // namespace lockcast::whatif_test
