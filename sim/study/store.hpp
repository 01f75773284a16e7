#pragma once
// The result file of a sweep: one SQLite database with a row per point, written by one process, a transaction a point.
// Killing that process at any time loses what was not finished and nothing else. Rows hold no clock, host or order of
// arrival, so that equal inputs give equal rows. This is the only user of SQLite; any of its tools reads the file:
//
//   point      the columns of ForecastRow, the configuration and the result (JSON); at most one row for each scenario,
//              machine, settings, tables, scale, variant and clients
//   lock_wait  of each point the wait for each lock group
//   document   machines and workloads as they were compiled (JSON), which configurations name by key
//
// Limits: a schema of another version is refused, not converted; the file must be on a file system with working locks.

#include "sim/study/forecast_row.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lockcast {

// A large part of configurations, kept once.
struct Document {
  std::string key;  // of its text
  std::string text;
};

struct StoredPoint {
  std::string key;            // of the configuration: equal keys, equal results
  std::string configuration;  // JSON
  std::string machine;        // document keys
  std::string workload;
  ForecastRow row;
  std::string result;  // JSON
};

class Store {
 public:
  enum class Opening { existing, existing_or_new };

  // Throws InputError: bad_file for what is no result file or one of another version, host_cannot for what the system
  // refuses.
  Store(const std::string& path, Opening opening);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // By scenario, machine, settings, tables, scale, variant, clients.
  [[nodiscard]] std::vector<StoredPoint> points() const;
  // The same one by one: there may be more than memory wants to hold.
  void for_each(const std::function<void(StoredPoint&)>& use) const;
  // What is stored for the point that this row is of, whatever its configuration.
  [[nodiscard]] std::optional<StoredPoint> find(const ForecastRow& row) const;
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] std::string document(const std::string& key) const;

  // On disk when it returns. Takes the place of what was stored for the same point, whatever its configuration.
  void put(const StoredPoint& point, const std::vector<Document>& documents);

 private:
  class Database;
  std::unique_ptr<Database> database_;
};

}  // namespace lockcast
