#include "validate/native_env.hpp"

#include "models/check.hpp"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <new>

namespace lockcast {

namespace {

constexpr std::size_t touched_line_bytes = 64;

long futex(NativeWord& word, int operation, std::uint32_t value) {
  return syscall(SYS_futex, &word.value, operation | FUTEX_PRIVATE_FLAG, value, nullptr, nullptr, 0);
}

}  // namespace

NativeWord* NativeMemory::allocate(std::size_t bytes) {
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  void* memory = ::operator new (rounded, std::align_val_t{alignment});
  auto* words = static_cast<NativeWord*>(memory);
  std::uninitialized_value_construct_n(words, rounded / sizeof(NativeWord));
  blocks_.emplace_back(words);
  return words;
}

void NativeMemory::Free::operator()(NativeWord* words) const { ::operator delete (words, std::align_val_t{alignment}); }

NativeRun::NativeRun(std::uint32_t backends, const WorkLoop& work_loop, const NativeOptions& options)
    : tokens_(backends),
      waiters_(backends),
      work_loop_(work_loop),
      options_(options),
      polls_before_yield_{options.polls_before_yield} {
  for (NativeWord*& token : tokens_) { token = memory_.allocate(NativeMemory::alignment); }
  for (WaiterWords<NativeWord>& waiter : waiters_) {
    NativeWord* words = memory_.allocate(NativeMemory::alignment);
    waiter = {.waiting = words, .exclusive = words + 1, .next = words + 2};
  }
}

void NativeRun::take_token(BackendId id) {
  NativeWord& tokens = *tokens_[index(id)];
  std::uint32_t available = tokens.value.load(std::memory_order_relaxed);
  for (;;) {
    if (available == 0) {
      // Returns at once when a token has come meanwhile; early returns (EINTR) only cost another turn.
      futex(tokens, FUTEX_WAIT, 0);
      available = tokens.value.load(std::memory_order_relaxed);
    } else if (tokens.value.compare_exchange_weak(available, available - 1, std::memory_order_acquire,
                                                  std::memory_order_relaxed)) {
      return;
    }
  }
}

// Always enters the kernel, as the semop of the database we compare with does: posting costs the poster.
void NativeRun::add_token(BackendId id) {
  NativeWord& tokens = *tokens_[index(id)];
  tokens.value.fetch_add(1, std::memory_order_release);
  futex(tokens, FUTEX_WAKE, 1);
}

NativeEnv::NativeEnv(NativeRun& run, BackendId self) : run_(&run), self_(self), work_loop_(run.work_loop()) {
  for (std::uint32_t purpose = 0; purpose < purpose_count; ++purpose) {
    streams_[purpose] = stream(run.options().seed, index(self), static_cast<Purpose>(purpose));
  }
}

void NativeEnv::sleep(Picos duration) {
  const auto nanoseconds = std::chrono::ceil<std::chrono::nanoseconds>(duration);
  const auto whole = std::chrono::floor<std::chrono::seconds>(nanoseconds);
  timespec left{};
  left.tv_sec = static_cast<time_t>(whole.count());
  left.tv_nsec = static_cast<long>((nanoseconds - whole).count());
  int error = 0;
  do { error = clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left); } while (error == EINTR);
  CHECK(error == 0, "clock_nanosleep failed");
}

void NativeEnv::yield() { sched_yield(); }

void touch(NativeWord* first, std::size_t lines, Access access) {
  constexpr std::size_t stride = touched_line_bytes / sizeof(NativeWord);
  for (std::size_t line = 0; line < lines; ++line) {
    std::atomic<std::uint32_t>& value = first[line * stride].value;
    switch (access) {
      case Access::read: static_cast<void>(value.load(std::memory_order_relaxed)); break;
      case Access::write: value.store(static_cast<std::uint32_t>(line), std::memory_order_relaxed); break;
    }
  }
}

}  // namespace lockcast
