#pragma once
// The simulated memory of one server: words on cache lines, and how a line is served. Misses and read-modify-writes on
// one line queue at its home and each holds the line for one transfer; reads of a clean line only hold the home.
// Plain-load pollers park on the line and re-read, in their turn, after every invalidation; exclusive pollers keep a
// request queued, so a holder's releasing store waits its turn behind them. Who is next is decided by
// models/arbitration, what it costs by models/line_cost. Hardware threads of one core share its copy: what one fetched
// is a hit for the others, and what one writes the others' polls see at once.
// Limits: a scan over many lines is one event that sees the line states of its beginning and reserves no home; nor
// does an access where backends never meet.

#include "models/home_agent.hpp"
#include "models/machine.hpp"
#include "models/rng.hpp"
#include "sim/engine/engine.hpp"
#include "sim/os/scheduler.hpp"
#include "sim/os/task.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace lockcast {

struct SimWord {
  std::uint32_t value = 0;
  LineId line{};
  bool apart = false;  // two backends practically never meet here: no access queues, see SimEnv
};

struct LineCounters {
  std::uint64_t transfers = 0;
  Picos waited{0};  // from request to line in hand, summed
};

class MemorySystem {
 public:
  MemorySystem(Engine& kernel, Scheduler& scheduler, const Machine& machine, std::vector<Task>& tasks,
               std::uint32_t lines, std::uint64_t seed);

  [[nodiscard]] bool hit(const Task& task, LineId line, Operation operation) const {
    const LineTag& tag = tags_[index(line)];
    const CoreId core = core_of(task);
    if (!hits(tag, core, seen(core, line), operation)) { return false; }
    // A transfer to somebody else is under way: the owner keeps hitting until the probe reaches it.
    const Line& state = lines_[index(line)];
    return !state.busy || tag.owner != index(core) || kernel_.now() <= state.window_until;
  }
  void written(LineId line) {
    tags_[index(line)].state = LineState::modified;
    if (thread_bits_ != 0) [[unlikely]] {
      ++lines_[index(line)].shared_writes;
      // The writer's core has the only copy, so who still polls is a sibling.
      if (lines_[index(line)].first_poller != none) { alert_pollers(line); }
    }
  }
  // Counts writes that left a copy valid because writer and reader share it; a reader that saw the same count before
  // and after has missed none. Always 0 where a core has one thread.
  [[nodiscard]] std::uint32_t shared_writes(LineId line) const { return lines_[index(line)].shared_writes; }

  // The calling task gets the line, in its turn. Afterwards the access happens at kernel.now(), as a hit.
  void fetch(Task& task, LineId line, Operation operation);

  // The calling task polls a line it has a valid copy of, for at most `longest`. Returns when it must read again or
  // give up:
  // true if the line was fetched anew meanwhile. `polled` is how long the own copy was polled.
  bool poll(Task& task, LineId line, Picos longest, Picos& polled);

  // Cost of touching lines of protected data now, with its effect on them; counts the misses. Each line stands for
  // `weight` lines that always move together. The operation is a template argument and the pointers are local because
  // this is the hottest loop there is. Most lines of a scan are hits, but which is a coin toss to the host's branch
  // prediction: so the others are found first, without a branch, a block at a time.
  template <Operation operation>
  Picos touch(const Task& task, std::span<const LineId> lines, std::uint32_t weight, std::uint64_t& misses) {
    const CoreId core = core_of(task);
    std::uint64_t missed = 0;
    Picos cost{0};
    if constexpr (operation == Operation::load) {
      constexpr std::size_t block = 64;
      std::array<LineId, block> stale;
      const LineTag* const tags = tags_.data();
      const std::uint32_t* const mine = seen_of(core);
      while (!lines.empty()) {
        const std::span<const LineId> some = lines.first(std::min(block, lines.size()));
        std::size_t found = 0;
        for (const LineId line : some) {
          stale[found] = line;
          found += tags[index(line)].version != mine[index(line)] ? 1 : 0;
        }
        for (const LineId line : std::span(stale).first(found)) {
          if (tags[index(line)].version == mine[index(line)]) { continue; }  // two entries on one line
          cost += miss<operation>(core, line, weight);
          ++missed;
        }
        lines = lines.subspan(some.size());
      }
    } else {
      for (const LineId line : lines) {
        LineTag& tag = tags_[index(line)];
        if (hits(tag, core, seen(core, line), operation)) {
          tag.state = LineState::modified;
          continue;
        }
        cost += miss<operation>(core, line, weight);
        ++missed;
      }
    }
    misses += missed * weight;
    return cost * weight;
  }
  // The same for one line that may be polled.
  template <Operation operation>
  Picos touch_word(const Task& task, LineId line) {
    const CoreId core = core_of(task);
    LineTag& tag = tags_[index(line)];
    if (hits(tag, core, seen(core, line), operation)) {
      if constexpr (operation != Operation::load) { tag.state = LineState::modified; }
      return Picos{0};
    }
    const Picos cost = miss<operation>(core, line, 1);
    if (lines_[index(line)].first_poller != none) [[unlikely]] {
      alert_pollers(line);
      serve_next(line);
    }
    return cost;
  }

  [[nodiscard]] const std::vector<LineCounters>& counters() const { return counters_; }
  void reset_counters();

 private:
  static constexpr std::uint32_t none = 0xffffffffU;
  struct Line {
    Picos window_until{0};       // the owner hits until then although the line is busy
    Picos next_start{0};         // reads of a clean line are pipelined at the home
    std::uint32_t first = none;  // waiting requests, oldest first
    std::uint32_t last = none;
    std::uint32_t first_poller = none;
    std::uint32_t last_poller = none;
    std::uint32_t shared_writes = 0;
    std::uint16_t waiting = 0;
    bool busy = false;  // an exclusive transfer is under way
  };
  // One backend has at most one request or one poll outstanding.
  struct Request {
    LineId line{};
    Operation operation = Operation::load;
    bool exclusive = false;
    bool polling = false;
    bool shared_copy = false;  // a sibling brought the line meanwhile: nothing was transferred for this request
    Picos requested{0};
    Picos polled_until{0};
    std::uint32_t next = none;
    std::uint32_t previous = none;
  };

  // The place whose copy the task uses: its physical core.
  [[nodiscard]] CoreId core_of(const Task& task) const { return CoreId{index(task.core) >> thread_bits_}; }
  [[nodiscard]] CoreId first_thread(std::uint32_t core) const { return CoreId{core << thread_bits_}; }

  [[nodiscard]] std::uint32_t seen(CoreId core, LineId line) const {
    return seen_[std::size_t{index(core)} * tags_.size() + index(line)];
  }
  std::uint32_t& seen(CoreId core, LineId line) { return seen_[std::size_t{index(core)} * tags_.size() + index(line)]; }

  [[nodiscard]] Distance distance(CoreId a, CoreId b) const {
    return distances_[std::size_t{index(a)} * cores_ + index(b)];
  }
  [[nodiscard]] std::uint32_t* seen_of(CoreId core) { return seen_.data() + std::size_t{index(core)} * tags_.size(); }

  template <Operation operation>
  Picos miss(CoreId core, LineId line, std::uint32_t weight) {
    LineTag& tag = tags_[index(line)];
    const Picos cost =
        access_cost(costs_, tag, distance(core, CoreId{tag.owner}), operation, detour(line, core, tag.owner));
    const LineTag next = after_access(tag, core, operation, migrating_reads_);
    // Field by field: a whole copy would be put together on the stack first and read back at once, and that waits.
    tag.version = next.version;
    tag.owner = next.owner;
    tag.state = next.state;
    seen(core, line) = next.version;
    LineCounters& counter = counters_[index(line)];
    counter.transfers += weight;
    counter.waited += cost * weight;
    return cost;
  }

  // What the supplying core adds: the third leg, if the line's home is a third party, and waking, if it is halted.
  [[nodiscard]] Picos detour(LineId line, CoreId requester, std::uint32_t owner) const {
    if (!has_detours_) { return Picos{0}; }
    const std::uint32_t home = homes_[index(line)];
    const bool is_near = home == dies_[index(requester)] || home == dies_[owner];
    return (is_near ? Picos{0} : third_leg_) + (scheduler_.is_halted(owner) ? halted_owner_ : Picos{0});
  }

  [[nodiscard]] Picos probe_path(LineId line, std::uint32_t owner) const {
    return probe_paths_[owner * home_free_.size() + homes_[index(line)]];
  }
  void enqueue(Line& line, std::uint32_t request);
  void unlink(std::uint32_t& first, std::uint32_t& last, std::uint32_t request);
  Picos start(LineId line, std::uint32_t request);  // plans a transfer beginning now; returns when it is complete
  void serve_next(LineId line);
  void complete(Task& task, LineId line);
  void serve_siblings(LineId line, CoreId core);
  void grant_copy(std::uint32_t request);
  void alert_pollers(LineId line);

  Engine& kernel_;
  Scheduler& scheduler_;
  const Machine& machine_;
  std::vector<Task>& tasks_;
  CostTable costs_;
  std::uint32_t thread_bits_;         // log2 of the threads of a core
  std::size_t cores_;                 // physical
  std::vector<std::uint32_t> dies_;   // by core
  std::vector<std::uint32_t> homes_;  // by line
  std::vector<Distance>
      distances_;  // the topology's rule for every pair of cores: its divisions are too slow for every miss
  Picos third_leg_;
  Picos halted_owner_;
  bool has_detours_;
  Picos occupancy_;
  std::vector<Picos> probe_paths_;  // by core, then home: from the end of a transfer to the next request's probe
  double near_bias_;
  bool line_queue_;
  bool migrating_reads_;
  std::vector<LineTag> tags_;
  std::vector<Line> lines_;
  std::vector<LineCounters> counters_;
  std::vector<std::uint32_t> seen_;  // by core, then line: a scan walks contiguous memory
  std::vector<Picos> home_free_;
  std::vector<Request> requests_;   // by backend
  std::vector<Rng> window_random_;  // by backend
  Rng arbitration_random_;
};

}  // namespace lockcast
