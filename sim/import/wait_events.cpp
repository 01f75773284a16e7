// Rows of "select wait_event_type, wait_event[, state, backend_type] from pg_stat_activity", taken again and again into
// one CSV file (psql --csv; repeated headers are passed over). Events are called as in `simulate --explain`.

#include "models/check.hpp"
#include "sim/import/import.hpp"
#include "sim/import/lines.hpp"
#include "sim/workload/csv.hpp"

#include <algorithm>
#include <map>

namespace lockcast {

namespace {

std::string event_of(const CsvTable& table, const CsvTable::Row& row) {
  const std::string& type = row.text("wait_event_type");
  const std::string& event = row.text("wait_event");
  if (type.empty() != event.empty()) {
    const std::string_view column = type.empty() ? "wait_event_type" : "wait_event";
    yaml::fail(row.mark(column), "one of type and event is empty", "both, or none of them");
  }
  if (!event.empty()) { return type + ":" + event; }
  // A backend that waits for nothing runs, or would if it had a core: PostgreSQL cannot tell.
  const bool has_state = table.has("state");
  return !has_state || row.text("state") == "active" ? "CPU" : "no transaction: " + row.text("state");
}

}  // namespace

std::string import_wait_events(const std::string& path) {
  const std::optional<std::string> text = text_of_file(path);
  if (!text) { throw InputError("cannot read " + yaml::quote(path) + "; expected a CSV file"); }
  const CsvTable table(*text, path);
  table.require({"wait_event_type", "wait_event"});
  std::map<std::string, std::int64_t> samples;
  std::int64_t all = 0;
  for (const CsvTable::Row& row : table.rows()) {
    if (table.has("backend_type") && row.text("backend_type") != "client backend") { continue; }
    ++samples[event_of(table, row)];
    ++all;
  }
  if (all == 0) {
    yaml::fail({std::make_shared<const std::string>(path), 1, 1}, "no sample of a client backend",
               "rows of pg_stat_activity");
  }
  std::vector<std::pair<std::string, std::int64_t>> sorted(samples.begin(), samples.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string out = "wait_event,samples,share\n";
  for (const auto& [event, count] : sorted) {
    out += csv_field(event) + "," + std::to_string(count) + "," +
           rounded(static_cast<double>(count) / static_cast<double>(all), 4) + "\n";
  }
  return out;
}

}  // namespace lockcast
