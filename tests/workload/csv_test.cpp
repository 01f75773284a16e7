#include "sim/workload/csv.hpp"

#include <gtest/gtest.h>

namespace lockcast::csv_test {

namespace {

std::string message_of(const std::string& text) {
  try {
    const CsvTable table(text, "t.csv");
    table.require({"name", "n"});
    for (const CsvTable::Row& row : table.rows()) { static_cast<void>(row.positive("n")); }
  } catch (const InputError& error) { return error.what(); }
  return {};
}

TEST(Csv, fields_are_found_by_name_and_quotes_follow_rfc_4180) {
  const CsvTable table("n,name\r\n1,plain\r\n\n2,\"a, \"\"b\"\"\nc\\d\"\n3,\n", "t.csv");
  ASSERT_EQ(table.rows().size(), 3U);
  EXPECT_EQ(table.rows()[0].text("name"), "plain");
  EXPECT_EQ(table.rows()[1].text("name"), "a, \"b\"\nc\\d");
  EXPECT_EQ(table.rows()[2].text("name"), "");
  EXPECT_EQ(yaml::to_string(table.rows()[2].mark("name")), "t.csv:6:3") << "a quoted line end is a line end";
}

TEST(Csv, joined_files_repeat_their_header) {
  const CsvTable table("name,n\na,1\nname,n\nb,2\n", "t.csv");
  ASSERT_EQ(table.rows().size(), 2U);
  EXPECT_EQ(table.rows()[1].count("n", 1, 9), 2);
}

TEST(Csv, an_empty_or_missing_optional_field_is_nothing) {
  const CsvTable table("name,n\na,\n", "t.csv");
  EXPECT_EQ(table.rows()[0].positive_if_given("n"), std::nullopt);
  EXPECT_EQ(table.rows()[0].positive_if_given("m"), std::nullopt);
}

TEST(Csv, what_is_wrong_is_said_with_its_place) {
  EXPECT_EQ(message_of(""), "t.csv:1:1: no column 'name'; expected name,n");
  EXPECT_EQ(message_of("nam,n\n"), "t.csv:1:1: no column 'name'; expected name,n; did you mean 'nam'?");
  EXPECT_EQ(message_of("name,n,n\n"), "t.csv:1:8: a second column 'n'");
  EXPECT_EQ(message_of("name,n\na\n"), "t.csv:2:1: 1 fields; expected 2 as in the header");
  EXPECT_EQ(message_of("name,n\na,1,2\n"), "t.csv:2:1: 3 fields; expected 2 as in the header");
  for (const char* bad : {"0", "-1", "x", "1x", "inf", "nan", " 1", "1e999"}) {
    EXPECT_EQ(message_of(std::string("name,n\na,") + bad + "\n"),
              std::string("t.csv:2:3: '") + bad + "' in column n; expected a positive number");
  }
  EXPECT_EQ(message_of("name,n\n\"a,1\n"), "t.csv:2:1: a quote that is never closed; expected a closing quote");
  EXPECT_TRUE(message_of("name,n\na\"b,1\n").starts_with("t.csv:2:2: a quote inside a field"));
  EXPECT_TRUE(message_of("name,n\n\"a\"b,1\n").starts_with("t.csv:2:4: text behind a closing quote"));
}

}  // namespace

}  // namespace lockcast::csv_test
