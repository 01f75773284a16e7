// The schemas are JSON Schema, every shipped file passes them, and they find the faults that the readers find.

#include "tests/cli/shell.hpp"

#include <nlohmann/json.hpp>

namespace lockcast::schema_test {

namespace {

TEST(Schema, is_json_of_draft_7_for_every_kind_of_file) {
  for (const std::string kind : {"machine", "workload", "scenario", "study", "fitted"}) {
    const Outcome outcome = lockcast({"schema", kind});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const nlohmann::json schema = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(schema.at("$schema"), "http://json-schema.org/draft-07/schema#");
    EXPECT_FALSE(schema.at("definitions").empty()) << kind;
  }
}

TEST(Schema, tells_keys_units_and_names) {
  const nlohmann::json schema = nlohmann::json::parse(lockcast({"schema", "machine"}).out);
  const nlohmann::json& topology = schema.at("definitions").at("topology");
  EXPECT_EQ(topology.at("properties").at("packages").at("maximum"), 1024);
  EXPECT_EQ(topology.at("additionalProperties"), false);
  EXPECT_EQ(topology.at("required"), nlohmann::json({"packages", "dies_per_package", "cores_per_die"}));
  const nlohmann::json& cpu = schema.at("definitions").at("cpu").at("properties");
  EXPECT_EQ(cpu.at("poll").at("properties").at("value").at("pattern"), "^[0-9]+(\\.[0-9]+)? (ps|ns|us|ms|s)$");
  const nlohmann::json& coherence = schema.at("definitions").at("coherence").at("properties");
  EXPECT_EQ(coherence.at("line_queue").at("enum"), nlohmann::json({"on", "off"}));
}

TEST(Schema, agrees_with_the_readers_on_shipped_files_and_on_files_with_one_fault) {
  if (std::string_view(LOCKCAST_SANITIZE) != "") { GTEST_SKIP() << "checks hundreds of files: left to the dev run"; }
  if (!has_program("python3")) { GTEST_SKIP() << "no python3 on this host"; }
  const TemporaryFolder folder;
  const std::string script = LOCKCAST_SOURCE_DIR "/tests/cli/schema.py";
  const Outcome outcome =
      shell("python3 '" + script + "' '" LOCKCAST_PROGRAM "' '" LOCKCAST_SOURCE_DIR "' '" + folder.path("") + "'");
  if (outcome.code == 4) { GTEST_SKIP() << outcome.out; }
  EXPECT_EQ(outcome.code, 0) << outcome.out;
}

TEST(Schema, of_something_else_is_an_error_with_a_suggestion) {
  const Outcome outcome = lockcast({"schema", "machin"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("did you mean 'machine'?"), std::string::npos) << outcome.err;
}

}  // namespace

}  // namespace lockcast::schema_test
