// Three short histories with every instant explained. Two backends on cores 0 and 1 of one die of the textbook machine;
// an operating system that costs nothing starts both at time 0, and the home takes no time, so nothing is random.
// The numbers: work as written; a line that is modified elsewhere on the die 40 ns, from memory 60 ns, invalidating a
// shared line 150 ns; an atomic 10 ns more; then 5 ns for the atomic itself or 1 ns for an ordinary access; pause 10
// ns.

#include "sim/locks/mcs.hpp"
#include "sim/locks/tas.hpp"
#include "sim/locks/ttas.hpp"
#include "tests/sim/simulated_executor.hpp"
#include "tests/sim/textbook.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace lockcast::golden_test {
namespace {

using History = std::vector<std::string>;

const Changes no_home{{"coherence.home_occupancy", "0 ns"}};

// Each backend first works as long as its row says, then takes the lock, holds it, releases it.
struct Step {
  Picos before, hold;
};

template <class Lock>
History history(const std::vector<Step>& steps) {
  SimulatedExecutor executor(textbook(free_scheduling + no_home + one_die(4)),
                             static_cast<std::uint32_t>(steps.size()));
  auto arena = executor.arena();
  Lock lock(arena, LockOptions{});
  History log;
  const auto note = [&](SimEnv& env, const std::string& what) {
    // In nanoseconds of the backend's own time; whole ones in all histories here.
    log.push_back(std::to_string(env.local_time().count() / 1000) + " " + what + " " +
                  std::to_string(index(env.self())));
  };
  executor.run([&](SimEnv& env) {
    const Step& step = steps[index(env.self())];
    env.work(step.before);
    note(env, "wants");
    lock.acquire(env, Mode::exclusive);
    note(env, "has");
    env.work(step.hold);
    lock.release(env, Mode::exclusive);
    note(env, "free");
  });
  return log;
}

TEST(Golden, two_backends_fight_for_a_test_and_set_lock) {
  const History expected{
      "0 wants 0",
      "100 wants 1",  // private work is not paid yet: noted when the body came by, at kernel time 0
      "75 has 0",     // from memory 60, atomic 10, and the exchange itself 5
      // 1's exchange is issued at 100, takes the line for 40 + 10: at 150 it finds the lock held; 5 for itself, pause
      // 10. Then the line is its own: it polls in its own cache every 15, at 165, 180, ... and 0 knows nothing of it.
      // 0 has worked until 75 + 200 = 275 and wants to store: the line is modified at 1, 40 away, asked at 275. What 1
      // polls from now on misses, because without home occupancy there is no window: its poll at 285 queues.
      "316 free 0",  // 275 + 40, the store itself 1
      // 1's exchange takes the line from 315 to 365 and finds the lock free; 5 for itself.
      "370 has 1",
      "421 free 1",  // works 50 until 420; the store hits: 1
  };
  EXPECT_EQ(history<Tas<SimEnv>>({{0ns, 200ns}, {100ns, 50ns}}), expected);
}

TEST(Golden, two_backends_fight_for_a_test_and_test_and_set_lock) {
  const History expected{
      "0 wants 0", "100 wants 1",
      // 0 loads from memory, 60, the load itself 1: the line is exclusive, so its exchange hits: 5.
      "66 has 0",
      // 1 loads at 100: modified at 0, 40: at 140 it sees the lock held, 1 for itself; again in its own copy at 141;
      // then it is parked. 0 stores at 66 + 200 = 266: the line is shared, invalidating takes 150.
      "417 free 0",  // 266 + 150, the store itself 1
      // 1 reads again from 416: 40; it sees the lock free at 456, 1 for itself, and its exchange at 457 is on a line 0
      // owns and both share: 150 + 10, itself 5.
      "622 has 1",
      "673 free 1",  // works 50 until 672; the store hits: 1
  };
  EXPECT_EQ(history<Ttas<SimEnv>>({{0ns, 200ns}, {100ns, 50ns}}), expected);
}

TEST(Golden, two_backends_queue_for_an_mcs_lock) {
  const History expected{
      "0 wants 0",
      "100 wants 1",
      // 0 writes its node, from memory 60, and 1; then exchanges the tail, from memory 60 + 10: 131, itself 5.
      "136 has 0",
      // 1 writes its node until 161, exchanges the tail 40 + 10: 211, itself 5; sets its flag: 217; links itself into
      // 0's node, which is modified at 0: 40: 257, 1; polls its flag.
      // 0 has worked until 336; finds its successor's name, modified at 1: 376, 1; clears the flag in 1's node: 40:
      // 417.
      "418 free 0",
      "458 has 1",  // reads its flag again from 417: 40, the load 1
      // 1 works until 508, finds no successor in its own copy: 509; the tail is its own: 5.
      "514 free 1",
  };
  EXPECT_EQ(history<Mcs<SimEnv>>({{0ns, 200ns}, {100ns, 50ns}}), expected);
}

}  // namespace
}  // namespace lockcast::golden_test
