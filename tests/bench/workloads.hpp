#pragma once
// The two workloads by which event kernels are compared, on the inner kernel and on the bare heap. 80 processes; all
// times from one stream per process, so both sides draw the same and must end at the same instant.
//   hold  each waits exp(1 us), for ever; one operation is one wait
//   lock  each waits exp(10 us), takes a FIFO mutex, holds it exp(1 us), releases; one operation is one acquisition.
//         The mutex is saturated, so most processes queue; a hand-over is an event at the current instant

#include "models/rng.hpp"
#include "sim/engine/engine.hpp"
#include "tests/bench/bare_heap.hpp"

#include <deque>
#include <vector>

namespace lockcast::bench {

inline constexpr std::uint32_t processes = 80;
inline constexpr Picos wait_mean{1us};
inline constexpr Picos think_mean{10us};
inline constexpr Picos hold_mean{1us};

inline std::vector<Rng> streams() {
  std::vector<Rng> result;
  for (std::uint32_t process = 0; process < processes; ++process) {
    result.push_back(stream(1, process, Purpose::work));
  }
  return result;
}

// Processes as fibers. A derived class gives the body; done() counts an operation and returns to run()'s caller after
// the last.
template <class Derived>
class OnKernel {
 public:
  OnKernel() : kernel_(processes), random_(streams()) {
    for (std::uint32_t process = 0; process < processes; ++process) {
      fibers_.push_back(kernel_.add_fiber([](void* self, std::uint32_t id) { static_cast<Derived*>(self)->body(id); },
                                          static_cast<Derived*>(this), process));
      kernel_.schedule(fibers_.back(), Picos{0});
    }
  }
  // Exactly `operations` more; returns the clock.
  Picos run(std::uint64_t operations) {
    left_ = operations;
    kernel_.run_until(forever);
    return kernel_.now();
  }

 protected:
  void done(std::uint32_t process) {
    if (--left_ > 0) [[likely]] { return; }
    kernel_.leave();
    kernel_.schedule(fibers_[process], kernel_.now());
    kernel_.suspend();
  }

  Engine kernel_;
  std::vector<Rng> random_;
  std::vector<SlotId> fibers_;
  std::uint64_t left_ = 0;
};

class HoldOnKernel : public OnKernel<HoldOnKernel> {
 public:
  void body(std::uint32_t process) {
    Rng& random = random_[process];
    for (;;) {
      kernel_.hold_until(kernel_.now() + random.exponential(wait_mean));
      done(process);
    }
  }
};

class LockOnKernel : public OnKernel<LockOnKernel> {
 public:
  void body(std::uint32_t process) {
    Rng& random = random_[process];
    for (;;) {
      kernel_.hold_until(kernel_.now() + random.exponential(think_mean));
      if (held_) {
        waiting_.push_back(process);
        kernel_.suspend();  // the lock is handed over
      }
      held_ = true;
      kernel_.hold_until(kernel_.now() + random.exponential(hold_mean));
      if (waiting_.empty()) {
        held_ = false;
      } else {
        kernel_.schedule(fibers_[waiting_.front()], kernel_.now());
        waiting_.pop_front();
      }
      done(process);
    }
  }

 private:
  bool held_ = false;
  std::deque<std::uint32_t> waiting_;
};

class HoldOnHeap {
 public:
  HoldOnHeap() : random_(streams()) {
    for (std::uint32_t process = 0; process < processes; ++process) {
      heap_.push(process, random_[process].exponential(wait_mean).count());
    }
  }
  Picos run(std::uint64_t operations) {
    std::int64_t now = 0;
    for (; operations > 0; --operations) {
      now = heap_.first().at;
      const std::uint32_t process = heap_.first().process();
      heap_.replace_first(process, now + random_[process].exponential(wait_mean).count());
    }
    return Picos{now};
  }

 private:
  BareHeap heap_;
  std::vector<Rng> random_;
};

class LockOnHeap {
 public:
  LockOnHeap() : random_(streams()), state_(processes, State::thinks) {
    for (std::uint32_t process = 0; process < processes; ++process) {
      heap_.push(process, random_[process].exponential(think_mean).count());
    }
  }
  Picos run(std::uint64_t operations) {
    std::int64_t now = 0;
    while (operations > 0) {
      now = heap_.first().at;
      const std::uint32_t process = heap_.first().process();
      switch (state_[process]) {
        case State::thinks:
          if (held_) {
            waiting_.push_back(process);
            state_[process] = State::queues;
            heap_.pop();
            break;
          }
          [[fallthrough]];
        case State::queues:  // the lock was handed over
          held_ = true;
          state_[process] = State::holds;
          heap_.replace_first(process, now + random_[process].exponential(hold_mean).count());
          break;
        case State::holds:
          state_[process] = State::thinks;
          heap_.replace_first(process, now + random_[process].exponential(think_mean).count());
          if (waiting_.empty()) {
            held_ = false;
          } else {
            heap_.push(waiting_.front(), now);
            waiting_.pop_front();
          }
          --operations;
          break;
      }
    }
    return Picos{now};
  }

 private:
  enum class State : std::uint8_t { thinks, queues, holds };

  BareHeap heap_;
  std::vector<Rng> random_;
  std::vector<State> state_;
  bool held_ = false;
  std::deque<std::uint32_t> waiting_;
};

}  // namespace lockcast::bench
