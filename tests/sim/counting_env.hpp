#pragma once
// A backend's environment that also counts what a lock asks of it: the same lock, in the same simulation.

#include "sim/memory/sim_env.hpp"

#include <vector>

namespace lockcast {

class CountingEnv {
 public:
  using Word = SimWord;
  using Arena = SimArena;

  std::uint32_t atomics = 0;
  std::uint32_t parks = 0;
  std::uint32_t unparks = 0;
  std::uint32_t spins = 0;  // begun
  std::vector<Picos> sleeps{};

  explicit CountingEnv(SimEnv& env) : env_(env) {}

  std::uint32_t load(Word& word, Order order) { return env_.load(word, order); }
  void store(Word& word, std::uint32_t value, Order order) { env_.store(word, value, order); }
  std::uint32_t exchange(Word& word, std::uint32_t value, Order order) {
    ++atomics;
    return env_.exchange(word, value, order);
  }
  std::uint32_t fetch_add(Word& word, std::uint32_t value, Order order) {
    ++atomics;
    return env_.fetch_add(word, value, order);
  }
  bool compare_exchange(Word& word, std::uint32_t& expected, std::uint32_t value, Order order) {
    ++atomics;
    return env_.compare_exchange(word, expected, value, order);
  }
  template <class Predicate>
  Spins spin_until(Word& word, Predicate predicate, std::uint32_t limit) {
    return env_.spin_until(word, predicate, limit);
  }
  void pause() { env_.pause(); }
  void park() {
    ++parks;
    env_.park();
  }
  void unpark(BackendId id) {
    ++unparks;
    env_.unpark(id);
  }
  void sleep(Picos duration) {
    sleeps.push_back(duration);
    env_.sleep(duration);
  }
  void work(Picos duration) { env_.work(duration); }
  [[nodiscard]] BackendId self() const { return env_.self(); }
  Rng& random(Purpose purpose) { return env_.random(purpose); }
  WaiterWords<Word>& waiter(BackendId id) { return env_.waiter(id); }
  ProcessState& process() { return env_.process(); }
  void begin_spin() {
    ++spins;
    env_.begin_spin();
  }
  void end_spin() { env_.end_spin(); }
  void note(LockEvent event) { env_.note(event); }

 private:
  SimEnv& env_;
};

static_assert(Env<CountingEnv>);

}  // namespace lockcast
