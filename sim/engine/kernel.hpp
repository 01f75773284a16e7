#pragma once
// The seam between the simulated world and whatever advances its clock. A kernel runs fibers (one per backend) and
// timers in total order (time, sequence): equal times are served in the order they were scheduled. Each fiber and each
// timer is a slot with at most one pending event, so an event can be moved or cancelled by its slot.
// Called from a running fiber: hold_until, suspend. Called from anywhere inside the simulation: schedule, cancel, now.

#include "models/units.hpp"

#include <array>
#include <concepts>
#include <cstdint>
#include <string_view>

namespace lockcast {

// The inner kernel, or SimGrid's actors as an independent check of it.
enum class KernelKind : std::uint8_t { inner, simgrid };
inline constexpr std::array<std::string_view, 2> kernel_names{"inner", "simgrid"};

enum class SlotId : std::uint32_t {};

// What a slot does when its event comes. A fiber's action is its body, on a stack of its own. A timer's action runs on
// the stack of whichever fiber let time pass and must not hold or suspend.
using SlotAction = void (*)(void* context, std::uint32_t argument);

template <class K>
concept Kernel = requires(K& kernel, SlotId slot, Picos at, SlotAction action, void* context) {
  { kernel.now() } -> std::same_as<Picos>;
  { kernel.add_timer(action, context, 0U) } -> std::same_as<SlotId>;
  { kernel.add_fiber(action, context, 0U) } -> std::same_as<SlotId>;
  // Plans the slot's next event at `at` (>= now); a pending one is replaced.
  { kernel.schedule(slot, at) } -> std::same_as<void>;
  { kernel.cancel(slot) } -> std::same_as<bool>;
  { kernel.pending(slot) } -> std::same_as<bool>;
  { kernel.time_of(slot) } -> std::same_as<Picos>;
  // The calling fiber continues at `at`, or later if somebody moves its event meanwhile. When nothing else is due first
  // the clock simply moves: no event, no switch.
  { kernel.hold_until(at) } -> std::same_as<void>;
  // The calling fiber continues when its slot's event comes; somebody must schedule it.
  { kernel.suspend() } -> std::same_as<void>;
};

}  // namespace lockcast
