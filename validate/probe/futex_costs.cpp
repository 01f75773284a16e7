// The waker spins until the sleeper has slept long enough, so that only one side of a wake-up sleeps.

#include "validate/probe/futex_costs.hpp"

#include "validate/pinning.hpp"
#include "validate/probe/statistics.hpp"
#include "validate/probe/timing.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <thread>

namespace lockcast::probe {

namespace {

using Word = std::atomic<std::uint32_t>;

long futex(Word& word, int operation, std::uint32_t value) {
  return syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), operation | FUTEX_PRIVATE_FLAG, value, nullptr,
                 nullptr, 0);
}
void wait_while(Word& word, std::uint32_t value) {
  while (word.load(std::memory_order_acquire) == value) { futex(word, FUTEX_WAIT, value); }
}
bool wake_one(Word& word) { return futex(word, FUTEX_WAKE, 1) == 1; }

struct Meeting {
  alignas(pair_of_lines) Word turn{0};   // the waker counts it up
  alignas(pair_of_lines) Word awake{0};  // the sleeper follows
  Clock::time_point ran_at;              // written before `awake`
  alignas(pair_of_lines) std::atomic<bool> stop{false};
  std::atomic<bool> unbound{false};

  void sleeper() {
    for (std::uint32_t seen = 0;;) {
      wait_while(turn, seen);
      ran_at = Clock::now();
      seen = turn.load(std::memory_order_acquire);
      if (stop.load()) { return; }
      awake.store(seen, std::memory_order_release);
    }
  }
  void waker(std::uint32_t wake_ups, std::chrono::microseconds asleep, WakeUps& result) {
    for (std::uint32_t number = 1; number <= wake_ups; ++number) {
      const Clock::time_point until = Clock::now() + asleep;
      while (Clock::now() < until) {}
      turn.store(number, std::memory_order_release);
      const Clock::time_point begin = Clock::now();
      const bool was_asleep = wake_one(turn);
      const Clock::time_point end = Clock::now();
      while (awake.load(std::memory_order_acquire) != number) {}
      if (!was_asleep) { continue; }
      result.latency.push_back(nanoseconds(ran_at - begin));
      result.cost.push_back(nanoseconds(end - begin));
    }
  }
  void end() {
    stop.store(true);
    turn.fetch_add(1);
    futex(turn, FUTEX_WAKE, INT32_MAX);
  }
};

}  // namespace

WakeUps measure_wake_ups(int waker_cpu, int sleeper_cpu, std::uint32_t wake_ups, std::uint32_t asleep_us,
                         bool target_is_busy) {
  const auto meeting = std::make_unique<Meeting>();
  WakeUps result;
  {
    std::vector<BoundThread> others;
    others.reserve(2);
    std::optional<BoundThread> waker;
    struct Release {
      Meeting& meeting;
      std::optional<BoundThread>& waker;
      ~Release() {
        waker.reset();
        meeting.end();
      }
    } const release{*meeting, waker};
    others.emplace_back(sleeper_cpu, [&](bool bound) {
      if (!bound) { meeting->unbound.store(true); }
      meeting->sleeper();
    });
    if (target_is_busy) {
      others.emplace_back(sleeper_cpu, [&](bool /*bound*/) {
        while (!meeting->stop.load(std::memory_order_relaxed)) {}
      });
    }
    waker.emplace(waker_cpu, [&](bool bound) {
      if (!bound) { meeting->unbound.store(true); }
      meeting->waker(wake_ups, std::chrono::microseconds{asleep_us}, result);
    });
  }
  if (meeting->unbound.load()) { no_binding(waker_cpu, sleeper_cpu); }
  return result;
}

FutexCalls measure_futex_calls(int cpu, std::uint32_t hops) {
  constexpr std::uint32_t calls = 200;
  constexpr int samples = 9;
  FutexCalls costs;
  const auto word = std::make_unique<Word>(0);
  std::atomic<bool> bound{true};
  const auto each = [&](int operation, std::uint32_t value) {
    std::vector<double> values;
    for (int sample = 0; sample < samples; ++sample) {
      const Clock::time_point begin = Clock::now();
      for (std::uint32_t i = 0; i < calls; ++i) { futex(*word, operation, value); }
      values.push_back(nanoseconds(Clock::now() - begin) / calls);
    }
    return median(std::move(values));
  };
  {
    BoundThread thread(cpu, [&](bool ok) {
      if (!ok) { bound.store(false); }
      costs.empty_wake = each(FUTEX_WAKE, 1);
      costs.refused_wait = each(FUTEX_WAIT, 1);
    });
  }
  // Two threads with a turn each: word even, the first one's; odd, the second one's. Timed in stretches, most of which
  // nobody else disturbs.
  const auto play = [&](std::uint32_t mine, std::vector<double>* times) {
    constexpr std::uint32_t stretch = 20;
    Clock::time_point begin = Clock::now();
    for (std::uint32_t value = mine; value < 2 * hops; value += 2) {
      std::uint32_t seen = 0;
      while ((seen = word->load(std::memory_order_acquire)) < value) { futex(*word, FUTEX_WAIT, seen); }
      word->store(value + 1, std::memory_order_release);
      wake_one(*word);
      if (times != nullptr && (value / 2 + 1) % stretch == 0) {
        const Clock::time_point now = Clock::now();
        times->push_back(nanoseconds(now - begin) / (2.0 * stretch));
        begin = now;
      }
    }
  };
  std::vector<double> stretches;
  {
    BoundThread second(cpu, [&](bool /*ok*/) { play(1, nullptr); });
    std::optional<BoundThread> first;
    try {
      first.emplace(cpu, [&](bool /*ok*/) { play(0, &stretches); });
    } catch (...) {
      word->store(2 * hops);
      futex(*word, FUTEX_WAKE, INT32_MAX);
      throw;
    }
  }
  if (!bound.load()) { no_binding(cpu, cpu); }
  if (!stretches.empty()) { costs.same_cpu_hop = median(stretches); }
  return costs;
}

}  // namespace lockcast::probe
