// What the strict subset rejects, where it says so, and hostile files that must end in a message instead of a crash.

#include "tests/yaml/message.hpp"

#include <gtest/gtest.h>
#include <pthread.h>

namespace lockcast::yaml::strictness_test {
namespace {

const std::string write_out = "; expected every value written out; write the value out where it is used";
const std::string not_text = " is not text; expected a YAML file in UTF-8 without control characters";

TEST(Strict, an_empty_file_says_what_it_should_hold) {
  const char* const texts[] = {"", "\n\n", "# comment\n", "---\n", "~\n", "\xef\xbb\xbf"};
  for (const char* text : texts) {
    EXPECT_EQ(parse_message(text), "f:1:1: the file is empty; expected a map of keys to values") << text;
  }
}

TEST(Strict, bytes_that_are_not_text_are_located_at_the_first) {
  using namespace std::string_view_literals;
  const Case cases[] = {
      {"a: 1\nb: \0"sv, "f:2:4: byte 0x00"},
      {"\xff\xfe"
       "a",
       "f:1:1: byte 0xff"},                 // UTF-16 with a byte order mark
      {"a\0:\0 \0"sv, "f:1:2: byte 0x00"},  // UTF-16 without one
      {"\x7f"
       "ELF",
       "f:1:1: byte 0x7f"},
      {"a: x\xc3\n", "f:1:5: byte 0xc3"},  // cut short by the next byte
      {"a: x\xc3", "f:1:5: byte 0xc3"},    // cut short by the end
      {"a: \x80", "f:1:4: byte 0x80"},
      {"a: \xc0\x80", "f:1:4: byte 0xc0"},          // overlong
      {"a: \xe0\x9f\xbf", "f:1:4: byte 0xe0"},      // overlong, one below the first three-byte character
      {"a: \xed\xa0\x80", "f:1:4: byte 0xed"},      // surrogate
      {"a: \xf4\x90\x80\x80", "f:1:4: byte 0xf4"},  // beyond U+10FFFF
      {"a: \xf5\x80\x80\x80", "f:1:4: byte 0xf5"},
      {"a: 1\n\x04\nb: 2", "f:2:1: byte 0x04"},  // the end of the file to yaml-cpp
      {"a: 1\rb: 2", "f:1:5: byte 0x0d"},        // a lone carriage return is no line break to yaml-cpp
  };
  for (const Case& c : cases) { EXPECT_EQ(parse_message(c.text), std::string(c.message) + not_text); }
  EXPECT_EQ(parse_message("a: \xe0\xa0\x80\xed\x9f\xbf\xf4\x8f\xbf\xbf\xf0\x90\x80\x80\xc2\xa0"), "(accepted)");
}

TEST(Strict, a_key_stands_once_in_its_map) {
  const Case cases[] = {
      {"a: 1\nb: 2\na: 3\n", "f:3:1: duplicate key 'a', first given at 1:1; expected each key once"},
      {"x:\n  - {a: 1, b: 2, b: 3}\n", "f:2:18: duplicate key 'b', first given at 2:12; expected each key once"},
      {"a: 1\n'a': 2\n", "f:2:1: duplicate key 'a', first given at 1:1; expected each key once"},
      {"a: {a: {a: 1}}\nb: {a: 1}\n", "(accepted)"},
      {"a: 1\nA: 2\n", "(accepted)"},
  };
  for (const Case& c : cases) { EXPECT_EQ(parse_message(c.text), c.message) << c.text; }
}

TEST(Strict, a_file_holds_one_document) {
  const Case cases[] = {
      {"a: 1\n---\nb: 2\n", "f:2:1: a second document starts here; expected one document per file"},
      {"a: 1\n---\n", "f:2:1: a second document starts here; expected one document per file"},
      {"[1] b\n", "f:1:5: text after the end of the document; expected one document per file"},
      {"- a\nb: 1\n", "f:2:1: text after the end of the document; expected one document per file"},
      {",",
       "f:1:1: text after the end of the document; expected one document per file"},  // yaml-cpp never gets past it
  };
  for (const Case& c : cases) { EXPECT_EQ(parse_message(c.text), c.message) << c.text; }
}

TEST(Strict, anchors_and_aliases_are_refused_at_the_first) {
  const std::string alias = "aliases ('*name') are not supported" + write_out;
  const std::string anchor = " is not supported" + write_out;
  EXPECT_EQ(parse_message("a: &x 1\nb: *x\n"), "f:1:4: anchor '&x'" + anchor);
  EXPECT_EQ(parse_message("a: &x\n  b: *x\n"), "f:1:4: anchor '&x'" + anchor);  // recursive
  EXPECT_EQ(parse_message("&k a: 1\n"), "f:1:1: anchor '&k'" + anchor);
  EXPECT_EQ(parse_message("a: &x\nb: 1\n"), "f:1:4: anchor '&x'" + anchor);
  EXPECT_EQ(parse_message("a: 1\nb: *nope\n"), "f:2:4: " + alias);
  EXPECT_EQ(parse_message("*a : 1\n"), "f:1:1: " + alias);
  EXPECT_EQ(parse_message("a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\n"), "f:1:4: anchor '&a'" + anchor);  // bomb
}

TEST(Strict, tags_are_refused_and_quotes_are_no_tags) {
  const std::string tag = ": tags ('!name') are not supported; expected a plain value; remove the tag";
  EXPECT_EQ(parse_message("a: !foo 1\n"), "f:1:4" + tag);
  EXPECT_EQ(parse_message("a: !!str 1\n"), "f:1:4" + tag);
  EXPECT_EQ(parse_message("a: ! 1\n"), "f:1:4" + tag);
  EXPECT_EQ(parse_message("a: ! 'q'\n"), "f:1:4" + tag);
  EXPECT_EQ(parse_message("a: !\n"), "f:1:4" + tag);
  EXPECT_EQ(parse_message("a: !x [1]\n"), "f:1:4" + tag);
  EXPECT_EQ(parse_message("a: ! {b: 1}\n"), "f:1:4" + tag);
  EXPECT_EQ(parse_message("--- !x\na: 1\n"), "f:1:5" + tag);
  EXPECT_EQ(parse_message("!x a: 1\n"), "f:1:1" + tag);
  EXPECT_EQ(parse_message("a: '!foo'\n\"!b\": 1\n"), "(accepted)");
}

TEST(Strict, directives_are_refused_instead_of_skipped) {
  const std::string directive =
      ": directives ('%name') are not supported; expected a line that does not start with '%'";
  EXPECT_EQ(parse_message("%YAML 1.2\n---\na: 1\n"), "f:1:1" + directive);
  EXPECT_EQ(parse_message("a:\n- b\n%c\n"), "f:3:1" + directive);
  EXPECT_EQ(parse_message("a: '%'\nb:\n %c\n"), "f:3:2: not valid YAML: unknown token");
}

TEST(Strict, keys_are_names) {
  const Case cases[] = {
      {"? [1]\n: 2\n", "f:1:3: a sequence cannot be a key; expected a name before the ':'"},
      {"? {a: 1}\n: 2\n", "f:1:3: a map cannot be a key; expected a name before the ':'"},
      {"{[1]: 2}", "f:1:2: a sequence cannot be a key; expected a name before the ':'"},
      {": 1\n", "f:1:1: the key of this map entry is empty; expected a name before the ':'"},
      {"~: 1\n", "f:1:1: the key of this map entry is empty; expected a name before the ':'"},
      {"'': 1\n", "f:1:1: the key of this map entry is empty; expected a name before the ':'"},
      {"a: 1\n<<: {b: 1}\n",
       "f:2:1: merge key '<<' is not supported; expected every value written out; write the value out where it is "
       "used"},
  };
  for (const Case& c : cases) { EXPECT_EQ(parse_message(c.text), c.message) << c.text; }
}

TEST(Strict, broken_yaml_is_located) {
  const std::string colon =
      ": this ':' cannot start a value; expected 'key: value' in line with its neighbours, and quotes around text with "
      "': '";
  EXPECT_EQ(parse_message("a: b: c\n"), "f:1:5" + colon);
  EXPECT_EQ(parse_message("a: 1\n b: 2\n"), "f:2:3" + colon);
  const Case cases[] = {
      {"a:\n\tb: 1\n", "f:2:3: the line is indented by a tab; expected spaces"},
      {"{a: 1\n", "f:1:1: this '{' is never closed; expected a '}'"},
      {"a: [1, {b: 2]\nc: 3\n", "f:1:13: this bracket closes none that is open here"},
      {"x: 1\na: [1, 2\nb: 3\n", "f:2:4: this '[' is never closed; expected a ']'"},
      {"[1]\n]\n", "f:2:1: this bracket closes none that is open here"},
      {"a: @x\n", "f:1:4: not valid YAML: unknown token"},
      {"a: \"\\q\"\n", "f:1:7: not valid YAML: unknown escape character: q"},
      {"a: 'x\nb: 1\n",
       "f:1:4: quoted text never ends; expected a closing '"},  // yaml-cpp swallows the rest of the file
      {"a: 'x''\nb: 1\n", "f:1:4: quoted text never ends; expected a closing '"},
      {"a: \"x\\\"\nb: 1\n", "f:1:4: quoted text never ends; expected a closing \""},
      {"'a: 1\n", "f:1:1: quoted text never ends; expected a closing '"},
  };
  for (const Case& c : cases) { EXPECT_EQ(parse_message(c.text), c.message) << c.text; }
}

std::string repeated(std::string_view unit, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) { out += unit; }
  return out;
}

// "a:\n a:\n  a:" ... with `depth` maps.
std::string indented_maps(std::size_t depth) {
  std::string out;
  for (std::size_t i = 0; i < depth; ++i) { out += std::string(i, ' ') + (i + 1 == depth ? "a: 1\n" : "a:\n"); }
  return out;
}

TEST(Depth, sixty_four_levels_are_read_and_the_next_one_is_located) {
  EXPECT_EQ(parse_message(repeated("[", 64) + repeated("]", 64)), "(accepted)");
  EXPECT_EQ(parse_message(repeated("[", 65) + repeated("]", 65)),
            "f:1:65: nested deeper than 64 levels; expected a flatter file");
  EXPECT_EQ(parse_message(repeated("- ", 64) + "x"), "(accepted)");
  EXPECT_EQ(parse_message(repeated("- ", 65) + "x"), "f:1:129: nested deeper than 64 levels; expected a flatter file");
  EXPECT_EQ(parse_message(indented_maps(64)), "(accepted)");
  EXPECT_EQ(parse_message(indented_maps(65)), "f:65:65: nested deeper than 64 levels; expected a flatter file");
}

constexpr std::size_t small_stack = std::size_t{256} << 10U;

// Runs `parse_message` on a thread whose stack is far too small for a recursion per level.
std::string parse_on_small_stack(const std::string& text) {
  struct Job {
    const std::string& text;
    std::string message;
  } job{text, {}};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, small_stack);
  pthread_t thread{};
  const auto run = [](void* argument) -> void* {
    auto& mine = *static_cast<Job*>(argument);
    mine.message = parse_message(mine.text);
    return nullptr;
  };
  EXPECT_EQ(pthread_create(&thread, &attributes, run, &job), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  return job.message;
}

TEST(Depth, a_hundred_thousand_levels_end_in_a_message_on_a_small_stack) {
  const std::string too_deep = ": nested deeper than 64 levels; expected a flatter file";
  EXPECT_EQ(parse_on_small_stack(repeated("[", 100'000)), "f:1:65" + too_deep);
  EXPECT_EQ(parse_on_small_stack(repeated("{a: ", 50'000)), "f:1:257" + too_deep);
  EXPECT_EQ(parse_on_small_stack(repeated("[\n", 100'000)), "f:65:1" + too_deep);
  EXPECT_EQ(parse_on_small_stack(repeated("- ", 100'000)), "f:1:129" + too_deep);
  EXPECT_EQ(parse_on_small_stack(indented_maps(2'000)), "f:65:65" + too_deep);
  EXPECT_EQ(parse_on_small_stack(repeated("? ", 100'000)), "f:1:259" + too_deep);
}

TEST(Depth, brackets_in_text_and_comments_are_no_levels) {
  EXPECT_EQ(parse_message("a: '" + repeated("[", 1024) + "'\n"), "(accepted)");
  EXPECT_EQ(parse_message("a: 1 # " + repeated("[]", 5'000) + "\n"), "(accepted)");
  EXPECT_EQ(parse_message("a: '" + repeated("[", 1025) + "'\n"),
            "f:1:69: nested deeper than 64 levels; expected a flatter file");
}

TEST(Size, a_file_may_hold_262144_values) {
  EXPECT_EQ(parse_message(repeated("- 1\n", 262'143)), "(accepted)");
  EXPECT_EQ(parse_message(repeated("- 1\n", 262'144)),
            "f:262144:3: the file holds more than 262144 values; expected fewer");
}

// The generator is our own so that a failure can be repeated anywhere.
std::uint64_t next_random(std::uint64_t& state) {
  state = state * 6364136223846793005U + 1442695040888963407U;
  return state >> 33U;
}

TEST(Hostile, whatever_is_changed_in_a_good_file_gives_a_tree_or_a_located_message) {
  const std::string good =
      "schema: lockcast/scenario/1\nquestion: \"At how many?\"\nlocks:\n  m: {kind: 'lwlock-9.1', count: 16}\n"
      "transaction:\n  - work: 900 ns\n  - acquire: {lock: m, pick: uniform}\n  - text: |\n      x\nbackends: [1, 2, "
      "4]\n";
  constexpr std::string_view alphabet = "{}[]:,-?&*!|>'\"%@`#\\ \n\t~<=0a.\xc3\x80";
  std::uint64_t state = 1;
  int rejected = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string text = good;
    for (std::uint64_t change = next_random(state) % 4; change < 4; ++change) {
      const std::size_t at = next_random(state) % text.size();
      const char with = alphabet[next_random(state) % alphabet.size()];
      switch (next_random(state) % 3) {
        case 0: text[at] = with; break;
        case 1: text.insert(at, 1, with); break;
        default: text.erase(at, 1 + next_random(state) % 3); break;
      }
    }
    const std::string message = parse_message(text);
    if (message == "(accepted)") { continue; }
    ++rejected;
    ASSERT_TRUE(message.starts_with("f:") && message.find('\n') == std::string::npos) << message;
  }
  EXPECT_GT(rejected, 5'000) << "the changes no longer break anything";
}

}  // namespace
}  // namespace lockcast::yaml::strictness_test
