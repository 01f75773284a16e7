// Resources by name, each from a map with all keys required.

#include "sim/workload/resource_reader.hpp"

#include "sim/locks/lock_list.hpp"

#include <algorithm>

namespace lockcast {

namespace {

constexpr std::int64_t ids_max = 1'000'000'000;

class SlruReader {
 public:
  SlruReader(const Constants& constants, const Layout& layout, Program& program)
      : constants_(constants), layout_(layout), program_(program) {}

  void read(const yaml::Entry& entry) {
    yaml::MapReader map(entry.value, "slru");
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
    slru.ids_per_page =
        static_cast<std::uint32_t>(constants_.count(map.required("ids_per_page"), "ids_per_page", 1, ids_max));
    slru.per_slot = constants_.duration(map.required("search"), "search");
    slru.read = constants_.duration(map.required("read"), "read");
    slru.write = constants_.duration(map.required("write"), "write");
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
      slru.history = static_cast<std::uint64_t>(constants_.count(*history, "history", 0, ids_max));
      return;
    }
    slru.elapsed = constants_.duration(*elapsed, "elapsed");
    if (slru.elapsed == Picos{0}) { yaml::fail(elapsed->mark, "a run that has not lasted", "elapsed: 150 s"); }
  }

  const Constants& constants_;
  const Layout& layout_;
  Program& program_;
};

}  // namespace

void read_resources(const yaml::Node& workload, const Constants& constants, const Layout& layout, Program& program) {
  const yaml::Node* node = workload.find("slru");
  if (node == nullptr) { return; }
  if (node->kind != yaml::Node::Kind::map) {
    yaml::fail(node->mark, "slru must be a map", "NAME: {control: ..., ...}");
  }
  SlruReader reader(constants, layout, program);
  for (const yaml::Entry& entry : node->entries) { reader.read(entry); }
}

std::uint32_t slru_named(const Program& program, const yaml::Node& name) {
  const std::string text = yaml::read_name(name, "slru");
  const auto found = std::ranges::find(program.slrus, text, &Slru::name);
  if (found == program.slrus.end()) {
    std::vector<std::string_view> known;
    for (const Slru& slru : program.slrus) { known.push_back(slru.name); }
    yaml::fail(name.mark, "unknown slru '" + text + "'", "a name declared under slru", did_you_mean(text, known));
  }
  return static_cast<std::uint32_t>(found - program.slrus.begin());
}

}  // namespace lockcast
