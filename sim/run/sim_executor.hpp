#pragma once
// The simulated executor: SimEnv plus what only a whole server has - the program's arrays on lines, and a client. Data
// under a lock goes the same way as lock words: one entry is an access like any other and queues at its line; many
// entries at once, and scans, are summed into one event.

#include "sim/memory/sim_env.hpp"
#include "sim/run/client.hpp"
#include "sim/run/cpu_profile.hpp"
#include "sim/run/local_client.hpp"
#include "sim/workload/interpret.hpp"

#include <span>
#include <vector>

namespace lockcast {

// The lines each scan of a program visits, in order and each once.
std::vector<std::vector<LineId>> lines_of_scans(const Program& program, const SimMemoryMap& map);

// The lines of a run's entries, in the order of the entries and once more from the beginning, so that any `count` of
// them are one piece.
struct RunLines {
  std::vector<LineId> lines;
  std::vector<std::uint32_t> first;  // of each entry
  std::uint32_t weight = 1;          // each stands for so many that always move together

  [[nodiscard]] std::span<const LineId> from(std::uint32_t entry, std::uint32_t count) const {
    return std::span(lines).subspan(first[entry], first[entry + count] - first[entry]);
  }
};
std::vector<RunLines> lines_of_runs(const Program& program, const SimMemoryMap& map);

// What the backends of one server share beyond SimServer.
struct ServerData {
  // A process beside the backends, while it waits for something to do.
  struct Nap {
    std::uint32_t task = 0;
    bool is_asleep = false;
    bool is_roused = false;  // also before it goes to sleep
  };
  const Program& program;
  unsigned line_shift;  // log2 of the line size: a division per touched entry would show in a profile
  std::vector<std::vector<LineId>> scans;
  std::vector<RunLines> runs;
  Client* client = nullptr;  // at most one of the two
  LocalClient* local = nullptr;
  struct ScanBook {
    std::uint64_t runs = 0;
    std::uint64_t misses = 0;
    Picos moved{0};
  };
  std::vector<ScanBook> scan_books = std::vector<ScanBook>(program.scans.size());
  CpuProfile* cpu = nullptr;
  std::vector<Nap> naps = {};  // by process
};

class SimExecutor : public SimEnv {
 public:
  SimExecutor(SimServer& server, Task& task, std::vector<WaiterWords<SimWord>>& waiters, std::uint64_t seed,
              ServerData& data)
      : SimEnv(server, task, waiters, seed), data_(data) {}

  void arrive() { settle(); }
  [[nodiscard]] Picos now() { return local_time(); }

  // A step begins: what was spent since the last one began was spent on that.
  void begin(const Op& op) {
    if (data_.cpu == nullptr) [[likely]] { return; }
    charge_cpu(local_time());  // lag is time that will pass, already decided
    row_before_ = row_;
    row_ = data_.cpu->row_of(op);
  }
  // The measured window begins; it ends.
  void open_books() {
    charged_ = {};
    semaphore_charged_ = semaphore_time();
    forget_sleep();
  }
  void close_books() {
    if (data_.cpu != nullptr) { charge_cpu(server().kernel.now()); }
    book_sleep();
  }

  void touch(const Op& op, std::uint32_t entry) {
    if (op.is_run) {
      const RunLines& run = data_.runs[op.target];
      std::uint64_t misses = 0;
      add_transfers(touch_lines(op.access, run.from(entry, op.count), run.weight, misses));
      return;
    }
    const LineArray& array = data_.program.arrays[op.group];
    const std::uint64_t address = array.address + std::uint64_t{entry} * array.stride + op.offset;
    const auto first = static_cast<std::uint32_t>(address >> data_.line_shift);
    const auto last = static_cast<std::uint32_t>((address + op.bytes - 1) >> data_.line_shift);
    for (std::uint32_t line = first; line <= last; ++line) { touch_line(op, LineId{line}); }
  }

  void scan(const Op& op) {
    settle();
    ServerData::ScanBook& book = data_.scan_books[op.target];
    ++book.runs;
    work(op.duration * static_cast<std::int64_t>(data_.program.arrays[op.group].count));
    const Picos moved = touch_lines(op.access, data_.scans[op.target], 1, book.misses);
    book.moved += moved;
    add_transfers(moved);
  }

  // The disk is waited for, not polled: the core goes to somebody else.
  void disk(Picos duration) {
    settle();
    server().kernel.schedule(task().timer, server().kernel.now() + duration);
    server().scheduler.block(task(), Category::disk);
  }
  void nap(Picos at_most);
  void rouse(std::uint32_t process);

  void roundtrip() {
    settle();
    data_.local != nullptr ? data_.local->roundtrip(task()) : data_.client->send(task());
  }

 private:
  Picos touch_lines(Access access, std::span<const LineId> lines, std::uint32_t weight, std::uint64_t& misses) {
    MemorySystem& memory = server().memory;
    return access == Access::read ? memory.touch<Operation::load>(task(), lines, weight, misses)
                                  : memory.touch<Operation::store>(task(), lines, weight, misses);
  }
  void touch_line(const Op& op, LineId line) {
    if (op.access == Access::read) {
      op.apart ? reach_apart<Operation::load>(line) : reach<Operation::load>(line);
    } else {
      op.apart ? reach_apart<Operation::store>(line) : reach<Operation::store>(line);
    }
  }

  // Charges the CPU time up to an instant of this backend to the step under way.
  void charge_cpu(Picos until);

  struct Spent {
    Picos cpu{0};  // all of it
    Picos spin{0};
  };

  ServerData& data_;
  std::size_t row_ = 0;  // of the step under way
  std::size_t row_before_ = 0;
  Spent charged_;
  Picos semaphore_charged_{0};
};

static_assert(Executor<SimExecutor>);

}  // namespace lockcast
