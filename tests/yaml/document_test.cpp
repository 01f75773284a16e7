// What a good file becomes: the tree, where its parts stood, and what merging does. Files on disk are here too.

#include "tests/yaml/message.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

namespace lockcast::yaml::document_test {
namespace {

TEST(Document, text_becomes_the_tree_it_spells) {
  const Case cases[] = {
      {"a: 1", "{a: 1}"},
      {"a: 120 ns\nb: [1, 2]\n", "{a: 120 ns, b: [1, 2]}"},
      {"a: {b: {c: d}}", "{a: {b: {c: d}}}"},
      {"- x\n- - y\n  - z\n", "[x, [y, z]]"},
      {"transaction:\n  - work: 900 ns\n  - acquire: {lock: m}\n",
       "{transaction: [{work: 900 ns}, {acquire: {lock: m}}]}"},
      {"a: 'it''s'\nb: \"x\\ny\"\n", "{a: 'it's', b: 'x\ny'}"},
      {"a: ''\nb: \"\"\n", "{a: '', b: ''}"},
      {"a:\nb: ~\nc: null\nd: 'null'\n", "{a: ~, b: ~, c: ~, d: 'null'}"},
      {"\"a b\": 1\n'c': 2\n", "{a b: 1, c: 2}"},
      {"# only\na: 1 # here\n", "{a: 1}"},
      {"---\na: 1\n...\n", "{a: 1}"},
      {"a: |\n  one\n  two\n", "{a: 'one\ntwo\n'}"},
      {"a: one\n  two\n", "{a: one two}"},
      {"a: 1\r\nb:\r\n  c: 2\r\n", "{a: 1, b: {c: 2}}"},
      {"\xef\xbb\xbf"
       "a: 1",
       "{a: 1}"},
      {"a: [b: 1, c]", "{a: [{b: 1}, c]}"},
      {"a: \xc3\xa4", "{a: \xc3\xa4}"},
      {"a: x!y\nb: x&y\nc: x*y\n", "{a: x!y, b: x&y, c: x*y}"},
  };
  for (const Case& c : cases) { EXPECT_EQ(flow(parse_text(c.text, "f")), c.message) << c.text; }
}

TEST(Document, every_part_knows_its_line_and_column) {
  const Node root = parse_text("# head\na: 1\nb:\n  - {c: 'x', d: [2]}\n", "f");
  EXPECT_EQ(to_string(root.mark), "f:2:1");
  EXPECT_EQ(to_string(root.find("a")->mark), "f:2:4");
  EXPECT_EQ(to_string(root.entries[1].mark), "f:3:1");
  const Node& item = root.find("b")->items[0];
  EXPECT_EQ(to_string(item.mark), "f:4:5");
  EXPECT_EQ(to_string(item.find("c")->mark), "f:4:9");
  EXPECT_EQ(to_string(item.entries[1].mark), "f:4:14");
  EXPECT_EQ(to_string(item.find("d")->items[0].mark), "f:4:18");
}

TEST(Document, a_missing_value_is_located_at_its_key_or_dash) {
  const Node map = parse_text("a:\n\n\nb: 1\n", "f");
  EXPECT_EQ(to_string(map.find("a")->mark), "f:1:1");
  const Node sequence = parse_text("x:\n  - 1\n  -\n\n  - 3\n", "f");
  EXPECT_EQ(to_string(sequence.find("x")->items[1].mark), "f:3:3");
  const Node written = parse_text("a:   ~\n", "f");
  EXPECT_EQ(to_string(written.find("a")->mark), "f:1:6");
}

TEST(Document, a_byte_order_mark_moves_no_column) {
  EXPECT_EQ(to_string(parse_text("\xef\xbb\xbf"
                                 "a: 1",
                                 "f")
                          .find("a")
                          ->mark),
            "f:1:4");
}

TEST(Document, nothing_in_a_file_claims_to_come_from_the_command_line) {
  const Node root = parse_text("a: [1, {b: 2}]", "f");
  EXPECT_FALSE(root.from_command_line);
  EXPECT_FALSE(root.find("a")->items[1].find("b")->from_command_line);
}

TEST(Document, find_gives_null_for_a_key_that_is_not_there) {
  Node root = parse_text("a: 1", "f");
  EXPECT_EQ(root.find("b"), nullptr);
  EXPECT_EQ(root.find("a")->find("b"), nullptr);
  root.find("a")->text = "2";
  EXPECT_EQ(flow(root), "{a: 2}");
}

TEST(Message, is_what_expected_and_hint_after_the_mark) {
  const Mark mark{std::make_shared<const std::string>("f"), 3, 7};
  EXPECT_EQ(message_of([&] { fail(mark, "bad"); }), "f:3:7: bad");
  EXPECT_EQ(message_of([&] { fail(mark, "bad", "good"); }), "f:3:7: bad; expected good");
  EXPECT_EQ(message_of([&] { fail(mark, "bad", "good", "; did you mean 'x'?"); }),
            "f:3:7: bad; expected good; did you mean 'x'?");
  EXPECT_EQ(message_of([&] { fail(mark, "bad", "", "hint"); }), "f:3:7: bad; hint");
  EXPECT_EQ(message_of([&] { fail(Mark{}, "bad"); }), "?:1:1: bad");
  EXPECT_EQ(code_of([&] { fail(mark, "bad"); }), ExitCode::bad_file);
}

TEST(Message, is_one_visible_line_whatever_the_text_holds) {
  const Mark mark{std::make_shared<const std::string>("a\nb\x1b[31m"), 1, 1};
  EXPECT_EQ(message_of([&] { fail(mark, "x\r\ty"); }), "a\\nb\\x1b[31m:1:1: x\\r\\ty");
  const Case cases[] = {
      {"plain", "'plain'"},
      {"", "''"},
      {"\x7f", "'\\x7f'"},
      {"\xc3\xa4", "'\xc3\xa4'"},
      {"\xc3", "'\\xc3'"},
      {"\xc2\x85", "'\\xc2\\x85'"},                    // C1: next line
      {"\xe2\x80\xa8", "'\\xe2\\x80\\xa8'"},           // line separator
      {"\xe2\x80\xae", "'\\xe2\\x80\\xae'"},           // right-to-left override
      {"\xed\xa0\x80", "'\\xed\\xa0\\x80'"},           // surrogate
      {"\xc0\x80", "'\\xc0\\x80'"},                    // overlong NUL
      {"\xf4\x90\x80\x80", "'\\xf4\\x90\\x80\\x80'"},  // beyond U+10FFFF
  };
  for (const Case& c : cases) { EXPECT_EQ(quote(c.text), c.message); }
}

TEST(Message, quotes_sixty_characters_whole_and_cuts_the_sixty_first) {
  const std::string sixty(60, 'x');
  EXPECT_EQ(quote(sixty), "'" + sixty + "'");
  EXPECT_EQ(quote(sixty + "y"), "'" + sixty + "...'");
  std::string wide;
  for (int i = 0; i < 61; ++i) { wide += "\xc3\xa4"; }
  EXPECT_EQ(quote(wide), "'" + wide.substr(0, 120) + "...'");
}

TEST(Merge, replaces_and_adds_key_by_key) {
  struct Row {
    std::string_view base, patch, merged;
  };
  const Row rows[] = {
      {"{a: 1, b: 2}", "{b: 3, c: 4}", "{a: 1, b: 3, c: 4}"},
      {"{a: {x: 1, y: 2}}", "{a: {y: 3}}", "{a: {x: 1, y: 3}}"},
      {"{a: [1, 2]}", "{a: [3]}", "{a: [3]}"},
      {"{a: {x: 1}}", "{a: 5}", "{a: 5}"},
      {"{a: 5}", "{a: {x: 1}}", "{a: {x: 1}}"},
      {"{a: 1}", "{a: }", "{a: ~}"},
      {"[1]", "{a: 1}", "{a: 1}"},
  };
  for (const Row& row : rows) {
    Node base = parse_text(row.base, "base");
    merge(base, parse_text(row.patch, "patch"));
    EXPECT_EQ(flow(base), row.merged) << row.base << " + " << row.patch;
    merge(base, parse_text(row.patch, "patch"));
    EXPECT_EQ(flow(base), row.merged) << "not idempotent: " << row.base << " + " << row.patch;
  }
}

TEST(Merge, of_a_tree_with_itself_changes_nothing) {
  Node base = parse_text("{a: {b: [1, {c: 2}]}, d: x}", "f");
  merge(base, base);
  EXPECT_EQ(flow(base), "{a: {b: [1, {c: 2}]}, d: x}");
}

TEST(Merge, keeps_the_mark_of_what_it_took) {
  Node base = parse_text("a: 1\nb: 2\n", "base");
  merge(base, parse_text("b: 3\nc: 4\n", "patch"));
  EXPECT_EQ(to_string(base.find("a")->mark), "base:1:4");
  EXPECT_EQ(to_string(base.find("b")->mark), "patch:1:4");
  EXPECT_EQ(to_string(base.entries[2].mark), "patch:2:1");
}

class File : public testing::Test {
 protected:
  File() { std::filesystem::create_directory(folder_); }
  ~File() override { std::filesystem::remove_all(folder_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  std::string write(const std::string& name, std::string_view text) {
    const std::string path = folder_ + "/" + name;
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }

  std::string folder_ = testing::TempDir() + "lockcast_yaml_" + std::to_string(getpid());
};

std::string file_message(const std::string& path) {
  return message_of([&] { static_cast<void>(parse_file(path)); });
}

TEST_F(File, is_read_and_named_in_messages) {
  const std::string path = write("good.yaml", "a: 1\n");
  const Node root = parse_file(path);
  EXPECT_EQ(flow(root), "{a: 1}");
  EXPECT_EQ(to_string(root.mark), path + ":1:1");
}

TEST_F(File, that_cannot_be_read_says_why_and_what_to_do) {
  const std::string missing = folder_ + "/none.yaml";
  const std::string below_a_file = write("x.yaml", "a: 1") + "/y";
  const std::string advice = ": no such file; check the path, which counts from the current directory";
  EXPECT_EQ(file_message(missing), missing + advice);
  EXPECT_EQ(file_message(below_a_file), below_a_file + advice);
  EXPECT_EQ(file_message(std::string("x\0y", 3)), "x\\x00y" + advice);
  EXPECT_EQ(file_message(folder_), folder_ + ": is a directory; name a YAML file in it");
  EXPECT_EQ(file_message(""), "the file name is empty; give the path of a YAML file");
  EXPECT_EQ(code_of([&] { static_cast<void>(parse_file(missing)); }), ExitCode::bad_file);
}

TEST_F(File, that_fails_while_being_read_is_an_error_and_not_an_empty_file) {
  EXPECT_EQ(file_message("/proc/self/mem"),
            "/proc/self/mem: cannot be read (Input/output error); check the path and the disk");
}

TEST_F(File, without_permission_says_so) {
  if (geteuid() == 0) { GTEST_SKIP() << "root may read everything"; }
  const std::string path = write("closed.yaml", "a: 1");
  std::filesystem::permissions(path, std::filesystem::perms::none);
  EXPECT_EQ(file_message(path), path + ": permission denied; make the file readable for this user");
}

TEST_F(File, may_be_four_mebibytes_and_not_one_byte_more) {
  std::string text = "a: 1\n";
  const std::string line = "#" + std::string(1022, 'x') + "\n";
  while (text.size() + line.size() <= std::size_t{4} << 20U) { text += line; }
  text += std::string((std::size_t{4} << 20U) - text.size(), '\n');
  EXPECT_EQ(flow(parse_file(write("full.yaml", text))), "{a: 1}");
  const std::string path = write("over.yaml", text + "\n");
  EXPECT_EQ(file_message(path),
            path + ":1:1: the file is larger than 4 MiB; expected a machine, scenario or workload of at most 4 MiB");
}

TEST_F(File, that_never_ends_is_refused_for_its_size) {
  EXPECT_EQ(file_message("/dev/zero"),
            "/dev/zero:1:1: the file is larger than 4 MiB; expected a machine, scenario or workload of at most 4 MiB");
}

}  // namespace
}  // namespace lockcast::yaml::document_test
