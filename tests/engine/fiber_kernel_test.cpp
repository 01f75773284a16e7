// Order, time and control of the inner kernel. Fibers write a log; what is expected of it is checked outside, because
// an assertion has no business on a fiber's small stack.

#include "sim/engine/fiber_kernel.hpp"

#include "models/rng.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace lockcast {
namespace {

// A kernel whose slots run lambdas.
class World {
 public:
  explicit World(std::uint32_t fibers_max = 16) : kernel(fibers_max) {}

  SlotId fiber(std::function<void()> body) { return kernel.add_fiber(&World::run, this, remember(std::move(body))); }
  SlotId timer(std::function<void()> action) {
    return kernel.add_timer(&World::run, this, remember(std::move(action)));
  }
  void note(const std::string& what) { log.push_back(what + "@" + std::to_string(kernel.now().count())); }

  FiberKernel kernel;
  std::vector<std::string> log;

 private:
  std::uint32_t remember(std::function<void()> action) {
    actions_.push_back(std::move(action));
    return static_cast<std::uint32_t>(actions_.size() - 1);
  }
  static void run(void* self, std::uint32_t number) { static_cast<World*>(self)->actions_[number](); }

  std::deque<std::function<void()>> actions_;
};

using Log = std::vector<std::string>;

TEST(FiberKernel, equal_times_are_served_in_the_order_in_which_they_were_planned) {
  World world;
  const SlotId a = world.fiber([&] { world.note("a"); });
  const SlotId b = world.timer([&] { world.note("b"); });
  const SlotId c = world.fiber([&] { world.note("c"); });
  world.kernel.schedule(c, Picos{5});
  world.kernel.schedule(a, Picos{5});
  world.kernel.schedule(b, Picos{5});
  world.kernel.run_until(Picos{10});
  EXPECT_EQ(world.log, (Log{"c@5", "a@5", "b@5"}));
}

TEST(FiberKernel, a_hold_before_anything_is_due_moves_the_clock_without_an_event) {
  World world;
  std::uint64_t events = 0;
  const SlotId fiber = world.fiber([&] {
    const std::uint64_t before = world.kernel.events();
    for (int i = 1; i <= 10; ++i) { world.kernel.hold_until(Picos{i}); }
    events = world.kernel.events() - before;
    world.note("held");
  });
  world.kernel.schedule(fiber, Picos{0});
  world.kernel.run_until(Picos{100});
  EXPECT_EQ(events, 0U);
  EXPECT_EQ(world.kernel.advances(), 10U);
  EXPECT_EQ(world.log, (Log{"held@10"}));
}

TEST(FiberKernel, an_event_at_the_very_instant_a_hold_ends_goes_first_and_one_a_picosecond_later_does_not) {
  struct Row {
    std::int64_t due;
    Log order;
  };
  const Row rows[] = {{19, {"timer@19", "held@20"}}, {20, {"timer@20", "held@20"}}, {21, {"held@20", "timer@21"}}};
  for (const Row& row : rows) {
    World world;
    const SlotId fiber = world.fiber([&] {
      world.kernel.hold_until(Picos{20});
      world.note("held");
    });
    const SlotId timer = world.timer([&] { world.note("timer"); });
    world.kernel.schedule(fiber, Picos{0});
    world.kernel.schedule(timer, Picos{row.due});
    world.kernel.run_until(Picos{100});
    EXPECT_EQ(world.log, row.order);
  }
}

TEST(FiberKernel, a_suspended_fiber_runs_when_somebody_plans_it_and_not_before) {
  World world;
  const SlotId sleeper = world.fiber([&] {
    world.note("sleeps");
    world.kernel.suspend();
    world.note("woke");
  });
  const SlotId waker = world.fiber([&] {
    world.kernel.hold_until(Picos{30});
    world.kernel.schedule(sleeper, Picos{50});
    world.kernel.hold_until(Picos{70});
    world.note("done");
  });
  world.kernel.schedule(sleeper, Picos{0});
  world.kernel.schedule(waker, Picos{0});
  world.kernel.run_until(Picos{100});
  EXPECT_EQ(world.log, (Log{"sleeps@0", "woke@50", "done@70"}));
}

TEST(FiberKernel, a_hold_under_way_can_be_cut_short_moved_later_or_cancelled_and_planned_again) {
  struct Row {
    std::int64_t move_to;  // at time 10; the hold was to end at 40
    bool cancel_first;
    std::string end;
  };
  const Row rows[] = {{10, false, "held@10"}, {25, false, "held@25"}, {60, false, "held@60"}, {60, true, "held@60"}};
  for (const Row& row : rows) {
    World world;
    const SlotId fiber = world.fiber([&] {
      world.kernel.hold_until(Picos{40});
      world.note("held");
    });
    const SlotId timer = world.timer([&] {
      if (row.cancel_first) {
        world.note(world.kernel.cancel(fiber) ? "cancelled" : "was not pending");
        world.note(world.kernel.pending(fiber) ? "still pending" : "gone");
      }
      world.kernel.schedule(fiber, Picos{row.move_to});
    });
    world.kernel.schedule(fiber, Picos{0});
    world.kernel.schedule(timer, Picos{10});
    world.kernel.run_until(Picos{100});
    EXPECT_EQ(world.log, row.cancel_first ? (Log{"cancelled@10", "gone@10", row.end}) : Log{row.end});
  }
}

TEST(FiberKernel, tells_when_a_suspended_fibers_event_is_due) {
  World world;
  Picos due{0};
  const SlotId fiber = world.fiber([&] { world.kernel.hold_until(Picos{40}); });
  const SlotId timer = world.timer([&] { due = world.kernel.time_of(fiber); });
  world.kernel.schedule(fiber, Picos{0});
  world.kernel.schedule(timer, Picos{10});
  world.kernel.run_until(Picos{20});
  EXPECT_EQ(due, Picos{40});
}

TEST(FiberKernel, a_timer_may_plan_itself_again_and_others) {
  World world;
  int ticks = 0;
  SlotId tick{};
  const SlotId other = world.timer([&] { world.note("other"); });
  tick = world.timer([&] {
    world.note("tick");
    if (++ticks < 3) { world.kernel.schedule(tick, world.kernel.now() + Picos{10}); }
    if (ticks == 2) { world.kernel.schedule(other, world.kernel.now()); }
  });
  world.kernel.schedule(tick, Picos{10});
  world.kernel.run_until(Picos{100});
  EXPECT_EQ(world.log, (Log{"tick@10", "tick@20", "other@20", "tick@30"}));
}

TEST(RunUntil, serves_what_was_planned_for_its_limit_and_leaves_the_clock_there) {
  struct Row {
    std::int64_t limit;
    Log log;
  };
  const Row rows[] = {{49, {}}, {50, {"timer@50"}}, {51, {"timer@50"}}};
  for (const Row& row : rows) {
    World world;
    const SlotId timer = world.timer([&] { world.note("timer"); });
    world.kernel.schedule(timer, Picos{50});
    world.kernel.run_until(Picos{row.limit});
    EXPECT_EQ(world.log, row.log);
    EXPECT_EQ(world.kernel.now(), Picos{row.limit});
    world.kernel.run_until(Picos{100});
    EXPECT_EQ(world.log, (Log{"timer@50"})) << "once, whatever the limits";
  }
}

TEST(RunUntil, leaves_what_is_planned_for_its_limit_during_the_run_to_the_next) {
  World world;
  const SlotId fiber = world.fiber([&] {
    world.kernel.hold_until(Picos{50});
    world.note("held");
  });
  world.kernel.schedule(fiber, Picos{0});
  world.kernel.run_until(Picos{50});
  EXPECT_EQ(world.log, Log{});
  world.kernel.run_until(Picos{50});
  EXPECT_EQ(world.log, (Log{"held@50"}));
}

TEST(RunUntil, in_many_small_steps_gives_the_same_order_as_in_one) {
  const auto run = [](std::int64_t step) {
    World world;
    std::vector<SlotId> fibers;
    for (int id = 0; id < 5; ++id) {
      fibers.push_back(world.fiber([&world, id] {
        Rng random(static_cast<std::uint64_t>(id));
        for (int i = 0; i < 200; ++i) {
          world.kernel.hold_until(world.kernel.now() + Picos{random.below(7)});
          world.note(std::to_string(id));
        }
      }));
    }
    for (const SlotId fiber : fibers) { world.kernel.schedule(fiber, Picos{0}); }
    for (Picos limit{0}; limit < Picos{2000}; limit += Picos{step}) { world.kernel.run_until(limit); }
    return world.log;
  };
  const Log whole = run(1999);
  EXPECT_EQ(whole.size(), 1000U);
  EXPECT_EQ(run(1), whole);
  EXPECT_EQ(run(13), whole);
}

TEST(Leave, returns_as_soon_as_the_fiber_waits_with_the_clock_where_it_is_and_loses_nothing) {
  World world;
  const SlotId fiber = world.fiber([&] {
    world.kernel.hold_until(Picos{20});
    world.kernel.leave();
    world.note("leaves");
    world.kernel.suspend();
    world.note("back");
  });
  const SlotId timer = world.timer([&] { world.note("timer"); });
  world.kernel.schedule(fiber, Picos{0});
  world.kernel.schedule(timer, Picos{30});
  world.kernel.run_until(Picos{100});
  EXPECT_EQ(world.log, (Log{"leaves@20"}));
  EXPECT_TRUE(world.kernel.left());
  EXPECT_EQ(world.kernel.now(), Picos{20});
  world.kernel.schedule(fiber, Picos{40});
  world.kernel.run_until(Picos{60});
  EXPECT_FALSE(world.kernel.left());
  EXPECT_EQ(world.log, (Log{"leaves@20", "timer@30", "back@40"}));
  EXPECT_EQ(world.kernel.now(), Picos{60});
}

// The clock that simply moves must not change any order: against a kernel that plans every hold.
TEST(FiberKernel, the_clock_that_simply_moves_serves_the_same_order_as_planning_every_hold) {
  constexpr std::uint32_t fibers = 7;
  constexpr int holds = 3000;
  std::vector<std::tuple<Picos, std::uint32_t>> got;
  World world;
  std::vector<SlotId> slots;
  for (std::uint32_t id = 0; id < fibers; ++id) {
    slots.push_back(world.fiber([&, id] {
      Rng random(id);
      for (int i = 0; i < holds; ++i) {
        world.kernel.hold_until(world.kernel.now() + Picos{random.below(10)});
        got.emplace_back(world.kernel.now(), id);
      }
    }));
  }
  for (const SlotId slot : slots) { world.kernel.schedule(slot, Picos{0}); }
  world.kernel.run_until(Picos{1'000'000});

  std::vector<std::tuple<Picos, std::uint32_t>> expected;
  std::set<std::tuple<Picos, std::uint64_t, std::uint32_t>> calendar;
  std::vector<Rng> random;
  std::vector<int> done(fibers, -1);
  std::uint64_t sequence = 0;
  for (std::uint32_t id = 0; id < fibers; ++id) {
    random.emplace_back(id);
    calendar.emplace(Picos{0}, sequence++, id);
  }
  while (!calendar.empty()) {
    const auto [now, order, id] = *calendar.begin();
    calendar.erase(calendar.begin());
    if (++done[id] > 0) { expected.emplace_back(now, id); }
    if (done[id] < holds) { calendar.emplace(now + Picos{random[id].below(10)}, sequence++, id); }
  }
  EXPECT_EQ(got, expected);
  EXPECT_LT(world.kernel.events(), world.kernel.advances()) << "and some of the holds really took no event";
}

class FiberKernelDeathTest : public testing::Test {};
constexpr int internal = static_cast<int>(ExitCode::internal);

TEST_F(FiberKernelDeathTest, planning_in_the_past_is_refused_and_planning_now_is_not) {
  World world;
  const SlotId timer = world.timer([&] { world.note("timer"); });
  world.kernel.run_until(Picos{50});
  EXPECT_EXIT(world.kernel.schedule(timer, Picos{49}), testing::ExitedWithCode(internal), "in the past");
  world.kernel.schedule(timer, Picos{50});
  world.kernel.run_until(Picos{50});
  EXPECT_EQ(world.log, (Log{"timer@50"}));
}

TEST_F(FiberKernelDeathTest, one_fiber_more_than_announced_is_refused) {
  World world(2);
  world.fiber([] {});
  world.fiber([] {});
  EXPECT_EXIT(world.fiber([] {}), testing::ExitedWithCode(internal), "more fibers than announced");
}

TEST_F(FiberKernelDeathTest, a_fiber_may_not_run_the_kernel_it_runs_in) {
  World world;
  const SlotId fiber = world.fiber([&] { world.kernel.run_until(Picos{100}); });
  world.kernel.schedule(fiber, Picos{0});
  EXPECT_EXIT(world.kernel.run_until(Picos{10}), testing::ExitedWithCode(internal), "from inside the simulation");
}

}  // namespace
}  // namespace lockcast
