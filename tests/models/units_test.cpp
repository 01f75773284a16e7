// Time is exact: literals become whole picoseconds, and the largest instant leaves room to add to.

#include "models/units.hpp"

#include <gtest/gtest.h>

#include <concepts>
#include <limits>

namespace lockcast::units_test {
namespace {

TEST(Picos, hold_every_unit_we_write_exactly) {
  constexpr Picos sum = Picos{1} + 1ns + 1us + 1ms + 1s;
  static_assert(sum.count() == 1'001'001'001'001);
}

TEST(Picos, come_from_coarser_units_silently_and_from_doubles_or_finer_units_never) {
  using Femtos = std::chrono::duration<std::int64_t, std::femto>;
  static_assert(std::convertible_to<std::chrono::nanoseconds, Picos>);
  static_assert(!std::convertible_to<Femtos, Picos>);
  static_assert(!std::convertible_to<std::chrono::duration<double>, Picos>);
  static_assert(!std::convertible_to<std::int64_t, Picos>);
}

TEST(Picos, forever_is_later_than_any_run_of_weeks_and_can_be_added_to_itself) {
  static_assert(forever > Picos{std::chrono::hours{24 * 26}});
  static_assert(forever.count() <= std::numeric_limits<std::int64_t>::max() / 2);
}

TEST(Ids, of_two_kinds_never_mix) {
  static_assert(!std::convertible_to<CoreId, BackendId> && !std::convertible_to<std::uint32_t, LineId>);
  static_assert(index(BackendId{7}) == 7 && index(no_backend) == 0xffffffffU);
}

TEST(Seconds, of_whole_milliseconds_are_the_nearest_double) {
  EXPECT_DOUBLE_EQ(seconds(1ms), 1e-3);
  EXPECT_DOUBLE_EQ(seconds(3600s), 3600.0);
  EXPECT_DOUBLE_EQ(seconds(Picos{1}), 1e-12);
}

}  // namespace
}  // namespace lockcast::units_test
