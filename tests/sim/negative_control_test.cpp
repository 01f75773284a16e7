// Negative controls: what must not help, because it was reported not to.

#include "sim/workload/scenario.hpp"
#include "tests/sim/simulate.hpp"

#include <gtest/gtest.h>

#include <string>

namespace lockcast::negative_control_test {
namespace {

// No gain is reported from an 8-core box (second-hand), for -N, -S and TPC-B on unlogged tables: eight PGPROCs are few
// lines to read, and their owners rarely want ProcArrayLock at once.
TEST(NegativeControl, the_pgproc_split_changes_nothing_on_eight_cores) {
  struct Row {
    const char* workload;
    const char* tables;
  };
  for (const auto& [workload, tables] : {Row{"tpcb", "unlogged"}, Row{"tpcb-N", "permanent"}, Row{"select-only", ""}}) {
    const std::string file = LOCKCAST_SOURCE_DIR "/scenarios/published/eight-cores-" + std::string(workload) + ".yaml";
    const Scenario scenario = load_scenario(file, {}, {LOCKCAST_SOURCE_DIR});
    const auto tps = [&](const char* variant) {
      return simulate(scenario.machine, scenario.rig, scenario.program({variant, 100, 8, tables}),
                      {.seed = 1, .warmup = 20ms, .measured = 100ms})
          .tps;
    };
    const double master = tps("master");
    ASSERT_GT(master, 1000) << workload;
    EXPECT_NEAR(tps("pgproc-split") / master, 1, 0.03) << workload;
  }
}

}  // namespace
}  // namespace lockcast::negative_control_test
