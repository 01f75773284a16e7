#pragma once
// The written contract between a lock and whatever runs it. A lock is one template over Env; the simulator gives it
// words on simulated cache lines, the native executor gives it std::atomic words and a futex, and the lock cannot tell
// which.
//
// 1. An Env is one backend's handle, passed explicitly. There is no current simulation and no thread-local state.
// 2. Shared state exists only as Env::Word, obtained from an Arena; which words share a line is part of the algorithm.
// 3. spin_until means polling by plain loads: the simulator parks the backend on the line and derives the number of
//    polls from elapsed time. A loop whose poll is an RMW stays a visible loop with pause(), because each poll takes
//    the line.
// 4. park/unpark carry tokens (a wake-up before the wait is not lost, and counts). Every waiter loops on its own
//    condition.
// 5. A simulated word's value is sampled when its request is served, never when it is issued.
// 6. work() is private computation. sleep() gives up the core for at least the given time.
// 7. Wait-queue words belong to the waiter: waiter(id) gives them, the scenario places them.
// 8. process() is memory private to one process but shared by all its locks (PostgreSQL's static variables).
// 9. begin_spin/end_spin bracket a spinning loop and note() reports an event; both only feed statistics.
// Forbidden in a lock: branching on the environment, reading time, allocation after construction, exceptions.

#include "models/rng.hpp"
#include "models/units.hpp"

#include <concepts>
#include <cstdint>

namespace lockcast {

enum class Order : std::uint8_t { relaxed, acquire, release, acq_rel };
enum class Access : std::uint8_t { read, write };
enum class Mode : std::uint8_t { exclusive, shared };

// How a polling loop ended. `polls` counts the loads made; `satisfied` is false when the limit ran out first.
struct Spins {
  std::uint32_t polls = 0;
  bool satisfied = false;
};
inline constexpr std::uint32_t unbounded = 0xffffffffU;

// Statistics a lock may report about the current acquisition, in PostgreSQL's words.
enum class LockEvent : std::uint8_t { blocked, spin_delay };

// s_lock.c keeps one adaptive spin count per process, whatever lock is contended.
struct ProcessState {
  std::uint32_t spins_per_delay = 100;
};

// lwWaiting, lwExclusive and lwWaitLink of a PGPROC: one backend waits in one LWLock queue at a time.
template <class Word>
struct WaiterWords {
  Word* waiting = nullptr;
  Word* exclusive = nullptr;
  Word* next = nullptr;
};

// Hands out words to one lock while it is constructed. Offsets are in bytes from the place the scenario gave the lock,
// so offsets within one line share it; own_line() gives a word on a line nobody else uses, and same_line() the next
// word on the line of such a word. Every word starts as 0.
template <class A>
concept ArenaOf = requires(A& arena, std::uint32_t offset, typename A::Word* word) {
  typename A::Word;
  { arena.word(offset) } -> std::same_as<typename A::Word*>;
  { arena.own_line() } -> std::same_as<typename A::Word*>;
  { arena.same_line(word) } -> std::same_as<typename A::Word*>;
  { arena.backends() } -> std::same_as<std::uint32_t>;
};

template <class E>
concept Env = requires(E& env, typename E::Word& word, std::uint32_t value, std::uint32_t& expected, BackendId id,
                       Picos duration) {
  requires ArenaOf<typename E::Arena>;
  requires std::same_as<typename E::Word, typename E::Arena::Word>;
  { env.load(word, Order::acquire) } -> std::same_as<std::uint32_t>;
  { env.store(word, value, Order::release) } -> std::same_as<void>;
  { env.exchange(word, value, Order::acquire) } -> std::same_as<std::uint32_t>;
  { env.fetch_add(word, value, Order::acq_rel) } -> std::same_as<std::uint32_t>;
  { env.compare_exchange(word, expected, value, Order::acq_rel) } -> std::same_as<bool>;
  // clang-format off
  { env.spin_until(word, [](std::uint32_t) { return true; }, unbounded) } -> std::same_as<Spins>;
  // clang-format on
  { env.pause() } -> std::same_as<void>;
  { env.park() } -> std::same_as<void>;
  { env.unpark(id) } -> std::same_as<void>;
  { env.sleep(duration) } -> std::same_as<void>;
  { env.work(duration) } -> std::same_as<void>;
  { env.self() } -> std::same_as<BackendId>;
  { env.random(Purpose::backoff) } -> std::same_as<Rng&>;
  { env.waiter(id) } -> std::same_as<WaiterWords<typename E::Word>&>;
  { env.process() } -> std::same_as<ProcessState&>;
  { env.begin_spin() } -> std::same_as<void>;
  { env.end_spin() } -> std::same_as<void>;
  { env.note(LockEvent::blocked) } -> std::same_as<void>;
};

}  // namespace lockcast
