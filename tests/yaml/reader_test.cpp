// Maps, names, switches, choices, counts and ratios: each reader one step inside and one step outside its bounds.

#include "sim/yaml/reader.hpp"

#include "tests/yaml/message.hpp"

#include <gtest/gtest.h>

#include <array>
#include <clocale>
#include <cmath>
#include <limits>

namespace lockcast::yaml::reader_test {
namespace {

TEST(MapReader, gives_what_was_asked_and_takes_no_more) {
  const Node node = parse_text("clock: 2 GHz\nsmt: 1\n", "f");
  MapReader map(node, "topology");
  EXPECT_EQ(map.required("smt").text, "1");
  EXPECT_EQ(map.required("clock").text, "2 GHz");
  EXPECT_EQ(map.optional("line"), nullptr);
  EXPECT_EQ(&map.node(), &node);
  map.finish();
}

TEST(MapReader, says_which_key_is_missing_and_what_may_be_a_misspelling_of_it) {
  const auto read = [](std::string_view text) {
    return message_of([&] {
      const Node node = parse_text(text, "f");
      MapReader map(node, "topology");
      map.required("smt");
      map.required("clock");
      map.finish();
    });
  };
  EXPECT_EQ(read("smt: 1\nclock: 2\n"), "(accepted)");
  EXPECT_EQ(read("clock: 2\n"), "f:1:1: missing key 'smt' in topology");
  EXPECT_EQ(read("smt: 1\nclokc: 2\n"), "f:1:1: missing key 'clock' in topology; is 'clokc' a misspelling of it?");
  EXPECT_EQ(read("smt: 1\nclock: 2\nclok: 3\n"),
            "f:3:1: unknown key 'clok' in topology; expected one of smt, clock; did you mean 'clock'?");
  EXPECT_EQ(read("zebra: 1\nsmt: 1\nclock: 2\nyak: 3\n"),
            "f:1:1: unknown key 'zebra' in topology; expected one of smt, clock");
  EXPECT_EQ(read("[1]"), "f:1:1: topology is a sequence; expected a map");
  EXPECT_EQ(read("abc"), "f:1:1: topology 'abc': not a map; expected a map");
}

TEST(MapReader, reads_no_value_as_no_map) {
  EXPECT_EQ(message_of([] {
              const Node node = value_node("");
              MapReader map(node, "topology");
            }),
            "f:1:1: topology has no value; expected a map");
}

TEST(MapReader, an_empty_map_has_only_unknown_keys) {
  EXPECT_EQ(message_of([] {
              const Node node = parse_text("{a: 1}", "f");
              MapReader map(node, "topology");
              map.finish();
            }),
            "f:1:2: unknown key 'a' in topology; expected no keys");
}

TEST(MapReaderDeathTest, forgetting_finish_ends_the_process) {
  const auto forget = [] {
    const Node node = parse_text("a: 1", "f");
    MapReader map(node, "topology");
    map.required("a");
  };
  EXPECT_EXIT(forget(), testing::ExitedWithCode(70), "a MapReader was not finished");
}

constexpr std::array table_keys{
    form::required("cores", form::count(1, 8)),
    form::optional("wait", form::duration(Picos{1us}), "waiting time"),
};
constexpr KeyTable table{"topology", table_keys};

TEST(MapReader, reads_by_its_table) {
  const Node node = parse_text("{cores: 4, wait: 3 us}", "t");
  MapReader map(node, table);
  EXPECT_EQ(map.count("cores"), 4);
  ASSERT_NE(map.optional("wait"), nullptr);
  EXPECT_EQ(map.duration("wait"), 3us);
  map.finish();
  EXPECT_EQ(message_of([] {
              const Node wrong = parse_text("{cores: 9}", "t");
              MapReader(wrong, table).count("cores");
            }),
            "t:1:9: cores '9': out of bounds; expected a whole number from 1 to 8");
}

TEST(MapReaderDeathTest, a_reader_and_its_table_cannot_differ) {
  const Node node = parse_text("{cores: 4}", "t");
  const auto end_with = [&](auto&& read) {
    MapReader map(node, table);
    read(map);
    map.finish();
  };
  EXPECT_EXIT(end_with([](MapReader& map) { map.required("dies"); }), testing::ExitedWithCode(70), "not in the table");
  EXPECT_EXIT(end_with([](MapReader& map) { map.required("cores"); }), testing::ExitedWithCode(70), "never read");
  EXPECT_EXIT(end_with([](MapReader& map) { map.ratio("cores"); }), testing::ExitedWithCode(70), "something else");
  EXPECT_EXIT(end_with([](MapReader& map) { map.optional("cores"); }), testing::ExitedWithCode(70), "may be left out");
}

TEST(MapReader, an_exception_in_flight_excuses_finish) {
  EXPECT_EQ(message_of([] {
              const Node node = parse_text("a: 1", "f");
              MapReader map(node, "topology");
              throw InputError("other");
            }),
            "other");
}

TEST(Reader, sequences_and_strings_are_what_they_are) {
  EXPECT_EQ(read_sequence(value_node("[1, 2]"), "backends").size(), 2U);
  EXPECT_TRUE(read_sequence(value_node("[]"), "backends").empty());
  EXPECT_EQ(message_of([] { read_sequence(value_node("5"), "backends"); }),
            "f:1:4: backends '5': not a sequence; expected a sequence such as [1, 2, 4]");
  EXPECT_EQ(message_of([] { read_sequence(value_node("{}"), "backends"); }),
            "f:1:4: backends is a map; expected a sequence such as [1, 2, 4]");
  EXPECT_EQ(message_of([] { read_sequence(value_node(""), "backends"); }),
            "f:1:1: backends has no value; expected a sequence such as [1, 2, 4]");
  EXPECT_EQ(read_string(value_node("two words"), "question"), "two words");
  EXPECT_EQ(read_string(value_node("''"), "question"), "");
  EXPECT_EQ(message_of([] { read_string(value_node("[a]"), "question"); }),
            "f:1:4: question is a sequence; expected text");
  EXPECT_EQ(message_of([] { read_string(value_node("~"), "question"); }),
            "f:1:4: question has no value; expected text");
}

TEST(Reader, a_name_starts_with_a_letter_or_underscore) {
  for (const std::string_view good : {"a", "Z", "_", "lwlock-9.1", "a+b_c.D-0", "_1"}) {
    EXPECT_EQ(read_name(value_node(good), "lock"), good);
  }
  const std::string problem = ": not a name; expected letters, digits, '-', '_', '.' and '+' after a letter or '_'";
  for (const std::string_view bad : {"9a", "-a", ".a", "+a", "a b", "a/b", "a\xc3\xa4", "a\x27"}) {
    Node node = value_node("x");
    node.text = bad;
    EXPECT_EQ(message_of([&] { read_name(node, "lock"); }), "f:1:4: lock " + quote(bad) + problem);
  }
  EXPECT_EQ(message_of([] { read_name(value_node("''"), "lock"); }),
            "f:1:4: lock '': not a name; expected letters, digits, '-', '_', '.' and '+' after a letter or '_'");
}

TEST(Reader, a_switch_is_on_or_off) {
  EXPECT_TRUE(read_switch(value_node("on"), "smt"));
  EXPECT_FALSE(read_switch(value_node("off"), "smt"));
  for (const std::string_view bad : {"true", "ON", "1", "yes"}) {
    EXPECT_EQ(message_of([&] { read_switch(value_node(bad), "smt"); }),
              "f:1:4: smt '" + std::string(bad) + "': not a switch; expected on or off");
  }
}

TEST(Reader, a_choice_is_one_of_its_names) {
  constexpr std::array<std::string_view, 3> names{"tas", "ttas", "lwlock-9.1"};
  EXPECT_EQ(read_choice(value_node("tas"), "lock kind", names), 0U);
  EXPECT_EQ(read_choice(value_node("lwlock-9.1"), "lock kind", names), 2U);
  EXPECT_EQ(message_of([&] { read_choice(value_node("lwlok-9.1"), "lock kind", names); }),
            "f:1:4: unknown lock kind 'lwlok-9.1'; expected one of tas, ttas, lwlock-9.1; did you mean 'lwlock-9.1'?");
  EXPECT_EQ(message_of([&] { read_choice(value_node("semaphore"), "lock kind", names); }),
            "f:1:4: unknown lock kind 'semaphore'; expected one of tas, ttas, lwlock-9.1");
}

TEST(Reader, a_long_text_is_cut_and_a_long_list_of_names_too) {
  std::vector<std::string> storage;
  for (int i = 0; i < 25; ++i) { storage.push_back("name" + std::to_string(100 + i)); }
  const std::vector<std::string_view> names(storage.begin(), storage.end());
  const std::string message = message_of([&] { read_choice(value_node(std::string(100, 'q')), "kind", names); });
  EXPECT_TRUE(message.starts_with("f:1:4: unknown kind '" + std::string(60, 'q') + "...'; expected one of name100, "));
  EXPECT_TRUE(message.ends_with("name123, ...")) << message;
}

TEST(Reader, a_count_is_a_whole_number_in_its_bounds) {
  const std::string expected = "; expected a whole number from 1 to 64";
  const std::pair<std::string_view, std::string> cases[] = {
      {"1", "(accepted)"},
      {"64", "(accepted)"},
      {"0", "f:1:4: backends '0': out of bounds" + expected},
      {"65", "f:1:4: backends '65': out of bounds" + expected},
      {"-1", "f:1:4: backends '-1': out of bounds" + expected},
      {"9223372036854775808", "f:1:4: backends '9223372036854775808': out of bounds" + expected},
      {"4.0", "f:1:4: backends '4.0': not a whole number" + expected},
      {"4e0", "f:1:4: backends '4e0': not a whole number" + expected},
      {"+4", "f:1:4: backends '+4': not a whole number" + expected},
      {"0x4", "f:1:4: backends '0x4': not a whole number" + expected},
      {"1_0", "f:1:4: backends '1_0': not a whole number" + expected},
      {"4 cores", "f:1:4: backends '4 cores': not a whole number" + expected},
      {"'4 '", "f:1:4: backends '4 ': not a whole number" + expected},
      {"' 4'", "f:1:4: backends ' 4': not a whole number" + expected},
      {"--4", "f:1:4: backends '--4': not a whole number" + expected},
      {"''", "f:1:4: backends '': not a whole number" + expected},
      {"inf", "f:1:4: backends 'inf': not a whole number" + expected},
      {"", "f:1:1: backends has no value" + expected},
      {"[4]", "f:1:4: backends is a sequence" + expected},
  };
  for (const auto& [text, message] : cases) {
    EXPECT_EQ(message_of([&, &value = text] { read_count(value_node(value), "backends", 1, 64); }), message);
  }
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  constexpr auto least = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(read_count(value_node("9223372036854775807"), "n", least, most), most);
  EXPECT_EQ(read_count(value_node("-9223372036854775808"), "n", least, most), least);
}

TEST(Reader, a_ratio_is_a_decimal_number_in_its_bounds) {
  const std::string expected = "; expected a number from 0 to 1.5";
  const std::pair<std::string_view, std::string> cases[] = {
      {"0", "(accepted)"},
      {"1.5", "(accepted)"},
      {"1e-3", "(accepted)"},
      {"1.5E+0", "(accepted)"},
      {"-0.001", "f:1:4: bias '-0.001': out of bounds" + expected},
      {"1.5000000000000002", "f:1:4: bias '1.5000000000000002': out of bounds" + expected},
      {"1e999", "f:1:4: bias '1e999': out of bounds" + expected},
      {"inf", "f:1:4: bias 'inf': not a number" + expected},
      {"nan", "f:1:4: bias 'nan': not a number" + expected},
      {".inf", "f:1:4: bias '.inf': not a number" + expected},
      {"+1", "f:1:4: bias '+1': not a number" + expected},
      {".5", "f:1:4: bias '.5': not a number" + expected},
      {"1.", "f:1:4: bias '1.': not a number" + expected},
      {"0x1p0", "f:1:4: bias '0x1p0': not a number" + expected},
      {"1,5", "f:1:4: bias '1,5': not a number" + expected},
      {"1e", "f:1:4: bias '1e': not a number" + expected},
      {"1e+-3", "f:1:4: bias '1e+-3': not a number" + expected},
      {"1e3.5", "f:1:4: bias '1e3.5': not a number" + expected},
      {"5 %", "f:1:4: bias '5 %': not a number" + expected},
      {"''", "f:1:4: bias '': not a number" + expected},
      {"{}", "f:1:4: bias is a map" + expected},
  };
  for (const auto& [text, message] : cases) {
    EXPECT_EQ(message_of([&, &value = text] { read_ratio(value_node(value), "bias", 0, 1.5); }), message);
  }
  EXPECT_EQ(read_ratio(value_node("0.1"), "bias", 0, 1), 0.1);
  EXPECT_FALSE(std::signbit(read_ratio(value_node("-0"), "bias", 0, 1)));
}

TEST(Reader, a_decimal_comma_locale_changes_nothing) {
  const char* set = std::setlocale(LC_ALL, "de_DE.UTF-8");
  EXPECT_EQ(read_ratio(value_node("0.25"), "bias", 0, 1), 0.25);
  EXPECT_EQ(read_duration(value_node("1.5 ns"), "hold"), Picos{1500});
  EXPECT_EQ(message_of([] { read_ratio(value_node("2"), "bias", 0, 1.5); }),
            "f:1:4: bias '2': out of bounds; expected a number from 0 to 1.5");
  std::setlocale(LC_ALL, "C");
  if (set == nullptr) { GTEST_SKIP() << "no such locale here; checked under C only"; }
}

}  // namespace
}  // namespace lockcast::yaml::reader_test
