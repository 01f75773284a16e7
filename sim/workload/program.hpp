#pragma once
// A transaction as plain data, the same for both executors: code, locks, arrays of protected data, and where all of it
// lies in one address space. Compiled once from YAML by compile.hpp, run by interpret.hpp.

#include "sim/locks/lock.hpp"
#include "sim/workload/op.hpp"
#include "sim/workload/resources/slru.hpp"
#include "sim/workload/resources/versions.hpp"
#include "sim/workload/resources/wal.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace lockcast {

struct LockGroup {
  std::string name;
  std::uint32_t kind = 0;  // index in lock_kinds
  bool held_to_commit = false;
  bool apart = false;  // two backends practically never meet at one of them
  LockOptions options;
  std::uint32_t first = 0;  // number of its first lock among all locks
  std::uint32_t count = 1;
  std::uint64_t address = 0;
  std::uint32_t stride = 0;
  std::uint32_t register_number = 0;
  std::uint32_t delegated_begin = 0;  // the steps that a delegation of one of these locks does, in the code
  std::uint32_t delegated_end = 0;
};

struct NamedField {
  std::string name;
  std::uint32_t offset = 0;
};

struct LineArray {
  std::string name;
  std::vector<NamedField> fields;  // for reports
  std::uint32_t count = 1;
  std::uint64_t address = 0;
  std::uint32_t stride = 0;
  std::uint32_t bundle = 1;  // an entry is so many equal pieces, which always move together
  std::uint32_t register_number = 0;
};

struct Field {
  std::uint32_t offset = 0;
  std::uint32_t bytes = 0;
};

// All entries of an array, or of one register's worth of it: which fields are read.
struct Scan {
  std::uint32_t array = 0;
  std::vector<Field> fields;
  double branch_misses = 0;  // per entry
};

// Several consecutive entries touched at once, from a picked one on; the first entry follows the last.
struct EntryRun {
  std::uint32_t array = 0;
  Field field;
  std::uint32_t count = 1;
};

// Where the wait-queue words of a backend lie: in an array entry, or on a line of their own (no array).
struct WaiterPlace {
  bool own_line = true;
  std::uint32_t array = 0;
  std::uint32_t waiting = 0;  // offsets in bytes within the entry
  std::uint32_t exclusive = 0;
  std::uint32_t next = 0;
};

// A process beside the backends, which repeats its own steps for ever.
struct Process {
  std::string name;
  std::uint32_t begin = 0;  // in the code
  std::uint32_t end = 0;
};

struct Program {
  std::vector<std::string> procedures;  // the first is the transaction itself
  std::vector<Op> code;                 // of the transaction, then of the processes
  std::uint32_t transaction_end = 0;
  std::vector<LockGroup> locks;
  std::vector<LineArray> arrays;
  std::vector<Scan> scans;
  std::vector<EntryRun> runs;
  std::vector<Slru> slrus;
  std::vector<Wal> wals;
  std::vector<Versions> versions;
  std::vector<Process> processes;
  WaiterPlace waiter;
  std::uint32_t backends = 1;     // that run the transaction
  std::uint32_t connections = 1;  // these and the idle ones, which never run but have entries that scans read
  std::uint32_t registers = 0;    // last picks, one per lock group and array
  std::uint32_t loop_counters = 0;
  std::uint64_t bytes = 0;  // size of the address space
  bool has_roundtrip = false;

  [[nodiscard]] bool lock_is_held_to_commit(std::uint32_t group) const { return locks[group].held_to_commit; }
  [[nodiscard]] std::uint32_t lock_count() const { return locks.empty() ? 0 : locks.back().first + locks.back().count; }
};

}  // namespace lockcast
