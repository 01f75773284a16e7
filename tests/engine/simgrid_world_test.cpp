// Co-simulation: N backends that work and then make a round trip must reach N / (work + 2 x message time), whether a
// message is one inner event or a real SimGrid communication. Every world lives in a process of its own.

#include "sim/engine/simgrid_world.hpp"

#include "models/rng.hpp"
#include "tests/support/in_child.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace lockcast::simgrid_world_test {
namespace {

struct Load {
  Messages messages = Messages::inner;
  std::uint32_t backends = 1;
  Picos work{0};             // mean
  bool random_work = false;  // uniform in [0, 2 x mean), else constant
  LinkSpec link{};
  Picos horizon{0};
};

struct Outcome {
  std::uint64_t transactions = 0;
  std::uint64_t checksum = 0;  // over (time, backend) of every transaction
  Picos message_time{0};
  Picos end{0};
};

class Server {
 public:
  explicit Server(const Load& load)
      : load_(load), engine_(load.backends), world_(engine_, &load_.link, load.messages, load.backends) {
    for (std::uint32_t id = 0; id < load.backends; ++id) {
      fibers_.push_back(engine_.add_fiber(
          [](void* self, std::uint32_t backend) { static_cast<Server*>(self)->backend(backend); }, this, id));
      engine_.schedule(fibers_.back(), Picos{0});
    }
  }

  Outcome run() {
    world_.run(load_.horizon);
    outcome_.message_time = world_.message_time();
    outcome_.end = engine_.now();
    return outcome_;
  }

 private:
  void backend(std::uint32_t id) {
    Rng random = stream(1, id, Purpose::work);
    // Spread over the first cycle; with constant work nobody would ever meet again on the link.
    engine_.hold_until(random.uniform_around(load_.work));
    for (;;) {
      engine_.hold_until(engine_.now() + (load_.random_work ? random.uniform_around(load_.work) : load_.work));
      ++outcome_.transactions;
      const auto now = static_cast<std::uint64_t>(engine_.now().count());
      outcome_.checksum = outcome_.checksum * 0x9e3779b97f4a7c15U + now * 64 + id;
      if (load_.messages == Messages::inner) {
        engine_.hold_until(engine_.now() + 2 * world_.message_time());
      } else {
        world_.send(
            id, [](void* self, std::uint32_t back) { static_cast<Server*>(self)->arrived(back); }, this);
        engine_.suspend();
      }
    }
  }
  void arrived(std::uint32_t id) { engine_.schedule(fibers_[id], engine_.now()); }

  Load load_;
  Engine engine_;
  SimgridWorld world_;
  std::vector<SlotId> fibers_;
  Outcome outcome_;
};

Outcome run(const Load& load) {
  const auto once = [&] { return in_child([&] { return Server(load).run(); }); };
  const Outcome outcome = once();
  EXPECT_EQ(outcome.checksum, once().checksum) << "the same world twice must be the same";
  EXPECT_EQ(outcome.end, load.horizon);
  return outcome;
}

double predicted(const Load& load, Picos message_time) {
  return load.backends * seconds(load.horizon) / seconds(load.work + 2 * message_time);
}

TEST(SimgridWorld, a_message_takes_the_routes_latency_plus_its_bytes_over_the_bandwidth) {
  const Load load{.backends = 1,
                  .work = 100us,
                  .link = {.latency = 50us, .bandwidth_bytes_per_second = 125'000'000, .message_bytes = 250},
                  .horizon = 1ms};
  EXPECT_EQ(run(load).message_time, 52us);  // 250 B at 125 MB/s: 2 us
}

TEST(SimgridWorld, one_backend_makes_one_transaction_per_work_and_round_trip_either_way) {
  for (const Messages messages : {Messages::inner, Messages::full}) {
    const Load load{.messages = messages,
                    .backends = 1,
                    .work = 100us,
                    .link = {.latency = 50us, .bandwidth_bytes_per_second = 125'000'000, .message_bytes = 250},
                    .horizon = 204ms * 10};
    EXPECT_NEAR(static_cast<double>(run(load).transactions), 10'000, 1);
  }
}

TEST(SimgridWorld, without_anything_to_do_the_inner_clock_ends_at_the_horizon) {
  const auto end = in_child([] {
    Engine engine(1);
    SimgridWorld world(engine, nullptr, Messages::inner, 1);
    world.run(3s + Picos{1});
    return engine.now().count();
  });
  EXPECT_EQ(end, Picos{3s + Picos{1}}.count());
}

// A link so that `load` of it is used: SimGrid's link is shared by both directions, so it carries two messages a
// transaction. 64 backends, because the fewer there are the larger is the share of a cycle that a message on a busy
// link takes.
Load at_link_load(double share, Messages messages) {
  Load load{.messages = messages, .backends = 64, .work = 1ms, .random_work = true, .horizon = 400ms};
  load.link = {.latency = 50us, .message_bytes = 1000};
  const double transactions_per_second = load.backends / seconds(load.work + 2 * load.link.latency);
  load.link.bandwidth_bytes_per_second =
      static_cast<std::int64_t>(2 * static_cast<double>(load.link.message_bytes) * transactions_per_second / share);
  return load;
}

// About 23,000 transactions with work uniform in [0, 2 ms): the standard error of the rate is 0.58 / sqrt(23,000) = 0.4
// %, so 2 % are five. Both ways draw the same work, so they agree far better with each other.
TEST(SimgridWorld,
     throughput_is_backends_over_work_plus_two_messages_at_10_and_45_percent_link_load_and_both_ways_agree) {
  for (const double share : {0.10, 0.45}) {
    std::array<double, 2> transactions{};
    for (const Messages messages : {Messages::inner, Messages::full}) {
      const Load load = at_link_load(share, messages);
      const Outcome outcome = run(load);
      transactions[static_cast<std::size_t>(messages)] = static_cast<double>(outcome.transactions);
      EXPECT_NEAR(static_cast<double>(outcome.transactions) / predicted(load, outcome.message_time), 1.0, 0.02)
          << share;
    }
    EXPECT_NEAR(transactions[1] / transactions[0], 1.0, 0.01) << "at " << share;
  }
}

// What the choice between the two is for: a saturated link limits real messages and not inner events.
TEST(SimgridWorld, a_link_offered_twice_its_capacity_halves_the_throughput_of_real_messages_only) {
  const Load inner = at_link_load(2.0, Messages::inner);
  const double free = static_cast<double>(run(inner).transactions);
  EXPECT_NEAR(free / predicted(inner, run(inner).message_time), 1.0, 0.02);
  const double limited = static_cast<double>(run(at_link_load(2.0, Messages::full)).transactions);
  EXPECT_NEAR(limited / free, 0.5, 0.02);
}

}  // namespace
}  // namespace lockcast::simgrid_world_test
