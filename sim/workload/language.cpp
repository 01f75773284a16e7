// Bounds that depend on another value (an offset within its stride, a number within its array) are the widest ones here
// and the narrow ones in the readers.

#include "sim/workload/language.hpp"

#include "models/machine.hpp"
#include "sim/locks/lock_list.hpp"
#include "sim/workload/library.hpp"
#include "sim/workload/op.hpp"

#include <algorithm>
#include <array>

namespace lockcast {

namespace {

using namespace yaml::form;
using yaml::Value;

constexpr std::int64_t ids_max = 1'000'000'000;
constexpr std::int64_t stride_max = 1 << 20;
constexpr std::int64_t throughput_max = std::int64_t{1} << 40;

constexpr Value time_value = or_constant(duration());
constexpr Value time_parameter = parameter(duration());
constexpr Value offset = bytes(0, stride_max);
constexpr Value a_name = name();
constexpr Value a_text = text();

// --- lines and locks ---

constexpr std::array<std::string_view, 2> populations{"clients", "connections"};
constexpr std::array size_forms{or_constant(count(1, elements_max)), choice(populations)};
constexpr Value size = any_of(size_forms);

constexpr Value named_offset = one_entry(offset);
constexpr std::array array_keys{
    required("count", size),
    required("stride", bytes(1, stride_max)),
    optional("fields", list(named_offset)),
    optional("bundle", or_constant(count(1, 1000))),
};

constexpr std::array place_keys{
    required("lines", a_name),
    optional("entry", count(0, elements_max)),
    optional("offset", offset),
};

constexpr auto lock_kinds = [] {
  std::array<std::string_view, AllLocks::count> names;
  for (std::size_t i = 0; i < names.size(); ++i) { names[i] = AllLocks::traits[i].name; }
  return names;
}();
constexpr Value spin_test = choice(spin_test_names);
constexpr std::array lock_keys{
    required("kind", choice(lock_kinds), "lock kind"),
    optional("spin", spin_test, "spin test"),
    optional("count", size),
    optional("stands_for", or_constant(count(1, 1'000'000'000))),
    optional("at", map(lock_place_table)),
};

constexpr std::array waiter_keys{
    required("lines", a_name),
    required("waiting", offset),
    required("exclusive", offset),
    required("next", offset),
};

// --- resources ---

constexpr std::array slru_keys{
    required("control", a_name),
    required("buffers", a_name),
    required("page_numbers", a_name),
    required("used", a_name),
    required("ids_per_page", or_constant(count(1, ids_max))),
    required("search", time_value),
    required("read", time_value),
    required("write", time_value),
    optional("history", or_constant(count(0, ids_max))),
    optional("elapsed", time_value),
};

constexpr std::array wal_keys{
    required("page", bytes(1, 1 << 20)),
    optional("sync", time_value),
    required("bytes_per_second", bytes(1, throughput_max)),
};

constexpr std::array<std::string_view, 2> hints{"at-once", "when-flushed"};
constexpr std::array versions_keys{
    required("count", or_constant(count(1, elements_max))),
    required("slru", a_name),
    required("wal", a_name),
    required("hint", choice(hints)),
};

// --- steps ---

constexpr std::array<std::string_view, 1> bare_steps{"roundtrip"};
constexpr std::array step_forms{choice(bare_steps), one_of(step_table)};
constexpr Value step = any_of(step_forms);
constexpr Value steps = list(step);

constexpr std::array work_keys{
    required("mean", time_value, "work"),
    required("spread", choice(spread_names)),
};
constexpr std::array work_forms{time_value, map(work_table)};

constexpr std::array like_keys{required("like", a_name)};
constexpr std::array<std::string_view, 3> random_picks{"uniform", "own", "sticky"};
constexpr std::array pick_forms{count(0, elements_max), choice(random_picks), map(pick_table)};
constexpr Value pick = any_of(pick_forms);

constexpr std::array<std::string_view, 2> modes{"exclusive", "shared"};
constexpr std::array acquire_keys{
    required("lock", a_name),
    optional("conflict", steps),
    optional("pick", pick),
    optional("mode", choice(modes)),
};

constexpr std::array delegate_keys{
    required("lock", a_name),
    optional("pick", pick),
    required("do", steps),
};

constexpr std::array field_keys{
    required("offset", offset),
    required("bytes", bytes(1, stride_max)),
};
constexpr Value field = map(field_table);

constexpr std::array<std::string_view, 2> accesses{"read", "write"};
constexpr std::array touch_keys{
    required("lines", a_name),
    optional("pick", pick),
    required("access", choice(accesses)),
    optional("field", field),
    optional("count", or_constant(count(0, 10'000))),
};

constexpr std::array scan_keys{
    required("lines", a_name),
    required("fields", list(field)),
    required("access", choice(accesses)),
    required("work_per_entry", time_value),
    optional("branch_misses", or_constant(ratio(0, 100))),
};

constexpr std::array repeat_keys{
    required("times", or_constant(ratio(0, 1'000'000))),
    required("do", steps),
};

constexpr std::array choose_keys{
    required("probability", or_constant(ratio(0, 1))),
    required("do", steps),
    optional("else", steps),
};

constexpr std::array aged_keys{
    required("age", or_constant(count(0, ids_max))),
    required("spread", choice(spread_names)),
};
constexpr std::array<std::string_view, 2> known_ids{"own", "visited"};
constexpr std::array id_forms{choice(known_ids), map(aged_id_table)};
constexpr std::array slru_lookup_keys{
    required("slru", a_name),
    required("id", any_of(id_forms)),
    required("access", choice(accesses)),
    required("do", steps),
};

constexpr Value wal_place = choice(upto_names);
constexpr std::array log_keys{
    required("wal", a_name),
    required("bytes", bytes(1, 1 << 20)),
};
constexpr std::array flush_keys{
    required("wal", a_name),
    required("to", choice(std::span(upto_names).subspan(1))),
};
constexpr std::array unless_flushed_keys{
    required("wal", a_name),
    required("record", wal_place),
    required("do", steps),
};

constexpr std::array stamp_keys{
    required("versions", a_name),
    optional("pick", pick),
};
constexpr std::array visit_keys{
    required("versions", a_name),
    optional("pick", pick),
    optional("every", or_constant(count(1, elements_max))),
    required("do", steps),
};

constexpr std::array step_keys{
    optional("work", any_of(work_forms)),
    optional("acquire", map(acquire_table)),
    optional("release", a_name),
    optional("delegate", map(delegate_table)),
    optional("touch", map(touch_table)),
    optional("scan", map(scan_table)),
    optional("call", a_name),
    optional("repeat", map(repeat_table)),
    optional("choose", map(choose_table)),
    optional("give_id", a_name),
    optional("slru_lookup", map(slru_lookup_table)),
    optional("log", map(log_table)),
    optional("flush", map(flush_table)),
    optional("unless_flushed", map(unless_flushed_table)),
    optional("stamp", map(stamp_table)),
    optional("visit", map(visit_table)),
    optional("nap", time_value),
    optional("rouse", a_name),
};

// --- workloads ---

constexpr std::array constant_forms{time_parameter, parameter(ratio(0, 1e9))};
constexpr Value constant = any_of(constant_forms);
constexpr Value array = map(array_table);
constexpr Value lock = map(lock_table);
constexpr Value slru = map(slru_table);
constexpr Value wal = map(wal_table);
constexpr Value versions = map(versions_table);
constexpr std::array workload_table_keys{
    optional("spin", spin_test, "spin test"),
    optional("constants", entries(constant)),
    optional("lines", entries(array)),
    optional("locks", entries(lock)),
    optional("waiter", map(waiter_table)),
    optional("slru", entries(slru)),
    optional("wal", entries(wal)),
    optional("versions", entries(versions)),
    optional("procedures", entries(steps)),
    optional("extend", entries(steps)),
    optional("processes", entries(steps)),
    required("transaction", steps),
};
static_assert(std::ranges::equal(workload_table_keys, workload_keys, {}, &yaml::Key::name));
static_assert(workload_table_keys.back().name == "transaction");
constexpr std::span shared_keys(workload_table_keys.data(), workload_table_keys.size() - 1);
constexpr yaml::KeyTable shared_table{"include file", shared_keys};

constexpr Value difference_of_workload = difference(workload_table);
constexpr Value differences = entries(difference_of_workload);

// What a library may say it has no more of its base.
constexpr std::array without_keys{
    optional("constants", list(a_name)),  optional("lines", list(a_name)),  optional("locks", list(a_name)),
    optional("slru", list(a_name)),       optional("wal", list(a_name)),    optional("versions", list(a_name)),
    optional("procedures", list(a_name)), optional("extend", list(a_name)), optional("processes", list(a_name)),
};
constexpr std::array base_keys{
    required("file", a_text, "file of the base"),
    optional("with", list(a_text)),
    optional("without", map(without_table)),
    optional("variants", list(a_text)),
};

constexpr std::array<std::string_view, 1> workload_schemas{"lockcast/workload/1"};
constexpr std::array workload_file_keys{
    required("schema", choice(workload_schemas)),
    required("workload", a_name),
    required("summary", a_text),
    optional("base", map(base_table)),
    optional("include", list(a_text)),
    optional("variants", differences),
    optional("tables", differences),
};
constexpr std::array<std::string_view, 1> include_schemas{"lockcast/include/1"};
constexpr std::array include_file_keys{
    required("schema", choice(include_schemas)), required("summary", a_text),     optional("include", list(a_text)),
    optional("variants", differences),           optional("tables", differences),
};

// --- scenarios ---

constexpr std::array server_keys{
    required("width", parameter(count(1, 1024))),
    required("service", time_parameter),
    required("distribution", choice(spread_names)),
};
constexpr std::array network_keys{
    required("latency", time_parameter),
    required("bandwidth_per_second", bytes(1, throughput_max)),
    required("message", bytes(1, 1 << 20)),
    required("server", map(network_server_table)),
};
constexpr std::array local_client_keys{
    optional("threads", count(1, clients_max)),
    required("work", time_parameter),
    required("distribution", choice(spread_names)),
};
constexpr std::array client_keys{required("local", map(local_client_table))};
constexpr std::array rig_keys{
    required("source", a_text),
    required("scheduling", choice(scheduling_class_names)),
    optional("network", map(network_table)),
    optional("client", map(client_table)),
    optional("connections", count(1, clients_max)),
};

constexpr std::array measured_keys{
    required("file", a_text),
    required("series", a_name),
    optional("without", list(a_name)),
};

constexpr std::array chosen_forms{differences, list(a_name)};
constexpr Value chosen = any_of(chosen_forms);
constexpr Value client_count = count(1, clients_max);
constexpr std::array<std::string_view, 1> scenario_schemas{"lockcast/scenario/1"};
constexpr std::array scenario_keys{
    required("schema", choice(scenario_schemas)),
    required("name", a_name),
    required("question", a_text),
    required("machine", a_text),
    optional("workload", a_text),
    optional("variants", chosen),
    optional("tables", chosen),
    optional("scales", differences),
    required("clients", list(client_count)),
    optional("rig", map(rig_table)),
    optional("known_gaps", list(a_text)),
    optional("measured", map(measured_table)),
};

}  // namespace

constinit const yaml::KeyTable workload_table{"workload", workload_table_keys};
constinit const yaml::KeyTable array_table{"line array", array_keys};
constinit const yaml::KeyTable lock_table{"lock", lock_keys};
constinit const yaml::KeyTable lock_place_table{"place of a lock", place_keys};
constinit const yaml::KeyTable base_table{"base", base_keys};
constinit const yaml::KeyTable without_table{"without", without_keys};
constinit const yaml::KeyTable waiter_table{"waiter", waiter_keys};
constinit const yaml::KeyTable slru_table{"slru", slru_keys};
constinit const yaml::KeyTable wal_table{"wal", wal_keys};
constinit const yaml::KeyTable versions_table{"versions", versions_keys};

constinit const yaml::KeyTable step_table{"step", step_keys};
constinit const yaml::KeyTable work_table{"work", work_keys};
constinit const yaml::KeyTable pick_table{"pick", like_keys};
constinit const yaml::KeyTable acquire_table{"acquire", acquire_keys};
constinit const yaml::KeyTable delegate_table{"delegate", delegate_keys};
constinit const yaml::KeyTable field_table{"field", field_keys};
constinit const yaml::KeyTable touch_table{"touch", touch_keys};
constinit const yaml::KeyTable scan_table{"scan", scan_keys};
constinit const yaml::KeyTable repeat_table{"repeat", repeat_keys};
constinit const yaml::KeyTable choose_table{"choose", choose_keys};
constinit const yaml::KeyTable slru_lookup_table{"slru_lookup", slru_lookup_keys};
constinit const yaml::KeyTable aged_id_table{"id", aged_keys};
constinit const yaml::KeyTable log_table{"log", log_keys};
constinit const yaml::KeyTable flush_table{"flush", flush_keys};
constinit const yaml::KeyTable unless_flushed_table{"unless_flushed", unless_flushed_keys};
constinit const yaml::KeyTable stamp_table{"stamp", stamp_keys};
constinit const yaml::KeyTable visit_table{"visit", visit_keys};

constinit const yaml::KeyTable workload_file_table{
    .what = "workload file", .keys = workload_file_keys, .over = "base", .laid_over = &workload_table};
constinit const yaml::KeyTable include_file_table{
    .what = "include file", .keys = include_file_keys, .laid_over = &shared_table};
constinit const yaml::KeyTable scenario_table{
    .what = "scenario file", .keys = scenario_keys, .over = "workload", .laid_over = &workload_table};
constinit const yaml::KeyTable rig_table{"rig", rig_keys};
constinit const yaml::KeyTable network_table{"network", network_keys};
constinit const yaml::KeyTable network_server_table{"network server", server_keys};
constinit const yaml::KeyTable client_table{"client", client_keys};
constinit const yaml::KeyTable local_client_table{"local client", local_client_keys};
constinit const yaml::KeyTable measured_table{"measured", measured_keys};

}  // namespace lockcast
