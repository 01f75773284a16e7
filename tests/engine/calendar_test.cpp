// The heap against what it stands for: a set of (time, sequence) pairs.

#include "sim/engine/calendar.hpp"

#include "models/rng.hpp"

#include <gtest/gtest.h>

#include <set>
#include <tuple>
#include <vector>

namespace lockcast::calendar_test {
namespace {

Calendar with_slots(std::uint32_t count) {
  Calendar calendar;
  for (std::uint32_t slot = 0; slot < count; ++slot) { EXPECT_EQ(calendar.add_slot(), slot); }
  return calendar;
}

std::vector<std::uint32_t> drained(Calendar& calendar) {
  std::vector<std::uint32_t> slots;
  Picos at{0};
  while (!calendar.empty()) { slots.push_back(calendar.pop(at)); }
  return slots;
}

TEST(Calendar, serves_in_order_of_time_whatever_the_order_of_planning) {
  Calendar calendar = with_slots(5);
  for (const std::uint32_t slot : {3U, 0U, 4U, 1U, 2U}) { calendar.schedule(slot, 10ns * slot); }
  EXPECT_EQ(drained(calendar), (std::vector<std::uint32_t>{0, 1, 2, 3, 4}));
}

TEST(Calendar, serves_equal_times_in_the_order_of_planning_for_every_number_of_them) {
  for (std::uint32_t count = 1; count <= 70; ++count) {
    Calendar calendar = with_slots(count);
    std::vector<std::uint32_t> planned;
    for (std::uint32_t i = 0; i < count; ++i) { planned.push_back(i % 2 == 0 ? i / 2 : count - 1 - i / 2); }
    for (const std::uint32_t slot : planned) { calendar.schedule(slot, 5ns); }
    ASSERT_EQ(drained(calendar), planned);
  }
}

TEST(Calendar, tells_the_first_time_and_forever_when_empty) {
  Calendar calendar = with_slots(2);
  EXPECT_EQ(calendar.first_time(), forever);
  calendar.schedule(0, 7ns);
  calendar.schedule(1, 3ns);
  EXPECT_EQ(calendar.first_time(), 3ns);
  EXPECT_EQ(calendar.time_of(0), 7ns);
  Picos at{0};
  EXPECT_EQ(calendar.pop(at), 1U);
  EXPECT_EQ(at, 3ns);
  EXPECT_EQ(calendar.first_time(), 7ns);
}

TEST(Calendar, planning_a_pending_event_again_moves_it_behind_what_was_planned_for_that_time) {
  struct Row {
    Picos again;
    std::vector<std::uint32_t> order;
  };
  // Slots 0, 1, 2 at 10, 20, 30 ns; then slot 1 is planned again.
  const Row rows[] = {
      {5ns, {1, 0, 2}},
      {10ns, {0, 1, 2}},
      {10ns - Picos{1}, {1, 0, 2}},
      {30ns, {0, 2, 1}},
      {30ns - Picos{1}, {0, 1, 2}},
      {40ns, {0, 2, 1}},
  };
  for (const Row& row : rows) {
    Calendar calendar = with_slots(3);
    for (std::uint32_t slot = 0; slot < 3; ++slot) { calendar.schedule(slot, 10ns * (slot + 1)); }
    calendar.schedule(1, row.again);
    EXPECT_EQ(calendar.time_of(1), row.again);
    EXPECT_EQ(drained(calendar), row.order);
  }
}

TEST(Calendar, a_new_event_that_takes_the_place_of_the_first_goes_behind_what_was_planned_for_its_time) {
  struct Row {
    Picos at;
    std::vector<std::uint32_t> order;  // after slot 0, which is served meanwhile
  };
  // Slots 0, 1, 2 at 10, 20, 30 ns; slot 3 comes in.
  const Row rows[] = {{10ns, {3, 1, 2}}, {20ns, {1, 3, 2}}, {30ns, {1, 2, 3}}, {40ns, {1, 2, 3}}};
  for (const Row& row : rows) {
    Calendar calendar = with_slots(4);
    for (std::uint32_t slot = 0; slot < 3; ++slot) { calendar.schedule(slot, 10ns * (slot + 1)); }
    Picos at{0};
    EXPECT_EQ(calendar.pop_and_schedule(3, row.at, at), 0U);
    EXPECT_EQ(at, 10ns);
    EXPECT_FALSE(calendar.pending(0));
    EXPECT_EQ(drained(calendar), row.order);
  }
}

TEST(Calendar, a_cancelled_event_never_comes_and_is_cancelled_once) {
  Calendar calendar = with_slots(3);
  for (std::uint32_t slot = 0; slot < 3; ++slot) { calendar.schedule(slot, 10ns); }
  EXPECT_TRUE(calendar.cancel(1));
  EXPECT_FALSE(calendar.pending(1));
  EXPECT_FALSE(calendar.cancel(1));
  EXPECT_EQ(drained(calendar), (std::vector<std::uint32_t>{0, 2}));
  EXPECT_FALSE(calendar.cancel(0)) << "it has been served";
}

// Times from a small range, so that ties are common; all sizes up to 200 slots, so that heaps of every shape occur.
TEST(Calendar, agrees_with_an_ordered_set_under_random_operations) {
  for (const std::uint32_t slots : {1U, 2U, 5U, 6U, 21U, 200U}) {
    Calendar calendar = with_slots(slots);
    std::set<std::tuple<Picos, std::uint64_t, std::uint32_t>> reference;
    std::vector<std::tuple<Picos, std::uint64_t, std::uint32_t>> entry(slots);
    Rng random(slots);
    std::uint64_t sequence = 0;
    for (int i = 0; i < 50'000; ++i) {
      const std::uint32_t slot = random.below(slots);
      switch (random.below(5)) {
        case 0:
        case 1:
          reference.erase(entry[slot]);
          entry[slot] = {Picos{random.below(100)}, sequence++, slot};
          reference.insert(entry[slot]);
          calendar.schedule(slot, std::get<Picos>(entry[slot]));
          break;
        case 2: ASSERT_EQ(calendar.cancel(slot), reference.erase(entry[slot]) == 1); break;
        case 3: {
          if (reference.empty() || calendar.pending(slot)) { break; }
          const auto first = *reference.begin();
          reference.erase(reference.begin());
          entry[slot] = {std::get<Picos>(first) + Picos{random.below(20)}, sequence++, slot};
          reference.insert(entry[slot]);
          Picos at{0};
          ASSERT_EQ(calendar.pop_and_schedule(slot, std::get<Picos>(entry[slot]), at), std::get<std::uint32_t>(first));
          ASSERT_EQ(at, std::get<Picos>(first));
          break;
        }
        default:
          if (reference.empty()) { break; }
          Picos at{0};
          ASSERT_EQ(calendar.pop(at), std::get<std::uint32_t>(*reference.begin())) << "operation " << i;
          ASSERT_EQ(at, std::get<Picos>(*reference.begin()));
          reference.erase(reference.begin());
      }
      ASSERT_EQ(calendar.empty(), reference.empty());
      ASSERT_EQ(calendar.first_time(), reference.empty() ? forever : std::get<Picos>(*reference.begin()));
      ASSERT_EQ(calendar.pending(slot), reference.contains(entry[slot]));
    }
  }
}

}  // namespace
}  // namespace lockcast::calendar_test
