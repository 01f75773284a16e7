#pragma once
// What people have already, in our words: measured values, per-transaction lock tables, wait-event shares, machine
// files. Each function reads one file and returns the text of another; what it cannot read is an InputError
// "file:line:column: ...". Nothing is guessed that a file of this kind would say: who imports says it.

#include <cstdint>
#include <optional>
#include <string>

namespace lockcast {

// What pgbench does not know about its run; columns of a scenario's `measured`.
struct MeasuredAs {
  std::string series;
  std::string machine;
  std::string variant;
  std::string role;
  std::string tables;                   // may be empty
  std::optional<std::string> workload;  // none: pgbench's own scripts by their names
  std::optional<std::string> mode;      // only runs of this query mode
};

// pgbench's report, as often as it stands in the file: a row per workload, scale and number of clients.
std::string import_pgbench(const std::string& path, const MeasuredAs& as);

// stderr of backends compiled with LWLOCK_STATS: a row per lock, counts per transaction.
enum class LwlockNames : std::uint8_t { as_written, of_9_1 };
std::string import_lwlock_stats(const std::string& path, double transactions, LwlockNames names);

// Samples of pg_stat_activity as CSV: a row per wait event, with its share of all samples.
std::string import_wait_events(const std::string& path);

// The CSV of core-to-core-latency, and lstopo's XML: machine files.
std::string import_core_matrix(const std::string& path, const std::string& machine, std::uint32_t threads_per_core);
std::string import_hwloc(const std::string& path, const std::string& machine);

}  // namespace lockcast
