// What lives on a line, by name: 64 B lines unless a row says otherwise. Arrays begin at multiples of 128 B.

#include "sim/run/line_names.hpp"

#include "sim/workload/compile.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace lockcast::line_names_test {
namespace {

struct Row {
  std::string declared;
  std::uint32_t line_bytes;
  std::vector<std::string> lines;
  std::vector<std::string> groups;
};

const Row rows[] = {
    {"lines: {a: {count: 1, stride: 64 B}}", 64, {"a"}, {"a"}},
    {"lines: {a: {count: 4, stride: 32 B}}", 64, {"a[0..1]", "a[2..3]"}, {"a", "a"}},
    // Entries of 96 B: bytes 0-95, 96-191, 192-287.
    {"lines: {a: {count: 3, stride: 96 B}}",
     64,
     {"a[0]", "a[0..1]", "a[1]", "a[2]", "a[2]"},
     {"a", "a", "a", "a", "a"}},
    // Fields at 60 and 64 of the entry: 60 64, 156 160, 252 256. The name of a field is that of its first byte.
    {"lines: {a: {count: 3, stride: 96 B, fields: [f: 60 B, g: 64 B]}}",
     64,
     {"a[0] f", "a[0..1] g", "a[1] f g", "a[2] f", "a[2] g"},
     {"a", "a", "a", "a", "a"}},
    {"lines: {a: {count: 1, stride: 64 B}, b: {count: 1, stride: 64 B}}", 128, {"a", "b"}, {"a", "b"}},
    // Two locks on one line, and the array that is nothing but their place.
    {"lines: {a: {count: 4, stride: 32 B}}\n"
     "locks: {l: {kind: lwlock-9.1, at: {lines: a}}, m: {kind: lwlock-9.1, count: 2, at: {lines: a, entry: 1}}}",
     64,
     {"l + m[0]", "m[1]"},
     {"l + m", "m"}},
    {"lines: {a: {count: 4, stride: 32 B}}\n"
     "locks: {l: {kind: lwlock-9.1, at: {lines: a}}, m: {kind: lwlock-9.1, count: 2, at: {lines: a, entry: 1}}}",
     128,
     {"l + m[0..1]"},
     {"l + m"}},
    // A lock beside the field of the next entry: false sharing has both names.
    {"lines: {a: {count: 2, stride: 96 B, fields: [f: 0 B]}}\n"
     "locks: {l: {kind: tas, count: 2, at: {lines: a, offset: 64 B}}}",
     64,
     {"a[0] f", "l[0] + a[0..1] f", "l[1]"},
     {"a", "l + a", "l"}},
    // Locks without a place lie 128 B apart; what no declaration covers belongs to waiting backends.
    {"locks: {l: {kind: tas, count: 2}}",
     64,
     {"l[0]", "waiters' own lines", "l[1]", "waiters' own lines"},
     {"l", "waiters' own lines", "l", "waiters' own lines"}},
};

TEST(LineNames, say_which_locks_entries_and_fields_live_on_a_line) {
  for (const Row& row : rows) {
    const Program program = compile(yaml::parse_text(row.declared + "\ntransaction: [{work: 1 us}]\n", "w"), 2);
    const LineNames names(program, row.line_bytes);
    for (std::uint32_t i = 0; i < row.lines.size(); ++i) {
      EXPECT_EQ(names.line(i), row.lines[i]) << row.declared << ", line " << i;
      EXPECT_EQ(names.group(i), row.groups[i]) << row.declared << ", line " << i;
    }
  }
}

}  // namespace
}  // namespace lockcast::line_names_test
