#pragma once
// A second kernel with the inner kernel's contract and none of its code: every fiber and every timer is a SimGrid actor
// that sleeps in SimGrid until its event is due, at 1 SimGrid second = 1 ps. SimGrid switches contexts and moves the
// clock; all of ours is the rule for equal times. Some 25 to 40 times slower than the inner kernel, which it checks:
// the same seed must give the same digest on both.
// Limits: 2^53 ps (2.5 hours), beyond which SimGrid's double is no longer exact; one per process, because SimGrid's
// engine is a singleton, so there is no SimGrid network beside it.

#include "sim/engine/kernel.hpp"

#include <cstdint>
#include <memory>

namespace lockcast {

class SimgridOracle {
 public:
  // It keeps `now` at the instant of whoever runs. At its end the stacks of all fibers are unwound.
  static std::unique_ptr<SimgridOracle> make(Picos& now);
  virtual ~SimgridOracle() = default;
  SimgridOracle(const SimgridOracle&) = delete;
  SimgridOracle& operator=(const SimgridOracle&) = delete;

  // As FiberKernel's.
  [[nodiscard]] Picos now() const { return now_; }
  virtual SlotId add_timer(SlotAction action, void* context, std::uint32_t argument) = 0;
  virtual SlotId add_fiber(SlotAction action, void* context, std::uint32_t argument) = 0;
  virtual void schedule(SlotId slot, Picos at) = 0;
  virtual bool cancel(SlotId slot) = 0;
  [[nodiscard]] virtual bool pending(SlotId slot) const = 0;
  [[nodiscard]] virtual Picos time_of(SlotId slot) const = 0;
  virtual void hold_until(Picos at) = 0;
  virtual void suspend() = 0;
  virtual void run_until(Picos limit) = 0;
  virtual void leave() = 0;
  [[nodiscard]] virtual bool left() const = 0;
  [[nodiscard]] virtual Picos first_time() const = 0;
  // Every hold sleeps in SimGrid, but one that nothing came before is no event: so the count is the inner kernel's.
  [[nodiscard]] virtual std::uint64_t events() const = 0;
  [[nodiscard]] virtual std::uint64_t advances() const = 0;
  // Times a slot ran at the very instant at which another had run just before: where the rule for equal times decided.
  [[nodiscard]] virtual std::uint64_t ties() const = 0;

 protected:
  explicit SimgridOracle(Picos& now) : now_(now) {}
  Picos& now_;
};

static_assert(Kernel<SimgridOracle>);

}  // namespace lockcast
