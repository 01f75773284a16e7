// Places are compared as byte ranges, because an entry may begin on one line and end on another.

#include "sim/run/line_names.hpp"

#include "sim/locks/lock_list.hpp"

#include <algorithm>
#include <utility>

namespace lockcast {

namespace {

struct Elements {
  const std::string& name;
  std::uint32_t count;
  std::uint64_t address;
  std::uint32_t stride;
  std::uint32_t bytes;  // of one element
};

struct Bytes {
  std::uint64_t begin;
  std::uint64_t end;
};

// The first and last element with a byte in the range; first > last: none.
std::pair<std::uint32_t, std::uint32_t> within(const Elements& e, const Bytes& range) {
  if (e.address >= range.end || e.address + std::uint64_t{e.count - 1} * e.stride + e.bytes <= range.begin) {
    return {1, 0};
  }
  const std::uint64_t first =
      range.begin >= e.address + e.bytes ? (range.begin - e.address - e.bytes) / e.stride + 1 : 0;
  if (first >= e.count || e.address + first * e.stride >= range.end) { return {1, 0}; }
  const std::uint64_t last = std::min<std::uint64_t>(e.count - 1, (range.end - 1 - e.address) / e.stride);
  return {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(last)};
}

void append(std::string& text, const std::string& name, std::uint32_t count, std::uint32_t first, std::uint32_t last,
            bool in_detail) {
  if (!text.empty()) { text += " + "; }
  text += name;
  if (!in_detail || count == 1) { return; }
  text.append("[").append(std::to_string(first));
  if (last > first) { text.append("..").append(std::to_string(last)); }
  text.append("]");
}

}  // namespace

std::string LineNames::name(std::uint32_t number, bool in_detail) const {
  const std::uint64_t low = std::uint64_t{number} * line_bytes_;
  const Bytes range{low, low + line_bytes_};
  std::string text;
  for (const LockGroup& group : program_.locks) {
    const auto [first, last] =
        within({group.name, group.count, group.address, group.stride, AllLocks::traits[group.kind].bytes}, range);
    if (first <= last) { append(text, group.name, group.count, first, last, in_detail); }
  }
  // Beside a lock, only what has a declared field there: most arrays with locks in them are nothing but their place.
  const bool has_locks = !text.empty();
  for (const LineArray& array : program_.arrays) {
    const auto [first, last] = within({array.name, array.count, array.address, array.stride, array.stride}, range);
    if (first > last) { continue; }
    std::string fields;
    for (const NamedField& field : array.fields) {
      const Elements bytes{field.name, array.count, array.address + field.offset, array.stride, 1};
      if (const auto [f, l] = within(bytes, range); f <= l) { fields.append(" ").append(field.name); }
    }
    if (has_locks && fields.empty()) { continue; }
    append(text, array.name, array.count, first, last, in_detail);
    if (in_detail) { text += fields; }
  }
  return text.empty() ? "waiters' own lines" : text;
}

std::uint32_t LineNames::bundle(std::uint32_t number) const {
  const std::uint64_t address = std::uint64_t{number} * line_bytes_;
  for (const LineArray& array : program_.arrays) {
    const std::uint64_t bytes = std::uint64_t{array.count} * array.stride;
    if (address >= array.address && address < array.address + bytes) { return array.bundle; }
  }
  return 1;
}

}  // namespace lockcast
