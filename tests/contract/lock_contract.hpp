#pragma once
// What every lock promises in every executor, as laws over N backends that fight for it. The protected data is plain
// memory, so natively the thread sanitizer sees a missing acquire or release; in the simulator, where every order is
// sequentially consistent, the same laws check exclusion and wake-ups under simulated timing. A lost wake-up leaves a
// backend behind: the executor's run() must notice that, not the law. The form (two counters that must agree) is
// libvsync's.

#include "sim/locks/lock_list.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

namespace lockcast::contract {

// Runs a callable once for each of its backends, all at a time, and returns when the last has returned. Each arena() is
// a place of its own; words outlive the arena.
template <class X>
concept Executor = Env<typename X::Environment> && requires(X& executor, void (*body)(typename X::Environment&)) {
  { executor.backends() } -> std::same_as<std::uint32_t>;
  { executor.arena() } -> std::same_as<typename X::Environment::Arena>;
  { executor.run(body) } -> std::same_as<void>;
};

using Work = std::function<void(BackendId)>;

// A lock behind virtual calls, so that a law is compiled once and not once for each lock.
template <Env E>
class AnyLock {
 public:
  virtual ~AnyLock() = default;
  virtual void acquire(E& env, Mode mode) = 0;
  virtual void release(E& env, Mode mode) = 0;
  // Of locks that can delegate; the others release, and do nothing.
  virtual void release(E& env, Mode mode, const Work& work) = 0;
  virtual void delegate(E& env, const Work& work) = 0;
};

template <Env E, class Lock>
class SomeLock final : public AnyLock<E> {
 public:
  SomeLock(typename E::Arena& arena, const LockOptions& options) : lock_(arena, options) {}
  void acquire(E& env, Mode mode) override { lock_.acquire(env, mode); }
  void release(E& env, Mode mode) override {
    if constexpr (Delegating<Lock, E>) {
      lock_.release(env, mode, Work([](BackendId) {}));
    } else {
      lock_.release(env, mode);
    }
  }
  void release(E& env, Mode mode, const Work& work) override {
    if constexpr (Delegating<Lock, E>) {
      lock_.release(env, mode, work);
    } else {
      lock_.release(env, mode);
    }
  }
  void delegate(E& env, const Work& work) override {
    if constexpr (Delegating<Lock, E>) { lock_.delegate(env, work); }
  }

 private:
  Lock lock_;
};

template <Env E>
using Maker = std::unique_ptr<AnyLock<E>> (*)(typename E::Arena& arena, const LockOptions& options);

template <Env E, template <class> class Lock>
std::unique_ptr<AnyLock<E>> make(typename E::Arena& arena, const LockOptions& options) {
  return std::make_unique<SomeLock<E, Lock<E>>>(arena, options);
}

template <Env E>
struct Kind {
  LockTraits traits;
  bool can_delegate;
  Maker<E> make;
};

template <Env E, class List>
struct KindsOf;
template <Env E, template <class> class... Locks>
struct KindsOf<E, LockList<Locks...>> {
  static constexpr std::array<Kind<E>, sizeof...(Locks)> all{
      Kind<E>{Locks<E>::traits, Delegating<Locks<E>, E>, &make<E, Locks>}...};
};

template <Env E>
constexpr auto all_kinds = KindsOf<E, AllLocks>::all;

// The name of a kind as part of a test's.
template <Env E>
std::string test_name(const testing::TestParamInfo<Kind<E>>& info) {
  std::string name(info.param.traits.name);
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

// The options worth running: every spin test for a lock that has one, otherwise just the default.
inline std::vector<LockOptions> all_options(const LockTraits& traits) {
  if (!traits.has_spin_test) { return {LockOptions{}}; }
  return {{.spin = SpinTest::tas}, {.spin = SpinTest::ttas_in_tas}, {.spin = SpinTest::ttas_in_loop}};
}

struct Rounds {
  std::uint32_t count;  // per backend
  std::uint32_t
      sleep_every;  // in one of so many, the backend gives up its core while it holds the lock, so a queue forms
  LockOptions options{};
};

// Stays in the critical section long enough for others to come. The store is there for the simulator, where private
// work alone lets nobody else run.
template <Env E>
void dwell(E& env, typename E::Word& data, const Rounds& rounds, std::uint32_t round) {
  env.work(300ns);
  env.store(data, round, Order::relaxed);
  if ((round + index(env.self())) % rounds.sleep_every == 0) { env.sleep(20us); }
}

template <Env E>
void leave_for_a_while(E& env) {
  env.work(env.random(Purpose::work).uniform_around(500ns));
}

struct Counters {
  std::uint64_t first = 0;
  std::uint64_t second = 0;
};

inline testing::AssertionResult counters_are(const Counters& counters, std::uint64_t total) {
  if (counters.first == total && counters.second == total) { return testing::AssertionSuccess(); }
  return testing::AssertionFailure() << "counters " << counters.first << " and " << counters.second << ", expected "
                                     << total << " in both";
}

template <Executor X>
testing::AssertionResult no_update_is_lost(X& executor, Maker<typename X::Environment> make, const Rounds& rounds) {
  using E = typename X::Environment;
  auto arena = executor.arena();
  const auto lock = make(arena, rounds.options);
  typename E::Word* data = executor.arena().own_line();
  Counters counters;
  executor.run([&](E& env) {
    for (std::uint32_t round = 0; round < rounds.count; ++round) {
      lock->acquire(env, Mode::exclusive);
      const std::uint64_t seen = counters.first;
      dwell(env, *data, rounds, round);
      counters.first = seen + 1;
      ++counters.second;
      lock->release(env, Mode::exclusive);
      leave_for_a_while(env);
    }
  });
  return counters_are(counters, std::uint64_t{executor.backends()} * rounds.count);
}

// One access in four is a write. A writer leaves the counters unequal for a while; no reader may see that.
template <Executor X>
testing::AssertionResult readers_never_see_a_writer(X& executor, Maker<typename X::Environment> make,
                                                    const Rounds& rounds) {
  using E = typename X::Environment;
  auto arena = executor.arena();
  const auto lock = make(arena, rounds.options);
  typename E::Word* data = executor.arena().own_line();
  Counters counters;
  std::vector<std::uint64_t> writes(executor.backends());
  std::vector<std::uint64_t> torn_reads(executor.backends());
  executor.run([&](E& env) {
    const std::uint32_t self = index(env.self());
    for (std::uint32_t round = 0; round < rounds.count; ++round) {
      const Mode mode = env.random(Purpose::choose).below(4) == 0 ? Mode::exclusive : Mode::shared;
      lock->acquire(env, mode);
      if (mode == Mode::exclusive) {
        ++counters.first;
        dwell(env, *data, rounds, round);
        ++counters.second;
        ++writes[self];
      } else {
        const std::uint64_t seen = counters.first;
        dwell(env, *data, rounds, round);
        torn_reads[self] += seen != counters.second ? 1 : 0;
      }
      lock->release(env, mode);
      leave_for_a_while(env);
    }
  });
  const auto torn = std::accumulate(torn_reads.begin(), torn_reads.end(), std::uint64_t{0});
  if (torn > 0) { return testing::AssertionFailure() << torn << " readers saw a half-done write"; }
  return counters_are(counters, std::accumulate(writes.begin(), writes.end(), std::uint64_t{0}));
}

// Every backend takes the lock in shared mode and stays until all are inside, or until it has waited far too long: a
// lock that serves readers one by one then fails instead of hanging.
template <Executor X>
testing::AssertionResult readers_may_overlap(X& executor, Maker<typename X::Environment> make,
                                             const LockOptions& options) {
  using E = typename X::Environment;
  constexpr std::uint32_t patience = 2000;
  auto arena = executor.arena();
  const auto lock = make(arena, options);
  typename E::Word* inside = executor.arena().own_line();
  typename E::Word* gave_up = executor.arena().own_line();
  std::vector<std::uint32_t> met(executor.backends());
  executor.run([&](E& env) {
    lock->acquire(env, Mode::shared);
    env.fetch_add(*inside, 1, Order::relaxed);
    std::uint32_t waited = 0;
    while (env.load(*inside, Order::relaxed) < executor.backends() && env.load(*gave_up, Order::relaxed) == 0) {
      env.sleep(1ms);
      if (++waited == patience) { env.store(*gave_up, 1, Order::relaxed); }
    }
    met[index(env.self())] = env.load(*inside, Order::relaxed);
    lock->release(env, Mode::shared);
  });
  for (const std::uint32_t count : met) {
    if (count != executor.backends()) {
      return testing::AssertionFailure() << "only " << count << " readers overlapped";
    }
  }
  return testing::AssertionSuccess();
}

// Each backend has a wake-up pending that is not for this lock, and still has it afterwards: a lock that sleeps on
// the backend's one semaphore must neither take it for its own nor swallow it. Both modes, so that both kinds of
// waiter queue.
template <Executor X>
testing::AssertionResult every_backend_gets_through(X& executor, Maker<typename X::Environment> make,
                                                    const Rounds& rounds) {
  using E = typename X::Environment;
  auto arena = executor.arena();
  const auto lock = make(arena, rounds.options);
  typename E::Word* data = executor.arena().own_line();
  std::vector<std::uint32_t> done(executor.backends());
  executor.run([&](E& env) {
    for (std::uint32_t round = 0; round < rounds.count; ++round) {
      const Mode mode = env.random(Purpose::choose).below(2) == 0 ? Mode::exclusive : Mode::shared;
      env.unpark(env.self());
      lock->acquire(env, mode);
      dwell(env, *data, rounds, round);
      lock->release(env, mode);
      env.park();
      ++done[index(env.self())];
    }
  });
  for (std::uint32_t backend = 0; backend < executor.backends(); ++backend) {
    if (done[backend] != rounds.count) {
      return testing::AssertionFailure() << "backend " << backend << " came through " << done[backend] << " times";
    }
  }
  return testing::AssertionSuccess();
}

// One access in four takes the lock, now and then for long; the others delegate. The work is an update that others
// would lose, and its owner sees that it was done, once, when delegate returns. Wake-ups meant for something else stay.
template <Executor X>
testing::AssertionResult delegated_work_is_done_once_and_alone(X& executor, Maker<typename X::Environment> make,
                                                               const Rounds& rounds) {
  using E = typename X::Environment;
  auto arena = executor.arena();
  const auto lock = make(arena, rounds.options);
  typename E::Word* data = executor.arena().own_line();
  Counters counters;
  std::vector<std::uint32_t> done(executor.backends());  // pieces of work of each backend, by anybody
  std::vector<std::uint32_t> missed(executor.backends());
  std::vector<std::uint32_t> delegated(executor.backends());
  executor.run([&](E& env) {
    const std::uint32_t self = index(env.self());
    const Work work = [&](BackendId whose) {
      const std::uint64_t seen = counters.first;
      env.work(100ns);
      env.store(*data, index(whose), Order::relaxed);
      counters.first = seen + 1;
      ++counters.second;
      ++done[index(whose)];
    };
    for (std::uint32_t round = 0; round < rounds.count; ++round) {
      env.unpark(env.self());
      if (const std::uint32_t way = env.random(Purpose::choose).below(8); way < 2) {
        const Mode mode = way == 0 ? Mode::exclusive : Mode::shared;
        lock->acquire(env, mode);
        const std::uint64_t seen = counters.first;
        dwell(env, *data, rounds, round);
        missed[self] += counters.first != seen ? 1 : 0;
        lock->release(env, mode, work);
      } else {
        lock->delegate(env, work);
        missed[self] += done[self] != ++delegated[self] ? 1 : 0;
      }
      env.park();
      leave_for_a_while(env);
    }
  });
  for (std::uint32_t backend = 0; backend < executor.backends(); ++backend) {
    if (missed[backend] > 0 || done[backend] != delegated[backend]) {
      return testing::AssertionFailure() << "backend " << backend << " delegated " << delegated[backend]
                                         << " pieces, done were " << done[backend] << "; " << missed[backend]
                                         << " times it saw its work not done or somebody else's under its lock";
    }
  }
  return counters_are(counters, std::accumulate(delegated.begin(), delegated.end(), std::uint64_t{0}));
}

// Two locks of one kind: the inner one is also taken alone, and they are not always released in reverse order.
template <Executor X>
testing::AssertionResult nested_different_locks(X& executor, Maker<typename X::Environment> make,
                                                const Rounds& rounds) {
  using E = typename X::Environment;
  auto outer_arena = executor.arena();
  auto inner_arena = executor.arena();
  const auto outer = make(outer_arena, rounds.options);
  const auto inner = make(inner_arena, rounds.options);
  typename E::Word* data = executor.arena().own_line();
  Counters counters;  // first belongs to the outer lock, second to the inner
  std::vector<std::uint64_t> nested(executor.backends());
  executor.run([&](E& env) {
    for (std::uint32_t round = 0; round < rounds.count; ++round) {
      const std::uint32_t way = env.random(Purpose::choose).below(3);
      if (way > 0) {
        outer->acquire(env, Mode::exclusive);
        ++counters.first;
        ++nested[index(env.self())];
      }
      inner->acquire(env, Mode::exclusive);
      const std::uint64_t seen = counters.second;
      dwell(env, *data, rounds, round);
      counters.second = seen + 1;
      if (way == 1) { outer->release(env, Mode::exclusive); }
      inner->release(env, Mode::exclusive);
      if (way == 2) { outer->release(env, Mode::exclusive); }
      leave_for_a_while(env);
    }
  });
  const std::uint64_t outer_total = std::accumulate(nested.begin(), nested.end(), std::uint64_t{0});
  const std::uint64_t inner_total = std::uint64_t{executor.backends()} * rounds.count;
  if (counters.first == outer_total && counters.second == inner_total) { return testing::AssertionSuccess(); }
  return testing::AssertionFailure() << "outer " << counters.first << " of " << outer_total << ", inner "
                                     << counters.second << " of " << inner_total;
}

}  // namespace lockcast::contract
