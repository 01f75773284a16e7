#pragma once
// MCS queue lock: first come, first served; each waiter polls a word of its own node, so a hand-over moves two lines
// however many wait. Both words of a node share one line, as in the usual record: a successor that links itself
// disturbs the poll once. Each lock has one node per backend, so different locks nest freely. Not reentrant.
// Source: J. Mellor-Crummey and M. Scott, "Algorithms for Scalable Synchronization", ACM TOCS 1991, section 2.4.

#include "sim/locks/lock.hpp"

#include <cstdint>
#include <vector>

namespace lockcast {

template <Env E>
class Mcs {
 public:
  static constexpr LockTraits traits{.name = "mcs",
                                     .summary = "MCS queue: first come, first served; each waiter polls its own line",
                                     .bytes = 4,
                                     .has_shared_mode = false,
                                     .has_spin_test = false,
                                     .spins_in_order = true};

  Mcs(typename E::Arena& arena, const LockOptions& /*options*/) : tail_(arena.word(0)), nodes_(arena.backends()) {
    for (Node& node : nodes_) {
      node.locked = arena.own_line();
      node.next = arena.same_line(node.locked);
    }
  }

  void acquire(E& env, Mode /*mode*/) {
    const std::uint32_t mine = index(env.self()) + 1;
    const Node& node = nodes_[mine - 1];
    env.store(*node.next, nobody, Order::relaxed);
    const std::uint32_t before = env.exchange(*tail_, mine, Order::acq_rel);
    if (before == nobody) { return; }
    env.store(*node.locked, 1, Order::relaxed);
    env.store(*nodes_[before - 1].next, mine, Order::release);
    env.begin_spin();
    env.spin_until(
        *node.locked, [](std::uint32_t locked) { return locked == 0; }, unbounded);
    env.end_spin();
  }

  void release(E& env, Mode /*mode*/) {
    const std::uint32_t mine = index(env.self()) + 1;
    const Node& node = nodes_[mine - 1];
    std::uint32_t after = env.load(*node.next, Order::acquire);
    if (after == nobody) {
      std::uint32_t expected = mine;
      if (env.compare_exchange(*tail_, expected, nobody, Order::release)) { return; }
      // Somebody has taken the tail but not yet linked itself; it will, without waiting for us.
      env.begin_spin();
      env.spin_until(
          *node.next, [](std::uint32_t next) { return next != nobody; }, unbounded);
      env.end_spin();
      after = env.load(*node.next, Order::acquire);
    }
    env.store(*nodes_[after - 1].locked, 0, Order::release);
  }

 private:
  struct Node {
    typename E::Word* locked = nullptr;
    typename E::Word* next = nullptr;
  };
  // A backend is its id + 1 in `tail` and `next`, so that fresh words mean an empty queue.
  static constexpr std::uint32_t nobody = 0;

  typename E::Word* tail_;
  std::vector<Node> nodes_;
};

}  // namespace lockcast
