// Memory first, then threads, then the books. The threads share nothing they write but what the program says.

#include "validate/native_run.hpp"

#include "models/check.hpp"

#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <condition_variable>
#include <ctime>
#include <fstream>
#include <latch>
#include <memory>
#include <mutex>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>

namespace lockcast {

namespace {

using Clock = std::chrono::steady_clock;

// From research on a 2-CPU virtual machine: undisturbed points stay within both.
constexpr double cpu_share_min = 0.95;
constexpr double epoch_deviation_max = 0.15;
constexpr double foreign_share_max = 0.03;

// A set of CPUs of any size: hosts with more than 1024 exist, and a fixed cpu_set_t fails on them.
class CpuSet {
 public:
  explicit CpuSet(std::size_t cpus) : cpus_(cpus), set_(CPU_ALLOC(cpus)) {
    CHECK(set_ != nullptr, "no memory for a set of CPUs");
    CPU_ZERO_S(bytes(), set_);
  }
  ~CpuSet() { CPU_FREE(set_); }
  CpuSet(const CpuSet&) = delete;
  CpuSet& operator=(const CpuSet&) = delete;

  [[nodiscard]] std::size_t bytes() const { return CPU_ALLOC_SIZE(cpus_); }
  [[nodiscard]] std::size_t size() const { return bytes() * 8; }
  [[nodiscard]] cpu_set_t* get() { return set_; }

 private:
  std::size_t cpus_;
  cpu_set_t* set_;
};

std::vector<int> allowed_cpus() {
  constexpr std::size_t cpus_max = std::size_t{1} << 20U;
  for (std::size_t size = 1024; size <= cpus_max; size *= 2) {
    CpuSet set(size);
    if (sched_getaffinity(0, set.bytes(), set.get()) == 0) {
      std::vector<int> cpus;
      for (std::size_t cpu = 0; cpu < set.size(); ++cpu) {
        if (CPU_ISSET_S(cpu, set.bytes(), set.get())) { cpus.push_back(static_cast<int>(cpu)); }
      }
      return cpus;
    }
    if (errno != EINVAL) { break; }
  }
  throw InputError("cannot find out which CPUs this process may use", ExitCode::host_cannot);
}

void pin(std::thread& thread, int cpu) {
  CpuSet set(static_cast<std::size_t>(cpu) + 1);
  CPU_SET_S(static_cast<std::size_t>(cpu), set.bytes(), set.get());
  if (pthread_setaffinity_np(thread.native_handle(), set.bytes(), set.get()) != 0) {
    throw InputError("cannot pin a thread to CPU " + std::to_string(cpu), ExitCode::host_cannot);
  }
}

// CPU time of one thread. Not getrusage of the process: that is up to a tick late for a thread that is running, which
// is 4 % of a whole measurement.
double cpu_seconds(std::thread& thread) {
  clockid_t clock{};
  timespec time{};
  const bool known = pthread_getcpuclockid(thread.native_handle(), &clock) == 0 && clock_gettime(clock, &time) == 0;
  CHECK(known, "a running thread has no CPU clock");
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

std::uint64_t involuntary_switches() {
  rusage usage{};
  CHECK(getrusage(RUSAGE_SELF, &usage) == 0, "getrusage failed");
  return static_cast<std::uint64_t>(usage.ru_nivcsw);
}

// CPU time that anybody, this process or a hypervisor took from these CPUs; none where /proc does not tell.
std::optional<double> busy_seconds(const std::vector<int>& cpus) {
  std::ifstream stat("/proc/stat");
  double ticks = 0;
  std::size_t found = 0;
  for (std::string line; std::getline(stat, line);) {
    std::istringstream words(line);
    std::string name;
    std::array<double, 8> spent{};  // user nice system idle iowait irq softirq steal
    words >> name;
    for (double& value : spent) { words >> value; }
    if (!words || !std::ranges::any_of(cpus, [&](int cpu) { return name == "cpu" + std::to_string(cpu); })) {
      continue;
    }
    ticks += spent[0] + spent[1] + spent[2] + spent[5] + spent[6] + spent[7];
    ++found;
  }
  if (found != cpus.size()) { return std::nullopt; }
  return ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 != 0) { return *middle; }
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

// 1: all alike; 1/n: one does everything.
double jain_index(const std::vector<std::uint64_t>& counts) {
  double sum = 0;
  double squares = 0;
  for (const std::uint64_t count : counts) {
    const auto value = static_cast<double>(count);
    sum += value;
    squares += value * value;
  }
  return squares > 0 ? sum * sum / (static_cast<double>(counts.size()) * squares) : 0;
}

std::string percent(double share) { return std::to_string(std::lround(share * 100)) + " %"; }

// Bytes that belong to a lock or to a waiter.
struct Owned {
  std::uint64_t begin;
  std::uint64_t end;
  std::string_view owner;
};

// In the order of addresses.
std::vector<Owned> owned_bytes(const Program& program) {
  std::vector<Owned> owned;
  for (const LockGroup& group : program.locks) {
    for (std::uint32_t i = 0; i < group.count; ++i) {
      const std::uint64_t begin = group.address + std::uint64_t{i} * group.stride;
      owned.push_back({begin, begin + AllLocks::traits[group.kind].bytes, group.name});
    }
  }
  if (!program.waiter.own_line) {
    const LineArray& array = program.arrays[program.waiter.array];
    for (std::uint32_t id = 0; id < program.backends; ++id) {
      const std::uint64_t entry = array.address + std::uint64_t{id} * array.stride;
      for (const std::uint32_t offset : {program.waiter.waiting, program.waiter.exclusive, program.waiter.next}) {
        owned.push_back({entry + offset, entry + offset + sizeof(NativeWord), "waiter"});
      }
    }
  }
  std::sort(owned.begin(), owned.end(), [](const Owned& a, const Owned& b) { return a.begin < b.begin; });
  return owned;
}

std::string_view name_without_native_meaning(Opcode code) {
  switch (code) {
    case Opcode::roundtrip: return "roundtrip";
    case Opcode::give_id: return "give_id";
    case Opcode::look_up:
    case Opcode::looked_up: return "slru_lookup";
    case Opcode::log: return "log";
    case Opcode::flush: return "flush";
    case Opcode::unless_flushed: return "unless_flushed";
    case Opcode::stamp: return "stamp";
    case Opcode::visit:
    case Opcode::visited: return "visit";
    case Opcode::nap: return "nap";
    case Opcode::rouse: return "rouse";
    case Opcode::work:
    case Opcode::acquire:
    case Opcode::try_acquire:
    case Opcode::release:
    case Opcode::delegate:
    case Opcode::draw:
    case Opcode::touch:
    case Opcode::scan:
    case Opcode::choose:
    case Opcode::jump:
    case Opcode::repeat:
    case Opcode::again: break;
  }
  return {};
}

}  // namespace

NativeHost native_host() {
  NativeHost host;
  host.cpus = allowed_cpus();
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line) && !line.empty();) {  // the first CPU speaks for all
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos || colon + 2 > line.size()) { continue; }
    const std::string value = line.substr(colon + 2);
    if (line.starts_with("model name")) { host.cpu_model = value; }
    if (line.starts_with("flags")) { host.virtual_machine = (value + " ").find(" hypervisor ") != std::string::npos; }
  }
  if (host.cpu_model.empty()) { host.cpu_model = "unknown CPU"; }
  utsname system{};
  if (uname(&system) == 0) { host.kernel = std::string(system.sysname) + " " + system.release + " " + system.machine; }
  return host;
}

void check_native(const Program& program) {
  for (const Op& op : program.code) {
    if (const std::string_view name = name_without_native_meaning(op.code); !name.empty()) {
      throw InputError(
          "operation '" + std::string(name) + "' cannot run natively yet; expected a transaction without it",
          ExitCode::host_cannot);
    }
  }
  const std::vector<Owned> owned = owned_bytes(program);
  for (std::size_t i = 1; i < owned.size(); ++i) {
    if (owned[i].begin < owned[i - 1].end) {
      throw InputError("'" + std::string(owned[i - 1].owner) + "' and '" + std::string(owned[i].owner) +
                       "' lie on the same bytes; expected places that do not overlap");
    }
  }
}

ProgramMemory::ProgramMemory(const Program& program, NativeRun& run)
    : words_(run.memory().allocate(program.bytes)), free_word_((program.bytes + line_bytes - 1) / line_bytes, 0) {
  // Walks the owned words in order; a line's first free word is the one after a run that began at its first word.
  for (const Owned& owned : owned_bytes(program)) {
    for (std::uint64_t word = owned.begin / sizeof(NativeWord); word * sizeof(NativeWord) < owned.end; ++word) {
      std::uint8_t& free_word = free_word_[word / words_per_line];
      if (free_word == word % words_per_line) { ++free_word; }
    }
  }
  for (const Scan& scan : program.scans) {
    const LineArray& array = program.arrays[scan.array];
    std::vector<std::uint32_t>& lines = scans_.emplace_back();
    for (std::uint32_t entry = 0; entry < array.count; ++entry) {
      for (const Field& field : scan.fields) {
        const std::uint64_t begin = array.address + std::uint64_t{entry} * array.stride + field.offset;
        for (std::uint64_t line = begin / line_bytes; line <= (begin + field.bytes - 1) / line_bytes; ++line) {
          lines.push_back(static_cast<std::uint32_t>(line));
        }
      }
    }
    std::sort(lines.begin(), lines.end());
    lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  }
  if (program.waiter.own_line) { return; }
  const LineArray& array = program.arrays[program.waiter.array];
  for (std::uint32_t id = 0; id < program.backends; ++id) {
    const std::uint64_t entry = array.address + std::uint64_t{id} * array.stride;
    run.waiter(BackendId{id}) = {.waiting = word_at(entry + program.waiter.waiting),
                                 .exclusive = word_at(entry + program.waiter.exclusive),
                                 .next = word_at(entry + program.waiter.next)};
  }
}

void ProgramMemory::touch_line(std::size_t line, Access access) const {
  NativeWord* const first = words_ + line * words_per_line;
  const std::uint8_t free_word = free_word_[line];
  if (access == Access::read) {
    static_cast<void>(first->value.load(std::memory_order_relaxed));
  } else if (free_word != no_free_word) {
    first[free_word].value.store(static_cast<std::uint32_t>(line), std::memory_order_relaxed);
  } else {
    // A line full of locks: takes it as a write does, and leaves the value to whoever owns it.
    std::uint32_t value = first->value.load(std::memory_order_relaxed);
    first->value.compare_exchange_strong(value, value, std::memory_order_relaxed);
  }
}

void NativeProgramExecutor::roundtrip() { CHECK(false, "a round trip in a native run"); }
void NativeProgramExecutor::disk(Picos /*duration*/) { CHECK(false, "a disk in a native run"); }
void NativeProgramExecutor::nap(Picos /*duration*/) { CHECK(false, "a nap in a native run"); }
void NativeProgramExecutor::rouse(std::uint32_t /*process*/) { CHECK(false, "a process in a native run"); }

namespace {

// Everything the threads use, so that it can outlive the caller when they do not come back.
class Measurement {
 public:
  Measurement(const Program& program, const WorkLoop& work_loop, const NativePointOptions& options)
      : program_(program),
        run_(program.backends, work_loop, {.seed = options.seed, .polls_before_yield = options.polls_before_yield}),
        memory_(program_, run_),
        resources_(program_, options.seed),
        threads_(program.backends),
        running_(0) {
    locks_.reserve(program_.lock_count());
    for (const LockGroup& group : program_.locks) {
      for (std::uint32_t i = 0; i < group.count; ++i) {
        NativeArena arena = run_.arena_at(memory_.word_at(group.address + std::uint64_t{i} * group.stride));
        AllLocks::make<NativeProgramExecutor>(group.kind, locks_, arena, group.options);
      }
    }
  }

  // The life of a thread.
  void backend(std::uint32_t id) {
    PerThread& mine = threads_[id];
    NativeProgramExecutor executor(run_, BackendId{id}, program_, memory_);
    Interpreter<NativeProgramExecutor> interpreter(executor, locks_, program_, resources_);
    go_.wait();
    // As in the simulator: starting at a random instant keeps the backends from marching in step.
    executor.work(executor.random(Purpose::start).uniform_around(Picos{50us}));
    std::uint64_t finished = 0;
    do {
      interpreter.run_transaction();
      mine.finished.store(++finished, std::memory_order_relaxed);
    } while (!stop_.value.load(std::memory_order_relaxed));
    mine.slept = executor.counts().blocked + executor.counts().spin_delays > 0;
    const std::scoped_lock guard(mutex_);
    if (--running_ == 0) { all_returned_.notify_one(); }
  }

  // Called by the parent only.
  void starts_thread() {
    const std::scoped_lock guard(mutex_);
    ++running_;
  }
  void go() { go_.count_down(); }
  bool stop(std::chrono::milliseconds limit) {
    stop_.value.store(true, std::memory_order_relaxed);
    run_.hurry();
    std::unique_lock guard(mutex_);
    return all_returned_.wait_for(guard, limit, [&] { return running_ == 0; });
  }
  [[nodiscard]] std::vector<std::uint64_t> finished() const {
    std::vector<std::uint64_t> counts;
    for (const PerThread& thread : threads_) { counts.push_back(thread.finished.load(std::memory_order_relaxed)); }
    return counts;
  }
  [[nodiscard]] bool nobody_slept() const {
    return std::none_of(threads_.begin(), threads_.end(), [](const PerThread& thread) { return thread.slept; });
  }

 private:
  struct alignas(NativeMemory::alignment) PerThread {
    std::atomic<std::uint64_t> finished{0};
    bool slept = false;
  };
  struct alignas(NativeMemory::alignment) Stop {
    std::atomic<bool> value{false};
  };

  const Program program_;
  NativeRun run_;
  ProgramMemory memory_;
  Interpreter<NativeProgramExecutor>::Locks locks_;
  Resources resources_;
  std::vector<PerThread> threads_;
  Stop stop_;
  std::latch go_{1};
  std::mutex mutex_;
  std::condition_variable all_returned_;
  std::uint32_t running_;
};

// The threads of one measurement. Ends them whatever happens; those that hang in a lock are left behind.
class Crew {
 public:
  Crew(std::shared_ptr<Measurement> measurement, const std::vector<int>& cpus, std::uint32_t backends, bool pinned,
       std::chrono::milliseconds stop_limit)
      : measurement_(std::move(measurement)), stop_limit_(stop_limit) {
    try {
      for (std::uint32_t id = 0; id < backends; ++id) {
        measurement_->starts_thread();
        threads_.emplace_back([measurement = measurement_, id] { measurement->backend(id); });
        if (pinned) { pin(threads_.back(), cpus[id % cpus.size()]); }
      }
    } catch (const std::system_error&) {
      const std::size_t started = threads_.size();
      abandon();
      throw InputError("cannot start more than " + std::to_string(started) + " threads", ExitCode::host_cannot);
    } catch (...) {
      abandon();
      throw;
    }
    measurement_->go();
  }
  ~Crew() { stop(); }
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  // False when somebody does not come back in time.
  bool stop() {
    if (threads_.empty()) { return true; }
    const bool returned = measurement_->stop(stop_limit_);
    for (std::thread& thread : threads_) {
      if (returned) {
        thread.join();
      } else {
        thread.detach();
      }
    }
    threads_.clear();
    return returned;
  }
  [[nodiscard]] double cpu_seconds() {
    double sum = 0;
    for (std::thread& thread : threads_) { sum += lockcast::cpu_seconds(thread); }
    return sum;
  }

 private:
  // Threads are missing; those that are there run one transaction each and end.
  void abandon() {
    measurement_->stop(std::chrono::milliseconds{0});
    measurement_->go();
    for (std::thread& thread : threads_) { thread.join(); }
    threads_.clear();
  }

  std::shared_ptr<Measurement> measurement_;
  std::chrono::milliseconds stop_limit_;
  std::vector<std::thread> threads_;
};

}  // namespace

void judge(NativePoint& point) {
  const bool oversubscribed = point.threads > point.cpus;
  double sum = 0;
  for (const double tps : point.epoch_tps) { sum += tps; }
  point.tps = oversubscribed ? sum / static_cast<double>(point.epoch_tps.size()) : median(point.epoch_tps);
  point.spread = 0;
  point.deviation_max = 0;
  point.unusable.clear();
  if (!(point.tps > 0)) {
    point.unusable = "no transaction finished while it was measured";
    return;
  }
  std::vector<double> deviations;
  for (const double tps : point.epoch_tps) { deviations.push_back(std::abs(tps / point.tps - 1)); }
  point.spread = median(deviations);
  point.deviation_max = *std::max_element(deviations.begin(), deviations.end());
  // Epochs of few transactions differ by chance: by less than four standard deviations of a count.
  const double chance =
      4 /
      std::sqrt(std::max(1.0, static_cast<double>(point.transactions) / static_cast<double>(point.epoch_tps.size())));
  if (point.spinning && point.cpu_share < cpu_share_min) {
    point.unusable = "only " + percent(point.cpu_share) + " of the CPU time was ours";
  } else if (!point.spinning && point.foreign_share > foreign_share_max) {
    // Threads that sleep use less than they could, so only what the others used can tell.
    point.unusable = "others took " + percent(point.foreign_share) + " of the CPUs";
  } else if (!oversubscribed && point.deviation_max > std::max(epoch_deviation_max, chance)) {
    // With more threads than CPUs, epochs differ by who was preempted where; that is the answer, not a disturbance.
    point.unusable = "epochs differ by up to " + percent(point.deviation_max);
  }
}

NativePoint run_native(const Program& program, const WorkLoop& work_loop, const NativePointOptions& options) {
  check_native(program);
  const std::vector<int> cpus = allowed_cpus();
  NativePoint point;
  point.threads = program.backends;
  point.cpus = static_cast<std::uint32_t>(cpus.size());
  const bool oversubscribed = point.threads > point.cpus;
  const std::uint32_t epochs = oversubscribed ? options.epochs_oversubscribed : options.epochs;
  const std::chrono::milliseconds epoch = oversubscribed ? options.epoch_oversubscribed : options.epoch;
  CHECK(epochs > 0 && epoch > std::chrono::milliseconds{0}, "nothing would be measured");

  const auto measurement = std::make_shared<Measurement>(program, work_loop, options);
  Crew crew(measurement, cpus, program.backends, options.pinned, options.stop_limit);
  std::this_thread::sleep_for(options.warmup);

  const std::uint64_t switches_before = involuntary_switches();
  const std::optional<double> busy_before = busy_seconds(cpus);
  const double cpu_before = crew.cpu_seconds();
  const std::vector<std::uint64_t> finished_before = measurement->finished();
  const Clock::time_point begin = Clock::now();
  Clock::time_point last = begin;
  std::vector<std::uint64_t> finished = finished_before;
  for (std::uint32_t number = 1; number <= epochs; ++number) {
    std::this_thread::sleep_until(begin + number * epoch);
    const std::vector<std::uint64_t> counts = measurement->finished();
    const Clock::time_point now = Clock::now();
    std::uint64_t transactions = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) { transactions += counts[i] - finished[i]; }
    point.epoch_tps.push_back(static_cast<double>(transactions) / std::chrono::duration<double>(now - last).count());
    point.transactions += transactions;
    finished = counts;
    last = now;
  }
  const double cpu = crew.cpu_seconds() - cpu_before;
  const std::optional<double> busy_after = busy_seconds(cpus);
  point.involuntary_switches = involuntary_switches() - switches_before;
  const double wall = std::chrono::duration<double>(last - begin).count();
  point.cpu_share = cpu / (wall * std::min(point.threads, point.cpus));
  if (busy_before && busy_after) {
    const double tick = 1.0 / static_cast<double>(sysconf(_SC_CLK_TCK));
    point.foreign_share = std::max(0.0, (*busy_after - *busy_before - cpu) / (wall * point.cpus) - tick / wall);
  }

  if (!crew.stop()) {
    throw InputError("a thread did not finish its transaction within " + std::to_string(options.stop_limit.count()) +
                         " ms after the end of the measurement (" + std::to_string(program.backends) +
                         " clients): the scenario is dead-locked, or its transaction is longer than that",
                     ExitCode::unfinished);
  }
  point.finished = measurement->finished();
  point.spinning = measurement->nobody_slept();
  for (std::size_t i = 0; i < finished.size(); ++i) { finished[i] -= finished_before[i]; }
  point.jain = jain_index(finished);
  const auto [slowest, fastest] = std::minmax_element(finished.begin(), finished.end());
  point.fairness = *fastest > 0 ? static_cast<double>(*slowest) / static_cast<double>(*fastest) : 0;
  judge(point);
  return point;
}

}  // namespace lockcast
