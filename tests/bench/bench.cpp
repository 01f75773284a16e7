// lockcast_bench: what an event of the inner kernel costs beside the bare heap it cannot beat, what a whole model costs
// and what the same costs on SimGrid's actors, and the largest model anybody will ask for. Only ratios inside one run
// mean anything on a shared machine; the table at the end prints them beside what is to be reached.
//   lockcast_bench [--benchmark_filter=... etc.]
//   lockcast_bench --count hold|lock|hold-bare|lock-bare N     exactly N operations, no timing (for instructions.sh)

#include "sim/run/replication.hpp"
#include "sim/workload/compile.hpp"
#include "tests/bench/workloads.hpp"
#include "tests/support/in_child.hpp"

#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace lockcast::bench {
namespace {

constexpr std::int64_t batch = 100'000;  // operations per iteration

// Both sides are worth comparing only if they do the same.
void check_agreement() {
  HoldOnKernel hold;
  HoldOnHeap bare_hold;
  LockOnKernel lock;
  LockOnHeap bare_lock;
  CHECK(hold.run(batch) == bare_hold.run(batch), "hold: kernel and bare heap disagree");
  CHECK(lock.run(batch) == bare_lock.run(batch), "lock: kernel and bare heap disagree");
}

template <class Workload>
void operations(benchmark::State& state) {
  Workload workload;
  workload.run(batch);  // past the beginning, when all processes act at once
  for (auto _ : state) { benchmark::DoNotOptimize(workload.run(batch)); }
  state.SetItemsProcessed(state.iterations() * batch);
}

// Linux counts in KiB.
std::int64_t peak_resident_bytes() {
  rusage usage{};
  CHECK(getrusage(RUSAGE_SELF, &usage) == 0, "getrusage");
  return std::int64_t{usage.ru_maxrss} * 1024;
}

struct Whole {
  std::uint64_t transactions = 0;
  std::uint64_t events = 0;
  std::uint64_t digest = 0;
  double wall_s = 0;
  double cpu_s = 0;
  std::int64_t resident_bytes = 0;  // at most, while it was built and run
};

// In a process of its own, so that its memory is its own too.
Whole run_whole(const Machine& machine, const Program& program, const ReplicationOptions& options) {
  return in_child([&] {
    const auto begin = std::chrono::steady_clock::now();
    const std::clock_t cpu_begin = std::clock();
    const Replication r = replicate(machine, {}, program, options);
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
    const double cpu_s = static_cast<double>(std::clock() - cpu_begin) / CLOCKS_PER_SEC;
    return Whole{r.transactions, r.events, r.digest, wall.count(), cpu_s, peak_resident_bytes()};
  });
}

// 80 backends on the 32 cores of the textbook machine, one LWLock.
Whole whole_model(KernelKind kernel, Picos simulated) {
  const Machine machine = load_machine("textbook-32", {}, {LOCKCAST_SOURCE_DIR});
  const Program program =
      compile(yaml::parse_text(
                  "locks: {L: {kind: lwlock-9.1}}\n"
                  "lines: {data: {count: 64, stride: 64 B}}\n"
                  "transaction:\n"
                  "  - work: {mean: 50 us, spread: exponential}\n"
                  "  - acquire: {lock: L, mode: shared}\n"
                  "  - scan: {lines: data, fields: [{offset: 0 B, bytes: 8 B}], access: read, work_per_entry: 5 ns}\n"
                  "  - release: L\n"
                  "  - acquire: {lock: L}\n"
                  "  - touch: {lines: data, pick: uniform, access: write}\n"
                  "  - release: L\n",
                  "bench"),
              80);
  return run_whole(machine, program, {.warmup = Picos{1}, .measured = simulated, .kernel = kernel});
}

void whole(benchmark::State& state) {
  constexpr Picos simulated{200ms};
  Whole sum;
  for (auto _ : state) {
    const Whole one = whole_model(KernelKind::inner, simulated);
    state.SetIterationTime(one.wall_s);
    sum.transactions += one.transactions;
    sum.events += one.events;
    sum.wall_s += one.wall_s;
  }
  const auto per_second = [&](double amount) { return amount / sum.wall_s; };
  state.counters["tx_per_wall_s"] = per_second(static_cast<double>(sum.transactions));
  state.counters["ns_per_event"] = sum.wall_s * 1e9 / static_cast<double>(sum.events);
  state.counters["simulated_per_wall_s"] = per_second(seconds(simulated) * static_cast<double>(state.iterations()));
}

// The largest thing anybody will ask for: 10,000 backends on 1,024 cores, all at one LWLock. Its mutex is polled by
// plain loads: with exchanges a thousand pollers stop all progress. A shorter run is taken off, because building the
// world is no event.
void huge(benchmark::State& state) {
  const Machine machine = load_machine("textbook-32", {{"topology.packages", "128"}}, {LOCKCAST_SOURCE_DIR});
  const Program program = compile(yaml::parse_text("spin: ttas-in-loop\n"
                                                   "locks: {L: {kind: lwlock-9.1}}\n"
                                                   "lines: {data: {count: 64, stride: 64 B}}\n"
                                                   "transaction:\n"
                                                   "  - work: {mean: 50 us, spread: exponential}\n"
                                                   "  - acquire: {lock: L}\n"
                                                   "  - touch: {lines: data, pick: uniform, access: write}\n"
                                                   "  - release: L\n",
                                                   "bench"),
                                  10'000);
  double cpu_s = 0;
  std::uint64_t events = 0;
  std::int64_t resident_bytes = 0;
  for (auto _ : state) {
    const Whole start = run_whole(machine, program, {.warmup = Picos{1}, .measured = 100ms});
    const Whole one = run_whole(machine, program, {.warmup = Picos{1}, .measured = 5s});
    state.SetIterationTime(one.cpu_s);
    cpu_s += one.cpu_s - start.cpu_s;
    events += one.events - start.events;
    resident_bytes = std::max(resident_bytes, one.resident_bytes);
  }
  state.counters["ns_per_event"] = cpu_s * 1e9 / static_cast<double>(events);
  state.counters["resident_mb"] = static_cast<double>(resident_bytes) * 1e-6;
  state.counters["events"] = static_cast<double>(events);
}

// The same model on both kernels, for half as long; building the two worlds is in it.
void oracle(benchmark::State& state) {
  constexpr Picos simulated{100ms};
  double inner_s = 0;
  double simgrid_s = 0;
  std::uint64_t events = 0;
  for (auto _ : state) {
    const Whole inner = whole_model(KernelKind::inner, simulated);
    const Whole simgrid = whole_model(KernelKind::simgrid, simulated);
    CHECK(inner.digest == simgrid.digest && inner.events == simgrid.events, "whole model: the two kernels disagree");
    state.SetIterationTime(simgrid.cpu_s);
    inner_s += inner.cpu_s;
    simgrid_s += simgrid.cpu_s;
    events += inner.events;
  }
  state.counters["ns_per_event"] = simgrid_s * 1e9 / static_cast<double>(events);
  state.counters["inner_ns_per_event"] = inner_s * 1e9 / static_cast<double>(events);
}

// The usual console output, and medians kept for the table.
class Medians : public benchmark::ConsoleReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override {
    ConsoleReporter::ReportRuns(runs);
    for (const Run& run : runs) {
      if (run.aggregate_name != "median") { continue; }
      const std::string& name = run.run_name.function_name;
      ns_[name] = run.GetAdjustedCPUTime() / static_cast<double>(batch);
      for (const auto& [counter, value] : run.counters) { counters_[name + "/" + counter] = value; }
    }
  }

  void print_table() const {
    std::printf("\nmedian CPU time; ratios inside this run\n%-34s %10s %10s %8s %10s\n", "", "kernel", "bare heap",
                "ratio", "to reach");
    ratio("hold event, 80 processes", "hold", "hold-bare", 60.0 / 31.0);
    ratio("FIFO lock acquisition, 80 processes", "lock", "lock-bare", 130.0 / 78.0);
    const auto event = counters_.find("whole/ns_per_event");
    const auto bare = ns_.find("hold-bare");
    if (event == counters_.end()) { return; }
    std::printf("%-34s %7.1f ns", "whole model, one event", event->second);
    if (bare != ns_.end()) { std::printf(" %7.1f ns %8.2f", bare->second, event->second / bare->second); }
    std::printf("\nwhole model: %.0f simulated transactions and %.3f simulated seconds per wall second\n",
                counters_.at("whole/tx_per_wall_s"), counters_.at("whole/simulated_per_wall_s"));
  }

  void print_huge() const {
    const auto event = counters_.find("huge/ns_per_event");
    if (event == counters_.end()) { return; }
    std::printf("%-34s %7.1f ns", "10,000 backends on 1,024 cores", event->second);
    const auto bare = ns_.find("hold-bare");
    if (bare != ns_.end()) {
      std::printf(" %7.1f ns %8.2f %10.2f", bare->second, event->second / bare->second, 250.0 / 31.0);
    }
    std::printf("\n%34s %7.1f MB resident at most (to reach: 200)\n", "", counters_.at("huge/resident_mb"));
  }

  void print_oracle() const {
    const auto simgrid = counters_.find("oracle/ns_per_event");
    if (simgrid == counters_.end()) { return; }
    const double inner = counters_.at("oracle/inner_ns_per_event");
    std::printf(
        "whole model on SimGrid's actors: %.0f ns an event, %.1f times the inner kernel's %.0f ns (to reach: 10)\n",
        simgrid->second, simgrid->second / inner, inner);
  }

 private:
  void ratio(const char* what, const std::string& name, const std::string& reference, double to_reach) const {
    const auto ours = ns_.find(name);
    const auto bare = ns_.find(reference);
    if (ours == ns_.end() || bare == ns_.end()) { return; }
    std::printf("%-34s %7.1f ns %7.1f ns %8.2f %10.2f\n", what, ours->second, bare->second, ours->second / bare->second,
                to_reach);
  }

  std::map<std::string, double> ns_;
  std::map<std::string, double> counters_;
};

template <class Workload>
void count(std::uint64_t operations) {
  Workload workload;
  std::printf("%.9f s simulated\n", seconds(workload.run(operations)));
}

int count_only(std::string_view what, const char* number) {
  const std::uint64_t operations = std::strtoull(number, nullptr, 10);
  if (operations > 0 && what == "hold") {
    count<HoldOnKernel>(operations);
  } else if (operations > 0 && what == "lock") {
    count<LockOnKernel>(operations);
  } else if (operations > 0 && what == "hold-bare") {
    count<HoldOnHeap>(operations);
  } else if (operations > 0 && what == "lock-bare") {
    count<LockOnHeap>(operations);
  } else {
    std::fprintf(stderr, "usage: lockcast_bench --count hold|lock|hold-bare|lock-bare N\n");
    return static_cast<int>(ExitCode::usage);
  }
  return 0;
}

int run(int argc, char** argv) {
  if (argc >= 2 && std::strcmp(argv[1], "--count") == 0) {
    return count_only(argc == 4 ? argv[2] : "", argc == 4 ? argv[3] : "0");
  }
  // Interleaved repetitions, so that both sides of a ratio see the same neighbours on the machine. Flags of the user's
  // come later and win.
  std::vector<char*> arguments(argv, argv + 1);
  std::vector<std::string> ours{"--benchmark_enable_random_interleaving=true", "--benchmark_repetitions=9",
                                "--benchmark_report_aggregates_only=true", "--benchmark_min_time=0.1"};
  for (std::string& argument : ours) { arguments.push_back(argument.data()); }
  arguments.insert(arguments.end(), argv + 1, argv + argc);
  int arguments_count = static_cast<int>(arguments.size());
  benchmark::Initialize(&arguments_count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(arguments_count, arguments.data())) {
    return static_cast<int>(ExitCode::usage);
  }

  check_agreement();
  benchmark::RegisterBenchmark("hold", &operations<HoldOnKernel>);
  benchmark::RegisterBenchmark("hold-bare", &operations<HoldOnHeap>);
  benchmark::RegisterBenchmark("lock", &operations<LockOnKernel>);
  benchmark::RegisterBenchmark("lock-bare", &operations<LockOnHeap>);
  benchmark::RegisterBenchmark("oracle", &oracle)
      ->UseManualTime()
      ->Iterations(1)
      ->Repetitions(3)
      ->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark("huge", &huge)
      ->UseManualTime()
      ->Iterations(1)
      ->Repetitions(3)
      ->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark("whole", &whole)->UseManualTime()->Unit(benchmark::kMillisecond);
  Medians reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  reporter.print_table();
  reporter.print_huge();
  reporter.print_oracle();
  return 0;
}

}  // namespace
}  // namespace lockcast::bench

int main(int argc, char** argv) { return lockcast::bench::run(argc, argv); }
