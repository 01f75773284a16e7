// Who runs when, to the picosecond. Unless a row says otherwise the operating system costs nothing, the tick is 1 ms, a
// quantum 10 ticks, and there is one core; backends start in order of their number.

#include "sim/os/scheduler.hpp"

#include "sim/locks/s_lock_9_2.hpp"
#include "tests/sim/simulated_executor.hpp"
#include "tests/sim/textbook.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace lockcast::scheduler_test {
namespace {

const Changes one_core = one_die(1) + free_scheduling;

void compute(SimEnv& env, Picos duration) {
  env.work(duration);
  env.settle();
}

// One body per backend; returns when each ended.
using Body = std::function<void(SimEnv&)>;
struct Ended {
  std::vector<Picos> at;
  SchedulerCounters counters;
};
Ended run(const Changes& changes, const std::vector<Body>& bodies, const SimulatedExecutor::Options& options = {}) {
  SimulatedExecutor executor(textbook(changes), static_cast<std::uint32_t>(bodies.size()), options);
  executor.run([&](SimEnv& env) { bodies[index(env.self())](env); });
  Ended ended{{}, executor.scheduler_counters()};
  for (std::uint32_t id = 0; id < bodies.size(); ++id) { ended.at.push_back(executor.ended(id)); }
  return ended;
}

Body works(Picos duration) {
  return [duration](SimEnv& env) { compute(env, duration); };
}

TEST(Scheduler, a_thread_that_waits_runs_when_the_quantum_of_the_running_one_is_over) {
  for (const int ticks : {1, 2, 10}) {
    const Ended ended =
        run(one_core + Changes{{"scheduler.quantum_ticks", std::to_string(ticks)}}, {works(15ms), works(300us)});
    EXPECT_EQ(ended.at[1], ticks * 1ms + 300us);
    EXPECT_EQ(ended.at[0], 15ms + 300us);
    EXPECT_EQ(ended.counters.preemptions, 1U);
  }
}

// A starts after 2 us of context switch and is cut at the tick of 1 ms; B runs 1.002 to 1.702 ms; A goes on at 1.704 ms
// with what was left: 2 us + 2.5 ms + 1 ps - 1 ms.
TEST(Scheduler, an_interrupted_computation_keeps_its_rest_to_the_picosecond) {
  const Ended ended = run(one_core + Changes{{"scheduler.quantum_ticks", "1"}, {"scheduler.context_switch", "2 us"}},
                          {works(2500us + Picos{1}), works(700us)});
  EXPECT_EQ(ended.at[1], 1702us);
  EXPECT_EQ(ended.at[0], 1704us + (2500us + Picos{1} + 2us - 1ms));
}

// However often they are cut: one core that is never idle ends after all work and all switches, nothing lost and
// nothing gained.
TEST(Scheduler, computations_of_any_length_on_one_core_end_after_their_sum_and_the_context_switches) {
  Rng random(5);
  std::vector<Picos> lengths(7);
  std::vector<Body> bodies;
  for (Picos& length : lengths) {
    length = Picos{static_cast<std::int64_t>(random.next() % 9'000'000'000)};
    bodies.push_back(works(length));
  }
  const Ended ended =
      run(one_core + Changes{{"scheduler.quantum_ticks", "1"}, {"scheduler.context_switch", "3 us"}}, bodies);
  const Picos sum = std::accumulate(lengths.begin(), lengths.end(), Picos{0});
  EXPECT_GT(ended.counters.preemptions, 7U);
  EXPECT_EQ(*std::max_element(ended.at.begin(), ended.at.end()),
            sum + static_cast<std::int64_t>(ended.counters.switches) * 3us);
}

// --- Hardware threads: threads 0 and 1 are core 0, threads 2 and 3 core 1 ---

const Changes two_cores_two_threads =
    one_die(2) + free_scheduling + Changes{{"topology.threads_per_core", "2"}, {"cpu.smt_slowdown", "1.6"}};

TEST(HardwareThreads, work_takes_the_slowdown_longer_while_the_sibling_is_busy_at_its_beginning) {
  const Changes stays = two_cores_two_threads + Changes{{"scheduler.wake_placement", "last-core"}};
  // Both busy from the start; 1 goes on alone after its first piece, 0 having ended with it.
  const Body twice = [](SimEnv& env) {
    compute(env, 100us);
    compute(env, 100us);
  };
  const Ended together = run(stays, {works(100us), twice});
  EXPECT_EQ(together.at[0], 160us);
  EXPECT_EQ(together.at[1], 160us + 100us);
  // 0 begins when 1 is gone; 2 is the first thread of the other core.
  const Body later = [](SimEnv& env) {
    env.sleep(10us);
    compute(env, 100us);
  };
  const Ended apart = run(stays, {later, works(1us), works(100us)});
  EXPECT_EQ(apart.at[0], 10us + 100us);
  EXPECT_EQ(apart.at[2], 100us);
}

TEST(HardwareThreads, a_slowdown_of_four_threads_is_linear_in_busy_siblings) {
  const Changes four =
      one_die(1) + free_scheduling +
      Changes{
          {"topology.threads_per_core", "4"}, {"cpu.smt_slowdown", "2.5"}, {"scheduler.wake_placement", "last-core"}};
  for (std::uint32_t busy = 1; busy <= 4; ++busy) {
    const Ended ended = run(four, std::vector<Body>(busy, works(100us)));
    for (const Picos at : ended.at) { EXPECT_EQ(at, 100us + (busy - 1) * 50us) << busy; }
  }
}

// Two backends would start on threads 0 and 1 by number; the second is better off on the idle core. Four share.
TEST(HardwareThreads, a_thread_goes_to_an_idle_core_before_it_shares_one) {
  const Ended two = run(two_cores_two_threads, {works(100us), works(100us)});
  EXPECT_EQ(two.at[0], 100us);
  EXPECT_EQ(two.at[1], 100us);
  const Ended four = run(two_cores_two_threads, std::vector<Body>(4, works(100us)));
  for (const Picos at : four.at) { EXPECT_EQ(at, 160us); }
}

TEST(Scheduler, a_computation_that_ends_a_picosecond_before_the_tick_is_not_cut_and_one_that_would_end_after_it_is) {
  struct Row {
    Picos length;
    std::uint64_t preemptions;
  };
  for (const Row& row : {Row{1ms - Picos{1}, 0}, Row{1ms + Picos{1}, 1}}) {
    const Ended ended = run(one_core + Changes{{"scheduler.quantum_ticks", "1"}}, {works(row.length), works(300us)});
    EXPECT_EQ(ended.counters.preemptions, row.preemptions);
    EXPECT_EQ(ended.at[0], row.length + (row.preemptions > 0 ? 300us : 0us));
  }
}

TEST(Scheduler, without_preemption_a_quantum_never_ends) {
  const Ended ended = run(one_core + Changes{{"scheduler.preemption", "none"}}, {works(35ms), works(300us)});
  EXPECT_EQ(ended.at[0], 35ms);
  EXPECT_EQ(ended.at[1], 35ms + 300us);
  EXPECT_EQ(ended.counters.preemptions, 0U);
}

TEST(Scheduler, a_thread_alone_on_its_core_is_never_interrupted) {
  const Ended ended = run(one_die(2) + free_scheduling, {works(35ms), works(41ms)});
  EXPECT_EQ(ended.at[0], 35ms);
  EXPECT_EQ(ended.at[1], 41ms);
  EXPECT_EQ(ended.counters.preemptions, 0U);
  EXPECT_EQ(ended.counters.busy, 76ms);
}

// A wakes at 3 ms while B computes 15 ms since time 0. Priorities are never re-evaluated in this time.
TEST(Scheduler, a_woken_thread_preempts_at_once_only_with_a_strictly_better_priority) {
  struct Row {
    std::uint32_t woken, running;
    Picos woken_ends, running_ends;
  };
  const Row rows[] = {
      {4, 5, 4ms, 16ms},   // better: at once
      {5, 5, 11ms, 16ms},  // equal: after the quantum
      {6, 5, 16ms, 15ms},  // worse: when the other has finished
  };
  const Changes ageing =
      one_core + Changes{{"scheduler.priority_levels", "77"}, {"scheduler.priority_ticks", "100000"}};
  for (const Row& row : rows) {
    const Ended ended = run(ageing, {[&](SimEnv& env) {
                                       env.task().priority = row.woken;
                                       env.sleep(3ms);
                                       compute(env, 1ms);
                                     },
                                     [&](SimEnv& env) {
                                       env.task().priority = row.running;
                                       compute(env, 15ms);
                                     }});
    EXPECT_EQ(ended.at[0], row.woken_ends) << row.woken;
    EXPECT_EQ(ended.at[1], row.running_ends) << row.woken;
  }
}

TEST(Scheduler, under_noage_a_woken_thread_never_preempts_and_all_have_one_priority) {
  const Changes ageing = one_core + Changes{{"scheduler.priority_levels", "77"}, {"scheduler.priority_ticks", "1"}};
  std::vector<std::uint32_t> priorities;
  const Ended ended = run(ageing,
                          {[&](SimEnv& env) {
                             env.sleep(3ms);
                             compute(env, 1ms);
                             priorities.push_back(env.task().priority);
                           },
                           [&](SimEnv& env) {
                             compute(env, 15ms);
                             priorities.push_back(env.task().priority);
                           }},
                          {.scheduling = SchedulingClass::noage});
  EXPECT_EQ(ended.at[0], 11ms) << "at the end of the quantum of 10 ms";
  EXPECT_EQ(ended.at[1], 16ms);
  EXPECT_EQ(priorities, (std::vector<std::uint32_t>{0, 0}));
}

// Use of the core in ticks, divided by use_per_priority: after 36 ticks 9 levels weaker, or 5 when there are no more.
TEST(Scheduler, use_weakens_the_priority_up_to_the_weakest_level) {
  for (const std::uint32_t levels : {77U, 5U}) {
    const Changes ageing =
        one_core + Changes{{"scheduler.priority_levels", std::to_string(levels)}, {"scheduler.use_per_priority", "4"}};
    std::uint32_t before = 0;
    std::uint32_t after = 0;
    run(ageing, {[&](SimEnv& env) {
          env.task().use = 0;
          compute(env, 1ms + 1us);
          before = env.task().priority;
          compute(env, 35ms);
          after = env.task().priority;
        }});
    EXPECT_EQ(before, 0U);
    EXPECT_EQ(after, std::min(9U, levels));  // 36 ticks have been charged
  }
}

TEST(Sleep, ends_after_its_time_and_the_slack) {
  const Ended ended = run(one_die(4) + free_scheduling + Changes{{"scheduler.sleep_slack", "50 us"}},
                          {[](SimEnv& env) { env.sleep(1ms); },
                           [](SimEnv& env) {
                             compute(env, 123ns);
                             env.sleep(1ms);
                           }});
  EXPECT_EQ(ended.at[0], 1050us);
  EXPECT_EQ(ended.at[1], 1050us + 123ns);
}

TEST(Sleep, on_the_tick_ends_at_the_first_multiple_not_before_its_time_so_sleepers_wake_in_phase) {
  struct Row {
    Picos begin, end;
  };
  const Row rows[] = {
      {1us, 10ms}, {9ms, 10ms}, {9ms + Picos{1}, 20ms}, {8999us, 10ms}, {15ms, 20ms}, {19ms, 20ms}, {19ms + 1us, 30ms},
  };
  std::vector<Body> bodies;
  for (const Row& row : rows) {
    bodies.push_back([begin = row.begin](SimEnv& env) {
      compute(env, begin);
      env.sleep(1ms);
    });
  }
  const Ended ended = run(one_die(8) + free_scheduling + Changes{{"scheduler.sleep_tick", "10 ms"}}, bodies);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    EXPECT_EQ(ended.at[i], rows[i].end) << "begun at " << rows[i].begin.count();
  }
}

TEST(Semaphore, keeps_every_token_that_came_before_the_wait) {
  const Ended ended = run(one_die(2) + free_scheduling, {[](SimEnv& env) {
                                                           compute(env, 1ms);
                                                           // The fourth waits.
                                                           for (int i = 0; i < 4; ++i) { env.park(); }
                                                         },
                                                         [](SimEnv& env) {
                                                           for (int i = 0; i < 3; ++i) { env.unpark(BackendId{0}); }
                                                           compute(env, 5ms);
                                                           env.unpark(BackendId{0});
                                                         }});
  EXPECT_EQ(ended.at[0], 5ms);
}

TEST(Semaphore, a_token_wakes_nobody_from_a_sleep_and_is_there_afterwards) {
  const Ended ended = run(one_die(2) + free_scheduling, {[](SimEnv& env) {
                                                           env.sleep(4ms);
                                                           env.park();
                                                         },
                                                         [](SimEnv& env) {
                                                           compute(env, 1ms);
                                                           env.unpark(BackendId{0});
                                                         }});
  EXPECT_EQ(ended.at[0], 4ms);
}

TEST(Semaphore, tokens_posted_to_a_woken_thread_that_has_no_core_yet_are_kept) {
  // Backend 0 waits; 1 posts twice at 1 ms and computes on, on the only core, until its quantum is over at 10 ms.
  const Ended ended = run(one_core, {[](SimEnv& env) {
                                       env.park();
                                       env.park();
                                       compute(env, 1ms);
                                     },
                                     [](SimEnv& env) {
                                       compute(env, 1ms);
                                       env.unpark(BackendId{0});
                                       env.unpark(BackendId{0});
                                       compute(env, 20ms);
                                     }});
  EXPECT_EQ(ended.at[0], 11ms);
  EXPECT_EQ(ended.at[1], 22ms);
}

// The poster pays 1 us; the woken one's core needs 4 us to hear of it, 1 us to leave idle, and 2 us only if another
// thread had run there meanwhile (not here). Who blocks pays 1 us first.
TEST(Semaphore, a_wake_up_costs_poster_and_woken_their_parts) {
  const Changes costs = {{"scheduler.wake_cost", "1 us"},
                         {"scheduler.block_cost", "1 us"},
                         {"scheduler.wake_latency", "4 us"},
                         {"scheduler.idle_exit", "1 us"},
                         {"scheduler.context_switch", "0 us"}};
  const Ended ended = run(one_die(2) + costs, {[](SimEnv& env) { env.park(); },
                                               [](SimEnv& env) {
                                                 compute(env, 100us);
                                                 env.unpark(BackendId{0});
                                                 compute(env, 100us);
                                               }});
  const Picos start = 5us;  // both begin on idle cores
  EXPECT_EQ(ended.at[1], start + 100us + 1us + 100us);
  EXPECT_EQ(ended.at[0], start + 100us + 1us + 5us);
}

// With a futex the token is there before the kernel is asked: a sleeper costs its waker what waking costs, anybody
// else only an empty call; and a token that is there, or comes while its taker is on the way to sleep, keeps the taker
// awake.
TEST(Futex, costs_the_waker_by_whether_somebody_sleeps) {
  const Changes costs = {{"scheduler.wake_cost", "10 us"},
                         {"scheduler.block_cost", "2 us"},
                         {"scheduler.empty_wake_cost",
                          "{value: 1 us, interval: [1 us, 1 us], range: [1 us, 1 us], "
                          "origin: assumed, reference: test}"},
                         {"scheduler.wake_latency", "4 us"},
                         {"scheduler.idle_exit", "1 us"},
                         {"scheduler.context_switch", "0 us"}};
  struct Row {
    Picos parks_after, sleeper_ends, waker_ends;  // the waker calls at 100 us
    const char* what;
  };
  const Picos start = 5us;  // both begin on idle cores
  const Row rows[] = {
      {10us, 100us + 10us + 5us, 100us + 10us, "asleep"},
      {98us + Picos{1}, 100us + Picos{1}, 100us + 1us, "on the way to sleep"},
      {150us, 150us, 100us + 1us, "the token is there already"},
  };
  for (const Row& row : rows) {
    const Ended ended = run(one_die(2) + costs, {[&row](SimEnv& env) {
                                                   compute(env, row.parks_after);
                                                   env.park();
                                                 },
                                                 [](SimEnv& env) {
                                                   compute(env, 100us);
                                                   env.unpark(BackendId{0});
                                                   compute(env, Picos{0});
                                                 }});
    EXPECT_EQ(ended.at[0], start + row.sleeper_ends) << row.what;
    EXPECT_EQ(ended.at[1], start + row.waker_ends) << row.what;
  }
}

// Backends 0 and 2 belong to core 0, backend 1 to core 1, which is free when 1 ends. A thread may be stolen when it has
// waited steal_after, and an idle core looks around when its thread leaves and at every tick.
TEST(Stealing, happens_after_the_wait_when_a_core_becomes_idle_or_at_the_next_tick) {
  struct Row {
    Picos other_ends, stolen_at;
    const char* steal_after;
  };
  const Row rows[] = {
      {300us, 300us, "0 us"},             // whatever waits
      {300us, 300us, "300 us"},           // waited exactly long enough
      {300us - Picos{1}, 1ms, "300 us"},  // a picosecond too early; the tick
      {300us, 1ms, "1 ms"},               // at the tick it has waited exactly long enough
      {300us, 2ms, "1.000000001 ms"},     // or a picosecond too short
  };
  for (const Row& row : rows) {
    const Ended ended =
        run(one_die(2) + free_scheduling +
                Changes{{"scheduler.wake_placement", "last-core"}, {"scheduler.steal_after", row.steal_after}},
            {works(8ms), works(row.other_ends), works(100us)});
    EXPECT_EQ(ended.at[2], row.stolen_at + 100us) << row.steal_after;
    EXPECT_EQ(ended.at[0], 8ms);
    EXPECT_EQ(ended.counters.steals, 1U);
  }
}

TEST(WakePlacement, goes_to_an_idle_core_or_waits_for_its_last_one) {
  struct Row {
    const char* placement;
    Picos ends;
  };
  // Backend 2 first runs on core 0 and sleeps; then backend 0 has core 0 until 8 ms and core 1 is idle.
  for (const Row& row : {Row{"idle-core", 2ms + 100us}, Row{"last-core", 8ms + 100us}}) {
    const Ended ended =
        run(one_die(2) + free_scheduling +
                Changes{{"scheduler.wake_placement", row.placement}, {"scheduler.steal_after", "50 ms"}},
            {[](SimEnv& env) {
               env.sleep(500us);
               compute(env, 7500us);
             },
             [](SimEnv&) {},
             [](SimEnv& env) {
               env.sleep(2ms);
               compute(env, 100us);
             }});
    EXPECT_EQ(ended.at[0], 8ms);
    EXPECT_EQ(ended.at[2], row.ends) << row.placement;
  }
}

TEST(Scheduler, as_many_threads_as_cores_never_wait_for_one_wherever_they_wake) {
  SimulatedExecutor executor(textbook(free_scheduling), 32);
  executor.run([](SimEnv& env) {
    for (int i = 0; i < 50; ++i) {
      compute(env, env.random(Purpose::work).exponential(50us));
      env.sleep(env.random(Purpose::backoff).exponential(50us));
    }
  });
  for (std::uint32_t id = 0; id < 32; ++id) {
    EXPECT_EQ(executor.task(id).time.spent()[static_cast<std::size_t>(Category::runnable)], Picos{0}) << id;
  }
}

TEST(TimeAccount, charges_every_picosecond_to_exactly_one_category) {
  SimulatedExecutor executor(textbook(one_die(3) + Changes{{"scheduler.quantum_ticks", "1"}}), 8);
  auto arena = executor.arena();
  SLock92<SimEnv> lock(arena, {.spin = SpinTest::ttas_in_loop});
  executor.run([&](SimEnv& env) {
    for (int i = 0; i < 300; ++i) {
      lock.acquire(env, Mode::exclusive);
      env.work(700ns);
      lock.release(env, Mode::exclusive);
      env.work(env.random(Purpose::work).exponential(5us));
    }
  });
  for (std::uint32_t id = 0; id < 8; ++id) {
    TimeAccount time = executor.task(id).time;
    time.settle(executor.all_ended());
    EXPECT_EQ(std::accumulate(time.spent().begin(), time.spent().end(), Picos{0}), executor.all_ended()) << id;
  }
}

TEST(Scheduler, private_work_takes_longer_the_more_other_cores_are_busy) {
  // Slowdown 50 % when all 4 others are busy. A backend that begins before the others sees an idle machine, so all wait
  // a moment first; that moment is the tolerance.
  struct Row {
    std::size_t busy;
    Picos takes;
  };
  for (const Row& row : {Row{1, 1000us}, Row{3, 1250us}, Row{5, 1500us}}) {
    const std::vector<Body> bodies(row.busy, [](SimEnv& env) {
      compute(env, 10ns);
      compute(env, 1ms);
    });
    const Ended ended = run(one_die(5) + free_scheduling + Changes{{"cpu.loaded_slowdown", "0.5"}}, bodies);
    for (const Picos at : ended.at) {
      EXPECT_NEAR(static_cast<double>(at.count()), static_cast<double>(row.takes.count()), 15'000);
    }
  }
}

}  // namespace
}  // namespace lockcast::scheduler_test
