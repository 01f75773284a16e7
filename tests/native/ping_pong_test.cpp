// The guard ends, counts what it measured and refuses what it cannot measure. How fast a line is, no test asks.

#include "validate/ping_pong.hpp"

#include "models/check.hpp"
#include "validate/pinning.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace lockcast::ping_pong_test {
namespace {

TEST(PingPong, a_line_travels_between_two_cpus_in_some_time) {
  const std::vector<int> cpus = usable_cpus();
  ASSERT_FALSE(cpus.empty());
  if (cpus.size() < 2) { GTEST_SKIP() << "one CPU"; }
  const TransferSample sample = measure_transfer(cpus[0], cpus[1], std::chrono::microseconds{0});
  EXPECT_TRUE(std::isfinite(sample.median_ns) && sample.median_ns > 0) << sample.median_ns;
  EXPECT_GE(sample.spread, 0);
  EXPECT_EQ(sample.batches, 1U) << "all lines once, however short the duration";
}

TEST(PingPong, a_cpu_that_this_process_may_not_use_is_refused_and_nobody_waits_for_ever) {
  const std::vector<int> cpus = usable_cpus();
  const int forbidden = cpus.back() + 1;
  for (const auto& [a, b] : {std::pair{cpus[0], forbidden}, std::pair{forbidden, cpus[0]}}) {
    try {
      measure_transfer(a, b, std::chrono::microseconds{0});
      FAIL() << a << " " << b;
    } catch (const InputError& error) { EXPECT_EQ(error.code(), ExitCode::host_cannot); }
  }
}

}  // namespace
}  // namespace lockcast::ping_pong_test
