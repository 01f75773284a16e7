// What lies beside a hand-written file changes value and interval of what is there, and nothing else.

#include "sim/yaml/overlay.hpp"

#include "sim/yaml/free_parameter.hpp"
#include "tests/yaml/message.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace lockcast::yaml::overlay_test {
namespace {

const std::string base =
    "cpu:\n  poll: {value: 6 ns, interval: [4 ns, 8 ns], range: [3 ns, 12 ns], origin: inferred, reference: because}\n"
    "  scale: {value: 1.5, interval: [1.3, 1.7], range: [0.7, 2.2], origin: assumed, reference: a guess}\n  hit: 3 "
    "ns\n";

std::string overlay(const std::string& parameters, const std::string& of = "m") {
  return "schema: lockcast/fitted/1\nof: " + of + "\nstudy: s\ndate: 2026-12-01\ndata: \"9 rows\"\nparameters:\n" +
         parameters;
}

Node laid_over(const std::string& text) {
  Node document = parse_text(base, "m.yaml");
  apply_overlay(document, read_overlay(parse_text(text, "folder/m.fitted.yaml")));
  return document;
}

TEST(Overlay, replaces_value_and_interval_and_tells_the_prior) {
  const Node document = laid_over(overlay("  cpu.poll: {value: 9.5 ns, interval: [9 ns, 10 ns], prior: 6 ns}\n"));
  EXPECT_EQ(flow(*document.find("cpu")->find("poll")),
            "{value: 9.5 ns, interval: [9 ns, 10 ns], range: [3 ns, 12 ns], origin: fitted, reference: fitted "
            "2026-12-01, study s, 9 rows; prior 6 ns (4 ns to 8 ns, inferred): because}");
  EXPECT_EQ(flow(*document.find("cpu")->find("scale")), flow(*parse_text(base, "m.yaml").find("cpu")->find("scale")));
  EXPECT_EQ(overlaid_values(document), (std::map<std::string, int>{{"folder/m.fitted.yaml", 1}}));
}

TEST(Overlay, is_read_strictly_and_says_where) {
  const Case rows[] = {
      {"  cpu.pole: {value: 9 ns, interval: [9 ns, 9 ns], prior: 6 ns}\n",
       "folder/m.fitted.yaml:7:3: there is no 'pole' in 'cpu'; expected one of poll, scale, hit; did you mean 'poll'?"},
      {"  cpu.hit: {value: 9 ns, interval: [9 ns, 9 ns], prior: 6 ns}\n",
       "folder/m.fitted.yaml:7:3: 'cpu.hit' is no parameter; expected the path of one with value, interval and range"},
      {"  cpu.hit.value: {value: 9 ns, interval: [9 ns, 9 ns], prior: 6 ns}\n",
       "folder/m.fitted.yaml:7:3: there is no 'value' in 'cpu.hit'; expected a path to a parameter"},
      {"  cpu.poll: {value: 13 ns, interval: [9 ns, 13 ns], prior: 6 ns}\n",
       "folder/m.fitted.yaml:7:21: cpu.poll: value '13 ns' leaves the range; expected 3 ns to 12 ns"},
      {"  cpu.poll: {value: 9 ns, interval: [2 ns, 10 ns], prior: 6 ns}\n",
       "folder/m.fitted.yaml:7:38: cpu.poll: interval end '2 ns' leaves the range; expected 3 ns to 12 ns"},
      {"  cpu.poll: {value: 9 ns, interval: [8 ns, 10 ns], prior: 7 ns}\n",
       "folder/m.fitted.yaml:7:59: cpu.poll was fitted with prior '7 ns', but the file says 6 ns; expected a new fit, "
       "or no overlay"},
      {"  cpu.poll: {value: 9, interval: [8 ns, 10 ns], prior: 6 ns}\n", "folder/m.fitted.yaml:7:21: cpu.poll value"},
      {"  cpu.poll: {value: 9 ns, interval: [8 ns, 10 ns]}\n",
       "folder/m.fitted.yaml:7:13: missing key 'prior' in cpu.poll"},
      {"  cpu.poll: {value: 9 ns, interval: [8 ns, 10 ns], prior: 6 ns, range: [0 ns, 99 ns]}\n",
       "folder/m.fitted.yaml:7:65: unknown key 'range' in cpu.poll"},
      {"  cpu..poll: {value: 9 ns, interval: [8 ns, 10 ns], prior: 6 ns}\n",
       "folder/m.fitted.yaml:7:3: path 'cpu..poll' has an empty part"},
      {"  {}\n", "folder/m.fitted.yaml:7:3: parameters must be a map"},
  };
  for (const Case& row : rows) {
    const std::string message = message_of([&] { laid_over(overlay(std::string(row.text))); });
    EXPECT_TRUE(message.starts_with(row.message)) << row.text << message;
  }
  EXPECT_TRUE(message_of([] {
                laid_over(overlay("  cpu.scale: {value: 1, interval: [1, 1], prior: 1.5}\n", "n"));
              }).starts_with("folder/m.fitted.yaml:2:5: an overlay of 'n' in a file of another name"));
}

TEST(Overlay, beside_a_file_is_loaded_unless_it_is_not_wanted_or_another_takes_its_place) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "lockcast_overlay_test";
  std::filesystem::create_directories(folder);
  const std::string file = (folder / "m.yaml").string();
  std::ofstream(file) << base;
  const auto scale = [&](const Overlays& overlays) {
    return parse_file(file, overlays).find("cpu")->find("scale")->find("value")->text;
  };
  EXPECT_EQ(scale({}), "1.5") << "there is none";
  std::ofstream(folder / "m.fitted.yaml") << overlay("  cpu.scale: {value: 1.2, interval: [1.1, 1.3], prior: 1.5}\n");
  EXPECT_EQ(scale({}), "1.2");
  EXPECT_EQ(scale({.beside = false}), "1.5");
  Overlays instead;
  instead.instead[overlay_key((folder / "." / "m.yaml").string())] = {"a test",
                                                                      {{"cpu.scale", {}, value_node("2"), {}, {}}}};
  EXPECT_EQ(scale(instead), "2");
  EXPECT_EQ(flow(*parse_file(file, instead).find("cpu")->find("scale")->find("interval")), "[0.7, 2.2]")
      << "while it is being fitted anything in the range goes";
  std::filesystem::remove_all(folder);
}

TEST(FreeParameter, is_a_number_or_a_duration_and_prints_as_it_reads) {
  const Node document = parse_text(base, "m.yaml");
  const FreeParameter poll = read_free_parameter(*document.find("cpu")->find("poll"), "poll");
  EXPECT_EQ(poll.quantity, Quantity::duration);
  EXPECT_EQ(poll.value, 6000);
  EXPECT_EQ(poll.range.high, 12000);
  const FreeParameter ratio = read_free_parameter(*document.find("cpu")->find("scale"), "scale");
  EXPECT_EQ(ratio.quantity, Quantity::number);
  EXPECT_EQ(ratio.interval.low, 1.3);
  for (const double value : {0.0, 1.0, 0.07, 123.4, 1e-5, 250000.0}) {
    const double near = rounded_free_value(value, Quantity::number, 4);
    EXPECT_EQ(read_free_value(value_node(print_free_value(near, Quantity::number)), "v", Quantity::number), near);
  }
  EXPECT_EQ(print_free_value(rounded_free_value(12345678, Quantity::duration, 4), Quantity::duration), "12.35 us");
  EXPECT_EQ(print_free_value(rounded_free_value(0.4, Quantity::duration, 4), Quantity::duration), "0 ps");
}

}  // namespace
}  // namespace lockcast::yaml::overlay_test
