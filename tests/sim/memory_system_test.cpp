// How lines are served, as times of single accesses on the textbook machine with an operating system that costs
// nothing.

#include "sim/memory/memory_system.hpp"

#include "tests/sim/simulated_executor.hpp"
#include "tests/sim/textbook.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace lockcast::memory_system_test {
namespace {

const Changes no_home{{"coherence.home_occupancy", "0 ns"}};

// How long one access of `env` takes, the private work before it not included.
template <class Access>
Picos time_of(SimEnv& env, Access access) {
  env.settle();
  const Picos before = env.local_time();
  access();
  return env.local_time() - before;
}

// Words on lines of their own until one has the wanted home.
SimWord* word_at_home(SimulatedExecutor& executor, const Machine& machine, std::uint32_t die) {
  SimArena arena = executor.arena();
  SimWord* word = arena.own_line();
  while (machine.home_of(word->line) != die) { word = arena.own_line(); }
  return word;
}

TEST(MemorySystem, requests_of_one_instant_are_served_one_transfer_after_another_in_the_order_of_asking) {
  SimulatedExecutor executor(textbook(one_die(6) + free_scheduling + no_home), 6);
  SimWord* word = executor.arena().own_line();
  std::vector<std::uint32_t> values(6);
  executor.run([&](SimEnv& env) { values[index(env.self())] = env.fetch_add(*word, 1, Order::relaxed); });
  for (std::uint32_t id = 0; id < 6; ++id) {
    EXPECT_EQ(values[id], id);
    EXPECT_EQ(executor.ended(id),
              70ns + id * 50ns + 5ns);  // from memory, then from cache to cache; an atomic is 10 ns more
  }
}

// An access ahead of time to a word that is polled after all: the poller lost its copy, asks again and is served.
TEST(MemorySystem, whoever_polls_a_word_where_nobody_should_meet_sees_it_change) {
  for (const bool to_own_line : {false, true}) {
    SimulatedExecutor executor(textbook(one_die(3) + free_scheduling), 3);
    SimWord* word = executor.arena().own_line();
    word->apart = true;
    SimWord* elsewhere = executor.arena().own_line();
    executor.run([&](SimEnv& env) {
      if (index(env.self()) == 0) {
        env.store(*word, 1, Order::relaxed);
        env.work(10us);
        env.store(to_own_line ? *word : *elsewhere, 1, Order::relaxed);
        env.work(10us);
        env.fetch_add(*elsewhere, 1, Order::relaxed);  // time passes, and the others begin to poll
        env.store(*word, 0, Order::relaxed);
        return;
      }
      env.work(1us);
      env.spin_until(
          *word, [](std::uint32_t value) { return value == 0; }, unbounded);
    });
    for (std::uint32_t id = 1; id < 3; ++id) { EXPECT_GT(executor.ended(id), 19us) << id; }
  }
}

// A rival that waits makes a transfer one home time longer; the first transfer began before anybody else asked.
TEST(MemorySystem, every_waiting_rival_makes_a_transfer_one_home_time_longer) {
  SimulatedExecutor executor(textbook(one_die(4) + free_scheduling), 4);  // home occupancy 10 ns
  SimWord* word = executor.arena().own_line();
  executor.run([&](SimEnv& env) { env.fetch_add(*word, 1, Order::relaxed); });
  Picos at = 70ns;
  EXPECT_EQ(executor.ended(0), at + 5ns);
  for (std::uint32_t id = 1; id < 4; ++id) {
    at += 50ns + (3 - id) * 10ns;
    EXPECT_EQ(executor.ended(id), at + 5ns) << id;
  }
}

TEST(MemorySystem, without_line_queue_requests_overlap_freely) {
  SimulatedExecutor executor(textbook(one_die(6) + free_scheduling + Changes{{"coherence.line_queue", "off"}}), 6);
  SimWord* word = executor.arena().own_line();
  executor.run([&](SimEnv& env) { env.fetch_add(*word, 1, Order::relaxed); });
  for (std::uint32_t id = 0; id < 6; ++id) { EXPECT_EQ(executor.ended(id), 75ns); }
  EXPECT_EQ(word->value, 6U);
}

TEST(MemorySystem, with_full_near_bias_the_line_goes_to_the_nearest_waiting_core) {
  for (const std::string bias : {"0", "1"}) {
    SimulatedExecutor executor(textbook(free_scheduling + no_home + Changes{{"coherence.near_bias", bias}}), 32);
    SimWord* word = executor.arena().own_line();
    std::vector<std::uint32_t> order;
    executor.run([&](SimEnv& env) {
      const std::uint32_t self = index(env.self());
      if (self % 8 != 0 && self != 1) { return; }  // cores 0, 1, 8, 16, 24
      if (self > 0) { env.work((32 - self) * 1ns); }
      env.fetch_add(*word, 1, Order::relaxed);
      order.push_back(self);
    });
    // They ask in the order 0, 24, 16, 8, 1. From 0 the nearest is 1, then 8; 24 and 16 are equally far from there: the
    // older.
    const std::vector<std::uint32_t> expected =
        bias == "0" ? std::vector<std::uint32_t>{0, 24, 16, 8, 1} : std::vector<std::uint32_t>{0, 1, 8, 24, 16};
    EXPECT_EQ(order, expected) << "bias " << bias;
  }
}

// Four cores hammer one line; two others take turns at another line, one in each odd and one in each even microsecond,
// so that each access is a transfer and they never wait for each other.
TEST(MemorySystem, a_storm_on_one_line_slows_the_lines_of_the_same_home_and_no_others) {
  const Machine machine = textbook(free_scheduling + Changes{{"coherence.home_occupancy", "30 ns"}});
  const auto sum_of_accesses = [&](std::uint32_t die, bool storm) {
    SimulatedExecutor executor(machine, 6);
    SimWord* hot = word_at_home(executor, machine, 3);
    SimWord* other = word_at_home(executor, machine, die);
    Picos sum{0};
    executor.run([&](SimEnv& env) {
      const std::uint32_t self = index(env.self());
      if (self < 4) {
        while (storm && env.local_time() < 210us) { env.fetch_add(*hot, 1, Order::relaxed); }
        return;
      }
      for (int i = 0; i < 100; ++i) {
        env.work(self % 2 * 1us + (i + 1) * 2us - env.local_time());
        const Picos took = time_of(env, [&] { env.fetch_add(*other, 1, Order::relaxed); });
        sum += i > 0 ? took : 0ns;  // the first comes from memory
      }
    });
    return sum;
  };
  EXPECT_EQ(sum_of_accesses(3, false), 198 * 55ns);
  EXPECT_GT(sum_of_accesses(3, true), sum_of_accesses(3, false) + 198 * 10ns);
  EXPECT_EQ(sum_of_accesses(4, true), sum_of_accesses(4, false));
}

TEST(SpinUntil, that_gives_up_after_n_polls_took_the_first_load_and_n_minus_1_polls) {
  for (const std::uint32_t limit : {1U, 2U, 100U}) {
    SimulatedExecutor executor(textbook(one_die(1) + free_scheduling + no_home), 1);
    SimWord* word = executor.arena().own_line();
    Spins spins;
    executor.run([&](SimEnv& env) {
      spins = env.spin_until(
          *word, [](std::uint32_t value) { return value != 0; }, limit);
    });
    EXPECT_FALSE(spins.satisfied);
    EXPECT_EQ(spins.polls, limit);
    EXPECT_EQ(executor.ended(0), 61ns + (limit - 1) * 5ns) << limit;
  }
}

// The poller has its first copy at 60, the load takes 1, then it polls every 5 ns until the writer takes the line away:
// the poller's line is exclusive, the writer is on the same die and asks 40 ns earlier.
TEST(SpinUntil, counts_as_many_polls_as_fit_before_the_change_and_the_load_that_sees_it) {
  struct Row {
    Picos written_at;
    std::uint32_t polls;
  };
  for (const Row& row :
       {Row{61ns + 100ns - Picos{1}, 1 + 19 + 1}, Row{61ns + 100ns, 1 + 20 + 1}, Row{61ns + 104ns, 1 + 20 + 1}}) {
    SimulatedExecutor executor(textbook(one_die(2) + free_scheduling + no_home), 2);
    SimWord* word = executor.arena().own_line();
    Spins spins;
    executor.run([&](SimEnv& env) {
      if (index(env.self()) == 0) {
        spins = env.spin_until(
            *word, [](std::uint32_t value) { return value != 0; }, unbounded);
      } else {
        env.work(row.written_at - 40ns);
        env.store(*word, 1, Order::relaxed);
      }
    });
    EXPECT_TRUE(spins.satisfied);
    EXPECT_EQ(spins.polls, row.polls);
    EXPECT_EQ(executor.ended(0), row.written_at + 40ns + 1ns) << "it reads again as soon as the line is free";
  }
}

TEST(MemorySystem, a_value_is_sampled_when_its_request_is_served) {
  // Backend 1 asks at 100 while the line is on its way to 2, who writes at 110 and again at 111; 1 is served at 150.
  SimulatedExecutor executor(textbook(one_die(3) + free_scheduling + no_home), 3);
  SimWord* word = executor.arena().own_line();
  std::uint32_t seen = 0;
  executor.run([&](SimEnv& env) {
    switch (index(env.self())) {
      case 0: env.store(*word, 1, Order::relaxed); break;
      case 1:
        env.work(100ns);
        seen = env.load(*word, Order::relaxed);
        break;
      default: env.work(70ns); env.store(*word, 2, Order::relaxed);
    }
  });
  EXPECT_EQ(seen, 2U);
  EXPECT_EQ(executor.ended(1), 110ns + 40ns + 1ns);
}

TEST(MemorySystem, the_first_access_costs_memory_at_the_distance_of_the_lines_home) {
  const Machine machine = textbook(free_scheduling + no_home);
  struct Row {
    std::uint32_t core, die;
    Picos cost;
  };
  for (const Row& row : {Row{0, 0, 61ns}, Row{0, 1, 101ns}, Row{0, 7, 161ns}, Row{31, 7, 61ns}, Row{31, 0, 161ns}}) {
    SimulatedExecutor executor(machine, 32);
    SimWord* word = word_at_home(executor, machine, row.die);
    Picos took{0};
    executor.run([&](SimEnv& env) {
      if (index(env.self()) == row.core) {
        took = time_of(env, [&] { env.load(*word, Order::relaxed); });
      }
    });
    EXPECT_EQ(took, row.cost) << "core " << row.core << ", home die " << row.die;
  }
}

// --- The home as a third party ---

// What it takes `requester` to reach a line modified by `owner` on the textbook machine. All lines are at home on die 0
// (cores 0 to 3).
struct ThirdParty {
  std::uint32_t owner, requester;
  Picos transfer, detour;
};
const ThirdParty third_parties[] = {
    {4, 0, 80ns, 0ns},     // the requester's die is the home
    {0, 4, 80ns, 0ns},     // the owner's die is the home
    {1, 2, 40ns, 0ns},     // all on one die
    {4, 5, 40ns, 25ns},    // requester and owner on one die, the home on its mate
    {4, 8, 100ns, 25ns},   // three dies
    {31, 8, 140ns, 25ns},  //
};
const Changes first_touch{{"coherence.home", "first-touch"}, {"coherence.third_leg", "25 ns"}};

TEST(ThirdLeg, is_paid_by_a_transfer_whose_home_is_on_the_die_of_neither_party) {
  for (const ThirdParty& row : third_parties) {
    SimulatedExecutor executor(textbook(free_scheduling + no_home + first_touch), 32);
    SimWord* word = executor.arena().own_line();
    Picos took{0};
    executor.run([&](SimEnv& env) {
      if (index(env.self()) == row.owner) { env.store(*word, 1, Order::relaxed); }
      if (index(env.self()) != row.requester) { return; }
      env.work(1us);
      took = time_of(env, [&] { env.load(*word, Order::relaxed); });
    });
    EXPECT_EQ(took, row.transfer + row.detour + 1ns) << row.owner << " to " << row.requester;
  }
}

TEST(ThirdLeg, is_paid_by_every_missed_line_of_a_scan) {
  for (const ThirdParty& row : third_parties) {
    const Machine machine = textbook(free_scheduling + no_home + first_touch);
    SimulatedExecutor executor(machine, 32);
    std::vector<LineId> lines;
    for (int i = 0; i < 10; ++i) { lines.push_back(executor.arena().own_line()->line); }
    Picos took{0};
    std::uint64_t misses = 0;
    executor.run([&](SimEnv& env) {
      MemorySystem& memory = env.server().memory;
      if (index(env.self()) == row.owner) { memory.touch<Operation::store>(env.task(), lines, 1, misses); }
      if (index(env.self()) != row.requester) { return; }
      env.work(1us);
      env.settle();
      misses = 0;
      took = memory.touch<Operation::load>(env.task(), lines, 1, misses);
      EXPECT_EQ(memory.touch<Operation::load>(env.task(), lines, 1, misses), 0ns) << "now they are hits";
    });
    EXPECT_EQ(misses, 10U);
    EXPECT_EQ(took, 10 * (row.transfer + row.detour)) << row.owner << " to " << row.requester;
  }
}

// Lines of all homes in turn, one by one owned by core 4 (die 1) and read by core 8 (die 2): six of eight homes are
// third parties.
TEST(ThirdLeg, follows_each_lines_own_home_when_lines_are_interleaved) {
  SimulatedExecutor executor(textbook(free_scheduling + no_home + Changes{{"coherence.third_leg", "25 ns"}}), 32);
  std::vector<LineId> lines;
  for (int i = 0; i < 80; ++i) { lines.push_back(executor.arena().own_line()->line); }
  Picos took{0};
  std::uint64_t misses = 0;
  executor.run([&](SimEnv& env) {
    MemorySystem& memory = env.server().memory;
    if (index(env.self()) == 4) { memory.touch<Operation::store>(env.task(), lines, 1, misses); }
    if (index(env.self()) != 8) { return; }
    env.work(1us);
    env.settle();
    took = memory.touch<Operation::load>(env.task(), lines, 1, misses);
  });
  EXPECT_EQ(took, 80 * 100ns + 60 * 25ns);
}

// The owner writes once more while its line is being taken away: the last instant at which that is still a hit is when
// the probe reaches it, a pass through the directory and the way to the home and back after the request began.
TEST(DirectoryPass, leaves_the_line_to_its_owner_until_the_probe_has_come) {
  struct Row {
    std::uint32_t owner;
    Picos window;  // 30 ns and what the memory of die 0 takes longer than the own
  };
  for (const Row& row : {Row{1, 30ns}, Row{4, 70ns}, Row{8, 90ns}, Row{20, 130ns}, Row{31, 130ns}}) {
    const Machine machine =
        textbook(free_scheduling + no_home + first_touch + Changes{{"coherence.directory_pass", "30 ns"}});
    const auto second_write_takes = [&](Picos after) {
      SimulatedExecutor executor(machine, 32);
      SimWord* word = executor.arena().own_line();
      Picos took{0};
      executor.run([&](SimEnv& env) {
        if (index(env.self()) == row.owner) {
          env.store(*word, 1, Order::relaxed);
          env.work(1us + after - env.local_time());
          took = time_of(env, [&] { env.store(*word, 2, Order::relaxed); });
        }
        if (index(env.self()) != 0) { return; }
        env.work(1us);
        env.store(*word, 3, Order::relaxed);
      });
      return took;
    };
    EXPECT_EQ(second_write_takes(row.window), 1ns) << row.owner;
    EXPECT_GT(second_write_takes(row.window + 1ns), 1ns) << row.owner;
  }
}

// The owner has nothing left to do, or computes on while its line is taken away.
TEST(HaltedOwner, answers_exactly_that_much_later_and_a_busy_one_does_not) {
  const auto load_takes = [](Picos owner_works_on, const Changes& halted) {
    SimulatedExecutor executor(textbook(free_scheduling + no_home + halted), 32);
    SimWord* word = executor.arena().own_line();
    Picos took{0};
    executor.run([&](SimEnv& env) {
      if (index(env.self()) == 0) {
        env.store(*word, 1, Order::relaxed);
        env.work(owner_works_on);
      }
      if (index(env.self()) != 1) { return; }
      env.work(1us);
      took = time_of(env, [&] { env.load(*word, Order::relaxed); });
    });
    return took;
  };
  const Changes late{{"coherence.halted_owner", "70 ns"}};
  EXPECT_EQ(load_takes(0us, {}), 40ns + 1ns);
  EXPECT_EQ(load_takes(0us, late), 40ns + 70ns + 1ns);
  EXPECT_EQ(load_takes(10us, late), 40ns + 1ns);
}

// Core 0 has written all ten lines and halts, or not.
TEST(HaltedOwner, delays_every_missed_line_of_a_scan) {
  for (const bool busy : {false, true}) {
    SimulatedExecutor executor(textbook(free_scheduling + no_home + Changes{{"coherence.halted_owner", "70 ns"}}), 2);
    std::vector<LineId> lines;
    for (int i = 0; i < 10; ++i) { lines.push_back(executor.arena().own_line()->line); }
    Picos took{0};
    std::uint64_t misses = 0;
    executor.run([&](SimEnv& env) {
      MemorySystem& memory = env.server().memory;
      if (index(env.self()) == 0) {
        memory.touch<Operation::store>(env.task(), lines, 1, misses);
        env.work(busy ? 10us : 0us);
        return;
      }
      env.work(1us);
      env.settle();
      took = memory.touch<Operation::load>(env.task(), lines, 1, misses);
    });
    EXPECT_EQ(took, 10 * (40ns + (busy ? 0ns : 70ns)));
  }
}

TEST(HaltedOwner, is_no_matter_of_memory) {
  SimulatedExecutor executor(
      textbook(one_die(1) + free_scheduling + no_home + Changes{{"coherence.halted_owner", "70 ns"}}), 1);
  SimWord* word = executor.arena().own_line();
  Picos took{0};
  executor.run([&](SimEnv& env) { took = time_of(env, [&] { env.load(*word, Order::relaxed); }); });
  EXPECT_EQ(took, 60ns + 1ns) << "nobody had it";
}

TEST(FirstTouch, memory_is_as_far_as_die_0) {
  for (const auto& [core, cost] : std::vector<std::pair<std::uint32_t, Picos>>{{0, 61ns}, {4, 101ns}, {31, 161ns}}) {
    SimulatedExecutor executor(textbook(free_scheduling + no_home + first_touch), 32);
    for (int i = 0; i < 5; ++i) { executor.arena(); }  // whatever the number of the line
    SimWord* word = executor.arena().own_line();
    Picos took{0};
    executor.run([&](SimEnv& env) {
      if (index(env.self()) == core) {
        took = time_of(env, [&] { env.load(*word, Order::relaxed); });
      }
    });
    EXPECT_EQ(took, cost) << core;
  }
}

// --- Hardware threads ---

// One die; siblings have consecutive numbers, and with the last-core rule backend n stays on hardware thread n.
Changes smt(std::uint32_t cores) {
  return one_die(cores) + free_scheduling + no_home +
         Changes{
             {"topology.threads_per_core", "2"}, {"cpu.smt_slowdown", "1"}, {"scheduler.wake_placement", "last-core"}};
}

// Backends 0 and 1 are the threads of core 0.
TEST(HardwareThreads, keep_their_core_from_halting_while_one_of_them_is_busy) {
  for (const bool sibling_busy : {false, true}) {
    SimulatedExecutor executor(textbook(smt(2) + Changes{{"coherence.halted_owner", "70 ns"}}), 4);
    SimWord* word = executor.arena().own_line();
    Picos took{0};
    executor.run([&](SimEnv& env) {
      const std::uint32_t self = index(env.self());
      if (self == 0) { env.store(*word, 1, Order::relaxed); }
      if (self == 1 && sibling_busy) { env.work(10us); }
      if (self != 2) { return; }
      env.work(1us);
      took = time_of(env, [&] { env.load(*word, Order::relaxed); });
    });
    EXPECT_EQ(took, 40ns + (sibling_busy ? 0ns : 70ns) + 1ns);
  }
}

// Two backends take turns: each waits for the other's store and answers with one; between cores both move the line.
TEST(HardwareThreads, of_one_core_pass_a_line_for_the_price_of_a_hit) {
  const auto rounds_of = [](std::uint32_t partner) {
    SimulatedExecutor executor(textbook(smt(2)), 4);
    SimWord* word = executor.arena().own_line();
    executor.run([&](SimEnv& env) {
      const std::uint32_t self = index(env.self());
      if (self != 0 && self != partner) { return; }
      for (std::uint32_t turn = self == 0 ? 0 : 1; turn < 200; turn += 2) {
        env.spin_until(
            *word, [turn](std::uint32_t value) { return value == turn; }, unbounded);
        env.store(*word, turn + 1, Order::relaxed);
      }
    });
    EXPECT_EQ(word->value, 200U);
    return executor.all_ended();
  };
  // The first load comes from memory. A turn is the load that sees the change (1 ns) and, if the other was just reading
  // the old value, that load's rest.
  EXPECT_GE(rounds_of(1), 60ns + 200 * 1ns);
  EXPECT_LE(rounds_of(1), 60ns + 200 * 2ns);
  // Between cores: a load of a modified line (40), a store to a line that both share (150).
  EXPECT_GT(rounds_of(2), 199 * (40ns + 150ns));
}

TEST(HardwareThreads, miss_together_once) {
  SimulatedExecutor executor(textbook(smt(2)), 4);
  SimWord* word = executor.arena().own_line();
  executor.run([&](SimEnv& env) { env.fetch_add(*word, 1, Order::relaxed); });
  // Core 0 has the line after 70, and both its threads an atomic of 5; core 1's transfer begins at 70 and takes 50.
  EXPECT_EQ(executor.ended(0), 75ns);
  EXPECT_EQ(executor.ended(1), 75ns);
  EXPECT_EQ(executor.ended(2), 125ns);
  EXPECT_EQ(executor.ended(3), 125ns);
  EXPECT_EQ(word->value, 4U);
}

TEST(HardwareThreads, a_line_one_fetched_is_a_hit_for_the_other_and_a_miss_for_another_core) {
  for (const auto& [second, cost] : std::vector<std::pair<std::uint32_t, Picos>>{{1, 5ns}, {2, 55ns}}) {
    SimulatedExecutor executor(textbook(smt(2)), 4);
    SimWord* word = executor.arena().own_line();
    Picos took{0};
    executor.run([&](SimEnv& env) {
      if (index(env.self()) == 0) { env.store(*word, 1, Order::relaxed); }
      if (index(env.self()) != second) { return; }
      env.work(1us);
      took = time_of(env, [&] { env.fetch_add(*word, 1, Order::relaxed); });
    });
    EXPECT_EQ(took, cost) << second;
  }
}

// Threads 0 and 1 poll a line of core 0; core 1 writes it at 1 us. One transfer brings the new value to both.
TEST(HardwareThreads, that_poll_one_line_fetch_a_foreign_change_together) {
  SimulatedExecutor executor(textbook(smt(2)), 4);
  SimWord* word = executor.arena().own_line();
  executor.run([&](SimEnv& env) {
    if (index(env.self()) < 2) {
      env.spin_until(
          *word, [](std::uint32_t value) { return value != 0; }, unbounded);
    } else if (index(env.self()) == 2) {
      env.work(1us);
      env.store(*word, 1, Order::relaxed);
    }
  });
  const Picos written = 1us + 40ns;  // the pollers' line is exclusive
  EXPECT_EQ(executor.ended(0), written + 40ns + 1ns);
  EXPECT_EQ(executor.ended(1), written + 40ns + 1ns);
}

}  // namespace
}  // namespace lockcast::memory_system_test
