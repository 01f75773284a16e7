// Addresses are bytes in one space per program. Bases are aligned to the largest line any machine file may have, so
// that the same program can be laid on machines with 64 B and 128 B lines.

#include "sim/workload/layout.hpp"

#include "sim/locks/lock_list.hpp"
#include "sim/workload/language.hpp"

#include <algorithm>

namespace lockcast {

namespace {

constexpr std::uint64_t base_alignment = 128;
// More would not be a scenario but a slip: a gigabyte of simulated lines needs many gigabytes of line states.
constexpr std::uint64_t bytes_max = std::uint64_t{1} << 30U;

std::vector<std::string_view> keys_of(const std::map<std::string, std::uint32_t, std::less<>>& names) {
  std::vector<std::string_view> keys;
  for (const auto& [key, number] : names) { keys.push_back(key); }
  return keys;
}

}  // namespace

Layout::Layout(const yaml::Node& workload, const Constants& constants, Program& program)
    : constants_(constants), program_(program) {
  const yaml::Node* spin = workload.find("spin");
  const SpinTest test =
      spin != nullptr ? static_cast<SpinTest>(yaml::read_choice(*spin, "spin test", spin_test_names)) : SpinTest::tas;
  if (const yaml::Node* lines = workload.find("lines")) { read_arrays(*lines); }
  if (const yaml::Node* locks = workload.find("locks")) { read_locks(*locks, test); }
  if (const yaml::Node* waiter = workload.find("waiter")) { read_waiter(*waiter); }
}

std::uint64_t Layout::allocate(std::uint64_t bytes, const yaml::Mark& mark) {
  const std::uint64_t address = (program_.bytes + base_alignment - 1) / base_alignment * base_alignment;
  if (bytes > bytes_max || address + bytes > bytes_max) {
    yaml::fail(mark, "arrays and locks overflow the simulated memory", "at most 1 GiB in all");
  }
  program_.bytes = address + bytes;
  return address;
}

// A list, so that a difference replaces it whole: a changed struct has other fields, not the old ones as well.
void Layout::read_fields(const yaml::Node& node, LineArray& array) {
  constexpr std::string_view form = "[NAME: 44 B, NAME: 48 B]";
  if (node.kind != yaml::Node::Kind::sequence) { yaml::fail(node.mark, "fields must be a list", form); }
  for (const yaml::Node& item : node.items) {
    if (item.kind != yaml::Node::Kind::map || item.entries.size() != 1) {
      yaml::fail(item.mark, "a field is a name and its offset", form);
    }
    const auto& [name, mark, offset] = item.entries.front();
    if (std::ranges::find(array.fields, name, &NamedField::name) != array.fields.end()) {
      yaml::fail(mark, "'" + name + "' stands here twice", "each field once");
    }
    array.fields.push_back(
        {name, static_cast<std::uint32_t>(yaml::read_bytes(offset, "offset of a field", 0, array.stride - 1))});
  }
}

std::uint32_t Layout::size(const yaml::Node& node) const {
  return static_cast<std::uint32_t>(
      constants_.size(node, "count", elements_max, program_.backends, program_.connections));
}

void Layout::read_arrays(const yaml::Node& node) {
  if (node.kind != yaml::Node::Kind::map) {
    yaml::fail(node.mark, "lines must be a map", "NAME: {count: 4, stride: 64 B}");
  }
  for (const yaml::Entry& entry : node.entries) {
    yaml::MapReader map(entry.value, array_table);
    LineArray array;
    array.name = entry.key;
    array.count = size(map.required("count"));
    array.stride = map.bytes<std::uint32_t>("stride");
    if (const yaml::Node* fields = map.optional("fields")) { read_fields(*fields, array); }
    if (map.optional("bundle") != nullptr) {
      array.bundle = static_cast<std::uint32_t>(constants_.count(map.field("bundle")));
      array.stride *= array.bundle;
    }
    map.finish();
    array.address = allocate(std::uint64_t{array.count} * array.stride, entry.mark);
    array.register_number = program_.registers++;
    arrays_.emplace(entry.key, static_cast<std::uint32_t>(program_.arrays.size()));
    program_.arrays.push_back(array);
  }
}

void Layout::read_locks(const yaml::Node& node, SpinTest spin) {
  if (node.kind != yaml::Node::Kind::map) { yaml::fail(node.mark, "locks must be a map", "NAME: {kind: lwlock-9.1}"); }
  for (const yaml::Entry& entry : node.entries) {
    if (arrays_.contains(entry.key)) {
      yaml::fail(entry.mark, "'" + entry.key + "' is already the name of a line array", "another name");
    }
    read_lock(entry, spin);
  }
  refuse_overlaps(node);
}

// Two locks in the same bytes would be one lock natively and two in the simulator.
void Layout::refuse_overlaps(const yaml::Node& locks) const {
  struct Place {
    std::uint64_t begin;
    std::uint64_t end;
    std::uint32_t group;
  };
  std::vector<Place> places;
  for (std::uint32_t number = 0; number < program_.locks.size(); ++number) {
    const LockGroup& group = program_.locks[number];
    for (std::uint32_t i = 0; i < group.count; ++i) {
      const std::uint64_t begin = group.address + std::uint64_t{i} * group.stride;
      places.push_back({begin, begin + AllLocks::traits[group.kind].bytes, number});
    }
  }
  std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) { return a.begin < b.begin; });
  for (std::size_t i = 1; i < places.size(); ++i) {
    if (places[i].begin >= places[i - 1].end) { continue; }
    const std::uint32_t first = std::min(places[i].group, places[i - 1].group);
    const std::uint32_t second = std::max(places[i].group, places[i - 1].group);
    yaml::fail(locks.entries[second].mark,
               "'" + program_.locks[second].name + "' lies in the same bytes as '" + program_.locks[first].name + "'",
               "another entry or offset");
  }
}

void Layout::read_lock(const yaml::Entry& entry, SpinTest spin) {
  yaml::MapReader map(entry.value, lock_table);
  LockGroup group;
  group.name = entry.key;
  group.first = program_.lock_count();
  group.kind = map.choice<std::uint32_t>("kind");
  const LockTraits& traits = AllLocks::traits[group.kind];
  group.held_to_commit = traits.held_to_commit;
  group.options.spin = spin;
  if (const yaml::Node* own_spin = map.optional("spin")) {
    if (!traits.has_spin_test) {
      yaml::fail(own_spin->mark, "lock kind '" + std::string(traits.name) + "' has no spin test", "no key 'spin'");
    }
    group.options.spin = map.choice<SpinTest>("spin");
  }
  if (const yaml::Node* count = map.optional("count")) { group.count = size(*count); }
  if (const yaml::Node* number = map.optional("stands_for")) {
    const std::int64_t real = constants_.count(map.field("stands_for"));
    if (real <= std::int64_t{group.count}) {
      yaml::fail(number->mark, std::to_string(group.count) + " locks cannot stand for " + std::to_string(real),
                 "more than there are, or no key 'stands_for'");
    }
    group.apart = true;
  }
  if (const yaml::Node* at = map.optional("at")) {
    yaml::MapReader place(*at, lock_place_table);
    const LineArray& array = program_.arrays[this->array(place.required("lines"))];
    const auto first = place.optional("entry") != nullptr ? place.count("entry") : 0;
    const auto offset = place.optional("offset") != nullptr ? place.bytes("offset") : 0;
    place.finish();
    if (static_cast<std::uint64_t>(first) + group.count > array.count) {
      yaml::fail(at->mark,
                 "'" + entry.key + "' reaches entry " + std::to_string(first + group.count - 1) + " of '" + array.name +
                     "', which overflows it",
                 "at most entry " + std::to_string(array.count - 1));
    }
    if (static_cast<std::uint64_t>(offset) + traits.bytes > array.stride) {
      yaml::fail(at->mark, "'" + entry.key + "' does not fit into an entry of '" + array.name + "'",
                 "offset plus " + std::to_string(traits.bytes) + " B within " + std::to_string(array.stride) + " B");
    }
    group.address =
        array.address + static_cast<std::uint64_t>(first) * array.stride + static_cast<std::uint64_t>(offset);
    group.stride = array.stride;
  } else {
    group.stride = static_cast<std::uint32_t>((traits.bytes + base_alignment - 1) / base_alignment * base_alignment);
    group.address = allocate(std::uint64_t{group.count} * group.stride, entry.mark);
  }
  map.finish();
  group.register_number = program_.registers++;
  locks_.emplace(entry.key, static_cast<std::uint32_t>(program_.locks.size()));
  program_.locks.push_back(group);
}

void Layout::read_waiter(const yaml::Node& node) {
  yaml::MapReader map(node, waiter_table);
  WaiterPlace& place = program_.waiter;
  place.own_line = false;
  place.array = array(map.required("lines"));
  const LineArray& array = program_.arrays[place.array];
  if (array.count < program_.backends) {
    yaml::fail(node.mark, "'" + array.name + "' has fewer entries than there are clients", "count: clients");
  }
  const auto offset = [&](std::string_view key) {
    return static_cast<std::uint32_t>(
        yaml::read_bytes(map.required(key), key, 0, array.stride - std::min<std::uint32_t>(array.stride, 4)));
  };
  place.waiting = offset("waiting");
  place.exclusive = offset("exclusive");
  place.next = offset("next");
  map.finish();
}

std::uint32_t Layout::find(const Names& names, const yaml::Node& name, std::string_view what,
                           std::string_view section) const {
  const std::string text = yaml::read_name(name, what);
  const auto found = names.find(text);
  if (found == names.end()) {
    yaml::fail(name.mark, "unknown " + std::string(what) + " '" + text + "'",
               "a name declared under " + std::string(section), did_you_mean(text, keys_of(names)));
  }
  return found->second;
}

std::uint32_t Layout::array(const yaml::Node& name) const { return find(arrays_, name, "line array", "lines"); }
std::uint32_t Layout::lock(const yaml::Node& name) const { return find(locks_, name, "lock", "locks"); }

std::uint32_t Layout::register_of(const yaml::Node& name) const {
  Names both;
  for (const auto& [key, number] : arrays_) { both.emplace(key, program_.arrays[number].register_number); }
  for (const auto& [key, number] : locks_) { both.emplace(key, program_.locks[number].register_number); }
  return find(both, name, "group", "lines or locks");
}

}  // namespace lockcast
