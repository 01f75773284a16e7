// Edges of a machine file's sections about the operating system: each policy has keys of its own, and what is optional
// is complete when it is there.

#include "sim/yaml/machine_reader.hpp"
#include "tests/yaml/message.hpp"

#include <gtest/gtest.h>

#include <string>

namespace lockcast::yaml::machine_test {
namespace {

const std::string hp_ux = LOCKCAST_SOURCE_DIR "/machines/textbook-32.yaml";

Machine changed(const std::vector<std::pair<std::string, std::string>>& changes) {
  Node tree = parse_file(hp_ux);
  for (const auto& [path, value] : changes) { assign(tree, path, value); }
  return read_machine(tree);
}

const std::string cfs =
    "{policy: cfs, tick: 1 ms, sched_latency: 24 ms, min_granularity: 3 ms, wakeup_preemption: off, "
    "wakeup_granularity: 4 ms, sleeper_credit: 12 ms, wake_affine: hint, migration_cost: 0.5 ms, "
    "newidle_balance: die, die_balance_interval: 1 ms, machine_balance_interval: 8 ms, busy_factor: 32, "
    "context_switch: 2 us, idle_exit: 3 us, wake_latency: 6 us, wake_cost: 3 us, block_cost: 2 us, "
    "sleep_slack: 50 us, sleep_tick: 0 ms}";
const std::string ondemand =
    "{kind: ondemand, steps: {values: [800 MHz, 1.2 GHz, 2 GHz], origin: recalled, reference: x}, "
    "sampling: 10 ms, up_threshold: 0.8, down_differential: 0.05}";

std::string but(std::string text, const std::string& what, const std::string& by) {
  return text.replace(text.find(what), what.size(), by);
}

TEST(MachineFile, has_the_scheduler_section_of_its_policy) {
  EXPECT_EQ(changed({}).scheduler.policy, SchedulerPolicy::hp_ux);
  const Machine linux = changed({{"scheduler", cfs}});
  EXPECT_EQ(linux.scheduler.policy, SchedulerPolicy::cfs);
  EXPECT_EQ(linux.scheduler.cfs.sched_latency.value, 24ms);
  EXPECT_EQ(linux.scheduler.cfs.wake_affine, WakeAffine::hint);
  EXPECT_EQ(linux.scheduler.cfs.newidle_balance, NewIdle::die);
  EXPECT_FALSE(linux.scheduler.cfs.wakeup_preemption);
}

TEST(MachineFile, has_a_governor_and_semaphore_sets_only_if_it_says_so) {
  EXPECT_FALSE(changed({}).governor);
  EXPECT_FALSE(changed({}).semaphore_sets);
  const Machine both = changed({{"governor", ondemand}, {"semaphore_set", "{size: 16, service: 700 ns}"}});
  EXPECT_EQ(both.governor->steps_khz, (std::vector<std::int64_t>{800'000, 1'200'000, 2'000'000}));
  EXPECT_EQ(both.governor->sampling.value, 10ms);
  EXPECT_EQ(both.semaphore_sets->size.value, 16);
  EXPECT_EQ(both.semaphore_sets->service.value, 700ns);
}

TEST(MachineFile, says_what_is_wrong_with_its_operating_system) {
  struct Row {
    std::string path, value, message;
  };
  const Row rows[] = {
      {"scheduler.policy", "o1", "unknown scheduler policy 'o1'; expected one of hp-ux, cfs"},
      {"scheduler.policy", "csf", "did you mean 'cfs'?"},
      {"scheduler.policy", "cfs", "missing key 'sched_latency'"},
      {"scheduler", but(cfs, "policy: cfs", "policy: hp-ux"), "missing key 'quantum_ticks'"},
      {"scheduler", but(cfs, "tick: 1 ms", "tick: 1 ms, quantum_ticks: 10"), "unknown key 'quantum_ticks'"},
      {"scheduler", but(cfs, "busy_factor: 32", "busy_factor: 0"), "busy_factor"},
      {"scheduler", but(cfs, "hint", "hints"), "did you mean 'hint'?"},
      {"scheduler", but(cfs, "balance: die", "balance: package"), "expected one of die, machine"},
      {"scheduler", but(cfs, "tick: 1 ms", "tick: 50 us"), "a clock tick shorter than 100 us"},
      {"governor", but(ondemand, "ondemand", "schedutil"), "unknown governor 'schedutil'"},
      {"governor", but(ondemand, "1.2 GHz", "0.8 GHz"), "clock step '0.8 GHz' is not above the one before"},
      {"governor", but(ondemand, "800 MHz, 1.2 GHz, 2 GHz", ""), "no clock steps"},
      {"governor", but(ondemand, "800 MHz", "800"), "missing unit"},
      {"governor", but(ondemand, "800 MHz", "800 Mhz"), "did you mean 'MHz'?"},
      {"governor", but(ondemand, "recalled", "set"), "clock steps origin"},
      {"governor", but(ondemand, "reference: x", "reference: ' '"), "clock steps reference is empty"},
      {"governor", but(ondemand, "sampling: 10 ms", "sampling: 10 us"), "a sampling period below 100 us"},
      {"governor", but(ondemand, "0.05", "0.8"), "down_differential is not below up_threshold"},
      {"governor", but(ondemand, "threshold: 0.8", "threshold: 80"), "up_threshold"},
      {"semaphore_set", "{size: 0, service: 700 ns}", "size"},
      {"semaphore_set", "{size: 16}", "missing key 'service'"},
  };
  for (const Row& row : rows) {
    const std::string message = message_of([&] { changed({{row.path, row.value}}); });
    EXPECT_NE(message.find(row.message), std::string::npos) << row.value << "\n" << message;
  }
}

}  // namespace
}  // namespace lockcast::yaml::machine_test
