// The word remembers its last owner.

#include "validate/probe/hammer.hpp"

#include "models/check.hpp"
#include "validate/pinning.hpp"
#include "validate/probe/statistics.hpp"
#include "validate/probe/timing.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <thread>

namespace lockcast::probe {

namespace {

struct Shared {
  alignas(pair_of_lines) std::atomic<std::uint32_t> word{0};
  alignas(pair_of_lines) std::atomic<std::uint32_t> here{0};
  alignas(pair_of_lines) std::atomic<bool> go{false};
  alignas(pair_of_lines) std::atomic<bool> stop{false};
  std::atomic<bool> unbound{false};
};

constexpr std::uint64_t block_exchanges = 2000;
// In a block with fewer the opponent was away for most of it; bursts of hundreds have not been seen on any chip.
constexpr std::uint64_t handovers_min = 4;
constexpr std::size_t blocks_min = 4;

struct alignas(pair_of_lines) Counts {
  std::atomic<std::size_t> contested{0};  // blocks; the others are the thread's own until it has ended
  std::vector<std::uint64_t> taken_from;
  std::vector<double> block_ns;     // per exchange
  std::vector<double> block_burst;  // of contested blocks only
};

void exchange_until_stopped(Shared& shared, Counts& counts, std::uint32_t self) {
  shared.here.fetch_add(1);
  while (!shared.go.load(std::memory_order_acquire)) {}
  Clock::time_point begin = Clock::now();
  while (!shared.stop.load(std::memory_order_relaxed)) {
    std::uint64_t taken = 0;
    for (std::uint64_t i = 0; i < block_exchanges; ++i) {
      const std::uint32_t before = shared.word.exchange(self, std::memory_order_acq_rel);
      if (before != self) {
        ++counts.taken_from[before];
        ++taken;
      }
    }
    const Clock::time_point now = Clock::now();
    if (taken >= handovers_min) {
      counts.block_ns.push_back(nanoseconds(now - begin) / block_exchanges);
      counts.block_burst.push_back(static_cast<double>(block_exchanges) / static_cast<double>(taken));
      counts.contested.fetch_add(1, std::memory_order_relaxed);
    }
    begin = now;
  }
}

}  // namespace

Hammering hammer(const std::vector<int>& cpus, std::chrono::microseconds duration) {
  CHECK(cpus.size() >= 2, "one thread has nobody to fight with");
  const auto shared = std::make_unique<Shared>();
  std::vector<Counts> counts(cpus.size());
  for (Counts& mine : counts) { mine.taken_from.resize(cpus.size()); }
  {
    std::vector<BoundThread> threads;
    threads.reserve(cpus.size());
    // Ends them whatever happens; declared after them, so it runs before they are joined.
    struct Release {
      Shared& shared;
      ~Release() {
        shared.stop.store(true);
        shared.go.store(true);
      }
    } const release{*shared};
    for (std::size_t i = 0; i < cpus.size(); ++i) {
      threads.emplace_back(cpus[i], [&, i](bool bound) {
        if (!bound) { shared->unbound.store(true); }
        exchange_until_stopped(*shared, counts[i], static_cast<std::uint32_t>(i));
      });
    }
    while (shared->here.load() < cpus.size()) { std::this_thread::yield(); }
    shared->go.store(true);
    // Where others use the CPUs it takes longer until all threads run at once.
    constexpr int patience = 10;
    const auto enough = [](const Counts& mine) { return mine.contested.load() >= blocks_min; };
    for (int i = 0; i < patience && (i == 0 || !std::ranges::all_of(counts, enough)); ++i) {
      std::this_thread::sleep_for(duration);
    }
    shared->stop.store(true);
  }
  if (shared->unbound.load()) { no_binding(cpus.front(), cpus.back()); }
  Hammering result;
  result.handovers.assign(cpus.size(), std::vector<std::uint64_t>(cpus.size(), 0));
  double exchanges_per_ns = 0;
  double bursts = 0;
  for (std::size_t to = 0; to < cpus.size(); ++to) {
    for (std::size_t from = 0; from < cpus.size(); ++from) { result.handovers[from][to] = counts[to].taken_from[from]; }
    if (counts[to].block_ns.size() < blocks_min) { return {}; }
    // A block in which the opponent came or went has longer bursts than one that was contested all the time.
    constexpr double contested = 0.25;
    constexpr double much_longer = 2;
    const double burst = quantile(counts[to].block_burst, contested);
    std::vector<double> block_ns;
    for (std::size_t i = 0; i < counts[to].block_ns.size(); ++i) {
      if (counts[to].block_burst[i] <= much_longer * burst) { block_ns.push_back(counts[to].block_ns[i]); }
    }
    exchanges_per_ns += 1 / median(std::move(block_ns));
    result.thread_burst.push_back(burst);
    bursts += result.thread_burst.back();
  }
  result.ns_per_exchange = 1 / exchanges_per_ns;
  result.burst = bursts / static_cast<double>(cpus.size());
  return result;
}

double near_bias_of(const Hammering& hammering, const std::vector<std::vector<bool>>& near) {
  // Of the hand-overs of threads that have a choice: observed = bias + (1 - bias) * expected.
  double observed = 0;
  double expected = 0;
  double all = 0;
  const std::size_t threads = hammering.handovers.size();
  for (std::size_t from = 0; from < threads; ++from) {
    const auto nearest = static_cast<std::size_t>(std::count(near[from].begin(), near[from].end(), true));
    if (nearest == 0 || nearest == threads - 1) { continue; }
    for (std::size_t to = 0; to < threads; ++to) {
      const auto count = static_cast<double>(hammering.handovers[from][to]);
      all += count;
      observed += near[from][to] ? count : 0;
      expected += count * static_cast<double>(nearest) / static_cast<double>(threads - 1);
    }
  }
  if (!(all > 0)) { return not_measured; }
  return std::clamp((observed - expected) / (all - expected), 0.0, 1.0);
}

}  // namespace lockcast::probe
