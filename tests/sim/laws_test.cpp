// Laws of whole runs: what must hold whatever the numbers are. Counts are over a measured window, whose two edges may
// each cut a transaction of every backend.

#include "sim/locks/lock_list.hpp"
#include "tests/sim/simulate.hpp"
#include "tests/sim/simulated_executor.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

namespace lockcast::laws_test {
namespace {

std::vector<std::string> all_kinds() {
  std::vector<std::string> kinds;
  for (const LockTraits& traits : AllLocks::traits) { kinds.emplace_back(traits.name); }
  return kinds;
}

// One lock for all backends; time between acquisitions and under the lock as YAML.
std::string one_lock(const std::string& kind, const std::string& think, const std::string& hold) {
  return "locks: {L: {kind: " + kind + "}}\n" + "transaction: [{work: " + think +
         "}, {acquire: {lock: L}}, {work: " + hold + "}, {release: L}]\n";
}

double expected_count(Picos measured, Picos transaction) {
  return static_cast<double>(measured.count()) / static_cast<double>(transaction.count());
}

// --- What stands for more than it is ---

// One transfer of the whole bundle costs what its pieces cost one by one, when all are in the same state.
TEST(Laws, a_bundle_of_n_lines_costs_n_lines) {
  const auto moved_s = [](const std::string& lines, const std::string& touch) {
    const Replication r =
        simulate({.workload = "lines: {a: {" + lines + "}}\ntransaction: [{work: 10 us}, {touch: {lines: a, " + touch +
                              ", access: write}}]\n",
                  .clients = 2});
    return spent_s(r, Category::transfer) / static_cast<double>(r.transactions);
  };
  const double bundled = moved_s("count: 1, stride: 128 B, bundle: 20", "pick: 0");
  const double one_by_one = moved_s("count: 20, stride: 128 B", "pick: 0, count: 20");
  EXPECT_GT(one_by_one, 0);
  EXPECT_NEAR(bundled, one_by_one, 0.1 * one_by_one);
}

// Two backends pass on one line of `hot`, and a bundle of 20 half as often: more transfers in all, fewer of a line.
TEST(Laws, the_hottest_line_is_a_line_and_not_a_bundle) {
  const Replication r =
      simulate({.workload = "lines: {hot: {count: 1, stride: 128 B}, a: {count: 1, stride: 128 B, bundle:"
                            " 20}}\n"
                            "transaction: [{work: 10 us}, {touch: {lines: hot, pick: 0, access: write}},"
                            " {choose: {probability: 0.5, do: [{touch: {lines: a, pick: 0, access:"
                            " write}}]}}]\n",
                .clients = 2});
  ASSERT_FALSE(r.hottest.empty());
  EXPECT_TRUE(r.hottest[0].what.starts_with("hot")) << r.hottest[0].what;
}

// As promised, nobody ever meets anybody, so nobody waits: every backend goes its own way.
TEST(Laws, nobody_waits_for_locks_that_stand_for_more) {
  for (const std::string kind : {"tas", "ttas", "s_lock-9.2", "lwlock-9.1", "mcs", "ticket"}) {
    const Replication r = simulate({.workload = "locks: {L: {kind: " + kind + ", count: 2, stands_for: 300}}\n" +
                                                "transaction: [{acquire: {lock: L, pick: uniform}}, {work: 20 us},"
                                                " {release: L}]\n",
                                    .clients = 8});
    EXPECT_NEAR(static_cast<double>(r.transactions), 8 * expected_count(20ms, 20us), 8 * 20) << kind;
    EXPECT_EQ(r.locks[0].counters.blk, 0U) << kind;
  }
}

// --- One backend ---

// On the textbook machine a hit costs 1 ns and an atomic on an owned line 5 ns; one backend only hits.
TEST(Laws, one_backend_takes_the_sum_of_its_operations) {
  struct Row {
    const char* what;
    std::string workload;
    Picos transaction;
  };
  const Row rows[] = {
      {"work alone", "transaction: [{work: 1 us}, {work: 500 ns}]", 1500ns},
      // exchange; store
      {"tas", one_lock("tas", "1 us", "200 ns"), 1200ns + 5ns + 1ns},
      // load, exchange; store
      {"ttas", one_lock("ttas", "1 us", "200 ns"), 1200ns + 1ns + 5ns + 1ns},
      // fetch_add, load; load, store
      {"ticket", one_lock("ticket", "1 us", "200 ns"), 1200ns + 5ns + 1ns + 1ns + 1ns},
      // store, exchange; load, compare_exchange
      {"mcs", one_lock("mcs", "1 us", "200 ns"), 1200ns + 1ns + 5ns + 1ns + 5ns},
      {"s_lock", one_lock("s_lock-9.2", "1 us", "200 ns"), 1200ns + 5ns + 1ns},
      {"s_lock, ttas-in-tas", "spin: ttas-in-tas\n" + one_lock("s_lock-9.2", "1 us", "200 ns"),
       1200ns + 1ns + 5ns + 1ns},
      // mutex, read both counts, write one, mutex; mutex, read and write the count, look at the queue, mutex
      {"lwlock", one_lock("lwlock-9.1", "1 us", "200 ns"), 1200ns + (5ns + 3ns + 1ns) + (5ns + 2ns + 1ns + 1ns)},
      // shared: its release reads both counts
      {"lwlock, shared",
       "locks: {L: {kind: lwlock-9.1}}\n"
       "transaction: [{acquire: {lock: L, mode: shared}}, {work: 200 ns}, {release: L}]",
       200ns + (5ns + 3ns + 1ns) + (5ns + 3ns + 1ns + 1ns)},
      {"touch of two lines, read and written",
       "lines: {A: {count: 4, stride: 128 B}}\n"
       "transaction: [{touch: {lines: A, pick: 2, access: read}}, {touch: {lines: A, pick: 2, access: write}}]",
       2 * (1ns + 1ns)},
      {"scan",
       "lines: {A: {count: 10, stride: 64 B}}\n"
       "transaction: [{scan: {lines: A, fields: [{offset: 0 B, bytes: 8 B}], access: read, work_per_entry: 3 ns}}]",
       10 * 3ns},
      {"repeat and choose",
       "transaction: [{repeat: {times: 7, do: [{work: 10 ns}]}}, {choose: {probability: 1, do: [{work: 1 ns}]}},"
       " {choose: {probability: 0, do: [{work: 5 us}], else: [{work: 2 ns}]}}]",
       73ns},
  };
  for (const Row& row : rows) {
    const Replication r = simulate({.workload = row.workload, .measured = 2ms});
    EXPECT_NEAR(static_cast<double>(r.transactions), expected_count(2ms, row.transaction), 1.0) << row.what;
  }
}

TEST(Laws, work_scales_with_the_machines_work_scale) {
  const Replication r = simulate({.workload = "transaction: [{work: 1 us}]", .machine = {{"cpu.work_scale", "2.5"}}});
  EXPECT_NEAR(static_cast<double>(r.transactions), expected_count(20ms, 2500ns), 1.0);
}

// --- Independence and bounds ---

TEST(Laws, n_backends_each_with_a_lock_of_its_own_give_n_times_one) {
  for (const std::string& kind : all_kinds()) {
    const auto run = [&](std::uint32_t clients) {
      const Replication r = simulate({.workload = "locks: {L: {kind: " + kind +
                                                  ", count: clients}}\n"
                                                  "transaction: [{work: 1 us}, {acquire: {lock: L, pick: own}}, "
                                                  "{work: 300 ns}, {release: L}]",
                                      .clients = clients,
                                      .measured = 2ms});
      return static_cast<double>(r.transactions);
    };
    const double one = run(1);
    for (const std::uint32_t n : {2U, 32U}) { EXPECT_NEAR(run(n), n * one, n) << kind; }
  }
}

// With more backends than cores it can at best be that; with private work only and switches for nothing it is.
TEST(Laws, throughput_never_exceeds_the_cores_over_a_transactions_work) {
  constexpr double bound = 4 / 10e-6;
  for (const std::string& kind : all_kinds()) {
    const Replication r =
        simulate({.workload = one_lock(kind, "9.5 us", "0.5 us"), .clients = 9, .machine = one_die(4)});
    EXPECT_LE(r.tps, bound) << kind;
    EXPECT_GE(r.tps, bound / 10) << kind;
  }
  const Replication private_work = simulate({.workload = "transaction: [{work: 10 us}]",
                                             .clients = 9,
                                             .machine = one_die(4) + free_scheduling,
                                             .warmup = 50ms});
  EXPECT_NEAR(private_work.tps, bound, bound * 0.001);
}

TEST(Laws, throughput_never_exceeds_one_over_hold_and_cheapest_hand_over) {
  // The next holder is another core, so the line moves (at least 40 ns), except that an unfair lock may go to who just
  // released it.
  for (const std::string& kind : all_kinds()) {
    const bool fair = kind == "ticket" || kind == "mcs";
    const double cheapest = fair ? 40e-9 + 1e-9 : 5e-9 + 1e-9;
    for (const std::uint32_t clients : {2U, 5U, 16U, 32U}) {
      const Replication r =
          simulate({.workload = one_lock(kind, "0 us", "500 ns"), .clients = clients, .measured = 2ms});
      EXPECT_LE(r.tps, 1 / (500e-9 + cheapest)) << kind << ", " << clients << " clients";
      EXPECT_GE(r.tps, 0.02 / (500e-9 + cheapest)) << kind << ", " << clients << " clients";
    }
  }
}

// MCS, all cores equally far. The holder finds its successor in its own copy (1 ns) and writes the successor's word, on
// a line that the successor's successor wrote to link itself and the successor has read since: an invalidation (150
// ns). The successor reads the line again (40 ns) and goes on (1 ns).
TEST(Laws, saturated_mcs_throughput_is_the_inverse_of_hold_plus_hand_over) {
  for (const std::uint32_t clients : {3U, 4U, 8U}) {
    const Replication r = simulate({.workload = one_lock("mcs", "0 us", "500 ns"),
                                    .clients = clients,
                                    .machine = one_die(8) + Changes{{"coherence.home_occupancy", "0 ns"}}});
    EXPECT_NEAR(static_cast<double>(r.transactions), expected_count(20ms, 500ns + 1ns + 150ns + 40ns + 1ns), 2.0)
        << clients;
  }
}

// --- Time units ---

Machine doubled(Machine machine) {
  CpuModel& cpu = machine.cpu;
  CoherenceChoice& coherence = machine.coherence;
  SchedulerModel& os = machine.scheduler;
  for (Duration* d :
       {&cpu.hit, &cpu.atomic_hit, &cpu.poll, &cpu.pause, &coherence.parameters.atomic_extra, &coherence.third_leg,
        &coherence.home_occupancy, &os.tick, &os.steal_after, &os.context_switch, &os.idle_exit, &os.wake_latency,
        &os.wake_cost, &os.block_cost, &os.sleep_slack, &os.sleep_tick}) {
    d->value *= 2;
  }
  for (auto* costs : {&coherence.parameters.transfer, &coherence.parameters.memory, &coherence.parameters.write_extra,
                      &coherence.parameters.invalidate}) {
    for (Duration& d : *costs) { d.value *= 2; }
  }
  return machine;
}

// Where each backend stands when its rounds are done. Without random draws; distinct beginnings, so that no two
// requests are tied by accident. `place` says which backend plays which role.
struct Fight {
  Changes machine;
  std::int64_t scale = 1;
  std::vector<std::uint32_t> role{};  // empty: each its own
};

constexpr std::uint32_t fighters = 8;

template <class Kind>
std::vector<Picos> fight(const Fight& fight, const LockOptions& options) {
  // The back-off of PostgreSQL's spinlock sleeps for milliseconds of its own choice, so its locks must not come to
  // that: there the backends meet now and then, elsewhere the lock is nearly always held.
  constexpr LockTraits traits = Kind::template Lock<SimEnv>::traits;
  const std::int64_t ease = traits.has_spin_test || traits.name == "s_lock-9.4" ? 20 : 1;
  Machine machine = textbook(fight.machine);
  if (fight.scale == 2) { machine = doubled(machine); }
  SimulatedExecutor executor(machine, fighters);
  auto arena = executor.arena();
  typename Kind::template Lock<SimEnv> lock(arena, options);
  SimWord* data = executor.arena().own_line();
  const auto role_of = [&](std::uint32_t id) { return fight.role.empty() ? id : fight.role[id]; };
  executor.run([&](SimEnv& env) {
    const std::uint32_t role = role_of(index(env.self()));
    env.work(fight.scale * (1us + ease * role * 137ns + Picos{role * role}));
    for (std::uint32_t round = 0; round < 200; ++round) {
      lock.acquire(env, Mode::exclusive);
      env.work(fight.scale * 211ns);
      env.store(*data, round, Order::relaxed);
      lock.release(env, Mode::exclusive);
      env.work(fight.scale * ease * (400ns + role * 13ns));
    }
  });
  std::vector<Picos> ended(fighters);
  for (std::uint32_t id = 0; id < fighters; ++id) {
    ended[role_of(id)] = executor.ended(id);
    EXPECT_EQ(executor.task(id).time.spent()[static_cast<std::size_t>(Category::backoff)], Picos{0});
  }
  return ended;
}

template <class Kind>
class LockLaws : public testing::Test {
 protected:
  static std::vector<LockOptions> options() {
    if (!Kind::template Lock<SimEnv>::traits.has_spin_test) { return {LockOptions{}}; }
    return {{.spin = SpinTest::tas}, {.spin = SpinTest::ttas_in_tas}, {.spin = SpinTest::ttas_in_loop}};
  }
  void SetUp() override {
    if (Kind::template Lock<SimEnv>::traits.name == "tas-backoff") { GTEST_SKIP() << "draws delays of fixed length"; }
  }
};

template <template <class> class L>
struct Kind {
  template <class E>
  using Lock = L<E>;
};
template <class List>
struct KindsOf;
template <template <class> class... Locks>
struct KindsOf<LockList<Locks...>> {
  using Types = testing::Types<Kind<Locks>...>;
};
TYPED_TEST_SUITE(LockLaws, KindsOf<AllLocks>::Types);

// The ownership window is a random draw in units of the home's occupancy and rounds down to a picosecond: without
// occupancy there is none, and the law is exact. Slow polls keep PostgreSQL's spinlock, which counts them, from
// sleeping.
const Changes no_draws{{"coherence.home_occupancy", "0 ns"}, {"cpu.poll", "100 ns"}};

TYPED_TEST(LockLaws, doubling_every_duration_doubles_every_instant_exactly) {
  for (const LockOptions& options : TestFixture::options()) {
    const std::vector<Picos> single = fight<TypeParam>({.machine = no_draws}, options);
    const std::vector<Picos> twice = fight<TypeParam>({.machine = no_draws, .scale = 2}, options);
    for (std::size_t role = 0; role < single.size(); ++role) { EXPECT_EQ(twice[role], 2 * single[role]) << role; }
  }
}

TYPED_TEST(LockLaws, permuting_backends_over_equal_cores_changes_nobodys_end) {
  for (const LockOptions& options : TestFixture::options()) {
    const Changes machine = one_die(8) + no_draws;
    const std::vector<Picos> in_order = fight<TypeParam>({.machine = machine}, options);
    for (const std::vector<std::uint32_t>& role :
         {std::vector<std::uint32_t>{7, 6, 5, 4, 3, 2, 1, 0}, std::vector<std::uint32_t>{3, 0, 6, 1, 7, 4, 2, 5}}) {
      EXPECT_EQ(fight<TypeParam>({.machine = machine, .role = role}, options), in_order);
    }
  }
}

// The same through a whole replication. Backends begin at random instants that do not scale, so what is compared
// settles down to a rhythm of its own: a queue lock that is always held, and cores that are always busy.
TEST(Laws, doubling_every_duration_and_the_window_changes_no_count) {
  const auto run = [](const Machine& machine, const std::string& workload, std::uint32_t clients, Picos measured) {
    const Program program = compile(yaml::parse_text(workload, "workload"), clients);
    Child child([&] { return to_bytes(replicate(machine, {}, program, {.warmup = measured, .measured = measured})); });
    return static_cast<double>(from_bytes(child.bytes()).transactions);
  };
  const Machine single = textbook(one_die(4) + no_draws);
  for (const std::string kind : {"mcs", "ticket"}) {
    EXPECT_NEAR(run(doubled(single), one_lock(kind, "0 us", "4 us"), 4, 60ms),
                run(single, one_lock(kind, "0 us", "2 us"), 4, 30ms), 2.0)
        << kind;
  }
  // Nine threads on four cores change places at the same ticks.
  EXPECT_NEAR(run(doubled(single), "transaction: [{work: 14 us}]", 9, 200ms),
              run(single, "transaction: [{work: 7 us}]", 9, 100ms), 9.0);
}

// --- Books ---

TEST(Laws, the_time_stack_sums_to_backends_times_the_window) {
  for (const std::string& kind : all_kinds()) {
    for (const std::uint32_t clients : {3U, 11U}) {
      const Replication r = simulate({.workload = one_lock(kind, "{mean: 3 us, spread: exponential}", "1 us"),
                                      .clients = clients,
                                      .machine = one_die(4) + Changes{{"scheduler.quantum_ticks", "1"}}});
      const double expected = clients * 20e-3;
      EXPECT_NEAR(total_spent_s(r), expected, expected * 1e-14) << kind << ", " << clients;
      EXPECT_GE(*std::min_element(r.spent_s.begin(), r.spent_s.end()), 0.0) << kind << ", " << clients;
    }
  }
}

TEST(Laws, the_cores_of_a_loaded_machine_are_busy_and_of_a_half_loaded_one_half_idle) {
  for (const std::uint32_t clients : {2U, 4U, 9U}) {
    const Replication r = simulate(
        {.workload = "transaction: [{work: 10 us}]", .clients = clients, .machine = one_die(4) + free_scheduling});
    EXPECT_DOUBLE_EQ(r.cpu_idle, clients < 4 ? 0.5 : 0.0);
  }
}

TEST(Laws, every_acquisition_is_counted_and_holds_add_up_to_their_work) {
  const Replication r = simulate({.workload = one_lock("mcs", "2 us", "500 ns"), .clients = 3});
  ASSERT_EQ(r.locks.size(), 1U);
  EXPECT_EQ(r.locks[0].name, "L");
  EXPECT_NEAR(static_cast<double>(r.locks[0].counters.exacq), static_cast<double>(r.transactions), 3.0);
  EXPECT_EQ(r.locks[0].counters.shacq, 0U);
  // 500 ns of work and the release itself, which is at least two hits and at most a few transfers.
  const double hold = seconds(r.locks[0].counters.hold) / static_cast<double>(r.locks[0].counters.exacq);
  EXPECT_GE(hold, 500e-9);
  EXPECT_LE(hold, 1000e-9);
}

// --- Adding backends, fairness, seeds ---

// Uncontended machine time cannot get scarcer: spinning on free transfers disturbs nobody. Exponential thinking draws
// differently for every number of backends, which is noise only where the lock is not always held.
TEST(Laws, when_transfers_cost_nothing_and_cores_suffice_another_backend_never_lowers_the_total) {
  for (const std::string kind : {"tas", "ttas", "ticket", "mcs"}) {
    double before = 0;
    for (const std::uint32_t clients : {1U, 4U, 8U, 12U, 32U}) {
      const Replication r = simulate({.workload = one_lock(kind, "{mean: 8 us, spread: exponential}", "1 us"),
                                      .clients = clients,
                                      .machine = free_transfers + Changes{{"cpu.pause", "200 ns"}},
                                      .measured = 10ms});
      EXPECT_GE(r.tps, before * 0.99) << kind << ", " << clients;
      before = r.tps;
    }
    EXPECT_NEAR(before, 1e6, 2e4) << kind << ": in the end the lock is always held";
  }
}

template <class Lock>
std::vector<std::uint32_t> order_of_holders(std::uint32_t backends, std::uint32_t rounds) {
  SimulatedExecutor executor(textbook(), backends);
  auto arena = executor.arena();
  Lock lock(arena, LockOptions{});
  std::vector<std::uint32_t> order;
  executor.run([&](SimEnv& env) {
    for (std::uint32_t round = 0; round < rounds; ++round) {
      lock.acquire(env, Mode::exclusive);
      order.push_back(index(env.self()));
      env.work(300ns);
      lock.release(env, Mode::exclusive);
    }
  });
  return order;
}

// While all n backends want the lock all the time, does each hold it once in any n acquisitions? Between the first
// turns, when not all have asked yet, and the last, when some have finished.
bool takes_turns(const std::vector<std::uint32_t>& order, std::uint32_t backends) {
  for (std::size_t i = backends; i + 2 * backends <= order.size(); ++i) {
    const std::set<std::uint32_t> holders(order.begin() + static_cast<std::ptrdiff_t>(i),
                                          order.begin() + static_cast<std::ptrdiff_t>(i + backends));
    if (holders.size() != backends) { return false; }
  }
  return true;
}

TEST(Laws, nobody_overtakes_in_a_lock_that_is_first_come_first_served) {
  for (const std::uint32_t backends : {2U, 5U, 32U}) {
    EXPECT_TRUE(takes_turns(order_of_holders<Ticket<SimEnv>>(backends, 50), backends)) << backends;
    EXPECT_TRUE(takes_turns(order_of_holders<Mcs<SimEnv>>(backends, 50), backends)) << backends;
    EXPECT_FALSE(takes_turns(order_of_holders<Tas<SimEnv>>(backends, 50), backends))
        << backends << ": the test could fail";
  }
}

TEST(Laws, another_seed_is_another_run_with_the_same_throughput) {
  const auto run = [](std::uint64_t seed) {
    return simulate({.workload = one_lock("ticket", "{mean: 10 us, spread: exponential}", "500 ns"),
                     .clients = 8,
                     .seed = seed,
                     .measured = 100ms});
  };
  const Replication one = run(1);
  const Replication two = run(2);
  EXPECT_NE(one.digest, two.digest);
  EXPECT_NEAR(two.tps / one.tps, 1.0, 0.02);  // 70,000 transactions: five standard errors of a ratio are 2 %
}

// A random stream belongs to a backend and a purpose, so what one backend draws does not depend on how many others
// there are.
TEST(Laws, independent_backends_draw_the_same_work_whoever_else_is_there) {
  const auto run = [](std::uint32_t clients) {
    SimulatedExecutor executor(textbook(), clients);
    executor.run([](SimEnv& env) {
      for (int i = 0; i < 100; ++i) {
        env.work(env.random(Purpose::work).exponential(5us));
        env.settle();
      }
    });
    return executor.ended(0);
  };
  EXPECT_EQ(run(1), run(20));
}

}  // namespace
}  // namespace lockcast::laws_test
