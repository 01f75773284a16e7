// The parts of a report that a whole run cannot pin down: how numbers and tables look, how option values are read, and
// which kind of messages a load asks for.

#include "sim/cli/values.hpp"
#include "sim/report/numbers.hpp"
#include "sim/report/text_table.hpp"
#include "sim/run/network_choice.hpp"
#include "sim/workload/compile.hpp"

#include <gtest/gtest.h>

namespace lockcast::report_test {

namespace {

TEST(Numbers, are_grouped_by_thousands_and_never_minus_zero) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(82782.4), "82,782");
  EXPECT_EQ(grouped(1234567.891, 2), "1,234,567.89");
  EXPECT_EQ(grouped(-1234.5, 1), "-1,234.5");
  EXPECT_EQ(grouped(-0.04, 1), "0.0");
  EXPECT_EQ(signed_percent(0.0412), "+4.1 %");
  EXPECT_EQ(signed_percent(-0.77), "-77.0 %");
  EXPECT_EQ(percent(0.113), "11 %");
  EXPECT_EQ(micros(1.5e-6), "1.5");
  EXPECT_EQ(micros(1e-9), "-");
  EXPECT_EQ(plain(82782.35), "82782.4");
}

TEST(Numbers, a_range_shares_its_unit) {
  EXPECT_EQ(short_range(17'012, 21'499), "17-21k");
  EXPECT_EQ(short_range(800, 1'200), "0.8-1.2k");
  EXPECT_EQ(short_range(17'012, 17'021), "17k");
  EXPECT_EQ(short_range(12, 130), "12-130");
}

TEST(TextTable, aligns_by_characters_and_trims_line_ends) {
  TextTable table({{"n"}, {"name", Align::left}});
  table.row({"1", "\u00b5s"});
  table.row({"1,000", "x"});
  EXPECT_EQ(table.text(), "    n  name\n    1  \u00b5s\n1,000  x\n");
}

TEST(TextTable, cuts_only_the_last_column_and_colours_without_changing_widths) {
  TextTable table({{"a"}, {"b", Align::left}});
  table.row({Cell("!", true), "a long explanation"});
  EXPECT_EQ(table.text(false, 0, 18), "a  b\n!  a long explan..\n");
  EXPECT_EQ(table.text(true, 0, 100), "a  b\n\x1b[1;31m!\x1b[0m  a long explanation\n");
}

TEST(Wrapping, keeps_words_whole_and_indents_what_follows) {
  EXPECT_EQ(wrapped("one two three", "- ", 9), "- one two\n  three\n");
  EXPECT_EQ(wrapped("", "- ", 9), "- \n");
}

TEST(Values, lists_and_ranges_combine) {
  using Numbers = std::vector<std::int64_t>;
  EXPECT_EQ(read_numbers("clients", {"8..32..8", "1, 8"}, 1, 100), (Numbers{1, 8, 16, 24, 32}));
  EXPECT_EQ(read_numbers("clients", {"3..5"}, 1, 100), (Numbers{3, 4, 5}));
  EXPECT_EQ(read_numbers("clients", {"1..10..4"}, 1, 100), (Numbers{1, 5, 9}));
  EXPECT_THROW(read_numbers("clients", {"1..10..4..2"}, 1, 100), InputError);
  EXPECT_THROW(read_numbers("clients", {"99..101"}, 1, 100), InputError);
  EXPECT_DOUBLE_EQ(read_share("precision", "3%"), 0.03);
  EXPECT_DOUBLE_EQ(read_share("precision", "3 %"), 0.03);
  EXPECT_DOUBLE_EQ(read_share("precision", "0.03"), 0.03);
  EXPECT_THROW(read_share("precision", "nan"), InputError);
  EXPECT_EQ(read_assignments({"a.b = [1, 2]"}), (std::vector<Assignment>{{"a.b", "[1, 2]"}}));
}

TEST(NetworkChoice, means_follow_loops_and_both_branches) {
  const yaml::Node workload = yaml::parse_text(R"(
lines: {data: {count: 10, stride: 64 B}}
transaction:
  - work: 1 us
  - choose:
      probability: 0.25
      do: [{choose: {probability: 0.5, do: [{work: 8 us}], else: [{work: 4 us}]}}]
      else: [{work: 2 us}, roundtrip]
  - choose: {probability: 0.5, do: [{work: 10 us}]}
  - repeat: {times: 3, do: [{work: 1 us}, {repeat: {times: 2, do: [{work: 1 us}]}}]}
  - scan: {lines: data, fields: [{offset: 0 B, bytes: 8 B}], access: read, work_per_entry: 100 ns}
  - roundtrip
)",
                                               "workload");
  const TransactionMeans means = means_of(compile(workload, 1));
  EXPECT_NEAR(means.work_s * 1e6, 1 + 0.25 * 6 + 0.75 * 2 + 0.5 * 10 + 3 * (1 + 2) + 1, 1e-6);
  EXPECT_NEAR(means.roundtrips, 0.75 + 1, 1e-6);
}

}  // namespace

}  // namespace lockcast::report_test
