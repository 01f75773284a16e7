// Resources by name, each from a map with all keys required.

#include "sim/workload/resource_reader.hpp"

#include "sim/locks/lock_list.hpp"
#include "sim/workload/language.hpp"

#include <algorithm>

namespace lockcast {

namespace {

class SlruReader {
 public:
  SlruReader(const Constants& constants, const Layout& layout, Program& program)
      : constants_(constants), layout_(layout), program_(program) {}

  void read(const yaml::Entry& entry) {
    yaml::MapReader map(entry.value, slru_table);
    Slru slru;
    slru.name = entry.key;
    slru.control = lock(map.required("control"));
    if (program_.locks[slru.control].count != 1) {
      yaml::fail(entry.value.mark, "'" + program_.locks[slru.control].name + "' is an array of locks",
                 "one lock that controls all slots");
    }
    slru.buffers = lock(map.required("buffers"));
    slru.slots = program_.locks[slru.buffers].count;
    if (slru.slots < 2) {
      yaml::fail(entry.value.mark, "'" + program_.locks[slru.buffers].name + "' is a single lock",
                 "a lock for each slot, of which there are at least 2");
    }
    slru.search = touch_of(map.required("page_numbers"), slru.slots, Access::read);
    slru.mark = touch_of(map.required("used"), slru.slots, Access::write);
    make_run(slru.search, slru.slots);
    slru.ids_per_page = static_cast<std::uint32_t>(constants_.count(map.field("ids_per_page")));
    slru.per_slot = constants_.duration(map.field("search"));
    slru.read = constants_.duration(map.field("read"));
    slru.write = constants_.duration(map.field("write"));
    read_history(map, slru);
    map.finish();
    program_.slrus.push_back(slru);
  }

 private:
  std::uint32_t lock(const yaml::Node& name) const {
    const std::uint32_t number = layout_.lock(name);
    const LockGroup& group = program_.locks[number];
    if (!AllLocks::traits[group.kind].has_shared_mode || AllLocks::can_delegate[group.kind]) {
      yaml::fail(name.mark, "a lock of kind '" + std::string(AllLocks::traits[group.kind].name) + "' cannot do this",
                 "a kind with a shared mode that nothing is delegated to, for example lwlock-9.1");
    }
    return number;
  }
  Op touch_of(const yaml::Node& name, std::uint32_t slots, Access access) const {
    Op op;
    op.code = Opcode::touch;
    op.access = access;
    op.group = layout_.array(name);
    const LineArray& array = program_.arrays[op.group];
    if (array.count != slots || array.bundle > 1) {
      yaml::fail(name.mark, "'" + array.name + "' has " + std::to_string(array.count) + " entries",
                 "one for each of the " + std::to_string(slots) + " slots");
    }
    op.bytes = array.stride;
    return op;
  }
  void make_run(Op& op, std::uint32_t count) const {
    op.is_run = true;
    op.count = count;
    op.target = static_cast<std::uint32_t>(program_.runs.size());
    program_.runs.push_back({op.group, {0, op.bytes}, count});
  }
  // How much has happened before the window: what a lookup may lead back to.
  void read_history(yaml::MapReader& map, Slru& slru) const {
    const yaml::Node* history = map.optional("history");
    const yaml::Node* elapsed = map.optional("elapsed");
    if ((history != nullptr) == (elapsed != nullptr)) {
      yaml::fail(map.node().mark, "how long has the run lasted?",
                 "either history: NUMBER of transactions, or elapsed: DURATION at the present rate");
    }
    if (history != nullptr) {
      slru.history = static_cast<std::uint64_t>(constants_.count(map.field("history")));
      return;
    }
    slru.elapsed = constants_.duration(map.field("elapsed"));
    if (slru.elapsed == Picos{0}) { yaml::fail(elapsed->mark, "a run that has not lasted", "elapsed: 150 s"); }
  }

  const Constants& constants_;
  const Layout& layout_;
  Program& program_;
};

// wal: {NAME: {page: 8 KiB, sync: 1 ms, bytes_per_second: 100 MiB}}; without `sync` it is the machine's disk
void read_wal(const yaml::Entry& entry, const Constants& constants, Program& program) {
  yaml::MapReader map(entry.value, wal_table);
  Wal wal;
  wal.name = entry.key;
  wal.page = map.bytes("page");
  if (map.optional("sync") != nullptr) { wal.sync = constants.duration(map.field("sync")); }
  wal.bytes_per_second = map.bytes("bytes_per_second");
  map.finish();
  program.wals.push_back(wal);
}

// versions: {NAME: {count: 100, slru: S, wal: W, hint: when-flushed}}
void read_versions(const yaml::Entry& entry, const Constants& constants, Program& program) {
  yaml::MapReader map(entry.value, versions_table);
  Versions rows;
  rows.name = entry.key;
  rows.count = static_cast<std::uint32_t>(constants.count(map.field("count")));
  rows.slru = slru_named(program, map.required("slru"));
  rows.wal = wal_named(program, map.required("wal"));
  rows.hint_when_flushed = map.choice("hint") == 1;
  map.finish();
  rows.register_number = program.registers++;
  program.versions.push_back(rows);
}

template <class Read>
void for_each_entry(const yaml::Node& workload, std::string_view key, const Read& read) {
  const yaml::Node* node = workload.find(key);
  if (node == nullptr) { return; }
  if (node->kind != yaml::Node::Kind::map) { yaml::fail(node->mark, std::string(key) + " must be a map", "NAME: ..."); }
  for (const yaml::Entry& entry : node->entries) { read(entry); }
}

template <class Resource>
std::uint32_t named(const std::vector<Resource>& all, const yaml::Node& name, std::string_view what) {
  const std::string text = yaml::read_name(name, what);
  const auto found = std::ranges::find(all, text, &Resource::name);
  if (found == all.end()) {
    std::vector<std::string_view> known;
    for (const Resource& one : all) { known.push_back(one.name); }
    yaml::fail(name.mark, "unknown " + std::string(what) + " '" + text + "'",
               "a name declared under " + std::string(what), did_you_mean(text, known));
  }
  return static_cast<std::uint32_t>(found - all.begin());
}

}  // namespace

void read_resources(const yaml::Node& workload, const Constants& constants, const Layout& layout, Program& program) {
  SlruReader slrus(constants, layout, program);
  for_each_entry(workload, "slru", [&](const yaml::Entry& entry) { slrus.read(entry); });
  for_each_entry(workload, "wal", [&](const yaml::Entry& entry) { read_wal(entry, constants, program); });
  for_each_entry(workload, "versions", [&](const yaml::Entry& entry) { read_versions(entry, constants, program); });
  for_each_entry(workload, "processes",
                 [&](const yaml::Entry& entry) { program.processes.push_back({.name = entry.key}); });
}

std::uint32_t slru_named(const Program& program, const yaml::Node& name) { return named(program.slrus, name, "slru"); }
std::uint32_t wal_named(const Program& program, const yaml::Node& name) { return named(program.wals, name, "wal"); }
std::uint32_t versions_named(const Program& program, const yaml::Node& name) {
  return named(program.versions, name, "versions");
}
std::uint32_t process_named(const Program& program, const yaml::Node& name) {
  return named(program.processes, name, "processes");
}

}  // namespace lockcast
