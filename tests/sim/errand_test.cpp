// What is sent to another process simulates like what was loaded, event by event.

#include "sim/run/errand.hpp"

#include "sim/run/local_crew.hpp"
#include "sim/run/transport.hpp"

#include <gtest/gtest.h>

namespace lockcast::errand_test {

namespace {

// In a process of its own, as a network's simulator demands.
std::uint64_t history(const Scenario& scenario, const Case& point, const ReplicationOptions& options) {
  const std::vector<PointTask> tasks{{&scenario, point, options.messages}};
  const std::vector<Program> programs{scenario.program(point)};
  LocalCrew crew(1);
  crew.begin(tasks, programs);
  crew.start({}, options);
  std::optional<Returned> returned;
  while (!returned) { returned = crew.wait(100ms); }
  const Replication result = from_bytes(returned->bytes);
  EXPECT_GT(result.transactions, 0U);
  EXPECT_TRUE(result.profile.has_value());
  return result.digest;
}

class Errands : public testing::TestWithParam<const char*> {};

TEST_P(Errands, a_sent_point_has_the_history_of_the_loaded_one) {
  // Values from the command line are exempt from ranges: that they came from there must be sent, too.
  const Scenario loaded = load_scenario(std::string(LOCKCAST_SOURCE_DIR "/scenarios/") + GetParam() + ".yaml",
                                        {{"machine.coherence.transfer.two_hops", "9 us"}}, {LOCKCAST_SOURCE_DIR});
  Case point = loaded.cases().back();
  point.clients = 4;
  ReplicationOptions options{.seed = 7, .warmup = Picos{1ms}, .measured = Picos{20ms}};
  options.profile = true;
  const SentPoint sent = point_from_bytes(point_to_bytes(loaded, point));
  EXPECT_EQ(history(sent.scenario, sent.point, options_from_bytes(options_to_bytes(options))),
            history(loaded, point, options));
}

// With variants and scales, a network and a scheduler; with a local client; alone.
INSTANTIATE_TEST_SUITE_P(Scenarios, Errands,
                         testing::Values("published/hpux-spinlock", "published/procarraylock-opteron", "hot-spinlock"));

}  // namespace

}  // namespace lockcast::errand_test
