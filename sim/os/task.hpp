#pragma once
// One thread - a backend, or one of a local client - as the operating system sees it, and where its time goes. Every
// picosecond of its life belongs to exactly one category, so the time stack sums to backends x elapsed time by
// construction.

#include "models/units.hpp"
#include "sim/engine/engine.hpp"
#include "sim/os/trace.hpp"

#include <array>
#include <cstdint>
#include <string_view>

namespace lockcast {

enum class Category : std::uint8_t { work, transfer, spin, lock_queue, backoff, runnable, client, disk, count };
inline constexpr std::size_t category_count = static_cast<std::size_t>(Category::count);
inline constexpr std::array<std::string_view, category_count> category_names{
    "work", "line transfer", "spin", "lock queue", "back-off", "runnable", "client", "disk"};

class TimeAccount {
 public:
  [[nodiscard]] Category current() const { return current_; }

  void enter(Category category, Picos now) {
    if (trace_ != nullptr) [[unlikely]] { trace_->enter(category, now); }
    settle(now);
    current_ = category;
  }
  // `amount` of what is charged to `from` from `at` on, in the thread's own time, is really spent on `to`.
  void move(Category from, Category to, Picos amount, Picos at) {
    if (trace_ != nullptr) [[unlikely]] { trace_->recolour(to, amount, at); }
    spent_[static_cast<std::size_t>(from)] -= amount;
    spent_[static_cast<std::size_t>(to)] += amount;
  }
  // Including what has passed since the last change.
  [[nodiscard]] Picos spent_until(Category category, Picos now) const {
    const Picos settled = spent_[static_cast<std::size_t>(category)];
    return category == current_ ? settled + (now - since_) : settled;
  }
  void settle(Picos now) {
    spent_[static_cast<std::size_t>(current_)] += now - since_;
    since_ = now;
  }
  void reset(Picos now) {
    settle(now);
    spent_ = {};
  }
  [[nodiscard]] const std::array<Picos, category_count>& spent() const { return spent_; }

  // Who else wants to know; nullptr: nobody.
  void record(TaskTrace* trace) { trace_ = trace; }
  [[nodiscard]] TaskTrace* trace() const { return trace_; }

 private:
  std::array<Picos, category_count> spent_{};
  Picos since_{0};
  TaskTrace* trace_ = nullptr;
  Category current_ = Category::runnable;
};

struct Task {
  // What the fiber is doing decides how it can be preempted. A computation is interrupted and its rest kept; an access
  // in flight completes first (the interrupt is taken after the instruction); a polling loop is woken to leave its
  // line.
  enum class Doing : std::uint8_t { computing, accessing, polling };
  enum class State : std::uint8_t { blocked, runnable, running };

  BackendId id{};
  SlotId fiber{};
  SlotId timer{};         // wakes it from sleeps and round trips
  CoreId core = no_core;  // where it runs or last ran
  State state = State::blocked;
  Doing doing = Doing::computing;
  bool preempt_pending = false;
  bool interrupted = false;  // a computation was cut; `remaining` of it is left
  Picos remaining{0};
  Category resumes_as = Category::work;

  std::uint32_t use = 0;       // decayed ticks of CPU
  std::uint32_t priority = 0;  // smaller is better
  std::int64_t quantum_ticks = 0;
  std::uint64_t queued_as = 0;  // order of arrival in the run queue
  Picos queued_at{0};

  Picos vruntime{0};       // CFS: time had, relative to its core
  Picos charged_until{0};  // ...and up to when it is counted

  std::uint32_t tokens = 0;  // semaphore
  bool waiting = false;      // blocked in its semaphore

  std::uint32_t locks_held = 0;  // holds and acquisitions in progress, to count preempted ones
  bool hold_preempted = false;
  TimeAccount time;
};

}  // namespace lockcast
