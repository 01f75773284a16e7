#pragma once
// The simulated executor: SimEnv plus what only a whole server has - the program's arrays on lines, and a client behind a
// network. Data under a lock goes the same way as lock words: one entry is an access like any other and queues at its line; many
// entries at once, and scans, are summed into one event.

#include <vector>

#include "sim/memory/sim_env.hpp"
#include "sim/run/client.hpp"
#include "sim/workload/interpret.hpp"

namespace lockcast {

// The lines each scan of a program visits, in order and each once.
std::vector<std::vector<LineId>> lines_of_scans(const Program& program, const SimMemoryMap& map);

// What the backends of one server share beyond SimServer.
struct ServerData {
  const Program& program;
  unsigned line_shift;  // log2 of the line size: a division per touched entry would show in a profile
  std::vector<std::vector<LineId>> scans;
  Client* client = nullptr;
  std::uint64_t scans_run = 0;
  std::uint64_t scan_misses = 0;
};

class SimExecutor : public SimEnv {
 public:
  SimExecutor(SimServer& server, Task& task, std::vector<WaiterWords<SimWord>>& waiters, std::uint64_t seed, ServerData& data)
      : SimEnv(server, task, waiters, seed), data_(data) {}

  void arrive() { settle(); }

  void touch(const Op& op, std::uint32_t entry) {
    const LineArray& array = data_.program.arrays[op.group];
    const std::uint64_t address = array.address + std::uint64_t{entry} * array.stride + op.offset;
    const auto first = static_cast<std::uint32_t>(address >> data_.line_shift);
    const auto last = static_cast<std::uint32_t>((address + op.bytes - 1) >> data_.line_shift);
    const Operation operation = op.access == Access::read ? Operation::load : Operation::store;
    for (std::uint32_t line = first; line <= last; ++line) {
      if (op.count == 1) {
        reach(LineId{line}, operation);
      } else {
        add_transfers(server().memory.touch(task(), LineId{line}, operation));
      }
    }
  }

  void scan(const Op& op) {
    settle();
    const Operation operation = op.access == Access::read ? Operation::load : Operation::store;
    Picos cost{0};
    for (const LineId line : data_.scans[op.target]) {
      const Picos transfer = server().memory.touch(task(), line, operation);
      data_.scan_misses += transfer > Picos{0} ? 1 : 0;
      cost += transfer;
    }
    ++data_.scans_run;
    work(op.duration * static_cast<std::int64_t>(data_.program.arrays[op.group].count));
    add_transfers(cost);
  }

  void roundtrip() {
    settle();
    data_.client->send(task());
  }

 private:
  ServerData& data_;
};

static_assert(Executor<SimExecutor>);

}  // namespace lockcast
