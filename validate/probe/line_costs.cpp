// The requester directs: it orders a job, the owner does it and answers, then the requester's walk is timed.

#include "validate/probe/line_costs.hpp"

#include "models/check.hpp"
#include "models/rng.hpp"
#include "validate/pinning.hpp"
#include "validate/probe/statistics.hpp"
#include "validate/probe/timing.hpp"

#include <sys/mman.h>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

namespace lockcast::probe {

namespace {

// A walk over 64 lines takes 2 us from the same cache, against 25 ns for a clock read; the lines fit any first-level
// cache, and being an odd number of lines apart they use all of its sets.
constexpr std::size_t walk_lines = 64;
constexpr std::size_t line_bytes = 64;
constexpr std::size_t stride = 11 * line_bytes;

struct Line {
  // Which line the walk visits next. Every access leaves it as it is.
  std::atomic<std::uint32_t> next{0};
  std::atomic<std::uint32_t> written{0};
  std::array<std::byte, stride - 2 * sizeof(std::atomic<std::uint32_t>)> apart{};
};
static_assert(sizeof(Line) == stride);

// Pages that nobody has touched, so that whoever touches them first decides whose memory they are.
class FreshLines {
 public:
  FreshLines() {
    void* const address = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (address == MAP_FAILED) { throw InputError("no memory to measure lines in", ExitCode::host_cannot); }
    address_ = address;
  }
  ~FreshLines() { munmap(address_, bytes); }
  FreshLines(const FreshLines&) = delete;
  FreshLines& operator=(const FreshLines&) = delete;

  Line* construct() {
    auto* const lines = new (address_) std::array<Line, walk_lines>;
    return lines->data();
  }

 private:
  static constexpr std::size_t bytes = sizeof(Line) * walk_lines;
  void* address_;
};

enum class Job : std::uint8_t { none, store_all, load_all, flush_all, rest, quit };

// False where a program cannot.
bool flush(const Line& line) {
#if defined(__x86_64__)
  _mm_clflush(&line);
  return true;
#elif defined(__aarch64__)
  asm volatile("dc civac, %0" ::"r"(&line) : "memory");
  return true;
#else
  static_cast<void>(line);
  return false;
#endif
}

void finish_flushes() {
#if defined(__x86_64__)
  asm volatile("mfence" ::: "memory");
#elif defined(__aarch64__)
  asm volatile("dsb ish" ::: "memory");
#endif
}

// Waits until the stores before it have their lines, and lets nothing after it ask for one meanwhile: a core fetches
// lines for younger stores whose addresses it knows, fence or no fence. False where there is no such instruction.
bool finish_stores() {
#if defined(__x86_64__)
  asm volatile("mfence\n\tlfence" ::: "memory");
  return true;
#else
  return false;
#endif
}

class Walk {
 public:
  explicit Walk(std::uint64_t seed) {
    std::iota(order_.begin(), order_.end(), 0U);
    Rng random = stream(seed, 0, Purpose::pick);
    for (std::size_t i = walk_lines - 1; i > 0; --i) {
      std::swap(order_[i], order_[random.below(static_cast<std::uint32_t>(i + 1))]);
    }
  }

  // By the thread whose memory it shall be.
  void place() {
    lines_ = memory_.construct();
    for (std::size_t i = 0; i < walk_lines; ++i) {
      lines_[order_[i]].next.store(order_[(i + 1) % walk_lines], std::memory_order_relaxed);
    }
  }

  void load_all() const { static_cast<void>(load_walk()); }
  void store_all() const {
    // Whoever is told so afterwards, by a release store, finds them written.
    for (const std::uint32_t i : order_) { lines_[i].written.store(i, std::memory_order_relaxed); }
  }
  [[nodiscard]] bool flush_all() const {
    bool can = true;
    for (const std::uint32_t i : order_) { can = flush(lines_[i]) && can; }
    finish_flushes();
    return can;
  }

  // Each returns nanoseconds per line.
  template <class Action>
  static double timed(std::size_t lines, const Action& action) {
    const Clock::time_point begin = Clock::now();
    action();
    const Clock::time_point end = Clock::now();
    return nanoseconds(end - begin) / static_cast<double>(lines);
  }
  [[nodiscard]] double load() const {
    return timed(walk_lines, [&] { sink_ = load_walk(); });
  }
  [[nodiscard]] double store() const {
    bool can = true;
    const double cost = timed(walk_lines, [&] {
      for (const std::uint32_t i : order_) {
        lines_[i].written.store(i, std::memory_order_relaxed);
        can = finish_stores();
      }
    });
    return can ? cost : not_measured;
  }
  [[nodiscard]] double atomic() const {
    return timed(walk_lines, [&] {
      std::uint32_t at = order_[0];
      for (std::size_t i = 0; i < walk_lines; ++i) {
        // What it finds is what it expects; where it goes next still depends on what it found.
        std::uint32_t found = order_[(i + 1) % walk_lines];
        lines_[at].next.compare_exchange_strong(found, found, std::memory_order_acq_rel);
        asm volatile("" : "+r"(found)::"memory");
        at = found;
      }
      sink_ = at;
    });
  }
  // In all, not per line; as an array is scanned, in order and without dependence.
  [[nodiscard]] double scan(std::uint32_t lines) const {
    return timed(1, [&] {
      std::uint32_t sum = 0;
      for (std::uint32_t i = 0; i < lines; ++i) { sum += lines_[i].written.load(std::memory_order_relaxed); }
      sink_ = sum;
    });
  }

 private:
  [[nodiscard]] std::uint32_t load_walk() const {
    std::uint32_t at = order_[0];
    for (std::size_t i = 0; i < walk_lines; ++i) { at = lines_[at].next.load(std::memory_order_relaxed); }
    return at;
  }

  FreshLines memory_;
  Line* lines_ = nullptr;
  std::array<std::uint32_t, walk_lines> order_{};
  mutable volatile std::uint32_t sink_ = 0;
};

// Orders and their completion, on a line of their own.
class Servant {
 public:
  explicit Servant(const Walk& walk) : walk_(walk) {}

  void serve(bool bound) {
    started_.store(bound ? Start::ready : Start::unbound, std::memory_order_release);
    for (;;) {
      Job job{};
      while ((job = job_.load(std::memory_order_acquire)) == Job::none) {}
      switch (job) {
        case Job::store_all: walk_.store_all(); break;
        case Job::load_all: walk_.load_all(); break;
        case Job::flush_all: static_cast<void>(walk_.flush_all()); break;
        case Job::rest:
        case Job::none:
        case Job::quit: break;
      }
      job_.store(Job::none, std::memory_order_release);
      if (job == Job::quit) { return; }
      if (job == Job::rest) { std::this_thread::sleep_for(rest); }
    }
  }

  [[nodiscard]] bool wait_until_started() const {
    Start start{};
    while ((start = started_.load(std::memory_order_acquire)) == Start::absent) {}
    return start == Start::ready;
  }
  void order(Job job) {
    job_.store(job, std::memory_order_release);
    while (job_.load(std::memory_order_acquire) != Job::none) {}
  }
  // Without waiting, when nobody may be there to answer.
  void dismiss() { job_.store(Job::quit, std::memory_order_release); }

  static constexpr std::chrono::milliseconds rest{2};

 private:
  enum class Start : std::uint8_t { absent, ready, unbound };
  const Walk& walk_;
  alignas(2 * line_bytes) std::atomic<Job> job_{Job::none};
  alignas(2 * line_bytes) std::atomic<Start> started_{Start::absent};
};

void wait_busily(std::chrono::nanoseconds duration) {
  const Clock::time_point end = Clock::now() + duration;
  while (Clock::now() < end) {}
}

// Values of one cell; the median at the end.
template <class Action>
double repeated(std::uint32_t repeats, const Action& action) {
  std::vector<double> values;
  for (std::uint32_t i = 0; i < repeats; ++i) { values.push_back(action()); }
  // What cannot be measured cannot be measured any time.
  return std::isnan(values.front()) ? not_measured : median(std::move(values));
}

// The walk's own clock reads, a fraction of a nanosecond per line.
double clock_cost() {
  return repeated(101, [] { return Walk::timed(1, [] {}); });
}

void measure_own(const Walk& walk, std::uint32_t repeats, LineCosts& costs) {
  walk.store_all();
  // The clock read is a quarter of a load from the first-level cache, and nothing of what travels.
  const double clock = clock_cost() / static_cast<double>(walk_lines);
  constexpr double least_ns = 0.05;
  costs.own_load = std::max(least_ns, repeated(repeats, [&] { return walk.load(); }) - clock);
  costs.own_atomic = std::max(least_ns, repeated(repeats, [&] { return walk.atomic(); }) - clock);
  costs.own_store_fenced = repeated(repeats, [&] { return walk.store(); });
  if (walk.flush_all()) {
    costs.load_memory = repeated(repeats, [&] {
      static_cast<void>(walk.flush_all());
      return walk.load();
    });
  }
}

void measure_pair(const Walk& walk, Servant& owner, const LineCostOptions& options, LineCosts& costs) {
  const double clock = clock_cost();
  const auto after = [&](std::initializer_list<Job> jobs, const auto& action) {
    return repeated(options.repeats, [&] {
      for (const Job job : jobs) { owner.order(job); }
      return action();
    });
  };
  const auto wrote = {Job::store_all};
  measure_own(walk, options.repeats, costs);
  costs.load_modified = after(wrote, [&] { return walk.load(); });
  costs.atomic_modified = after(wrote, [&] { return walk.atomic(); });
  const double to_own = costs.own_store_fenced - costs.own_load;
  costs.store_modified = after(wrote, [&] { return walk.store(); }) - to_own;
  costs.atomic_after_load = after(wrote, [&] {
    walk.load_all();
    return walk.atomic();
  });
  // The owner reads last: where a read of a dirty line takes it over, the requester's copy is exclusive until then.
  const auto share = [&] {
    walk.load_all();
    owner.order(Job::load_all);
  };
  costs.atomic_shared = after(wrote, [&] {
    share();
    return walk.atomic();
  });
  costs.store_shared = after(wrote,
                             [&] {
                               share();
                               return walk.store();
                             }) -
                       to_own;
  for (std::size_t k = 0; k < scan_lines.size(); ++k) {
    costs.scan[k] = std::max(0.0, after(wrote, [&] { return walk.scan(scan_lines[k]); }) - clock);
  }
  if (options.halted) {
    // A few suffice: each takes milliseconds. The lines are read in the middle of the owner's rest.
    constexpr std::uint32_t rests = 3;
    costs.load_halted = repeated(rests, [&] {
      owner.order(Job::store_all);
      owner.order(Job::rest);
      wait_busily(Servant::rest / 2);
      return walk.load();
    });
  }
}

constexpr std::uint64_t walk_seed = 1;

}  // namespace

LineCosts measure_line_costs(int owner_cpu, int requester_cpu, const LineCostOptions& options) {
  CHECK(owner_cpu != requester_cpu && options.repeats > 0, "nothing to measure");
  const auto walk = std::make_unique<Walk>(walk_seed);
  LineCosts costs;
  {
    BoundThread placer(options.home_cpu.value_or(owner_cpu), [&](bool /*bound*/) { walk->place(); });
  }
  const auto owner = std::make_unique<Servant>(*walk);
  std::atomic<bool> measured{false};
  {
    BoundThread owning(owner_cpu, [&](bool bound) { owner->serve(bound); });
    std::optional<BoundThread> requesting;
    try {
      requesting.emplace(requester_cpu, [&](bool bound) {
        // Both in any case: on one CPU every order would take a time slice.
        if (owner->wait_until_started() && bound) {
          measure_pair(*walk, *owner, options, costs);
          measured.store(true);
        }
        owner->dismiss();
      });
    } catch (...) {
      owner->dismiss();
      throw;
    }
  }
  if (!measured.load()) { no_binding(owner_cpu, requester_cpu); }
  return costs;
}

LineCosts measure_own_lines(int cpu, std::uint32_t repeats) {
  const auto walk = std::make_unique<Walk>(walk_seed);
  LineCosts costs;
  std::atomic<bool> measured{false};
  {
    BoundThread thread(cpu, [&](bool bound) {
      walk->place();
      measure_own(*walk, repeats, costs);
      measured.store(bound);
    });
  }
  if (!measured.load()) { no_binding(cpu, cpu); }
  return costs;
}

}  // namespace lockcast::probe
