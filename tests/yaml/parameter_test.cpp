// A hardware number with its provenance: all five keys, one order of bounds, and the command line's exemption from
// both.

#include "sim/yaml/reader.hpp"
#include "tests/yaml/message.hpp"

#include <gtest/gtest.h>

namespace lockcast::yaml::parameter_test {
namespace {

std::string duration_map(std::string_view value, std::string_view interval, std::string_view range,
                         std::string_view origin = "assumed", std::string_view reference = "x") {
  return "{value: " + std::string(value) + ", interval: " + std::string(interval) + ", range: " + std::string(range) +
         ", origin: " + std::string(origin) + ", reference: " + std::string(reference) + "}";
}

std::string duration_message(const std::string& text) {
  return message_of([&] { read_duration_parameter(value_node(text), "hop"); });
}

TEST(Parameter, is_read_with_all_five_keys) {
  const Duration hop = read_duration_parameter(
      value_node(duration_map("20 ns", "[15 ns, 25 ns]", "[10 ns, 40 ns]", "measured", "p. 7")), "hop");
  EXPECT_EQ(hop.value, 20ns);
  EXPECT_EQ(hop.interval.low, 15ns);
  EXPECT_EQ(hop.interval.high, 25ns);
  EXPECT_EQ(hop.range.low, 10ns);
  EXPECT_EQ(hop.range.high, 40ns);
  EXPECT_EQ(hop.origin, Origin::measured);
  EXPECT_EQ(hop.reference, "p. 7");
}

TEST(Parameter, none_of_the_five_keys_may_be_missing_and_no_sixth_given) {
  const std::pair<std::string_view, std::string_view> entries[] = {{"value", "1 ns"},
                                                                   {"interval", "[1 ns, 1 ns]"},
                                                                   {"range", "[1 ns, 1 ns]"},
                                                                   {"origin", "assumed"},
                                                                   {"reference", "x"}};
  for (const auto& [missing, ignored] : entries) {
    std::string text = "{";
    for (const auto& [key, value] : entries) {
      if (key != missing) { text += (text.size() > 1 ? ", " : "") + std::string(key) + ": " + std::string(value); }
    }
    EXPECT_EQ(duration_message(text + "}"), "f:1:4: missing key '" + std::string(missing) + "' in hop");
  }
  std::string six = duration_map("1 ns", "[1 ns, 1 ns]", "[1 ns, 1 ns]");
  six.back() = ',';
  EXPECT_EQ(duration_message(six + " orgin: x}"),
            "f:1:94: unknown key 'orgin' in hop; expected one of value, interval, range, origin, reference; did you "
            "mean 'origin'?");
}

TEST(Parameter, the_value_lies_in_its_interval_and_the_interval_in_its_range) {
  const auto at = [](std::string_view value, std::string_view interval, std::string_view range) {
    return duration_message(duration_map(value, interval, range));
  };
  EXPECT_EQ(at("2 ns", "[2 ns, 3 ns]", "[2 ns, 3 ns]"), "(accepted)");
  EXPECT_EQ(at("3 ns", "[2 ns, 3 ns]", "[2 ns, 3 ns]"), "(accepted)");
  EXPECT_EQ(at("1.999 ns", "[2 ns, 3 ns]", "[1 ns, 9 ns]"),
            "f:1:12: hop value '1.999 ns': outside its interval; expected 2 ns to 3 ns");
  EXPECT_EQ(at("3.001 ns", "[2 ns, 3 ns]", "[1 ns, 9 ns]"),
            "f:1:12: hop value '3.001 ns': outside its interval; expected 2 ns to 3 ns");
  EXPECT_EQ(at("2 ns", "[1.999 ns, 3 ns]", "[2 ns, 3 ns]"),
            "f:1:28: hop interval 1.999 ns to 3 ns leaves its range; expected 2 ns to 3 ns");
  EXPECT_EQ(at("2 ns", "[2 ns, 3.001 ns]", "[2 ns, 3 ns]"),
            "f:1:28: hop interval 2 ns to 3.001 ns leaves its range; expected 2 ns to 3 ns");
  EXPECT_EQ(at("2 ns", "[3 ns, 2 ns]", "[2 ns, 3 ns]"),
            "f:1:28: hop interval: 3 ns is above 2 ns; expected [low, high]");
  EXPECT_EQ(at("2 ns", "[2 ns, 3 ns]", "[9 ns, 1 ns]"), "f:1:49: hop range: 9 ns is above 1 ns; expected [low, high]");
  EXPECT_EQ(at("2 ns", "[2 ns]", "[2 ns, 3 ns]"), "f:1:28: hop interval has 1 items; expected [low, high]");
  EXPECT_EQ(at("2 ns", "[1 ns, 2 ns, 3 ns]", "[2 ns, 3 ns]"), "f:1:28: hop interval has 3 items; expected [low, high]");
  EXPECT_EQ(at("2 ns", "2 ns", "[2 ns, 3 ns]"),
            "f:1:28: hop interval '2 ns': not a sequence; expected a sequence such as [1, 2, 4]");
  EXPECT_EQ(at("2", "[2 ns, 3 ns]", "[2 ns, 3 ns]"),
            "f:1:12: hop value '2': missing unit; expected a duration such as '120 ns'");
  EXPECT_EQ(at("2 ns", "[2 ns, 3]", "[2 ns, 3 ns]"),
            "f:1:35: hop interval '3': missing unit; expected a duration such as '120 ns'");
}

TEST(Parameter, a_file_claims_every_origin_but_the_command_line) {
  for (std::size_t i = 0; i < origin_names.size(); ++i) {
    const std::string text = duration_map("1 ns", "[1 ns, 1 ns]", "[1 ns, 1 ns]", origin_names[i]);
    if (origin_names[i] == "set") { continue; }
    EXPECT_EQ(read_duration_parameter(value_node(text), "hop").origin, static_cast<Origin>(i)) << origin_names[i];
  }
  const std::string origins = "; expected one of measured, documented, recalled, inferred, assumed, fitted";
  EXPECT_EQ(duration_message(duration_map("1 ns", "[1 ns, 1 ns]", "[1 ns, 1 ns]", "set")),
            "f:1:71: unknown hop origin 'set'" + origins);
  EXPECT_EQ(duration_message(duration_map("1 ns", "[1 ns, 1 ns]", "[1 ns, 1 ns]", "mesured")),
            "f:1:71: unknown hop origin 'mesured'" + origins + "; did you mean 'measured'?");
}

TEST(Parameter, the_reference_says_something) {
  for (const std::string_view blank : {"''", "' '", "\" \\t\""}) {
    EXPECT_EQ(duration_message(duration_map("1 ns", "[1 ns, 1 ns]", "[1 ns, 1 ns]", "assumed", blank)),
              "f:1:91: hop reference is empty; expected where the value comes from");
  }
  EXPECT_EQ(duration_message(duration_map("1 ns", "[1 ns, 1 ns]", "[1 ns, 1 ns]", "assumed", "~")),
            "f:1:91: hop reference has no value; expected text");
}

TEST(Parameter, a_bare_value_is_only_for_the_command_line) {
  EXPECT_EQ(duration_message("20 ns"),
            "f:1:4: hop '20 ns': a bare value has no origin; expected {value, interval, range, origin, reference}");
  EXPECT_EQ(duration_message("[20 ns]"), "f:1:4: hop is a sequence; expected a map");
  EXPECT_EQ(duration_message(""), "f:1:1: hop has no value; expected a map");
}

Node machine() {
  return parse_text("hop: " + duration_map("20 ns", "[15 ns, 25 ns]", "[10 ns, 40 ns]") +
                        "\nbias: " + duration_map("0.5", "[0.4, 0.6]", "[0, 1]") +
                        "\ncount: " + duration_map("5", "[4, 6]", "[1, 9]") + "\n",
                    "f");
}

TEST(Parameter, a_value_from_the_command_line_may_leave_the_range) {
  for (const std::string path : {"hop", "hop.value"}) {
    Node root = machine();
    assign(root, path, "200 ns");
    const Duration hop = read_duration_parameter(*root.find("hop"), "hop");
    EXPECT_EQ(hop.value, 200ns);
    EXPECT_EQ(hop.interval.low, 200ns);
    EXPECT_EQ(hop.interval.high, 200ns);
    EXPECT_EQ(hop.range.low, 200ns);
    EXPECT_EQ(hop.range.high, 200ns);
    EXPECT_EQ(hop.origin, Origin::set);
    EXPECT_EQ(hop.reference, "--set " + path);
  }
}

TEST(Parameter, the_command_line_is_exempt_from_the_range_but_not_from_sanity) {
  Node root = machine();
  assign(root, "hop", "2 h");
  EXPECT_EQ(message_of([&] { read_duration_parameter(*root.find("hop"), "hop"); }),
            "--set hop:1:1: hop '2 h': unknown unit 'h'; expected one of ps, ns, us, ms, s");
  assign(root, "bias", "1.5");
  EXPECT_EQ(message_of([&] { read_ratio_parameter(*root.find("bias"), "bias", 0, 1); }),
            "--set bias:1:1: bias '1.5': out of bounds; expected a number from 0 to 1");
  assign(root, "count", "10");
  EXPECT_EQ(read_count_parameter(*root.find("count"), "count", 0, 10).value, 10);
}

TEST(Parameter, a_whole_map_or_another_key_from_the_command_line_is_read_strictly) {
  Node root = machine();
  assign(root, "hop", "{value: 1 ns}");
  EXPECT_EQ(message_of([&] { read_duration_parameter(*root.find("hop"), "hop"); }),
            "--set hop:1:1: missing key 'interval' in hop");
  assign(root, "hop", duration_map("1 ns", "[2 ns, 3 ns]", "[2 ns, 3 ns]"));
  EXPECT_EQ(message_of([&] { read_duration_parameter(*root.find("hop"), "hop"); }),
            "--set hop:1:9: hop value '1 ns': outside its interval; expected 2 ns to 3 ns");
  root = machine();
  assign(root, "hop.interval.1", "50 ns");
  EXPECT_EQ(message_of([&] { read_duration_parameter(*root.find("hop"), "hop"); }),
            "f:1:31: hop interval 15 ns to 50 ns leaves its range; expected 10 ns to 40 ns");
  root = machine();
  assign(root, "hop.vlaue", "50 ns");
  EXPECT_EQ(message_of([&] { read_duration_parameter(*root.find("hop"), "hop"); }),
            "--set hop.vlaue:1:1: unknown key 'vlaue' in hop; expected one of value, interval, range, origin, "
            "reference; did you "
            "mean 'value'?");
}

TEST(Parameter, ratios_and_counts_keep_every_number_in_their_sanity_bounds) {
  const auto ratio = [](std::string_view interval, std::string_view range) {
    return message_of([&] { read_ratio_parameter(value_node(duration_map("0.5", interval, range)), "bias", 0, 1); });
  };
  EXPECT_EQ(ratio("[0, 1]", "[0, 1]"), "(accepted)");
  EXPECT_EQ(ratio("[0.4, 0.6]", "[-0.1, 1]"),
            "f:1:47: bias range '-0.1': out of bounds; expected a number from 0 to 1");
  EXPECT_EQ(ratio("[0.4, 1.1]", "[0, 1]"), "f:1:33: bias interval '1.1': out of bounds; expected a number from 0 to 1");
  EXPECT_EQ(ratio("[0.51, 0.6]", "[0, 1]"), "f:1:12: bias value '0.5': outside its interval; expected 0.51 to 0.6");
  const auto count = [](std::string_view value, std::string_view range) {
    return message_of([&] { read_count_parameter(value_node(duration_map(value, "[2, 3]", range)), "depth", 1, 9); });
  };
  EXPECT_EQ(count("2", "[1, 9]"), "(accepted)");
  EXPECT_EQ(count("2", "[0, 9]"), "f:1:41: depth range '0': out of bounds; expected a whole number from 1 to 9");
  EXPECT_EQ(count("4", "[1, 9]"), "f:1:12: depth value '4': outside its interval; expected 2 to 3");
  EXPECT_EQ(count("2 ns", "[1, 9]"),
            "f:1:12: depth value '2 ns': not a whole number; expected a whole number from 1 to 9");
}

}  // namespace
}  // namespace lockcast::yaml::parameter_test
