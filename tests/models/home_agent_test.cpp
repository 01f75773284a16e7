// The home serves one message at a time; its three effects follow from one number.

#include "models/home_agent.hpp"

#include <gtest/gtest.h>

#include <array>

namespace lockcast::home_agent_test {
namespace {

TEST(HomeAgent, begins_at_once_when_free_and_when_free_otherwise) {
  struct Row {
    Picos now, home_free, start;
  };
  constexpr Row rows[] = {
      {100ns, 0ns, 100ns},
      {100ns, 100ns - Picos{1}, 100ns},  // free one picosecond before
      {100ns, 100ns, 100ns},             // and at the instant
      {100ns, 100ns + Picos{1}, 100ns + Picos{1}},
  };
  for (const Row& row : rows) {
    const HomeService service = serve_at_home(row.now, row.home_free, 10ns, 0);
    EXPECT_EQ(service.start, row.start);
    EXPECT_EQ(service.retries, 0ns);
    EXPECT_EQ(service.home_free, row.start + 10ns);
  }
}

TEST(HomeAgent, every_waiting_requester_costs_one_message_more) {
  for (const std::int64_t waiting : {0, 1, 2, 31}) {
    const HomeService service = serve_at_home(50ns, 0ns, 10ns, waiting);
    EXPECT_EQ(service.start, 50ns) << "a retry delays the transfer, not its beginning";
    EXPECT_EQ(service.retries, waiting * 10ns);
    EXPECT_EQ(service.home_free, 60ns + waiting * 10ns);
  }
  static_assert(serve_at_home(50ns, 70ns, 10ns, 2).home_free == Picos{100ns});
}

TEST(HomeAgent, messages_that_come_together_leave_one_occupancy_apart) {
  Picos home_free{0};
  for (std::int64_t i = 0; i < 100; ++i) {
    const HomeService service = serve_at_home(5ns, home_free, 7ns, 0);
    EXPECT_EQ(service.start, 5ns + i * 7ns);
    home_free = service.home_free;
  }
}

TEST(HomeAgent, a_home_that_takes_no_time_delays_nothing) {
  const HomeService service = serve_at_home(100ns, 100ns, 0ns, 31);
  EXPECT_EQ(service.start, 100ns);
  EXPECT_EQ(service.retries, 0ns);
  EXPECT_EQ(service.home_free, 100ns);
  Rng random(1);
  for (int i = 0; i < 100; ++i) { EXPECT_EQ(ownership_window(0ns, random), 0ns); }
}

// One occupancy plus uniform in [0, 4): mean 3, standard deviation 4 / sqrt(12), so five standard errors of 10^5 draws
// are 0.0183.
TEST(OwnershipWindow, is_one_occupancy_and_a_draw_over_four_more) {
  Rng random(2);
  constexpr int draws = 100'000;
  double sum = 0;
  std::array<int, 4> quarter{};
  for (int i = 0; i < draws; ++i) {
    const Picos window = ownership_window(10ns, random);
    ASSERT_GE(window, 10ns);
    ASSERT_LT(window, 50ns);
    sum += static_cast<double>(window.count());
    ++quarter[static_cast<std::size_t>((window - 10ns) / 10ns)];
  }
  EXPECT_NEAR(sum / draws / 10'000, 3.0, 0.0183);
  for (const int count : quarter) { EXPECT_NEAR(count, draws / 4, 685); }  // five times sqrt(draws x 1/4 x 3/4)
}

}  // namespace
}  // namespace lockcast::home_agent_test
