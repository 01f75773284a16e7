#pragma once
// Runs the lock contract on threads of this host. The threads start together and are not pinned; a backend that does
// not come back within the time limit ends the process, because a test that hangs tells nobody why.

#include "models/check.hpp"
#include "validate/native_env.hpp"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <latch>
#include <mutex>
#include <thread>
#include <vector>

namespace lockcast {

class NativeExecutor {
 public:
  using Environment = NativeEnv;

  explicit NativeExecutor(std::uint32_t backends)
      : run_(backends, loop(), {.seed = 1, .polls_before_yield = polls_before_yield}) {}

  [[nodiscard]] std::uint32_t backends() const { return run_.backends(); }
  NativeArena arena() { return run_.arena(NativeMemory::alignment); }

  template <class Body>
  void run(Body body) {
    std::latch start(backends());
    std::mutex mutex;
    std::condition_variable all_returned;
    std::uint32_t running = backends();
    std::vector<std::jthread> threads;
    for (std::uint32_t id = 0; id < backends(); ++id) {
      threads.emplace_back([&, id] {
        NativeEnv env(run_, BackendId{id});
        start.arrive_and_wait();
        body(env);
        const std::scoped_lock guard(mutex);
        if (--running == 0) { all_returned.notify_one(); }
      });
    }
    std::unique_lock guard(mutex);
    CHECK(all_returned.wait_for(guard, time_limit, [&] { return running == 0; }), "a backend hangs in a lock");
  }

 private:
  // Long enough that a waiter whose holder runs on the other CPU never yields, short against a time slice of 4 ms.
  static constexpr std::uint32_t polls_before_yield = 2000;
  // Each run takes well under a second; a loaded CI machine may need many times that.
  static constexpr std::chrono::seconds time_limit{120};

  static const WorkLoop& loop() {
    static const WorkLoop measured = WorkLoop::measure();
    return measured;
  }

  NativeRun run_;
};

}  // namespace lockcast
