// Durations and sizes: exact values, exact messages, and the law that what is printed reads back as the same.

#include "models/rng.hpp"
#include "sim/yaml/reader.hpp"
#include "tests/yaml/message.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace lockcast::yaml::quantity_test {
namespace {

TEST(Quantity, a_duration_is_exact_in_picoseconds) {
  struct Row {
    std::string_view text;
    std::int64_t picos;
  };
  const Row rows[] = {
      {"0 ns", 0},
      {"1 ps", 1},
      {"120 ns", 120'000},
      {"9.8 us", 9'800'000},
      {"0.001 ns", 1},
      {"0.000000000001 s", 1},
      {"1.000000000000000000000000000 ps", 1},
      {"0.3 ns", 300},
      {"1.1 ms", 1'100'000'000},
      {"123456.789012345 ms", 123'456'789'012'345},
      {"3600 s", 3'600'000'000'000'000},
      {"000007 ns", 7'000},
      {"0.999999999999 s", 999'999'999'999},
  };
  for (const Row& row : rows) { EXPECT_EQ(read_duration(value_node(row.text), "v").count(), row.picos) << row.text; }
}

TEST(Quantity, a_bad_duration_says_what_is_wrong) {
  const std::string form = "; expected a duration such as '120 ns'";
  const std::string units = "; expected one of ps, ns, us, ms, s";
  const std::pair<std::string_view, std::string> cases[] = {
      {"120", "f:1:4: hold '120': missing unit" + form},
      {"'120 '", "f:1:4: hold '120 ': missing unit" + form},
      {"0", "f:1:4: hold '0': missing unit" + form},
      {"120ns", "f:1:4: hold '120ns': not exactly one space before the unit" + form + "; did you mean '120 ns'?"},
      {"120  ns", "f:1:4: hold '120  ns': not exactly one space before the unit" + form + "; did you mean '120 ns'?"},
      {"120 nz", "f:1:4: hold '120 nz': unknown unit 'nz'" + units + "; did you mean 'ns'?"},
      {"120 NS", "f:1:4: hold '120 NS': unknown unit 'NS'" + units + "; did you mean 'ns'?"},
      {"120 nsec", "f:1:4: hold '120 nsec': unknown unit 'nsec'" + units + "; did you mean 'ns'?"},
      {"120 \xc2\xb5s", "f:1:4: hold '120 \xc2\xb5s': unknown unit '\xc2\xb5s'" + units + "; did you mean 'us'?"},
      {"120 \xce\xbcs", "f:1:4: hold '120 \xce\xbcs': unknown unit '\xce\xbcs'" + units + "; did you mean 'us'?"},
      {"'120 ns '", "f:1:4: hold '120 ns ': unknown unit 'ns '" + units + "; did you mean 'ns'?"},
      {"120 kg", "f:1:4: hold '120 kg': unknown unit 'kg'" + units},
      {"5 min", "f:1:4: hold '5 min': unknown unit 'min'" + units},
      {"5 h", "f:1:4: hold '5 h': unknown unit 'h'" + units},
      {"-5 ns", "f:1:4: hold '-5 ns': negative duration" + form},
      {"-0 ns", "f:1:4: hold '-0 ns': negative duration" + form},
      {"0.1 ps", "f:1:4: hold '0.1 ps': finer than 1 ps" + form},
      {"0.01 ps", "f:1:4: hold '0.01 ps': finer than 1 ps" + form},
      {"9.0001 ns", "f:1:4: hold '9.0001 ns': finer than 1 ps" + form},
      {"0.0000000000001 s", "f:1:4: hold '0.0000000000001 s': finer than 1 ps" + form},
      {"3601 s", "f:1:4: hold '3601 s': out of bounds; expected 0 ps to 3600 s"},
      {"3600.000000000001 s", "f:1:4: hold '3600.000000000001 s': out of bounds; expected 0 ps to 3600 s"},
      {"9223372036854775807 s", "f:1:4: hold '9223372036854775807 s': out of bounds; expected 0 ps to 3600 s"},
      // 2^64 ps and a little: multiplied without a check it would come out as 0.93 s.
      {"18446745 s", "f:1:4: hold '18446745 s': out of bounds; expected 0 ps to 3600 s"},
      {"99999999999999999999 ps", "f:1:4: hold '99999999999999999999 ps': out of bounds; expected 0 ps to 3600 s"},
      {"inf ns", "f:1:4: hold 'inf ns': not a duration" + form},
      {"nan ns", "f:1:4: hold 'nan ns': not a duration" + form},
      {"+5 ns", "f:1:4: hold '+5 ns': not a duration" + form},
      {".5 ns", "f:1:4: hold '.5 ns': not a duration" + form},
      {"5. ns", "f:1:4: hold '5. ns': not a duration" + form},
      {"0x10 ns", "f:1:4: hold '0x10 ns': not a duration" + form},
      {"1e3 ns", "f:1:4: hold '1e3 ns': not a duration" + form},
      {"1,5 ns", "f:1:4: hold '1,5 ns': not a duration" + form},
      {"1 2 ns", "f:1:4: hold '1 2 ns': unknown unit '2 ns'" + units},
      {"ns", "f:1:4: hold 'ns': not a duration" + form},
      {"''", "f:1:4: hold '': not a duration" + form},
      {"", "f:1:1: hold has no value" + form},
      {"[1 ns]", "f:1:4: hold is a sequence" + form},
      {"{a: 1 ns}", "f:1:4: hold is a map" + form},
      {"\"1\\nns\"", "f:1:4: hold '1\\nns': not a duration" + form},
  };
  for (const auto& [text, message] : cases) {
    EXPECT_EQ(message_of([&, &value = text] { read_duration(value_node(value), "hold"); }), message);
  }
}

TEST(Quantity, a_duration_keeps_to_the_bounds_asked_for) {
  const auto read = [](std::string_view text) {
    return message_of([&] { read_duration(value_node(text), "hold", 2ns, 9800ns); });
  };
  const std::string bounds = "out of bounds; expected 2 ns to 9.8 us";
  EXPECT_EQ(read("1.999 ns"), "f:1:4: hold '1.999 ns': " + bounds);
  EXPECT_EQ(read("2 ns"), "(accepted)");
  EXPECT_EQ(read("9.8 us"), "(accepted)");
  EXPECT_EQ(read("9800.001 ns"), "f:1:4: hold '9800.001 ns': " + bounds);
}

TEST(Quantity, the_largest_duration_is_read_and_the_next_one_is_out_of_bounds) {
  const auto read = [](std::string_view text) {
    return read_duration(value_node(text), "hold", Picos{0}, Picos::max());
  };
  EXPECT_EQ(read("9223372.036854775807 s"), Picos::max());
  EXPECT_EQ(message_of([&] { read("9223372.036854775808 s"); }),
            "f:1:4: hold '9223372.036854775808 s': out of bounds; expected 0 ps to 9223372.036854775807 s");
}

TEST(Quantity, a_printed_duration_reads_back_as_itself) {
  Rng rng(1);
  for (int i = 0; i < 20'000; ++i) {
    const Picos duration{static_cast<std::int64_t>(rng.next() >> (12U + rng.below(52)))};
    const Node node = value_node(print_duration(duration));
    ASSERT_EQ(read_duration(node, "v", Picos{0}, Picos::max()), duration) << node.text;
  }
}

TEST(Quantity, is_printed_in_the_largest_unit_that_it_reaches) {
  EXPECT_EQ(print_duration(Picos{0}), "0 ps");
  EXPECT_EQ(print_duration(Picos{999}), "999 ps");
  EXPECT_EQ(print_duration(1ns), "1 ns");
  EXPECT_EQ(print_duration(Picos{1001}), "1.001 ns");
  EXPECT_EQ(print_duration(Picos{1'000'000'000'001}), "1.000000000001 s");
  EXPECT_EQ(print_duration(Picos::max()), "9223372.036854775807 s");
  EXPECT_EQ(print_duration(-1500ns), "-1.5 us");
  EXPECT_EQ(print_duration(Picos::min()), "-9223372.036854775808 s");
  EXPECT_EQ(print_bytes(0), "0 B");
  EXPECT_EQ(print_bytes(1023), "1023 B");
  EXPECT_EQ(print_bytes(1536), "1.5 KiB");
  EXPECT_EQ(print_bytes((1 << 20) + 1), "1.00000095367431640625 MiB");
}

TEST(Quantity, a_size_is_whole_bytes) {
  struct Row {
    std::string_view text;
    std::int64_t bytes;
  };
  const Row rows[] = {{"752 B", 752},
                      {"0 B", 0},
                      {"8 KiB", 8192},
                      {"1.5 KiB", 1536},
                      {"0.0009765625 KiB", 1},
                      {"4 MiB", 4'194'304},
                      {"0.5 MiB", 524'288},
                      {"1.0 B", 1},
                      {"1.00000095367431640625 MiB", 1'048'577}};
  for (const Row& row : rows) { EXPECT_EQ(read_bytes(value_node(row.text), "v", 0, 1 << 30), row.bytes) << row.text; }
  Rng rng(2);
  for (int i = 0; i < 5'000; ++i) {
    const auto bytes = static_cast<std::int64_t>(rng.next() >> (2U + rng.below(62)));
    const Node node = value_node(print_bytes(bytes));
    ASSERT_EQ(read_bytes(node, "v", 0, std::numeric_limits<std::int64_t>::max()), bytes) << node.text;
  }
}

TEST(Quantity, a_bad_size_says_what_is_wrong) {
  const std::string form = "; expected a size such as '752 B'";
  const std::string units = "; expected one of B, KiB, MiB";
  const std::pair<std::string_view, std::string> cases[] = {
      {"752", "f:1:4: size '752': missing unit" + form},
      {"1.5 B", "f:1:4: size '1.5 B': not a whole number of bytes" + form},
      {"0.1 KiB", "f:1:4: size '0.1 KiB': not a whole number of bytes" + form},
      {"8 kB", "f:1:4: size '8 kB': unknown unit 'kB'" + units + "; did you mean 'KiB'?"},
      {"8 kib", "f:1:4: size '8 kib': unknown unit 'kib'" + units + "; did you mean 'KiB'?"},
      {"8 MB", "f:1:4: size '8 MB': unknown unit 'MB'" + units + "; did you mean 'MiB'?"},
      {"8 bytes", "f:1:4: size '8 bytes': unknown unit 'bytes'" + units + "; did you mean 'B'?"},
      {"8 GiB", "f:1:4: size '8 GiB': unknown unit 'GiB'" + units},
      {"-8 B", "f:1:4: size '-8 B': negative size" + form},
      {"63 B", "f:1:4: size '63 B': out of bounds; expected 64 B to 1 KiB"},
      {"1025 B", "f:1:4: size '1025 B': out of bounds; expected 64 B to 1 KiB"},
      {"64 B", "(accepted)"},
      {"1 KiB", "(accepted)"},
  };
  for (const auto& [text, message] : cases) {
    EXPECT_EQ(message_of([&, &value = text] { read_bytes(value_node(value), "size", 64, 1024); }), message);
  }
}

}  // namespace
}  // namespace lockcast::yaml::quantity_test
