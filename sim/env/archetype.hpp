#pragma once
// The smallest thing that satisfies Env: declarations only, nothing can run it. A lock instantiated with it can use
// nothing but the contract, and the list of locks can be read without choosing an executor.

#include "sim/env/env.hpp"

namespace lockcast {

struct ArchetypeEnv {
  struct Word {};
  struct Arena {
    using Word = ArchetypeEnv::Word;
    Word* word(std::uint32_t offset);
    Word* own_line();
    Word* same_line(Word* word);
    std::uint32_t backends();
  };
  std::uint32_t load(Word& word, Order order);
  void store(Word& word, std::uint32_t value, Order order);
  std::uint32_t exchange(Word& word, std::uint32_t value, Order order);
  std::uint32_t fetch_add(Word& word, std::uint32_t value, Order order);
  bool compare_exchange(Word& word, std::uint32_t& expected, std::uint32_t value, Order order);
  template <class Predicate>
  Spins spin_until(Word& word, Predicate predicate, std::uint32_t limit);
  void pause();
  void park();
  void unpark(BackendId id);
  void sleep(Picos duration);
  void work(Picos duration);
  BackendId self();
  Rng& random(Purpose purpose);
  WaiterWords<Word>& waiter(BackendId id);
  ProcessState& process();
  void begin_spin();
  void end_spin();
  void note(LockEvent event);
};

static_assert(Env<ArchetypeEnv>);

}  // namespace lockcast
