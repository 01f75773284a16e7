#pragma once
// The kernel the simulator is built on: the inner kernel, or SimGrid's actors, which check it. The operating system and
// memory models include this and nothing else of the engine. The choice costs the inner kernel one predictable branch
// where an event is planned, moved or cancelled or a fiber suspends, and nothing where the clock is read or simply
// moves.

#include "sim/engine/fiber_kernel.hpp"
#include "sim/engine/simgrid_oracle.hpp"

#include <memory>

namespace lockcast {

class Engine : private FiberKernel {
 public:
  explicit Engine(std::uint32_t fibers_max, KernelKind kind = KernelKind::inner)
      : FiberKernel(kind == KernelKind::inner ? fibers_max : 0),
        oracle_(kind == KernelKind::simgrid ? SimgridOracle::make(hand_over()) : nullptr) {}

  using FiberKernel::now;
  SlotId add_timer(SlotAction action, void* context, std::uint32_t argument) {
    return oracle_ ? oracle_->add_timer(action, context, argument) : FiberKernel::add_timer(action, context, argument);
  }
  SlotId add_fiber(SlotAction action, void* context, std::uint32_t argument) {
    return oracle_ ? oracle_->add_fiber(action, context, argument) : FiberKernel::add_fiber(action, context, argument);
  }
  void schedule(SlotId slot, Picos at) {
    if (oracle_) [[unlikely]] { return oracle_->schedule(slot, at); }
    FiberKernel::schedule(slot, at);
  }
  bool cancel(SlotId slot) {
    if (oracle_) [[unlikely]] { return oracle_->cancel(slot); }
    return FiberKernel::cancel(slot);
  }
  [[nodiscard]] bool pending(SlotId slot) const {
    if (oracle_) [[unlikely]] { return oracle_->pending(slot); }
    return FiberKernel::pending(slot);
  }
  [[nodiscard]] Picos time_of(SlotId slot) const {
    if (oracle_) [[unlikely]] { return oracle_->time_of(slot); }
    return FiberKernel::time_of(slot);
  }
  void hold_until(Picos at) {  // with an oracle no hold is usual
    if (!hold_as_usual(at)) [[unlikely]] { oracle_ ? oracle_->hold_until(at) : hold_and_leave(at); }
  }
  void suspend() {
    if (oracle_) [[unlikely]] { return oracle_->suspend(); }
    FiberKernel::suspend();
  }

  void run_until(Picos limit) { oracle_ ? oracle_->run_until(limit) : FiberKernel::run_until(limit); }
  void leave() { oracle_ ? oracle_->leave() : FiberKernel::leave(); }
  [[nodiscard]] bool left() const { return oracle_ ? oracle_->left() : FiberKernel::left(); }
  [[nodiscard]] Picos first_time() const { return oracle_ ? oracle_->first_time() : FiberKernel::first_time(); }
  [[nodiscard]] std::uint64_t events() const { return oracle_ ? oracle_->events() : FiberKernel::events(); }
  [[nodiscard]] std::uint64_t advances() const { return oracle_ ? oracle_->advances() : FiberKernel::advances(); }

  // Counted by the oracle only.
  [[nodiscard]] std::uint64_t ties() const { return oracle_ ? oracle_->ties() : 0; }

 private:
  std::unique_ptr<SimgridOracle> oracle_;
};

static_assert(Kernel<Engine>);

}  // namespace lockcast
