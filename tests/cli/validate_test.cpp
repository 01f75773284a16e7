// validate as a user runs it: briefly, because no test believes what it measures. Every run ends, whatever this host is
// busy with; what the verdict says is left to the host.

#include "tests/cli/program.hpp"

#include <nlohmann/json.hpp>
#include <pty.h>

#include <csignal>
#include <map>
#include <thread>

namespace lockcast::validate_test {
namespace {

const std::vector<std::string> briefly{"--brief", "--machine", "textbook-32"};

Outcome validate(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "validate");
  arguments.insert(arguments.end(), briefly.begin(), briefly.end());
  return lockcast(arguments);
}

// Pass, fail, or too noisy to say.
bool ended_with_a_verdict(const Outcome& outcome) {
  return (outcome.code == 0 || outcome.code == 1 || outcome.code == 4) && outcome.err.empty();
}

TEST(Validate, prints_points_by_class_and_a_verdict) {
  const Outcome outcome = validate({"hot-spinlock", "--variant", "ttas,tas", "--threads", "1"});
  EXPECT_TRUE(ended_with_a_verdict(outcome)) << outcome.code << outcome.err;
  for (const char* words : {"1 thread\n", "hot-spinlock, 1 thread, ttas", "native against native: ", "\nverdict: ",
                            "which variant is faster: ", "does not say at which line latency"}) {
    const bool one_cpu = outcome.out.find("one CPU") != std::string::npos;
    if (one_cpu && std::string_view(words).starts_with("does not")) { continue; }
    EXPECT_NE(outcome.out.find(words), std::string::npos) << words << "\n" << outcome.out;
  }
}

TEST(Validate, json_has_every_visit_and_the_verdict_of_the_exit_code) {
  const Outcome outcome = validate({"hot-spinlock", "--variant", "ttas", "--threads", "1,2", "--format", "json"});
  ASSERT_TRUE(ended_with_a_verdict(outcome)) << outcome.code << outcome.err;
  const nlohmann::json json = nlohmann::json::parse(outcome.out);
  const std::map<int, std::string> words{{0, "pass"}, {1, "fail"}, {4, "machine too noisy"}};
  EXPECT_EQ(json.at("verdict"), words.at(outcome.code));
  ASSERT_EQ(json.at("points").size(), 2U);
  for (const nlohmann::json& point : json.at("points")) {
    EXPECT_EQ(point.at("visits").size(), 2U);
    EXPECT_GT(point.at("predicted_tps"), 0);
    EXPECT_EQ(point.at("error").is_null(), point.at("verdict").get<std::string>().starts_with("unusable"));
  }
}

TEST(Validate, csv_has_a_row_for_every_point_and_as_many_fields_in_each) {
  const Outcome outcome = validate({"hot-spinlock", "--threads", "1", "--rounds", "1", "--format", "csv"});
  ASSERT_TRUE(ended_with_a_verdict(outcome)) << outcome.code << outcome.err;
  const std::vector<std::string> rows = lines_of(outcome.out);
  EXPECT_EQ(rows.size(), 6U) << "a heading and five locks";
  for (const std::string& row : rows) { EXPECT_EQ(std::count(row.begin(), row.end(), ','), 14) << row; }
}

// FIFO locks with more threads than CPUs hand over once in a time slice; the run ends all the same.
TEST(Validate, a_queue_that_collapses_ends_and_is_judged_apart) {
  const std::string threads = std::to_string(std::thread::hardware_concurrency() + 2);
  const Outcome outcome = validate({"hot-spinlock", "--variant", "ticket,mcs", "--threads", threads});
  EXPECT_TRUE(ended_with_a_verdict(outcome)) << outcome.code << outcome.err;
  EXPECT_NE(outcome.out.find("FIFO collapse\n"), std::string::npos) << outcome.out;
}

TEST(Validate, a_fresh_probe_of_this_host_is_the_default) {
  const Outcome outcome =
      lockcast({"validate", "hot-spinlock", "--variant", "ttas", "--threads", "1", "--brief", "--format", "json"});
  ASSERT_TRUE(ended_with_a_verdict(outcome)) << outcome.code << outcome.err;
  EXPECT_EQ(nlohmann::json::parse(outcome.out).at("machine"), "this-host");
}

TEST(Validate, says_before_it_measures_what_it_cannot_do) {
  const Outcome client = validate({"eight-cores-select-only", "--threads", "1"});
  EXPECT_EQ(client.code, 4);
  EXPECT_NE(client.err.find("'roundtrip' cannot run natively"), std::string::npos) << client.err;
  const Outcome large = validate({"sinval"});
  EXPECT_EQ(large.code, 4) << large.out;
  EXPECT_EQ(validate({"hot-spinlock", "--pin", "tight"}).code, 2);
  EXPECT_EQ(validate({"hot-spinlock", "--tolerance", "0"}).code, 2);
  EXPECT_EQ(validate({"hot-spinlock", "--rounds", "0"}).code, 2);
  EXPECT_EQ(validate({"no-such-scenario"}).code, 3);
  const Outcome set = lockcast({"validate", "hot-spinlock", "--set", "machine.cpu.hit.value=1 ns"});
  EXPECT_EQ(set.code, 2);
  EXPECT_NE(set.err.find("expected --machine"), std::string::npos) << set.err;
}

TEST(Validate, an_interrupt_ends_it_with_130_and_prints_nothing) {
  int terminal = -1;
  int line = -1;
  ASSERT_EQ(openpty(&terminal, &line, nullptr, nullptr, nullptr), 0);
  const File out = temporary_file();
  // A thousand rounds take many minutes, so an interrupt when the first visit is announced finds them unfinished.
  const pid_t pid =
      start({"validate", "hot-spinlock", "--machine", "textbook-32", "--threads", "1", "--rounds", "1000"},
            fileno(out.get()), line);
  close(line);
  EXPECT_TRUE(shown(terminal, "on this host"));
  kill(pid, SIGINT);
  while (!shown(terminal, "\n") && errno == EINTR) {}  // until the program has closed it
  EXPECT_EQ(wait_for(pid), 130);
  close(terminal);
  EXPECT_EQ(text_of(out.get()), "");
}

}  // namespace
}  // namespace lockcast::validate_test
