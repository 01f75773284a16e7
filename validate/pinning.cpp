// Affinity masks of any size.

#include "validate/pinning.hpp"

#include "models/check.hpp"

#include <pthread.h>
#include <sched.h>

#include <cerrno>
#include <cstddef>
#include <string>

namespace lockcast {

namespace {

class AffinityMask {
 public:
  explicit AffinityMask(std::size_t cpus) : bytes_(CPU_ALLOC_SIZE(cpus)), mask_(CPU_ALLOC(cpus)) {
    CHECK(mask_ != nullptr, "no memory for a set of CPUs");
    CPU_ZERO_S(bytes_, mask_);
  }
  ~AffinityMask() { CPU_FREE(mask_); }
  AffinityMask(const AffinityMask&) = delete;
  AffinityMask& operator=(const AffinityMask&) = delete;

  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] cpu_set_t* get() { return mask_; }

 private:
  std::size_t bytes_;
  cpu_set_t* mask_;
};

}  // namespace

std::vector<int> usable_cpus() {
  constexpr std::size_t smallest = 1024;
  constexpr std::size_t largest = std::size_t{1} << 20U;
  for (std::size_t size = smallest; size <= largest; size *= 2) {
    AffinityMask mask(size);
    if (sched_getaffinity(0, mask.bytes(), mask.get()) == 0) {
      std::vector<int> cpus;
      for (std::size_t cpu = 0; cpu < mask.bytes() * 8; ++cpu) {
        if (CPU_ISSET_S(cpu, mask.bytes(), mask.get())) { cpus.push_back(static_cast<int>(cpu)); }
      }
      return cpus;
    }
    if (errno != EINVAL) { break; }  // EINVAL: the kernel's mask is larger
  }
  throw InputError("cannot find out which CPUs this process may use", ExitCode::host_cannot);
}

bool bind_this_thread(int cpu) {
  AffinityMask mask(static_cast<std::size_t>(cpu) + 1);
  CPU_SET_S(static_cast<std::size_t>(cpu), mask.bytes(), mask.get());
  return pthread_setaffinity_np(pthread_self(), mask.bytes(), mask.get()) == 0;
}

void BoundThread::no_thread() { throw InputError("cannot start a thread", ExitCode::host_cannot); }

void no_binding(int cpu_a, int cpu_b) {
  throw InputError("cannot bind threads to CPUs " + std::to_string(cpu_a) + " and " + std::to_string(cpu_b),
                   ExitCode::host_cannot);
}

}  // namespace lockcast
