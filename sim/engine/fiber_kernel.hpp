#pragma once
// The inner kernel: stackful fibers (Boost.Context) on the cancellable calendar. A fiber that waits pops the next event
// itself and jumps straight to the fiber it belongs to, so a switch costs one jump, not two through a loop. The kernel
// lives inside an outer world (SimGrid): run_until advances it to an instant and returns to the caller's stack.
// Left out: priorities and interrupts (the operating system model cancels and moves events instead).

#include "sim/engine/calendar.hpp"
#include "sim/engine/kernel.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace lockcast {

class FiberKernel {
 public:
  explicit FiberKernel(std::uint32_t fibers_max);
  ~FiberKernel();
  FiberKernel(const FiberKernel&) = delete;
  FiberKernel& operator=(const FiberKernel&) = delete;

  [[nodiscard]] Picos now() const { return now_; }
  SlotId add_timer(SlotAction action, void* context, std::uint32_t argument);
  SlotId add_fiber(SlotAction action, void* context, std::uint32_t argument);

  void schedule(SlotId slot, Picos at) {
    CHECK(at >= now_, "an event was planned in the past");
    calendar_.schedule(static_cast<std::uint32_t>(slot), at);
  }
  bool cancel(SlotId slot) { return calendar_.cancel(static_cast<std::uint32_t>(slot)); }
  [[nodiscard]] bool pending(SlotId slot) const { return calendar_.pending(static_cast<std::uint32_t>(slot)); }
  [[nodiscard]] Picos time_of(SlotId slot) const { return calendar_.time_of(static_cast<std::uint32_t>(slot)); }

  void hold_until(Picos at) {
    if (!hold_as_usual(at)) [[unlikely]] { hold_and_leave(at); }
  }
  void suspend() { dispatch(); }

  // Runs every event up to and including `limit`, then moves the clock to `limit`, also when every fiber waits for
  // ever. Returns early, with the clock where it is, when leave() was called.
  void run_until(Picos limit);
  // Called inside the simulation: return to the caller of run_until as soon as the current fiber waits.
  void leave() { leave_ = unusual_ = true; }
  [[nodiscard]] bool left() const { return leave_; }

  [[nodiscard]] Picos first_time() const { return calendar_.first_time(); }
  [[nodiscard]] std::uint64_t events() const { return events_; }      // taken from the calendar
  [[nodiscard]] std::uint64_t advances() const { return advances_; }  // holds, with or without an event

 protected:
  // hold_until, unless something is unusual (then false, and nothing happened): the run is to be left, or another
  // kernel drives. One test for both, and none where the clock simply moves.
  bool hold_as_usual(Picos at) {
    ++advances_;
    // Strictly before: an event already planned for the same instant has the smaller sequence and goes first.
    if (at < calendar_.first_time()) [[likely]] {
      now_ = at;
      return true;
    }
    if (unusual_) [[unlikely]] { return false; }
    continue_with(calendar_.pop_and_schedule(current_, at, now_));
    return true;
  }
  void hold_and_leave(Picos at);
  // From now on no hold is usual. Only now() still means something; what it says is the caller's to keep.
  Picos& hand_over();

 private:
  enum class Kind : std::uint8_t { timer, fiber, outside };
  struct Slot {
    void* transfer = nullptr;  // where a suspended fiber continues
    SlotAction action = nullptr;
    void* context = nullptr;
    const std::byte* stack_low = nullptr;  // announced to AddressSanitizer
    std::size_t stack_bytes = 0;
    std::uint32_t argument = 0;
    Kind kind = Kind::timer;
  };
  class Stacks;

  struct Entry;

  void dispatch();
  void continue_with(std::uint32_t next);
  void jump(std::uint32_t to);
  void arrived(void* from, void* fake_stack);
  std::uint32_t add_slot(const Slot& slot);

  Calendar calendar_;
  std::vector<Slot> slots_;
  Picos now_{0};
  std::uint32_t current_;
  std::uint32_t previous_ = 0;  // who jumped here
  std::uint32_t outside_;       // the slot of whoever called run_until
  bool leave_ = false;
  bool unusual_ = false;
  std::uint64_t events_ = 0;
  std::uint64_t advances_ = 0;
  std::unique_ptr<Stacks> stacks_;
};

static_assert(Kernel<FiberKernel>);

}  // namespace lockcast
