#pragma once
// One simulated backend's handle to the world: private work accumulates as lag and is paid at the next shared access; a
// hit is lag too; a miss takes the line through MemorySystem. Everything that may let time pass is a preemption point.
// Values are read and written at the instant the line is in hand, so a word is never sampled at issue. One
// saving: a word where backends never meet is accessed ahead of time, at the cost of moving its line. (Accesses that
// follow one another on one line cannot be taken together like that: a holder preempted between two of them is what
// lights a storm.)

#include "sim/env/env.hpp"
#include "sim/memory/arena.hpp"
#include "sim/memory/lock_profile.hpp"
#include "sim/memory/memory_system.hpp"

#include <array>
#include <utility>
#include <vector>

namespace lockcast {

// Counters of one lock group, in PostgreSQL's words.
struct LockCounters {
  std::uint64_t shacq = 0;
  std::uint64_t exacq = 0;
  std::uint64_t blk = 0;
  std::uint64_t spindelay = 0;
  std::uint64_t preempted = 0;  // holds (with their acquisition and release) that contained a preemption
  Picos wait{0};
  Picos hold{0};
  Picos asleep{0};              // the part of `wait` spent in the semaphore, until woken
  std::uint64_t delegated = 0;  // waits that ended with the work done by another backend: no acquisitions

  LockCounters& operator+=(const LockCounters& other) {
    shacq += other.shacq;
    exacq += other.exacq;
    blk += other.blk;
    spindelay += other.spindelay;
    preempted += other.preempted;
    wait += other.wait;
    hold += other.hold;
    asleep += other.asleep;
    delegated += other.delegated;
    return *this;
  }
};

// What all backends of one server share.
struct SimServer {
  Engine& kernel;
  Scheduler& scheduler;
  MemorySystem& memory;
  std::vector<Task>& tasks;
  const CpuModel& cpu;
  std::vector<LockCounters>& locks;  // by group
  const std::vector<std::uint32_t>& group_of_lock;
  std::uint64_t digest = 0;
  LockProfile* profile = nullptr;
  std::vector<Picos> slept_inside{};  // [group held x groups + group waited for]
};

class SimEnv {
 public:
  using Word = SimWord;
  using Arena = SimArena;

  SimEnv(SimServer& server, Task& task, std::vector<WaiterWords<SimWord>>& waiters, std::uint64_t seed);

  std::uint32_t load(Word& word, Order /*order*/) {
    reach<Operation::load>(word);
    return word.value;
  }
  void store(Word& word, std::uint32_t value, Order /*order*/) {
    reach<Operation::store>(word);
    word.value = value;
  }
  std::uint32_t exchange(Word& word, std::uint32_t value, Order /*order*/) {
    reach<Operation::atomic>(word);
    return std::exchange(word.value, value);
  }
  std::uint32_t fetch_add(Word& word, std::uint32_t value, Order /*order*/) {
    reach<Operation::atomic>(word);
    return std::exchange(word.value, word.value + value);
  }
  bool compare_exchange(Word& word, std::uint32_t& expected, std::uint32_t value, Order /*order*/) {
    reach<Operation::atomic>(word);
    if (word.value != expected) {
      expected = word.value;
      return false;
    }
    word.value = value;
    return true;
  }

  // Polls by plain loads. While the own copy stays valid nothing happens but time; the number of polls is elapsed time
  // over poll cost.
  template <class Predicate>
  Spins spin_until(Word& word, Predicate predicate, std::uint32_t limit) {
    Spins spins;
    for (;;) {
      reach<Operation::load>(word.line);
      ++spins.polls;
      if (predicate(word.value)) {
        spins.satisfied = true;
        return spins;
      }
      if (spins.polls >= limit || poll_own_copy(word.line, limit, spins.polls)) { return spins; }
    }
  }

  // Whoever pauses did meet somebody, and must see what that one does in its own time.
  void pause() {
    lag_ += pause_;
    meets_ = true;
  }
  void park() {
    if (server_.scheduler.has_futex()) {
      settle();
      if (server_.scheduler.take_token(task_)) { return; }
    }
    pay_semaphore(server_.scheduler.block_cost(task_));
    settle();
    semaphore_call(task_.id);
    server_.scheduler.wait(task_, Category::lock_queue);
    book_sleep();
  }
  void unpark(BackendId id) {
    if (server_.scheduler.has_futex()) { return unpark_futex(id); }
    pay_semaphore(server_.scheduler.wake_cost(task_));
    settle();
    semaphore_call(id);
    server_.scheduler.post(server_.tasks[index(id)], {.by = task_.core});
  }
  void sleep(Picos duration) {
    settle();
    server_.scheduler.sleep(task_, duration, Category::backoff);
  }
  void spend(Picos cost) { lag_ += cost; }  // CPU time, whatever the clock
  void work(Picos duration) { lag_ += server_.scheduler.stretched(task_, duration); }

  [[nodiscard]] BackendId self() const { return task_.id; }
  Rng& random(Purpose purpose) { return random_[static_cast<std::size_t>(purpose)]; }
  WaiterWords<Word>& waiter(BackendId id) { return waiters_[index(id)]; }
  ProcessState& process() { return process_; }
  void begin_spin() { change_category(Category::spin); }
  void end_spin() { change_category(Category::work); }
  void note(LockEvent event) {
    LockCounters& lock = server_.locks[server_.group_of_lock[current_lock_]];
    ++(event == LockEvent::blocked ? lock.blk : lock.spindelay);
  }

  // What the interpreter tells about acquisitions (statistics only).
  void acquiring(std::uint32_t lock) {
    current_lock_ = lock;
    wait_since_ = local_time();
    if (TaskTrace* trace = task_.time.trace()) [[unlikely]] { trace->wants(lock, wait_since_); }
    ++task_.locks_held;
  }
  void acquired(std::uint32_t lock, Mode mode) {
    const std::uint32_t group = server_.group_of_lock[lock];
    LockCounters& counters = server_.locks[group];
    ++(mode == Mode::shared ? counters.shacq : counters.exacq);
    const Picos now = local_time();
    counters.wait += now - wait_since_;
    if (server_.profile != nullptr) [[unlikely]] { server_.profile->wait[group].add(now - wait_since_); }
    hold_since_.push_back({lock, now});
    if (TaskTrace* trace = task_.time.trace()) [[unlikely]] { trace->has({lock, mode == Mode::exclusive}, now); }
    digest(now, 1);
  }
  void not_acquired(std::uint32_t /*lock*/) {
    if (TaskTrace* trace = task_.time.trace()) [[unlikely]] { trace->wants_no_more(local_time()); }
    leave_hold();
  }
  void delegated(std::uint32_t lock);
  // A preemption while a row is locked until commit is no preempted hold: the lock outlives round trips anyway.
  void keeping(bool begins) { begins ? leave_hold() : static_cast<void>(++task_.locks_held); }
  void releasing(std::uint32_t lock, Mode /*mode*/) {
    current_lock_ = lock;
    if (TaskTrace* trace = task_.time.trace()) [[unlikely]] { trace->wants(lock, local_time()); }
  }
  void released(std::uint32_t lock);

  // Pays the lag: afterwards kernel time is this backend's time.
  void settle() {
    if (lag_ > Picos{0}) {
      const Picos until = server_.kernel.now() + lag_;
      lag_ = Picos{0};
      server_.kernel.hold_until(until);
    }
    server_.scheduler.preemption_point(task_);
  }
  // Time for moving protected data, paid with the lag. The books get it right away, so it costs no event of its own.
  void add_transfers(Picos cost) {
    task_.time.move(task_.time.current(), Category::transfer, cost, local_time());
    lag_ += cost;
  }
  // Folds an event into the run's digest, by which two kernels or two runs are compared.
  void digest(Picos at, std::uint64_t kind) {
    std::uint64_t& digest = server_.digest;
    digest =
        (digest ^ (static_cast<std::uint64_t>(at.count()) * 31 + index(task_.id) * 4 + kind)) * 0x9e3779b97f4a7c15U;
  }
  // Charges sleep in the semaphore to the lock it was for.
  void book_sleep() {
    const Picos asleep = task_.time.spent_until(Category::lock_queue, server_.kernel.now());
    if (asleep == sleep_booked_) { return; }  // a program need not have locks
    slept(asleep - sleep_booked_);
    sleep_booked_ = asleep;
  }
  // The time account was reset.
  void forget_sleep() { sleep_booked_ = Picos{0}; }
  // CPU time spent in semaphore calls so far.
  [[nodiscard]] Picos semaphore_time() const { return semaphore_; }
  [[nodiscard]] Picos local_time() const { return server_.kernel.now() + lag_; }
  Task& task() { return task_; }
  SimServer& server() { return server_; }

 protected:
  template <Operation operation>
  void reach(const Word& word) {
    if (word.apart && !std::exchange(meets_, false)) {
      reach_apart<operation>(word.line);
    } else {
      reach<operation>(word.line);
    }
  }
  template <Operation operation>
  void reach(LineId line) {
    settle();
    if (!server_.memory.hit(task_, line, operation)) { fetch(line, operation); }
    if constexpr (operation != Operation::load) { server_.memory.written(line); }
    lag_ += operation == Operation::atomic ? atomic_hit_ : hit_;
  }
  template <Operation operation>
  void reach_apart(LineId line) {
    if (const Picos cost = server_.memory.touch_word<operation>(task_, line); cost > Picos{0}) { add_transfers(cost); }
    lag_ += operation == Operation::atomic ? atomic_hit_ : hit_;
  }

 private:
  struct Hold {
    std::uint32_t lock;
    Picos since;
  };

  void leave_hold() {
    --task_.locks_held;
    task_.hold_preempted = task_.hold_preempted && task_.locks_held > 0;
  }
  void fetch(LineId line, Operation operation);
  void unpark_futex(BackendId id);
  void pay_semaphore(Picos cost) {
    lag_ += cost;
    semaphore_ += cost;
  }
  void semaphore_call(BackendId owner);
  void slept(Picos time);
  bool poll_own_copy(LineId line, std::uint32_t limit, std::uint32_t& polls);
  void change_category(Category category);

  SimServer& server_;
  Task& task_;
  Picos lag_{0};
  bool meets_ = false;  // the next access waits for its time, wherever it is
  Picos semaphore_{0};
  Picos sleep_booked_{0};
  const Picos hit_;
  const Picos atomic_hit_;
  const Picos pause_;
  const Picos poll_;
  std::uint32_t current_lock_ = 0;
  Picos wait_since_{0};
  std::vector<Hold> hold_since_;
  ProcessState process_;
  std::vector<WaiterWords<SimWord>>& waiters_;
  std::array<Rng, purpose_count> random_;
};

static_assert(Env<SimEnv>);

}  // namespace lockcast
