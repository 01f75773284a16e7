#pragma once
// The Env of the metal: words are std::atomic on real cache lines, a backend is a thread, park/unpark is a counting
// semaphore on a futex, work is a calibrated loop. It adds nothing to what the lock asks for: no yield in a spin
// loop, no clock read, so an oversubscribed FIFO lock collapses here as it does in a database. Leaves out everything
// the kernel decides (placement, slices); the caller pins threads. Linux only (futex, clock_nanosleep).

#include "models/rng.hpp"
#include "models/units.hpp"
#include "sim/env/env.hpp"
#include "validate/work_loop.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace lockcast {

struct NativeWord {
  std::atomic<std::uint32_t> value{0};
};
static_assert(sizeof(NativeWord) == 4 && std::atomic<std::uint32_t>::is_always_lock_free);

// Memory for words, zeroed, in blocks that begin at a multiple of 128 bytes: two 64-byte lines, because adjacent-line
// prefetch makes such a pair behave as one, and one line of the machines that have 128-byte lines.
class NativeMemory {
 public:
  static constexpr std::size_t alignment = 128;

  // The first word of `bytes` (rounded up to whole blocks) that nobody else uses; lives as long as this object.
  NativeWord* allocate(std::size_t bytes);

 private:
  struct Free {
    void operator()(NativeWord* words) const;
  };
  std::vector<std::unique_ptr<NativeWord, Free>> blocks_;
};

// Where one lock lives. `base` is any place inside an allocation, so several locks may share a line at a packed stride.
class NativeArena {
 public:
  using Word = NativeWord;

  NativeArena(NativeMemory& memory, NativeWord* base, std::uint32_t backends)
      : memory_(&memory), base_(base), backends_(backends) {}

  NativeWord* word(std::uint32_t offset) { return base_ + offset / sizeof(NativeWord); }
  NativeWord* own_line() { return memory_->allocate(NativeMemory::alignment); }
  NativeWord* same_line(NativeWord* word) { return word + 1; }
  [[nodiscard]] std::uint32_t backends() const { return backends_; }

 private:
  NativeMemory* memory_;
  NativeWord* base_;
  std::uint32_t backends_;
};

// What the spin loops of one run do besides polling.
struct NativeOptions {
  std::uint64_t seed = 1;
  // After so many polls in one spin_until, offer the CPU to others every time. For tests and for ending only, which run
  // FIFO locks with more threads than CPUs: each hand-over to a preempted waiter otherwise costs a time slice. Never
  // when measuring.
  std::uint32_t polls_before_yield = unbounded;
};

// What the backends of one native run share: memory, one semaphore per backend, wait-queue words.
class NativeRun {
 public:
  NativeRun(std::uint32_t backends, const WorkLoop& work_loop, const NativeOptions& options = {});

  [[nodiscard]] std::uint32_t backends() const { return static_cast<std::uint32_t>(waiters_.size()); }
  [[nodiscard]] const WorkLoop& work_loop() const { return work_loop_; }
  [[nodiscard]] const NativeOptions& options() const { return options_; }
  [[nodiscard]] std::uint32_t polls_before_yield() const {
    return polls_before_yield_.value.load(std::memory_order_relaxed);
  }
  // Measuring is over: from now on every spin_until offers its CPU to others, so that a queue drains at once instead of
  // at a hand-over per time slice. Any thread may call it.
  void hurry() { polls_before_yield_.value.store(0, std::memory_order_relaxed); }
  NativeMemory& memory() { return memory_; }

  // An arena at a place of its own, or at a given place.
  NativeArena arena(std::size_t bytes) { return {memory_, memory_.allocate(bytes), backends()}; }
  NativeArena arena_at(NativeWord* base) { return {memory_, base, backends()}; }

  // Each backend's wait-queue words start on lines of their own; assign before the run to place them elsewhere.
  WaiterWords<NativeWord>& waiter(BackendId id) { return waiters_[index(id)]; }

  // Takes one token of `id`'s semaphore, sleeping while there is none; adds one. Any thread may add.
  void take_token(BackendId id);
  void add_token(BackendId id);

 private:
  NativeMemory memory_;
  std::vector<NativeWord*> tokens_;
  std::vector<WaiterWords<NativeWord>> waiters_;
  WorkLoop work_loop_;
  NativeOptions options_;
  // Read in every turn of a spin loop, written once: on a line of its own, which stays in everybody's cache.
  struct alignas(NativeMemory::alignment) PollsBeforeYield {
    std::atomic<std::uint32_t> value;
  } polls_before_yield_;
};

// What one backend's locks reported by note(). Read it before and after to attribute an event to an acquisition.
struct NativeCounts {
  std::uint64_t blocked = 0;
  std::uint64_t spin_delays = 0;
};

// One backend's handle, used by its thread only; on lines of its own so that neighbours in a vector share nothing.
class alignas(NativeMemory::alignment) NativeEnv {
 public:
  using Word = NativeWord;
  using Arena = NativeArena;

  NativeEnv(NativeRun& run, BackendId self);

  // Orders are spelled out: a memory order the compiler cannot see at compile time silently becomes the strongest,
  // which would hide a missing acquire or release from the thread sanitizer.
  std::uint32_t load(const Word& word, Order order) {
    if (order == Order::relaxed) { return word.value.load(std::memory_order_relaxed); }
    return word.value.load(std::memory_order_acquire);
  }
  void store(Word& word, std::uint32_t value, Order order) {
    if (order == Order::relaxed) { return word.value.store(value, std::memory_order_relaxed); }
    word.value.store(value, std::memory_order_release);
  }
  std::uint32_t exchange(Word& word, std::uint32_t value, Order order) {
    switch (order) {
      case Order::relaxed: return word.value.exchange(value, std::memory_order_relaxed);
      case Order::acquire: return word.value.exchange(value, std::memory_order_acquire);
      case Order::release: return word.value.exchange(value, std::memory_order_release);
      case Order::acq_rel: break;
    }
    return word.value.exchange(value, std::memory_order_acq_rel);
  }
  std::uint32_t fetch_add(Word& word, std::uint32_t value, Order order) {
    switch (order) {
      case Order::relaxed: return word.value.fetch_add(value, std::memory_order_relaxed);
      case Order::acquire: return word.value.fetch_add(value, std::memory_order_acquire);
      case Order::release: return word.value.fetch_add(value, std::memory_order_release);
      case Order::acq_rel: break;
    }
    return word.value.fetch_add(value, std::memory_order_acq_rel);
  }
  bool compare_exchange(Word& word, std::uint32_t& expected, std::uint32_t value, Order order) {
    switch (order) {
      case Order::relaxed: return word.value.compare_exchange_strong(expected, value, std::memory_order_relaxed);
      case Order::acquire: return word.value.compare_exchange_strong(expected, value, std::memory_order_acquire);
      case Order::release: return word.value.compare_exchange_strong(expected, value, std::memory_order_release);
      case Order::acq_rel: break;
    }
    return word.value.compare_exchange_strong(expected, value, std::memory_order_acq_rel);
  }

  // Polls acquire, because what a waiter waits for is usually the lock. An unbounded loop never gives up; its count
  // stops at the largest value.
  template <class Predicate>
  Spins spin_until(const Word& word, Predicate predicate, std::uint32_t limit) {
    std::uint32_t polls = 0;
    while (limit == unbounded || polls < limit) {
      const bool satisfied = predicate(word.value.load(std::memory_order_acquire));
      if (polls != unbounded) { ++polls; }
      if (satisfied) { return {.polls = polls, .satisfied = true}; }
      pause();
      if (polls > run_->polls_before_yield()) { yield(); }
    }
    return {.polls = polls, .satisfied = false};
  }

  void pause() {
#if defined(__x86_64__) || defined(__i386__)
    asm volatile("pause");
#elif defined(__aarch64__)
    asm volatile("yield");
#else
    asm volatile("");
#endif
  }

  void park() { run_->take_token(self_); }
  void unpark(BackendId id) { run_->add_token(id); }
  void sleep(Picos duration);
  void work(Picos duration) { work_loop_.run(duration); }

  [[nodiscard]] BackendId self() const { return self_; }
  Rng& random(Purpose purpose) { return streams_[static_cast<std::size_t>(purpose)]; }
  WaiterWords<Word>& waiter(BackendId id) { return run_->waiter(id); }
  ProcessState& process() { return process_; }

  // Nothing to bracket here: reading a clock costs as much as the spinning it would measure.
  void begin_spin() {}
  void end_spin() {}
  void note(LockEvent event) { ++(event == LockEvent::blocked ? counts_.blocked : counts_.spin_delays); }
  [[nodiscard]] const NativeCounts& counts() const { return counts_; }

 private:
  static void yield();

  NativeRun* run_;
  BackendId self_;
  WorkLoop work_loop_;
  ProcessState process_;
  NativeCounts counts_;
  std::array<Rng, purpose_count> streams_;
};

static_assert(Env<NativeEnv>);

// Reads or writes one word in each of `lines` 64-byte lines from `first` on: the protected data of a critical section.
// The accesses are relaxed atomics, so only the lock orders them and no sanitizer takes them for a race.
void touch(NativeWord* first, std::size_t lines, Access access);

}  // namespace lockcast
