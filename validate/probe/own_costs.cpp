// Loops of about 10 to 30 us: far above a clock read, far below a time slice.

#include "validate/probe/own_costs.hpp"

#include "sim/workload/compile.hpp"
#include "sim/yaml/document.hpp"
#include "validate/fence.hpp"
#include "validate/native_run.hpp"
#include "validate/pinning.hpp"
#include "validate/probe/statistics.hpp"
#include "validate/probe/timing.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <latch>
#include <vector>

namespace lockcast::probe {

namespace {

constexpr std::uint32_t samples = 15;

// Median over samples of the time of one iteration.
template <class Action>
double each(std::uint32_t iterations, const Action& action) {
  std::vector<double> values;
  for (std::uint32_t sample = 0; sample <= samples; ++sample) {
    const Clock::time_point begin = Clock::now();
    for (std::uint32_t i = 0; i < iterations; ++i) { action(); }
    const Clock::time_point end = Clock::now();
    if (sample > 0) {  // the first one warms up
      values.push_back(nanoseconds(end - begin) / iterations);
    }
  }
  return median(std::move(values));
}

// Branches on a bit of a random sequence that `mask` picks: taken half of the time, or never if it is 0. Each side has
// an instruction of its own, or a compiler would do without the branch.
std::uint64_t branch_on(std::uint64_t mask, std::uint64_t random, std::uint32_t times) {
  for (; times > 0; --times) {
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    if ((random & mask) != 0) {
      asm volatile("nop" ::: "memory");
    } else {
      asm volatile("" ::: "memory");
    }
  }
  return random;
}

// Half of the random branches are mispredicted.
double time_branch_miss() {
  constexpr std::uint32_t branches = 20'000;
  std::uint64_t random = 88172645463325252;
  const double guessed = each(1, [&] { random = branch_on(std::uint64_t{1} << 40, random, branches); });
  const double known = each(1, [&] { random = branch_on(0, random, branches); });
  return std::max(0.0, guessed - known) / (0.5 * branches);
}

OwnCosts measure_here() {
  constexpr std::uint32_t many = 2000;
  constexpr std::uint32_t few = 200;
  OwnCosts costs;
  const WorkLoop work_loop = WorkLoop::measure();
  NativeRun run(1, work_loop);
  NativeEnv env(run, BackendId{0});
  NativeWord* const word = run.memory().allocate(sizeof(NativeWord));
  costs.pause = each(few, [&] { env.pause(); });
  costs.branch_miss = time_branch_miss();
  costs.poll = each(1,
                    [&] {
                      env.spin_until(
                          *word, [](std::uint32_t value) { return value != 0; }, few);
                    }) /
               few;
  costs.exchange = each(many, [&] { word->value.exchange(1, std::memory_order_acq_rel); });
  const double fences = each(many, [] {
    serialize_execution();
    serialize_execution();
  });
  costs.fenced_exchange = std::max(0.0, each(many, [&] {
                                          serialize_execution();
                                          word->value.exchange(1, std::memory_order_acq_rel);
                                          serialize_execution();
                                        }) - fences);
  costs.clock = each(few, [] { static_cast<void>(Clock::now()); });
  costs.system_call = each(few, [] { syscall(SYS_getppid); });
  costs.work_step = work_loop.picos_per_step() * 1e-3;
  return costs;
}

// Eight chains that depend on nothing but themselves: about as many as a core has units for.
std::uint64_t busy_units(std::uint64_t steps) {
  std::array<std::uint64_t, 8> chains{1, 2, 3, 4, 5, 6, 7, 8};
  for (; steps > 0; --steps) {
    for (std::uint64_t& chain : chains) {
      chain = chain + (chain ^ steps);
      asm volatile("" : "+r"(chain));
    }
  }
  return chains[0];
}

struct Works {
  double dependent = 0;
  double throughput = 0;
};

// Medians of short samples, all of which lie between two meetings of all threads.
Works time_works() {
  constexpr std::uint64_t dependent_steps = 20'000;
  constexpr std::uint64_t throughput_steps = 10'000;
  Works works;
  works.dependent = each(4, [] { WorkLoop::run_steps(dependent_steps); });
  works.throughput = each(4, [] { static_cast<void>(busy_units(throughput_steps)); });
  return works;
}

std::vector<Works> work_together(const std::vector<int>& cpus) {
  std::vector<Works> works(cpus.size());
  std::latch all_here(static_cast<std::ptrdiff_t>(cpus.size()) + 1);
  std::atomic<bool> bound{true};
  std::atomic<std::size_t> measuring{cpus.size()};
  {
    std::vector<BoundThread> threads;
    threads.reserve(cpus.size());
    // Whoever is missing must not keep the others waiting.
    struct Release {
      std::latch& latch;
      std::atomic<std::size_t>& measuring;
      const std::vector<BoundThread>& threads;
      std::size_t wanted;
      ~Release() {
        const std::size_t missing = wanted - threads.size();
        measuring.fetch_sub(missing);
        latch.count_down(static_cast<std::ptrdiff_t>(missing) + 1);
      }
    } const release{all_here, measuring, threads, cpus.size()};
    for (std::size_t i = 0; i < cpus.size(); ++i) {
      threads.emplace_back(cpus[i], [&, i](bool ok) {
        if (!ok) { bound.store(false); }
        all_here.arrive_and_wait();
        works[i] = time_works();
        // Goes on working until the last one has its figures.
        measuring.fetch_sub(1);
        while (measuring.load() > 0) { static_cast<void>(busy_units(100)); }
      });
    }
  }
  if (!bound.load()) { no_binding(cpus.front(), cpus.back()); }
  return works;
}

}  // namespace

OwnCosts measure_own_costs(int cpu) {
  OwnCosts costs;
  std::atomic<bool> measured{false};
  {
    BoundThread thread(cpu, [&](bool bound) {
      costs = measure_here();
      measured.store(bound);
    });
  }
  if (!measured.load()) { no_binding(cpu, cpu); }
  return costs;
}

double measure_empty_transaction() {
  const Program program = compile(yaml::parse_text("transaction: [{work: 1 ps}]\n", "empty transaction"), 1);
  NativePointOptions options;
  options.warmup = std::chrono::milliseconds{5};
  options.epochs = 5;
  options.epoch = std::chrono::milliseconds{5};
  // The fastest epoch: whoever else runs can only make one slower.
  const NativePoint point = run_native(program, WorkLoop::measure(), options);
  return 1e9 / *std::ranges::max_element(point.epoch_tps);
}

Slowdown measure_slowdown(const std::vector<int>& cpus) {
  std::vector<double> alone_dependent;
  std::vector<double> alone_throughput;
  for (const int cpu : {cpus.front(), cpus.back()}) {
    const Works works = work_together({cpu}).front();
    alone_dependent.push_back(works.dependent);
    alone_throughput.push_back(works.throughput);
  }
  std::vector<double> dependent;
  std::vector<double> throughput;
  for (const Works& works : work_together(cpus)) {
    dependent.push_back(works.dependent);
    throughput.push_back(works.throughput);
  }
  return {.dependent = median(dependent) / median(alone_dependent),
          .throughput = median(throughput) / median(alone_throughput)};
}

}  // namespace lockcast::probe
