// Linux's scheduler of 2009-2011: slices, where a wake-up goes, who takes threads from whom. The operating system costs
// nothing and ticks every millisecond; cores of a die have consecutive numbers, and threads start spread over the dies.

#include "sim/os/balancing.hpp"
#include "sim/os/placement.hpp"
#include "tests/sim/simulated_executor.hpp"
#include "tests/sim/textbook.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace lockcast::cfs_test {
namespace {

void compute(SimEnv& env, Picos duration) {
  env.work(duration);
  env.settle();
}

using Body = std::function<void(SimEnv&)>;
struct Ended {
  std::vector<Picos> at;
  SchedulerCounters counters;
};
Ended run(const Changes& changes, const std::vector<Body>& bodies) {
  SimulatedExecutor executor(textbook(changes), static_cast<std::uint32_t>(bodies.size()));
  executor.run([&](SimEnv& env) { bodies[index(env.self())](env); });
  Ended ended{{}, executor.scheduler_counters()};
  for (std::uint32_t id = 0; id < bodies.size(); ++id) { ended.at.push_back(executor.ended(id)); }
  return ended;
}

Body works(Picos duration) {
  return [duration](SimEnv& env) { compute(env, duration); };
}
const Body ends_at_once = [](SimEnv&) {};

// --- Slices ---

// 24 ms shared by two are 12 ms each; the first tick that finds more than that is the 13th. By 16 they would be 1.5 ms,
// below the granularity of 3 ms: every fourth tick.
TEST(Cfs, a_slice_is_an_equal_part_of_the_latency_or_the_granularity) {
  const Ended two = run(one_die(1) + cfs, {works(15ms), works(15ms)});
  EXPECT_EQ(two.at[0], 13ms + 13ms + 2ms);
  EXPECT_EQ(two.at[1], 30ms);
  const Ended sixteen = run(one_die(1) + cfs, std::vector<Body>(16, works(4ms)));
  for (std::uint32_t id = 0; id < 16; ++id) { EXPECT_EQ(sixteen.at[id], (id + 1) * 4ms); }
  EXPECT_EQ(sixteen.counters.preemptions, 0U);
  const Ended longer = run(one_die(1) + cfs, std::vector<Body>(16, works(4ms + Picos{1})));
  EXPECT_EQ(longer.counters.preemptions, 16U) << "each once";
}

// Nobody can be further ahead than a slice, so with equal work all end within a round of slices.
TEST(Cfs, equal_threads_get_equal_shares) {
  const Ended ended = run(one_die(1) + cfs, std::vector<Body>(5, works(100ms)));
  const Picos slice = 24ms / 5 + 1ms;
  for (const Picos at : ended.at) { EXPECT_GE(at, 500ms - 5 * slice); }
}

TEST(Cfs, no_time_of_a_die_is_lost_while_it_has_threads) {
  const Ended ended = run(one_die(4) + cfs, std::vector<Body>(9, works(10ms)));
  EXPECT_EQ(ended.counters.busy, 90ms);
  EXPECT_LE(*std::max_element(ended.at.begin(), ended.at.end()), 30ms);
}

// B wakes while A computes since time 0. A credit of 12 ms is more than A has had, so B is behind by all of that.
TEST(Cfs, a_woken_thread_preempts_only_if_that_is_on_and_it_is_far_enough_behind) {
  struct Row {
    const char* preemption;
    Picos wakes, ends;
  };
  const Row rows[] = {
      {"off", 5300us, 13ms + 100us},              // the slice of A is over at the 13th tick
      {"on", 5300us, 5300us + 100us},             // 5.3 ms behind
      {"on", 4ms + Picos{1}, 4100us + Picos{1}},  // more than the granularity of 4 ms
      {"on", 4ms, 13ms + 100us},                  // not more
  };
  for (const Row& row : rows) {
    const Ended ended =
        run(one_die(1) + cfs + Changes{{"scheduler.wakeup_preemption", row.preemption}}, {[&](SimEnv& env) {
                                                                                            env.sleep(row.wakes);
                                                                                            compute(env, 100us);
                                                                                          },
                                                                                          works(40ms)});
    EXPECT_EQ(ended.at[0], row.ends) << row.preemption << row.wakes.count();
    EXPECT_EQ(ended.at[1], 40ms + 100us);
  }
}

// --- Where a wake-up goes: two dies of three cores ---

Cores six_cores(const std::vector<std::uint32_t>& loads) {
  Cores cores(Topology{.packages = 2, .dies_per_package = 1, .cores_per_die = 3, .packages_per_group = 2});
  for (std::uint32_t core = 0; core < 6; ++core) {
    if (loads[core] == 0) { continue; }
    cores.all[core].running = core;
    cores.all[core].queue.assign(loads[core] - 1, 7);
    ++cores.busy;
  }
  return cores;
}

TEST(WakePlacement, of_cfs_searches_one_die_first_idle_core_first) {
  struct Row {
    const char* what;
    std::vector<std::uint32_t> loads;
    std::uint32_t last;
    Wake wake;
    std::uint32_t hint, load;  // where it goes under each rule
  };
  const Wake semop_from_4{CoreId{4}, false};
  const Wake socket_from_4{CoreId{4}, true};
  const Row rows[] = {
      {"a timer: back to the last core", {0, 0, 0, 0, 0, 0}, 2, {}, 2, 2},
      {"a timer: the last is busy, the first idle one of its die", {0, 0, 1, 0, 0, 0}, 2, {}, 0, 0},
      {"a timer: the die is full, it queues though the other die is idle", {1, 1, 1, 0, 0, 0}, 2, {}, 2, 2},
      {"a semop: back to the idle last core", {1, 1, 0, 0, 1, 0}, 2, semop_from_4, 2, 2},
      {"a semop: full die; the load rule lets an equal waker draw it", {1, 1, 1, 0, 1, 0}, 2, semop_from_4, 2, 3},
      {"a semop: the waker's queue is longer", {1, 1, 1, 1, 2, 1}, 2, semop_from_4, 2, 2},
      {"a socket: to the waker's die, even past an idle last core", {0, 0, 0, 0, 1, 0}, 2, socket_from_4, 3, 3},
      {"a socket: the waker's die is full, it queues at the waker", {0, 0, 0, 1, 1, 1}, 2, socket_from_4, 4, 4},
      {"a socket: the waker has a queue and the last core none", {0, 0, 0, 1, 3, 1}, 2, socket_from_4, 4, 2},
      {"a socket: both on one core", {0, 1, 1, 0, 1, 0}, 4, socket_from_4, 3, 3},
  };
  for (const Row& row : rows) {
    const Cores cores = six_cores(row.loads);
    EXPECT_EQ(fair_core(cores, WakeAffine::hint, row.last, row.wake), row.hint) << row.what;
    EXPECT_EQ(fair_core(cores, WakeAffine::load, row.last, row.wake), row.load) << row.what;
  }
}

TEST(WakePlacement, of_new_threads_goes_round_the_dies_and_then_round_their_cores) {
  const Cores cores = six_cores({0, 0, 0, 0, 0, 0});
  std::vector<std::uint32_t> order;
  for (std::uint32_t number = 0; number < 8; ++number) { order.push_back(spread_core(cores, number)); }
  EXPECT_EQ(order, (std::vector<std::uint32_t>{0, 3, 1, 4, 2, 5, 0, 3}));
}

// --- Who takes from whom ---

TEST(Balancing, takes_from_the_longest_queue_that_has_one_to_give) {
  struct Row {
    std::vector<std::uint32_t> loads;
    std::uint32_t taker, first, count, from;
  };
  const Row rows[] = {
      {{0, 1, 1, 1, 1, 1}, 0, 0, 6, no_index},  // nobody waits
      {{0, 1, 2, 3, 1, 1}, 0, 0, 3, 2},         // within the die
      {{0, 1, 2, 3, 1, 1}, 0, 0, 6, 3},         // on the machine
      {{0, 2, 2, 2, 2, 2}, 0, 0, 6, 1},         // the next of equals,
      {{2, 2, 2, 0, 2, 2}, 3, 0, 6, 4},         // counted from the taker
      {{2, 2, 0, 0, 2, 2}, 2, 0, 3, 0},         // and round in the die
      {{1, 2, 2, 1, 1, 1}, 0, 0, 6, no_index},  // one more is no reason for a busy taker
      {{1, 2, 3, 1, 1, 1}, 0, 0, 6, 2},         // two more are
  };
  for (const Row& row : rows) {
    EXPECT_EQ(busiest_for(six_cores(row.loads), row.taker, row.first, row.count), row.from) << row.taker;
  }
}

TEST(Balancing, only_one_core_of_a_die_looks_beyond_it) {
  const Cores cores = six_cores({1, 0, 0, 1, 1, 1});
  std::vector<std::uint32_t> looking;
  for (std::uint32_t core = 0; core < 6; ++core) {
    if (looks_beyond_die(cores, core)) { looking.push_back(core); }
  }
  EXPECT_EQ(looking, (std::vector<std::uint32_t>{1, 3}));
}

// Two dies of two cores. Threads 0, 2, 4 start on die 0, the others on die 1, where they end at once. What is left are
// three threads for two cores beside an idle die.
TEST(Balancing, threads_of_a_full_die_queue_beside_an_idle_one_until_somebody_looks_that_far) {
  struct Row {
    const char* newidle;
    const char* machine_interval;
    Picos third_begins;
  };
  const Row rows[] = {
      {"die", "1 s", 9ms},      // never: the third waits until one of the two has done its work
      {"die", "1 ms", 1ms},     // at the first tick
      {"die", "8 ms", 8ms},     // at the eighth
      {"machine", "1 s", 0ms},  // at once, when a core of die 1 becomes idle
  };
  const Changes two_dies{
      {"topology.packages", "1"}, {"topology.packages_per_group", "1"}, {"topology.cores_per_die", "2"}};
  for (const Row& row : rows) {
    const Ended ended = run(two_dies + cfs +
                                Changes{{"scheduler.newidle_balance", row.newidle},
                                        {"scheduler.machine_balance_interval", row.machine_interval}},
                            {works(9ms), ends_at_once, works(9ms), ends_at_once, works(3ms), ends_at_once});
    EXPECT_EQ(ended.at[0], 9ms);
    EXPECT_EQ(ended.at[2], 9ms);
    EXPECT_EQ(ended.at[4], row.third_begins + 3ms) << row.newidle << ", " << row.machine_interval;
  }
}

// One die of two cores. A has core 0 for long; B works 100 us and rests, again and again, on core 1. C wakes at 21.1
// ms, when both are busy, and queues behind A, whose slice of 100 ms is not over. B next stops at 21.15 ms.
TEST(Balancing, a_core_that_becomes_idle_takes_a_thread_only_if_its_idle_periods_are_long) {
  struct Row {
    const char* what;
    Picos rest;
    const char* die_interval;
    Picos begins;
  };
  const Row rows[] = {
      {"rests 2 ms: at once", 2ms, "50 ms", 21150us},
      {"rests 100 us: not before it looks around, at a tick", 100us, "1 ms", 22ms},
      {"rests 100 us, looks around seldom", 100us, "50 ms", 50ms},
  };
  for (const Row& row : rows) {
    const Ended ended = run(one_die(2) + cfs +
                                Changes{{"scheduler.sched_latency", "200 ms"},
                                        {"scheduler.die_balance_interval", row.die_interval},
                                        {"scheduler.machine_balance_interval", "1 s"}},
                            {[](SimEnv& env) {  // C; A gets its core
                               env.sleep(21100us);
                               compute(env, 100us);
                             },
                             [&](SimEnv& env) {  // B
                               compute(env, 150us);
                               while (env.local_time() < 55ms) {
                                 // Whole periods later it works from 21.05 to 21.15 ms in either row.
                                 env.sleep(row.rest);
                                 compute(env, 100us);
                               }
                             },
                             works(80ms)});
    EXPECT_EQ(ended.at[0], row.begins + 100us) << row.what;
  }
}

TEST(TimeAccount, charges_every_picosecond_under_cfs_too) {
  SimulatedExecutor executor(textbook(one_die(3) + cfs + ondemand + semaphore_sets("4", "1 us")), 8);
  executor.run([&](SimEnv& env) {
    const std::uint32_t next = (index(env.self()) + 1) % 8;
    for (int i = 0; i < 300; ++i) {
      compute(env, env.random(Purpose::work).exponential(20us));
      env.unpark(BackendId{next});
      env.park();
    }
  });
  for (std::uint32_t id = 0; id < 8; ++id) {
    TimeAccount time = executor.task(id).time;
    time.settle(executor.all_ended());
    EXPECT_EQ(std::accumulate(time.spent().begin(), time.spent().end(), Picos{0}), executor.all_ended()) << id;
    EXPECT_GE(*std::min_element(time.spent().begin(), time.spent().end()), Picos{0}) << id;
  }
}

// --- Semaphore sets ---

// Calls to one set are served one by one: so many calls take so much time, however many cores make them.
TEST(SemaphoreSet, serves_its_calls_one_by_one) {
  constexpr std::uint32_t backends = 8;
  constexpr std::uint32_t rounds = 50;
  struct Row {
    const char* size;
    std::uint32_t sets;
  };
  for (const Row& row : {Row{"16", 1}, Row{"8", 1}, Row{"4", 2}, Row{"1", 8}}) {
    SimulatedExecutor executor(textbook(cfs + semaphore_sets(row.size, "700 ns")), backends);
    executor.run([](SimEnv& env) {
      for (std::uint32_t i = 0; i < rounds; ++i) {  // two calls to the own semaphore, which never block
        env.unpark(env.self());
        env.park();
      }
    });
    EXPECT_EQ(executor.all_ended(), std::int64_t{2 * backends * rounds / row.sets} * 700ns) << row.size;
  }
}

TEST(SemaphoreSet, makes_callers_spin_for_their_turn) {
  SimulatedExecutor executor(textbook(cfs + semaphore_sets("16", "700 ns")), 3);
  executor.run([](SimEnv& env) { env.unpark(env.self()); });
  for (std::uint32_t id = 0; id < 3; ++id) {
    EXPECT_EQ(executor.ended(id), (id + 1) * 700ns);
    EXPECT_EQ(executor.task(id).time.spent()[static_cast<std::size_t>(Category::spin)], id * 700ns);
  }
}

// --- Clocks ---

// A core that is busy for a share of every millisecond at its highest clock finds the lowest step that is enough.
TEST(Clocks, a_core_sinks_to_the_lowest_step_that_keeps_its_load_below_the_threshold) {
  struct Row {
    Picos work;  // per millisecond
    double stretch;
  };
  const Row rows[] = {
      {250us, 2.0 / 0.8},  // load 0.625 there
      {350us, 2.0 / 1.0},  // 0.7; at 0.8 GHz it would be 0.875
      {500us, 2.0 / 1.5},  // 0.67; at 1.2 GHz 0.83
      {600us, 1.0},        // at 1.5 GHz 0.8, which is not below the threshold by the differential
      {900us, 1.0},       {1ms, 1.0},
  };
  for (const Row& row : rows) {
    Picos took{0};
    run(one_die(1) + cfs + ondemand, {[&](SimEnv& env) {
          for (Picos next = 1ms; next <= 200ms; next += 1ms) {
            const Picos before = env.local_time();
            compute(env, row.work);
            took = env.local_time() - before;
            if (next > env.local_time()) { env.sleep(next - env.local_time()); }
          }
        }});
    EXPECT_NEAR(static_cast<double>(took.count()), static_cast<double>(row.work.count()) * row.stretch, 1)
        << row.work.count();
  }
}

TEST(Clocks, without_a_governor_are_the_highest) {
  const Ended ended = run(one_die(2) + cfs, {[](SimEnv& env) {
                            for (int i = 0; i < 50; ++i) {
                              env.sleep(900us);
                              compute(env, 100us);
                            }
                          }});
  EXPECT_EQ(ended.at[0], 50ms);
}

}  // namespace
}  // namespace lockcast::cfs_test
