#pragma once
// Runs a compiled Program on this host: its locks and arrays in real memory at the program's addresses, one pinned
// thread per backend, warm-up, then epochs in which finished transactions are counted. The protocol is that of a noisy
// virtual machine: work loops read no clock, and a point that was disturbed says so. Leaves out the client side: an
// operation that needs one is refused by name before anything runs.

#include "sim/workload/interpret.hpp"
#include "sim/workload/program.hpp"
#include "validate/native_env.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace lockcast {

// The host as a reader of results needs to know it.
struct NativeHost {
  std::string cpu_model;
  std::vector<int> cpus;  // that this process may use
  bool virtual_machine = false;
  std::string kernel;
};
NativeHost native_host();

// Refuses what has no native meaning yet, by name and with exit code `host_cannot`; and locks on the same bytes, which
// in real memory would destroy each other.
void check_native(const Program& program);

// The program's address space in real memory. A touch writes a word that no lock and no waiter owns: in the simulator a
// write moves a line and has no value, here it would unlock somebody's lock.
class ProgramMemory {
 public:
  static constexpr std::size_t line_bytes = 64;

  // Also places the backends' wait-queue words.
  ProgramMemory(const Program& program, NativeRun& run);

  [[nodiscard]] NativeWord* word_at(std::uint64_t address) const { return words_ + address / sizeof(NativeWord); }

  // One word of every line that has one of these bytes.
  void touch(std::uint64_t address, std::uint32_t bytes, Access access) const {
    for (std::size_t line = address / line_bytes; line <= (address + bytes - 1) / line_bytes; ++line) {
      touch_line(line, access);
    }
  }
  // The lines of a scan, in order and each once.
  void scan(std::uint32_t number, Access access) const {
    for (const std::uint32_t line : scans_[number]) { touch_line(line, access); }
  }

 private:
  static constexpr std::size_t words_per_line = line_bytes / sizeof(NativeWord);
  static constexpr std::uint8_t no_free_word = words_per_line;

  void touch_line(std::size_t line, Access access) const;

  NativeWord* words_;
  std::vector<std::uint8_t> free_word_;  // of each line
  std::vector<std::vector<std::uint32_t>> scans_;
};

// One backend of a native run: NativeEnv plus the program's data. Statistics of single acquisitions are left out,
// because reading a clock costs as much as a lock.
class NativeProgramExecutor : public NativeEnv {
 public:
  NativeProgramExecutor(NativeRun& run, BackendId self, const Program& program, const ProgramMemory& memory)
      : NativeEnv(run, self), program_(program), memory_(memory) {}

  void begin(const Op& /*op*/) {}
  void arrive() {}
  static Picos now() { return Picos{0}; }  // only for resources, which check_native has refused
  void touch(const Op& op, std::uint32_t entry) {
    const LineArray& array = program_.arrays[op.group];
    for (std::uint32_t i = 0; i < op.count; ++i) {
      memory_.touch(array.address + std::uint64_t{entry} * array.stride + op.offset, op.bytes, op.access);
      if (++entry == array.count) { entry = 0; }
    }
  }
  void scan(const Op& op) {
    memory_.scan(op.target, op.access);
    work(op.duration * static_cast<std::int64_t>(program_.arrays[op.group].count));
  }
  void roundtrip();  // these never run: check_native has refused the program
  void disk(Picos duration);
  void nap(Picos duration);
  void rouse(std::uint32_t process);
  void acquiring(std::uint32_t /*lock*/) {}
  void acquired(std::uint32_t /*lock*/, Mode /*mode*/) {}
  void releasing(std::uint32_t /*lock*/, Mode /*mode*/) {}
  void released(std::uint32_t /*lock*/) {}
  void not_acquired(std::uint32_t /*lock*/) {}
  void delegated(std::uint32_t /*lock*/) {}
  void keeping(bool /*begins*/) {}

 private:
  const Program& program_;
  const ProgramMemory& memory_;
};

static_assert(Executor<NativeProgramExecutor>);

struct NativePointOptions {
  std::uint64_t seed = 1;
  std::chrono::milliseconds warmup{40};
  // 20 ms are enough to see a disturbance while every thread has a CPU; otherwise an epoch must hold many time slices.
  std::uint32_t epochs = 5;
  std::chrono::milliseconds epoch{20};
  std::uint32_t epochs_oversubscribed = 3;
  std::chrono::milliseconds epoch_oversubscribed{100};
  // Each on a CPU of its own in turn; otherwise the kernel places them.
  bool pinned = true;
  // Everything ends: after the epochs every thread finishes its transaction, and spinning threads yield to each other
  // until they have. Whoever does not come back in this time counts as dead-locked.
  std::chrono::milliseconds stop_limit{20'000};
  // For tests only, see NativeOptions.
  std::uint32_t polls_before_yield = unbounded;
};

struct NativePoint {
  std::uint32_t threads = 0;
  std::uint32_t cpus = 0;
  std::vector<double> epoch_tps;
  double tps = 0;            // median of the epochs; their mean with more threads than CPUs, where rare stalls count
  double spread = 0;         // median of |epoch / tps - 1|
  double deviation_max = 0;  // the largest of these
  double fairness = 0;       // transactions of the slowest thread over those of the fastest
  double jain = 0;           // (sum of the threads' transactions)^2 / (threads x sum of squares): 1 is fair
  double cpu_share = 0;      // CPU time of the threads over wall time of the CPUs they could use
  bool spinning = false;     // no thread ever blocked or slept, so all that CPU time should have been ours
  double foreign_share = 0;  // CPU time of everybody else over wall time of all CPUs, one tick per CPU forgiven
  std::uint64_t transactions = 0;       // in all epochs together
  std::vector<std::uint64_t> finished;  // by each thread, from start to end
  std::uint64_t involuntary_switches = 0;
  std::string unusable;  // why not to trust it; empty: usable
};

// Fills in tps, spread, deviation and the verdict from the other members.
void judge(NativePoint& point);

// Runs the program once with one thread per backend. Every thread runs whole transactions, at least one.
NativePoint run_native(const Program& program, const WorkLoop& work_loop, const NativePointOptions& options);

}  // namespace lockcast
