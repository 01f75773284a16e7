// Order, time and control of a kernel: the same stories on the inner kernel and on SimGrid's actors. Fibers write a
// log; what is expected of it is checked outside, because an assertion has no business on a fiber's small stack.

#include "models/rng.hpp"
#include "sim/engine/engine.hpp"
#include "tests/support/in_child.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

namespace lockcast::kernel_test {
namespace {

using Log = std::vector<std::string>;

// A kernel whose slots run lambdas.
class World {
 public:
  explicit World(KernelKind kind, std::uint32_t fibers_max = 16) : kernel(fibers_max, kind) {}

  SlotId fiber(std::function<void()> body) { return kernel.add_fiber(&World::run, this, remember(std::move(body))); }
  SlotId timer(std::function<void()> action) {
    return kernel.add_timer(&World::run, this, remember(std::move(action)));
  }
  void note(const std::string& what) { log.push_back(what + "@" + std::to_string(kernel.now().count())); }

  Log log;

 private:
  std::uint32_t remember(std::function<void()> action) {
    actions_.push_back(std::move(action));
    return static_cast<std::uint32_t>(actions_.size() - 1);
  }
  static void run(void* self, std::uint32_t number) { static_cast<World*>(self)->actions_[number](); }

  std::deque<std::function<void()>> actions_;

 public:
  Engine kernel;  // goes first: at its end fibers may still be inside an action
};

class Kernels : public testing::TestWithParam<KernelKind> {
 protected:
  // The log of one world. SimGrid's lives in a process of its own.
  static Log play(const std::function<void(World&)>& story) {
    if (GetParam() == KernelKind::inner) {
      World world(KernelKind::inner);
      story(world);
      return world.log;
    }
    Child child([&] {
      World world(KernelKind::simgrid);
      story(world);
      std::vector<std::uint8_t> bytes;
      for (const std::string& line : world.log) {
        bytes.insert(bytes.end(), line.begin(), line.end());
        bytes.push_back('\n');
      }
      return bytes;
    });
    const std::vector<std::uint8_t> bytes = child.bytes();
    std::istringstream text(std::string(bytes.begin(), bytes.end()));
    Log log;
    for (std::string line; std::getline(text, line);) { log.push_back(line); }
    return log;
  }
};

INSTANTIATE_TEST_SUITE_P(Both, Kernels, testing::Values(KernelKind::inner, KernelKind::simgrid), [](const auto& kind) {
  return std::string(kernel_names[static_cast<std::size_t>(kind.param)]);
});

TEST_P(Kernels, serves_equal_times_in_the_order_in_which_they_were_planned) {
  const Log log = play([](World& world) {
    const SlotId a = world.fiber([&] { world.note("a"); });
    const SlotId b = world.timer([&] { world.note("b"); });
    const SlotId c = world.fiber([&] { world.note("c"); });
    world.kernel.schedule(c, Picos{5});
    world.kernel.schedule(a, Picos{5});
    world.kernel.schedule(b, Picos{5});
    world.kernel.run_until(Picos{10});
  });
  EXPECT_EQ(log, (Log{"c@5", "a@5", "b@5"}));
}

TEST_P(Kernels, puts_an_event_that_is_planned_again_behind_its_equals_also_when_its_time_stays) {
  const Log log = play([](World& world) {
    const SlotId a = world.fiber([&] { world.note("a"); });
    const SlotId b = world.fiber([&] { world.note("b"); });
    const SlotId c = world.timer([&] { world.note("c"); });
    for (const SlotId slot : {a, b, c}) { world.kernel.schedule(slot, Picos{5}); }
    world.kernel.schedule(a, Picos{5});
    world.kernel.run_until(Picos{10});
  });
  EXPECT_EQ(log, (Log{"b@5", "c@5", "a@5"}));
}

// All of them are awake at 5 when the first of them changes what the others were to do.
TEST_P(Kernels, serves_what_is_planned_moved_or_cancelled_at_the_instant_in_which_it_would_have_been_due) {
  const Log log = play([](World& world) {
    std::vector<SlotId> slots;
    slots.push_back(world.fiber([&] {
      world.kernel.hold_until(Picos{5});
      world.note(world.kernel.cancel(slots[1]) ? "cancels 1" : "cannot cancel 1");
      world.kernel.schedule(slots[2], Picos{5});
      world.kernel.schedule(slots[3], Picos{6});
      world.kernel.schedule(slots[5], Picos{5});
      world.kernel.hold_until(Picos{5});
      world.note("0");
    }));
    for (int number = 1; number <= 4; ++number) {
      slots.push_back(world.fiber([&world, number] {
        world.kernel.hold_until(Picos{5});
        world.note(std::to_string(number));
      }));
    }
    slots.push_back(world.timer([&] { world.note("timer"); }));
    for (int number = 0; number <= 4; ++number) {
      world.kernel.schedule(slots[static_cast<std::size_t>(number)], Picos{0});
    }
    world.kernel.run_until(Picos{10});
  });
  EXPECT_EQ(log, (Log{"cancels 1@5", "4@5", "2@5", "timer@5", "0@5", "3@6"}));
}

TEST_P(Kernels, takes_no_event_for_a_hold_before_anything_is_due) {
  const Log log = play([](World& world) {
    const SlotId fiber = world.fiber([&] {
      const std::uint64_t before = world.kernel.events();
      for (int i = 1; i <= 10; ++i) { world.kernel.hold_until(Picos{i}); }
      world.note(std::to_string(world.kernel.events() - before) + " events");
    });
    world.kernel.schedule(fiber, Picos{0});
    world.kernel.run_until(Picos{100});
    world.note(std::to_string(world.kernel.advances()) + " advances");
  });
  EXPECT_EQ(log, (Log{"0 events@10", "10 advances@100"}));
}

TEST_P(Kernels, serves_an_event_at_the_very_instant_a_hold_ends_first_and_one_a_picosecond_later_not) {
  struct Row {
    std::int64_t due;
    Log order;
  };
  const Row rows[] = {{19, {"timer@19", "held@20"}}, {20, {"timer@20", "held@20"}}, {21, {"held@20", "timer@21"}}};
  for (const Row& row : rows) {
    const Log log = play([&](World& world) {
      const SlotId fiber = world.fiber([&] {
        world.kernel.hold_until(Picos{20});
        world.note("held");
      });
      const SlotId timer = world.timer([&] { world.note("timer"); });
      world.kernel.schedule(fiber, Picos{0});
      world.kernel.schedule(timer, Picos{row.due});
      world.kernel.run_until(Picos{100});
    });
    EXPECT_EQ(log, row.order);
  }
}

TEST_P(Kernels, runs_a_suspended_fiber_when_somebody_plans_it_and_not_before) {
  const Log log = play([](World& world) {
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
  });
  EXPECT_EQ(log, (Log{"sleeps@0", "woke@50", "done@70"}));
}

TEST_P(Kernels, cuts_a_hold_short_moves_it_later_or_cancels_it_and_plans_it_again) {
  struct Row {
    std::int64_t move_to;  // at time 10; the hold was to end at 40
    bool cancel_first;
    std::string end;
  };
  const Row rows[] = {{10, false, "held@10"}, {25, false, "held@25"}, {60, false, "held@60"}, {60, true, "held@60"}};
  for (const Row& row : rows) {
    const Log log = play([&](World& world) {
      const SlotId fiber = world.fiber([&] {
        world.kernel.hold_until(Picos{40});
        world.note("held");
      });
      const SlotId timer = world.timer([&] {
        if (row.cancel_first) {
          world.note(world.kernel.cancel(fiber) ? "cancelled" : "was not pending");
          world.note(world.kernel.pending(fiber) ? "still pending" : "gone");
          world.note(world.kernel.cancel(fiber) ? "cancelled again" : "nothing to cancel");
        }
        world.kernel.schedule(fiber, Picos{row.move_to});
      });
      world.kernel.schedule(fiber, Picos{0});
      world.kernel.schedule(timer, Picos{10});
      world.kernel.run_until(Picos{100});
    });
    EXPECT_EQ(log, row.cancel_first ? (Log{"cancelled@10", "gone@10", "nothing to cancel@10", row.end}) : Log{row.end});
  }
}

TEST_P(Kernels, leaves_a_fiber_whose_hold_is_cancelled_where_it_is) {
  const Log log = play([](World& world) {
    const SlotId fiber = world.fiber([&] {
      world.kernel.hold_until(Picos{40});
      world.note("held");
    });
    const SlotId timer = world.timer([&] { world.kernel.cancel(fiber); });
    world.kernel.schedule(fiber, Picos{0});
    world.kernel.schedule(timer, Picos{10});
    world.kernel.run_until(Picos{100});
    world.note("nothing is due, the clock");
    world.kernel.schedule(fiber, Picos{150});
    world.kernel.run_until(Picos{200});
  });
  EXPECT_EQ(log, (Log{"nothing is due, the clock@100", "held@150"}));
}

TEST_P(Kernels, tells_when_a_suspended_fibers_event_is_due) {
  const Log log = play([](World& world) {
    const SlotId fiber = world.fiber([&] { world.kernel.hold_until(Picos{40}); });
    const SlotId timer = world.timer([&] {
      world.note(std::to_string(world.kernel.time_of(fiber).count()) + ", first " +
                 std::to_string(world.kernel.first_time().count()));
    });
    world.kernel.schedule(fiber, Picos{0});
    world.kernel.schedule(timer, Picos{10});
    world.kernel.run_until(Picos{20});
  });
  EXPECT_EQ(log, (Log{"40, first 20@10"}));
}

TEST_P(Kernels, lets_a_timer_plan_itself_again_and_others) {
  const Log log = play([](World& world) {
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
  });
  EXPECT_EQ(log, (Log{"tick@10", "tick@20", "other@20", "tick@30"}));
}

// A picosecond after two hours: where a clock in seconds would long have rounded it away.
TEST_P(Kernels, keeps_a_picosecond_after_two_hours) {
  static constexpr std::int64_t two_hours = 7'200'000'000'000'000;
  const Log log = play([](World& world) {
    const SlotId a = world.fiber([&] {
      world.kernel.hold_until(Picos{two_hours});
      world.kernel.hold_until(Picos{two_hours + 2});
      world.note("a");
    });
    const SlotId b = world.fiber([&] {
      world.kernel.hold_until(Picos{two_hours + 1});
      world.note("b");
    });
    world.kernel.schedule(a, Picos{0});
    world.kernel.schedule(b, Picos{0});
    world.kernel.run_until(Picos{two_hours + 10});
  });
  EXPECT_EQ(log, (Log{"b@7200000000000001", "a@7200000000000002"}));
}

TEST_P(Kernels, run_until_serves_what_was_planned_for_its_limit_and_leaves_the_clock_there) {
  struct Row {
    std::int64_t limit;
    Log log;
  };
  const Row rows[] = {{49, {"clock@49", "timer@50", "clock@100"}},
                      {50, {"timer@50", "clock@50", "clock@100"}},
                      {51, {"timer@50", "clock@51", "clock@100"}}};
  for (const Row& row : rows) {
    const Log log = play([&](World& world) {
      const SlotId timer = world.timer([&] { world.note("timer"); });
      world.kernel.schedule(timer, Picos{50});
      for (const Picos limit : {Picos{row.limit}, Picos{100}}) {
        world.kernel.run_until(limit);
        world.note("clock");
      }
    });
    EXPECT_EQ(log, row.log) << "once, whatever the limits";
  }
}

TEST_P(Kernels, run_until_leaves_what_is_planned_for_its_limit_during_the_run_to_the_next) {
  const Log log = play([](World& world) {
    const SlotId fiber = world.fiber([&] {
      world.kernel.hold_until(Picos{50});
      world.note("held");
    });
    world.kernel.schedule(fiber, Picos{0});
    world.kernel.run_until(Picos{50});
    world.note("first run ends");
    world.kernel.run_until(Picos{50});
    world.note("second run ends");
  });
  EXPECT_EQ(log, (Log{"first run ends@50", "held@50", "second run ends@50"}));
}

TEST_P(Kernels, run_until_in_many_small_steps_gives_the_same_order_as_in_one) {
  const auto run = [](std::int64_t step) {
    return play([step](World& world) {
      for (int id = 0; id < 5; ++id) {
        const SlotId fiber = world.fiber([&world, id] {
          Rng random(static_cast<std::uint64_t>(id));
          for (int i = 0; i < 200; ++i) {
            world.kernel.hold_until(world.kernel.now() + Picos{random.below(7)});
            world.note(std::to_string(id));
          }
        });
        world.kernel.schedule(fiber, Picos{0});
      }
      for (Picos limit{0}; limit < Picos{2000}; limit += Picos{step}) { world.kernel.run_until(limit); }
    });
  };
  const Log whole = run(1999);
  EXPECT_EQ(whole.size(), 1000U);
  EXPECT_EQ(run(1), whole);
  EXPECT_EQ(run(13), whole);
}

TEST_P(Kernels, leave_returns_as_soon_as_the_fiber_waits_with_the_clock_where_it_is_and_loses_nothing) {
  for (const bool by_a_hold : {false, true}) {
    const Log log = play([&](World& world) {
      const SlotId fiber = world.fiber([&] {
        world.kernel.hold_until(Picos{20});
        world.kernel.leave();
        world.kernel.hold_until(Picos{25});
        world.note("leaves");
        if (by_a_hold) {
          world.kernel.hold_until(Picos{40});
        } else {
          world.kernel.suspend();
        }
        world.note("back");
      });
      const SlotId timer = world.timer([&] { world.note("timer"); });
      world.kernel.schedule(fiber, Picos{0});
      world.kernel.schedule(timer, Picos{30});
      world.kernel.run_until(Picos{100});
      world.note(world.kernel.left() ? "left" : "not left");
      if (!by_a_hold) { world.kernel.schedule(fiber, Picos{40}); }
      world.kernel.run_until(Picos{60});
      world.note(world.kernel.left() ? "left" : "not left");
    });
    EXPECT_EQ(log, (Log{"leaves@25", "left@25", "timer@30", "back@40", "not left@60"}))
        << "the hold until 25, before anything was due, was no wait";
  }
}

constexpr std::uint32_t crowd = 7;
constexpr int holds = 3000;

// The reference: a sorted set of (time, sequence), and every hold in it.
Log order_of_a_crowd() {
  Log log;
  std::set<std::tuple<Picos, std::uint64_t, std::uint32_t>> calendar;
  std::vector<Rng> random;
  std::vector<int> done(crowd, -1);
  std::uint64_t sequence = 0;
  for (std::uint32_t id = 0; id < crowd; ++id) {
    random.emplace_back(id);
    calendar.emplace(Picos{0}, sequence++, id);
  }
  while (!calendar.empty()) {
    const auto [now, order, id] = *calendar.begin();
    calendar.erase(calendar.begin());
    if (++done[id] > 0) { log.push_back(std::to_string(id) + "@" + std::to_string(now.count())); }
    if (done[id] < holds) { calendar.emplace(now + Picos{random[id].below(10)}, sequence++, id); }
  }
  return log;
}

// A clock that simply moves, and actors that check in in whatever order SimGrid wakes them, must not change any order.
TEST_P(Kernels, serves_a_crowd_with_many_equal_times_in_the_same_order_as_a_sorted_set) {
  const Log log = play([](World& world) {
    for (std::uint32_t id = 0; id < crowd; ++id) {
      const SlotId fiber = world.fiber([&world, id] {
        Rng random(id);
        for (int i = 0; i < holds; ++i) {
          world.kernel.hold_until(world.kernel.now() + Picos{random.below(10)});
          world.note(std::to_string(id));
        }
      });
      world.kernel.schedule(fiber, Picos{0});
    }
    world.kernel.run_until(Picos{1'000'000});
    world.note(world.kernel.events() < world.kernel.advances() ? "some holds took no event" : "all were events");
  });
  Log expected = order_of_a_crowd();
  expected.emplace_back("some holds took no event@1000000");
  EXPECT_EQ(log, expected);
}

// Fibers that hold, suspend, and plan, move or cancel each other's and timers' events, all at random and mostly at
// equal times.
Log turmoil(World& world) {
  constexpr std::uint32_t fibers = 6;
  std::vector<SlotId> slots;
  for (std::uint32_t id = 0; id < fibers; ++id) {
    slots.push_back(world.fiber([&world, &slots, id] {
      Rng random(id + 100);
      for (int i = 0; i < 400; ++i) {
        const auto any = slots[random.below(static_cast<std::uint32_t>(slots.size()))];
        const Picos soon = world.kernel.now() + Picos{random.below(4)};
        switch (random.below(6)) {
          case 0:
            if (any != slots[id]) { world.kernel.schedule(any, soon); }
            break;
          case 1:
            if (any != slots[id]) { world.note(world.kernel.cancel(any) ? "cancels" : "cancels nothing"); }
            break;
          case 2: world.kernel.suspend(); break;
          default: world.kernel.hold_until(soon);
        }
        world.note(std::to_string(id));
      }
    }));
  }
  for (int number = 0; number < 3; ++number) {
    slots.push_back(world.timer([&world, &slots, number] {
      world.note("timer " + std::to_string(number));
      const auto next = static_cast<std::size_t>(number + world.kernel.now().count()) % slots.size();
      world.kernel.schedule(slots[next], world.kernel.now() + Picos{1 + number});
    }));
  }
  for (int round = 0; round < 400; ++round) {
    for (const SlotId slot : slots) {
      if (!world.kernel.pending(slot)) { world.kernel.schedule(slot, world.kernel.now()); }
    }
    world.kernel.run_until(world.kernel.now() + Picos{5});
  }
  world.note(std::to_string(world.kernel.events()) + " events, " + std::to_string(world.kernel.advances()) +
             " advances");
  return world.log;
}

TEST(TwoKernels, agree_on_a_turmoil_of_events_that_are_planned_moved_and_cancelled_at_equal_times) {
  World inner(KernelKind::inner);
  const auto folded = [](const Log& log) {
    std::uint64_t sum = log.size();
    for (const std::string& line : log) {
      for (const char c : line) { sum = (sum ^ static_cast<unsigned char>(c)) * 0x9e3779b97f4a7c15U; }
      sum ^= sum >> 32U;
    }
    return sum;
  };
  const Log log = turmoil(inner);
  const std::uint64_t expected = folded(log);
  EXPECT_GT(log.size(), 2000U);
  EXPECT_EQ(in_child([&] {
              World oracle(KernelKind::simgrid);
              return folded(turmoil(oracle));
            }),
            expected);
}

using KernelsDeathTest = Kernels;
INSTANTIATE_TEST_SUITE_P(Both, KernelsDeathTest, testing::Values(KernelKind::inner, KernelKind::simgrid),
                         [](const auto& kind) {
                           return std::string(kernel_names[static_cast<std::size_t>(kind.param)]);
                         });
constexpr int internal = static_cast<int>(ExitCode::internal);

TEST_P(KernelsDeathTest, planning_in_the_past_is_refused_and_planning_now_is_not) {
  const auto plan = [](World& world, Picos at) {
    const SlotId timer = world.timer([&] { world.note("timer"); });
    world.kernel.run_until(Picos{50});
    world.kernel.schedule(timer, at);
    world.kernel.run_until(Picos{50});
  };
  const auto past = [&] {
    World world(GetParam());
    plan(world, Picos{49});
  };
  EXPECT_EXIT(past(), testing::ExitedWithCode(internal), "in the past");
  EXPECT_EQ(play([&](World& world) { plan(world, Picos{50}); }), (Log{"timer@50"}));
}

TEST_P(KernelsDeathTest, a_fiber_may_not_run_the_kernel_it_runs_in) {
  const auto nested = [] {
    World world(GetParam());
    const SlotId fiber = world.fiber([&] { world.kernel.run_until(Picos{100}); });
    world.kernel.schedule(fiber, Picos{0});
    world.kernel.run_until(Picos{10});
  };
  EXPECT_EXIT(nested(), testing::ExitedWithCode(internal), "from inside the simulation");
}

TEST(FiberKernelDeathTest, one_fiber_more_than_announced_is_refused) {
  World world(KernelKind::inner, 2);
  world.fiber([] {});
  world.fiber([] {});
  EXPECT_EXIT(world.fiber([] {}), testing::ExitedWithCode(internal), "more fibers than announced");
}

TEST(SimgridOracleDeathTest, a_time_that_simgrids_double_cannot_hold_is_refused) {
  constexpr Picos exact_max{std::int64_t{1} << 53U};
  const auto plan = [](Picos at) {
    World world(KernelKind::simgrid);
    world.kernel.schedule(world.timer([] {}), at);
    world.kernel.run_until(Picos{1});
    std::_Exit(0);
  };
  EXPECT_EXIT(plan(exact_max), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(plan(exact_max + Picos{1}), testing::ExitedWithCode(internal), "SimGrid's clock is not exact");
}

}  // namespace
}  // namespace lockcast::kernel_test
