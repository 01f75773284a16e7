// --set PATH=VALUE: what it changes, what it marks and what it says when the path leads nowhere.

#include "tests/yaml/message.hpp"

#include <gtest/gtest.h>

namespace lockcast::yaml::assign_test {
namespace {

constexpr std::string_view machine =
    "name: m\nlocks:\n  lwlock-9.1: {count: 16}\n  mapping: {count: 8}\nhops:\n  - {value: 20 ns, origin: assumed}\n  "
    "- 30 ns\n"
    "empty: []\nnothing:\n";

std::string after(std::string_view path, std::string_view value) {
  Node root = parse_text("{a: 1, b: {c: {value: 2, range: [1, 3]}, d: [x, {e: y}]}, 9.2: {f: z}}", "f");
  assign(root, path, value);
  return flow(root);
}

TEST(Assign, puts_the_value_at_the_path) {
  struct Row {
    std::string_view path, value, result;
  };
  const Row rows[] = {
      {"a", "16", "{a: 16, b: {c: {value: 2, range: [1, 3]}, d: [x, {e: y}]}, 9.2: {f: z}}"},
      {"a", "[1, 2]", "{a: [1, 2], b: {c: {value: 2, range: [1, 3]}, d: [x, {e: y}]}, 9.2: {f: z}}"},
      {"b.c", "0 ns", "{a: 1, b: {c: 0 ns, d: [x, {e: y}]}, 9.2: {f: z}}"},
      {"b.c.value", "5", "{a: 1, b: {c: {value: 5, range: [1, 3]}, d: [x, {e: y}]}, 9.2: {f: z}}"},
      {"b.c.range.1", "9", "{a: 1, b: {c: {value: 2, range: [1, 9]}, d: [x, {e: y}]}, 9.2: {f: z}}"},
      {"b.d.0", "w", "{a: 1, b: {c: {value: 2, range: [1, 3]}, d: [w, {e: y}]}, 9.2: {f: z}}"},
      {"b.d.1.e", "'q'", "{a: 1, b: {c: {value: 2, range: [1, 3]}, d: [x, {e: 'q'}]}, 9.2: {f: z}}"},
      {"9.2.f", "1", "{a: 1, b: {c: {value: 2, range: [1, 3]}, d: [x, {e: y}]}, 9.2: {f: 1}}"},
      {"new", "{g: 1}", "{a: 1, b: {c: {value: 2, range: [1, 3]}, d: [x, {e: y}]}, 9.2: {f: z}, new: {g: 1}}"},
      {"9.2.h", "1", "{a: 1, b: {c: {value: 2, range: [1, 3]}, d: [x, {e: y}]}, 9.2: {f: z, h: 1}}"},
  };
  for (const Row& row : rows) { EXPECT_EQ(after(row.path, row.value), row.result) << row.path; }
}

TEST(Assign, twice_is_once_and_the_later_value_wins) {
  Node root = parse_text("a: {b: 1}", "f");
  assign(root, "a.c", "2");
  assign(root, "a.c", "2");
  EXPECT_EQ(flow(root), "{a: {b: 1, c: 2}}");
  assign(root, "a.c", "3");
  EXPECT_EQ(flow(root), "{a: {b: 1, c: 3}}");
}

TEST(Assign, marks_all_it_creates_and_nothing_else) {
  Node root = parse_text("a: {b: 1, c: 2}", "f");
  assign(root, "a.b", "{x: [1, {y: 2}]}");
  assign(root, "a.new", "3");
  const Node& set = *root.find("a")->find("b");
  EXPECT_TRUE(set.from_command_line);
  EXPECT_TRUE(set.find("x")->from_command_line);
  EXPECT_TRUE(set.find("x")->items[1].find("y")->from_command_line);
  EXPECT_EQ(to_string(set.find("x")->mark), "--set a.b:1:5");
  EXPECT_EQ(to_string(root.find("a")->entries[2].mark), "--set a.new:1:1");
  EXPECT_TRUE(root.find("a")->find("new")->from_command_line);
  EXPECT_FALSE(root.find("a")->from_command_line);
  EXPECT_FALSE(root.find("a")->find("c")->from_command_line);
}

std::string set_message(std::string_view path, std::string_view value = "1") {
  return message_of([&] {
    Node root = parse_text(machine, "f");
    assign(root, path, value);
  });
}

TEST(Assign, a_path_that_breaks_names_the_part_and_what_was_there) {
  const Case cases[] = {
      {"lokcs.mapping",
       "--set lokcs.mapping:1:1: unknown key 'lokcs' in the file; expected one of name, locks, hops, empty, nothing; "
       "did you mean 'locks'?"},
      {"locks.maping.count",
       "--set locks.maping.count:1:1: unknown key 'maping' in 'locks'; expected one of lwlock-9.1, mapping; "
       "did you mean 'mapping'?"},
      {"locks.zzzzzzzzzzz.count",
       "--set locks.zzzzzzzzzzz.count:1:1: unknown key 'zzzzzzzzzzz' in 'locks'; expected one of lwlock-9.1, mapping"},
      {"hops.2", "--set hops.2:1:1: no item '2' in 'hops'; expected a number from 0 to 1"},
      {"hops.-1", "--set hops.-1:1:1: no item '-1' in 'hops'; expected a number from 0 to 1"},
      {"hops.1x", "--set hops.1x:1:1: no item '1x' in 'hops'; expected a number from 0 to 1"},
      {"hops.99999999999999999999",
       "--set hops.99999999999999999999:1:1: no item '99999999999999999999' in 'hops'; expected a number from 0 to 1"},
      {"empty.0", "--set empty.0:1:1: no item '0' in 'empty'; expected another path; the sequence is empty"},
      {"name.x", "--set name.x:1:1: 'name' has nothing below it to set 'x' in; expected a path to a map or a sequence"},
      {"nothing.x",
       "--set nothing.x:1:1: 'nothing' has nothing below it to set 'x' in; expected a path to a map or a sequence"},
      {"hops.1.x",
       "--set hops.1.x:1:1: 'hops.1' has nothing below it to set 'x' in; expected a path to a map or a sequence"},
      {"locks.lwlock-9.1.count", "(accepted)"},
      {"hops.1", "(accepted)"},
  };
  for (const Case& c : cases) { EXPECT_EQ(set_message(c.text), c.message) << c.text; }
}

TEST(Assign, a_value_is_as_strict_as_a_file) {
  EXPECT_EQ(set_message("name", "[1, 2"), "--set name:1:1: this '[' is never closed; expected a ']'");
  EXPECT_EQ(set_message("name", "{a: 1, a: 2}"),
            "--set name:1:8: duplicate key 'a', first given at 1:2; expected each key once");
  EXPECT_EQ(set_message("name", "*x"),
            "--set name:1:1: aliases ('*name') are not supported; expected every value written out; write the value "
            "out where it "
            "is used");
}

TEST(Assign, an_empty_path_or_value_is_wrong_usage) {
  const auto set = [](std::string_view path, std::string_view value) {
    Node root = parse_text(machine, "f");
    assign(root, path, value);
  };
  EXPECT_EQ(set_message(""), "--set: the path is empty; expected PATH=VALUE such as 'backends=16'");
  EXPECT_EQ(set_message("name", ""), "--set name: the value is empty; expected PATH=VALUE such as 'backends=16'");
  EXPECT_EQ(set_message("name", " # x"), "--set name: the value is empty; expected PATH=VALUE such as 'backends=16'");
  for (const std::string_view path : {".name", "name.", "locks..mapping", "."}) {
    EXPECT_EQ(set_message(path),
              "--set " + std::string(path) + ": a part of the path is empty; expected names joined by single dots");
    EXPECT_EQ(code_of([&] { set(path, "1"); }), ExitCode::usage) << path;
  }
  EXPECT_EQ(code_of([&] { set("", "1"); }), ExitCode::usage);
  EXPECT_EQ(code_of([&] { set("name", ""); }), ExitCode::usage);
  EXPECT_EQ(code_of([&] { set("lokcs.x", "1"); }), ExitCode::bad_file);
}

TEST(Assign, a_failed_assignment_leaves_the_tree_alone) {
  Node root = parse_text(machine, "f");
  const std::string before = flow(root);
  EXPECT_THROW(assign(root, "locks.maping.count", "1"), InputError);
  EXPECT_THROW(assign(root, "name", "[1"), InputError);
  EXPECT_EQ(flow(root), before);
}

}  // namespace
}  // namespace lockcast::yaml::assign_test
