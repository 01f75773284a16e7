// simulate --trace as a user meets it: the file parses, its tracks are well-formed, and a tiny one is known by heart.

#include "tests/cli/program.hpp"

#include <nlohmann/json.hpp>

#include <cmath>
#include <map>

namespace lockcast::cli_trace_test {

namespace {

using Json = nlohmann::json;

// Two backends and a sleeping lock held longer than what comes before it: one waits for the other, again and again.
const std::string two_take_turns = R"(schema: lockcast/scenario/1
name: turns
question: "who waits for whom?"
machine: textbook-32
locks:
  guard: {kind: lwlock-9.1}
transaction:
  - work: 5 us
  - acquire: {lock: guard}
  - work: 20 us
  - release: guard
clients: [2]
known_gaps: ["nobody runs this"]
)";

class CliTrace : public testing::Test {
 protected:
  Outcome traced(const std::string& scenario, const std::vector<std::string>& more) const {
    return lockcast(
        std::vector<std::string>{"simulate", folder_.write("s.yaml", scenario), "--trace", folder_.path("trace.json")} +
        quick + more);
  }
  [[nodiscard]] Json trace() const { return Json::parse(folder_.read("trace.json")); }

  const TemporaryFolder folder_;
};

std::int64_t picos(const Json& micros) { return std::llround(micros.get<double>() * 1e6); }

TEST_F(CliTrace, tracks_are_well_formed_and_flows_have_both_ends) {
  const Outcome outcome = traced(two_take_turns, {"--trace-window", "2 ms", "--trace-from", "3 ms"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json json = trace();
  std::map<std::pair<int, int>, std::vector<std::pair<std::int64_t, std::int64_t>>> tracks;
  std::map<int, std::map<std::string, Json>> flows;
  std::map<std::string, double> spent_us;
  for (const Json& event : json.at("traceEvents")) {
    const std::string phase = event.at("ph");
    if (phase == "s" || phase == "f") { EXPECT_TRUE(flows[event.at("id")].emplace(phase, event).second); }
    if (phase != "X") { continue; }
    const std::int64_t begin = picos(event.at("ts"));
    tracks[{event.at("pid"), event.at("tid")}].emplace_back(begin, begin + picos(event.at("dur")));
    const std::string name = event.at("name");
    if (event.at("pid") == 2) { spent_us[name.substr(0, name.find(':'))] += event.at("dur").get<double>(); }
  }
  for (const auto& [track, slices] : tracks) {
    for (std::size_t i = 1; i < slices.size(); ++i) { EXPECT_GE(slices[i].first, slices[i - 1].second); }
    if (track.first == 2) {
      EXPECT_EQ(slices.front().first, 3'000'000'000);
      EXPECT_EQ(slices.back().second, 5'000'000'000);
    }
  }
  EXPECT_EQ(tracks.size(), 4U) << "two backends, on two cores";
  ASSERT_GT(flows.size(), 10U);
  for (const auto& [id, ends] : flows) {
    ASSERT_EQ(ends.size(), 2U) << id;
    EXPECT_NE(ends.at("s").at("tid"), ends.at("f").at("tid"));
  }
  const Json& by_category = json.at("otherData").at("backend_us_by_category");
  EXPECT_NEAR(spent_us["queued"], by_category.at("lock queue").get<double>(), 1e-6);
  EXPECT_NEAR(spent_us["running"], by_category.at("work").get<double>(), 1e-6);
  EXPECT_GT(spent_us["queued"], 500);
}

TEST_F(CliTrace, a_tiny_one_is_known_by_heart) {
  const std::vector<std::string> tiny{"--trace-window", "60 us",
                                      "--set",          "machine.topology.packages=1",
                                      "--set",          "machine.topology.dies_per_package=1",
                                      "--set",          "machine.topology.packages_per_group=1"};
  ASSERT_EQ(traced(two_take_turns, tiny).code, 0);
  const std::string once = folder_.read("trace.json");
  ASSERT_EQ(traced(two_take_turns, tiny).code, 0);
  EXPECT_EQ(once, folder_.read("trace.json"));
  std::ifstream golden(LOCKCAST_SOURCE_DIR "/tests/cli/tiny_trace.json", std::ios::binary);
  EXPECT_EQ(once, std::string(std::istreambuf_iterator<char>(golden), {}));
}

TEST_F(CliTrace, the_result_is_the_same_with_and_without) {
  const std::string scenario = folder_.write("t.yaml", tiny_scenario);
  const std::vector<std::string> one =
      std::vector<std::string>{"simulate", scenario,    "--variant", "plain",    "--scale",
                               "1",        "--clients", "4",         "--format", "json"} +
      quick;
  const Outcome with = lockcast(one + std::vector<std::string>{"--trace", folder_.path("trace.json")});
  EXPECT_EQ(with.out, lockcast(one).out);
  EXPECT_EQ(with.err, "");
}

TEST_F(CliTrace, what_cannot_be_traced_is_refused_with_what_to_do) {
  const Outcome many = traced(tiny_scenario, {});
  EXPECT_EQ(many.code, 2);
  EXPECT_EQ(many.err,
            "lockcast: --trace: 8 points are asked for; expected one: choose it with --variant, --tables, --scale and "
            "--clients\n");
  const Outcome late = traced(two_take_turns, {"--trace-from", "18 ms"});
  EXPECT_EQ(late.code, 2);
  EXPECT_NE(late.err.find("3 ms after the measured time of 20 ms"), std::string::npos) << late.err;
  const std::string scenario = folder_.write("t.yaml", two_take_turns);
  EXPECT_EQ(lockcast({"simulate", scenario, "--trace-window", "1 ms"}).code, 2);
  EXPECT_FALSE(std::filesystem::exists(folder_.path("trace.json")));
}

}  // namespace
}  // namespace lockcast::cli_trace_test
