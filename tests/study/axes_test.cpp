// What an axis of a sweep may say, and the cross product of several.

#include "sim/study/axes.hpp"

#include "models/check.hpp"

#include <gtest/gtest.h>

namespace lockcast::axes_test {

namespace {

using Values = std::vector<std::string>;

Values values(const std::string& text) { return read_axis("a.b=" + text).values; }
std::string message(const std::string& text) {
  try {
    static_cast<void>(read_axis(text));
  } catch (const InputError& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    return error.what();
  }
  return {};
}

TEST(Axis, is_a_list_or_a_range_or_both) {
  EXPECT_EQ(values("4 ns, 8 ns"), (Values{"4 ns", "8 ns"}));
  EXPECT_EQ(values("[1, 2],x"), (Values{"[1, 2]", "x"}));
  EXPECT_EQ(values("1..4"), (Values{"1", "2", "3", "4"}));
  EXPECT_EQ(values("5 ns..15 ns:5 ns"), (Values{"5 ns", "10 ns", "15 ns"}));
  EXPECT_EQ(values("5..15 ns:5"), (Values{"5 ns", "10 ns", "15 ns"}));
  EXPECT_EQ(values("0.1..0.3:0.1"), (Values{"0.1", "0.2", "0.3"}));
  EXPECT_EQ(values("8..64:log,100"), (Values{"8", "16", "32", "64", "100"}));
}

TEST(Axis, that_cannot_be_meant_says_what_was_expected) {
  struct Row {
    std::string text, expected;
  };
  for (const Row& row :
       {Row{"a.b", "PATH=VALUES"}, Row{"=1", "PATH=VALUES"}, Row{"a=1,,2", "single commas"},
        Row{"a=1..x", "FIRST..LAST:STEP"}, Row{"a=1 ns..2 us", "one unit"}, Row{"a=2..1", "low to high"},
        Row{"a=8..48:log", "the last before it is 32"}, Row{"a=1..4:2", "the last before it is 3"},
        Row{"a=0..8:log", "does not begin with 0"}, Row{"a=1,1", "1 is there twice"},
        Row{"a=1..1000000", "at most 10000 values"}, Row{"clients=1,2", "--clients"}}) {
    EXPECT_NE(message(row.text).find(row.expected), std::string::npos) << row.text << ": " << message(row.text);
  }
}

TEST(Settings, are_the_cross_product_and_the_last_axis_is_fastest) {
  const Settings settings({read_axis("a=1,2"), read_axis("b.c&d=x,y,z")});
  ASSERT_EQ(settings.count(), 6U);
  EXPECT_EQ(settings_text(settings.at(0)), "a=1; b.c&d=x");
  EXPECT_EQ(settings_text(settings.at(1)), "a=1; b.c&d=y");
  EXPECT_EQ(settings_text(settings.at(5)), "a=2; b.c&d=z");
  EXPECT_EQ(settings.samples().size(), 4U);
  EXPECT_EQ(assignments_of(settings.at(1)), (std::vector<Assignment>{{"a", "1"}, {"b.c", "y"}, {"d", "y"}}));
  EXPECT_EQ(Settings({}).count(), 1U);
  EXPECT_EQ(settings_text(Settings({}).at(0)), "");
  EXPECT_THROW(Settings({read_axis("a=1"), read_axis("a=2")}), InputError);
}

TEST(Settings, are_read_in_the_order_of_their_numbers) {
  EXPECT_TRUE(natural_less("cores=8", "cores=16"));
  EXPECT_FALSE(natural_less("cores=16", "cores=8"));
  EXPECT_TRUE(natural_less("a=5 ns", "a=10 ns"));
  EXPECT_TRUE(natural_less("a", "b"));
  EXPECT_FALSE(natural_less("a", "a"));
  EXPECT_TRUE(natural_less("", "a"));
}

}  // namespace

}  // namespace lockcast::axes_test
