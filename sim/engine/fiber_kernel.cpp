// Context switches and stacks. Boost's fcontext is used directly because its public wrapper adds an allocation and a
// second jump per switch. Under AddressSanitizer every switch is announced, or reports about fiber stacks would be
// wrong.

#include "sim/engine/fiber_kernel.hpp"

#include <boost/context/detail/fcontext.hpp>
#include <sys/mman.h>

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#define LOCKCAST_ASAN 1
#else
#define LOCKCAST_ASAN 0
#endif

namespace lockcast {

namespace bc = boost::context::detail;

// One mapping for all stacks. 32 KiB hold the deepest interpreter and lock frames several times over (ASan builds,
// whose frames are larger, get four times that); pages are only touched as far as a fiber's frames reach.
class FiberKernel::Stacks {
 public:
  static constexpr std::size_t stack_bytes = LOCKCAST_ASAN ? 128 * 1024 : 32 * 1024;
  static constexpr std::size_t guard_bytes = 4096;
  // Every guard page splits a mapping, and Linux allows 65530 of them per process: beyond this many fibers there are no
  // guards.
  static constexpr std::size_t guarded_max = 16384;

  explicit Stacks(std::uint32_t count) : bytes_(count * (stack_bytes + guard_bytes)) {
    if (bytes_ == 0) { return; }
    base_ = static_cast<std::byte*>(
        mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    if (base_ == MAP_FAILED) {
      throw InputError("not enough memory for the stacks of this many backends", ExitCode::host_cannot);
    }
  }
  ~Stacks() {
    if (bytes_ == 0) { return; }
#if LOCKCAST_ASAN
    // Frames of fibers that never ended leave their red zones in the shadow memory, and the next kernel may get the
    // same addresses.
    __asan_unpoison_memory_region(base_, bytes_);
#endif
    munmap(base_, bytes_);
  }
  Stacks(const Stacks&) = delete;
  Stacks& operator=(const Stacks&) = delete;

  std::byte* next() {
    CHECK((used_ + 1) * (stack_bytes + guard_bytes) <= bytes_, "more fibers than announced");
    std::byte* low = base_ + used_++ * (stack_bytes + guard_bytes);
    if (used_ <= guarded_max) { mprotect(low, guard_bytes, PROT_NONE); }
    return low + guard_bytes;
  }

 private:
  std::byte* base_ = nullptr;
  std::size_t bytes_;
  std::size_t used_ = 0;
};

struct FiberKernel::Entry {
  static void run(bc::transfer_t transfer) {
    auto& kernel = *static_cast<FiberKernel*>(transfer.data);
    kernel.arrived(transfer.fctx, nullptr);
    const Slot& self = kernel.slots_[kernel.current_];
    self.action(self.context, self.argument);
    for (;;) { kernel.suspend(); }  // a finished body leaves a fiber nobody schedules
  }
};

FiberKernel::FiberKernel(std::uint32_t fibers_max) : stacks_(std::make_unique<Stacks>(fibers_max)) {
  Slot outside;
  outside.kind = Kind::outside;
  outside_ = add_slot(outside);
  current_ = outside_;
}

FiberKernel::~FiberKernel() = default;

std::uint32_t FiberKernel::add_slot(const Slot& slot) {
  slots_.push_back(slot);
  return calendar_.add_slot();
}

SlotId FiberKernel::add_timer(SlotAction action, void* context, std::uint32_t argument) {
  Slot slot;
  slot.action = action;
  slot.context = context;
  slot.argument = argument;
  return SlotId{add_slot(slot)};
}

SlotId FiberKernel::add_fiber(SlotAction action, void* context, std::uint32_t argument) {
  std::byte* low = stacks_->next();
  Slot slot;
  slot.kind = Kind::fiber;
  slot.action = action;
  slot.context = context;
  slot.argument = argument;
  slot.stack_low = low;
  slot.stack_bytes = Stacks::stack_bytes;
  slot.transfer = bc::make_fcontext(low + Stacks::stack_bytes, Stacks::stack_bytes, &Entry::run);
  return SlotId{add_slot(slot)};
}

// Runs on the destination's stack right after every jump: notes where the fiber we came from continues.
void FiberKernel::arrived(void* from, [[maybe_unused]] void* fake_stack) {
  slots_[previous_].transfer = from;
#if LOCKCAST_ASAN
  const void* low = nullptr;
  std::size_t bytes = 0;
  __sanitizer_finish_switch_fiber(fake_stack, &low, &bytes);
  if (slots_[previous_].kind == Kind::outside) {
    slots_[previous_].stack_low = static_cast<const std::byte*>(low);
    slots_[previous_].stack_bytes = bytes;
  }
#endif
}

void FiberKernel::jump(std::uint32_t to) {
  previous_ = current_;
  current_ = to;
  void* fake_stack = nullptr;
#if LOCKCAST_ASAN
  __sanitizer_start_switch_fiber(&fake_stack, slots_[to].stack_low, slots_[to].stack_bytes);
#endif
  const bc::transfer_t transfer = bc::jump_fcontext(slots_[to].transfer, this);
  arrived(transfer.fctx, fake_stack);
}

// The calling fiber waits: runs timers until an event belongs to a fiber, and jumps there.
void FiberKernel::dispatch() {
  if (leave_ && current_ != outside_) {
    calendar_.cancel(outside_);
    jump(outside_);
    return;
  }
  CHECK(!calendar_.empty(), "every backend waits and nothing is due: the simulated system is dead-locked");
  continue_with(calendar_.pop(now_));
}

void FiberKernel::continue_with(std::uint32_t next) {
  ++events_;
  while (slots_[next].kind == Kind::timer) {
    const Slot& slot = slots_[next];
    slot.action(slot.context, slot.argument);
    CHECK(!calendar_.empty(), "every backend waits and nothing is due: the simulated system is dead-locked");
    next = calendar_.pop(now_);
    ++events_;
  }
  if (next != current_) { jump(next); }
}

void FiberKernel::hold_and_leave(Picos at) {
  calendar_.schedule(current_, at);
  dispatch();
}

Picos& FiberKernel::hand_over() {
  unusual_ = true;
  calendar_.schedule(outside_, Picos{0});  // never served: no hold ends before it, so the clock never simply moves
  return now_;
}

void FiberKernel::run_until(Picos limit) {
  CHECK(current_ == outside_, "run_until was called from inside the simulation");
  leave_ = unusual_ = false;
  if (limit <= now_ && calendar_.first_time() > limit) { return; }
  // The limit's event gets the largest sequence only among those planned so far; whatever is planned for exactly
  // `limit` during the run belongs to the next one.
  calendar_.schedule(outside_, limit);
  dispatch();
  calendar_.cancel(outside_);
}

}  // namespace lockcast
