#pragma once
// The keys of everything a scenario or a workload may say, as tables: the readers of this folder read by them, and
// `lockcast schema` prints them. scenarios/README.md says in words what they mean.

#include "sim/yaml/keys.hpp"

namespace lockcast {

// The largest number of clients a scenario may ask for.
inline constexpr std::int64_t clients_max = 100'000;
inline constexpr std::int64_t elements_max = 10'000'000;

// What a workload consists of.
extern const yaml::KeyTable workload_table;
extern const yaml::KeyTable array_table;
extern const yaml::KeyTable lock_table;
extern const yaml::KeyTable lock_place_table;
extern const yaml::KeyTable waiter_table;
extern const yaml::KeyTable slru_table;
extern const yaml::KeyTable wal_table;
extern const yaml::KeyTable versions_table;

// A step is one of these keys, or the word roundtrip; the tables are those of their maps.
extern const yaml::KeyTable step_table;
extern const yaml::KeyTable work_table;
extern const yaml::KeyTable pick_table;
extern const yaml::KeyTable acquire_table;
extern const yaml::KeyTable delegate_table;
extern const yaml::KeyTable field_table;
extern const yaml::KeyTable touch_table;
extern const yaml::KeyTable scan_table;
extern const yaml::KeyTable repeat_table;
extern const yaml::KeyTable choose_table;
extern const yaml::KeyTable slru_lookup_table;
extern const yaml::KeyTable aged_id_table;
extern const yaml::KeyTable log_table;
extern const yaml::KeyTable flush_table;
extern const yaml::KeyTable unless_flushed_table;
extern const yaml::KeyTable stamp_table;
extern const yaml::KeyTable visit_table;

// Files.
extern const yaml::KeyTable workload_file_table;
extern const yaml::KeyTable include_file_table;
extern const yaml::KeyTable base_table;
extern const yaml::KeyTable without_table;
extern const yaml::KeyTable scenario_table;
extern const yaml::KeyTable rig_table;
extern const yaml::KeyTable network_table;
extern const yaml::KeyTable network_server_table;
extern const yaml::KeyTable client_table;
extern const yaml::KeyTable local_client_table;
extern const yaml::KeyTable measured_table;

}  // namespace lockcast
