// What a machine file may say about its shape, its threads and its homes, and where a message points when it may not.

#include "sim/yaml/machine_reader.hpp"

#include "tests/yaml/message.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace lockcast::yaml::machine_reader_test {
namespace {

// The textbook machine with changes to its tree; `topology` replaces that block, from line 1 of a file "t".
using Sets = std::vector<std::pair<std::string, std::string>>;
Machine read(const std::string& topology, const Sets& sets = {}) {
  Node tree = parse_file(LOCKCAST_SOURCE_DIR "/machines/textbook-32.yaml");
  if (!topology.empty()) { *tree.find("topology") = parse_text(topology, "t"); }
  for (const auto& [path, value] : sets) { assign(tree, path, value); }
  return read_machine(tree);
}
std::string message(const std::string& topology, const Sets& sets = {}) {
  return message_of([&] { static_cast<void>(read(topology, sets)); });
}
std::string matrix(const std::string& rows) {
  return "packages: 2\ndies_per_package: 2\ncores_per_die: 1\nhops:\n" + rows;
}

const std::string good_rows = " - [0, 1, 1, 2]\n - [1, 0, 2, 1]\n - [1, 2, 0, 1]\n - [2, 1, 1, 0]\n";
const std::string one_wiring =
    "; a matrix fits one wiring: of its topology only cores_per_die and threads_per_core can vary, and with "
    "packages_per_box packages";

TEST(HopMatrix, is_read_row_by_row) {
  const Topology topology = read(matrix(good_rows)).topology;
  EXPECT_EQ(topology.hops, (std::vector<std::uint8_t>{0, 1, 1, 2, 1, 0, 2, 1, 1, 2, 0, 1, 2, 1, 1, 0}));
  EXPECT_EQ(topology.distance(CoreId{0}, CoreId{1}), Distance::package_mate);
  EXPECT_EQ(topology.distance(CoreId{0}, CoreId{2}), Distance::one_hop);
  EXPECT_EQ(topology.distance(CoreId{0}, CoreId{3}), Distance::two_hops);
}

TEST(HopMatrix, of_a_box_is_copied_for_further_boxes_two_links_away_and_cut_for_a_smaller_machine) {
  const auto boxes = [](int packages) {
    return read("packages: " + std::to_string(packages) +
                "\ndies_per_package: 2\ncores_per_die: 1\npackages_per_box: 2\nhops:\n" + good_rows)
        .topology;
  };
  EXPECT_EQ(boxes(2).hops, read(matrix(good_rows)).topology.hops);
  EXPECT_EQ(boxes(1).hops, (std::vector<std::uint8_t>{0, 1, 1, 0}));
  const Topology one_and_a_half = boxes(3);
  EXPECT_EQ(one_and_a_half.hops.size(), 36U);
  EXPECT_EQ(one_and_a_half.distance(CoreId{4}, CoreId{5}), Distance::package_mate);
  EXPECT_EQ(one_and_a_half.distance(CoreId{4}, CoreId{0}), Distance::two_hops);
  EXPECT_EQ(boxes(4).distance(CoreId{4}, CoreId{6}), Distance::one_hop) << "wired as the first box";
  EXPECT_EQ(message("packages: 2\ndies_per_package: 2\ncores_per_die: 1\npackages_per_box: 2\n"
                    "packages_per_group: 1\n"),
            "t:4:19: packages_per_box without hops; expected a matrix of hops, which it is the size of");
}

TEST(HopMatrix, that_contradicts_the_shape_or_itself_is_located) {
  const std::string first = " - [0, 1, 1, 2]\n - [1, 0, 2, 1]\n";
  const std::string size = ", one per die (packages x dies_per_package)" + one_wiring;
  struct Row {
    std::string rows, message;
  };
  const Row table[] = {
      {first, "t:5:2: 2 rows in hops; expected 4" + size},
      {good_rows + " - [2, 1, 1, 0]\n", "t:5:2: 5 rows in hops; expected 4" + size},
      {first + " - [1, 2, 0]\n - [2, 1, 1, 0]\n", "t:7:4: 3 entries in a row of hops; expected 4" + size},
      {first + " - 7\n - [2, 1, 1, 0]\n",
       "t:7:4: a row of hops '7': not a sequence; expected a sequence such as [1, 2, 4]"},
      {first + " - [1, 3, 0, 1]\n - [2, 1, 1, 0]\n",
       "t:7:8: hops '3': out of bounds; expected a whole number from 0 to 2"},
      {first + " - [1, x, 0, 1]\n - [2, 1, 1, 0]\n",
       "t:7:8: hops 'x': not a whole number; expected a whole number from 0 to 2"},
      {first + " - [1, 1.5, 0, 1]\n - [2, 1, 1, 0]\n",
       "t:7:8: hops '1.5': not a whole number; expected a whole number from 0 to 2"},
      {first + " - [1, 2, 1, 1]\n - [2, 1, 1, 0]\n",
       "t:7:11: hops from die 2 to die 2: 1; expected 0 from a die to itself"},
      {" - [0, 1, 0, 2]\n - [1, 0, 2, 1]\n - [1, 2, 0, 1]\n - [2, 1, 1, 0]\n",
       "t:5:11: hops from die 0 to die 2: 0; expected 1 or 2 between two dies"},
      {first + " - [2, 2, 0, 1]\n - [2, 1, 1, 0]\n",
       "t:7:5: hops from die 2 to die 0: 2; expected 1, as in the other direction"},
      {" - [0, 2, 1, 1]\n - [2, 0, 1, 1]\n - [1, 1, 0, 1]\n - [1, 1, 1, 0]\n",
       "t:5:8: hops from die 0 to die 1: 2; expected 1 between dies of one package"},
      {" - [0, 1, 2, 2]\n - [1, 0, 2, 2]\n - [2, 2, 0, 1]\n - [2, 2, 1, 0]\n",
       "t:5:11: hops from die 0 to die 2: 2; expected a third die 1 hop from both"},
      {good_rows + "packages_per_group: 2\n",
       "t:9:21: packages_per_group beside hops; expected one of the two: the rule or the matrix"},
  };
  for (const Row& row : table) { EXPECT_EQ(message(matrix(row.rows)), row.message); }
  EXPECT_EQ(message("packages: 2\ndies_per_package: 2\ncores_per_die: 1\nhops: 3\n"),
            "t:4:7: hops '3': not a sequence; expected a sequence such as [1, 2, 4]");
}

TEST(HopMatrix, neither_rule_nor_matrix_asks_for_the_rule) {
  EXPECT_EQ(message("packages: 2\ndies_per_package: 2\ncores_per_die: 1\n"),
            "t:1:1: missing key 'packages_per_group' in topology");
}

TEST(HopMatrix, what_if_more_packages_is_for_machines_with_a_rule) {
  EXPECT_EQ(message(matrix(good_rows), {{"topology.packages", "4"}}),
            "t:5:2: 4 rows in hops; expected 8, one per die (packages x dies_per_package)" + one_wiring);
  EXPECT_EQ(message(matrix(good_rows), {{"topology.packages_per_group", "2"}}),
            "--set topology.packages_per_group:1:1: packages_per_group beside hops; expected one of the two: the rule "
            "or the matrix");
  EXPECT_EQ(read(matrix(good_rows), {{"topology.cores_per_die", "3"}}).topology.cores(), 12U);
  EXPECT_EQ(read("", {{"topology.packages", "16"}}).topology.cores(), 128U);
}

TEST(HardwareThreads, need_their_slowdown) {
  const std::pair<std::string, std::string> two{"topology.threads_per_core", "2"};
  const Machine machine = read("", {two, {"cpu.smt_slowdown", "1.6"}});
  EXPECT_EQ(machine.topology.cores(), 32U);
  EXPECT_EQ(machine.topology.threads(), 64U);
  EXPECT_EQ(machine.cpu.smt_slowdown.value, 1.6);
  EXPECT_NE(message("", {two}).find("missing key 'smt_slowdown' in cpu"), std::string::npos);
  EXPECT_EQ(read("", {{"cpu.smt_slowdown", "1.6"}}).topology.threads(), 32U) << "may stand unused";
  EXPECT_EQ(message("", {{"topology.threads_per_core", "3"}, {"cpu.smt_slowdown", "1.6"}}),
            "--set topology.threads_per_core:1:1: 3 hardware threads to a core; expected 1, 2, 4 or 8");
  EXPECT_EQ(message("", {{"topology.threads_per_core", "16"}}),
            "--set topology.threads_per_core:1:1: threads_per_core '16': out of bounds; expected a whole number from 1 "
            "to 8");
  EXPECT_EQ(message("", {two, {"cpu.smt_slowdown", "0.9"}}),
            "--set cpu.smt_slowdown:1:1: smt_slowdown '0.9': out of bounds; expected a number from 1 to 8");
  EXPECT_EQ(
      message("", {two, {"cpu.smt_slowdown", "2.1"}}),
      "--set cpu.smt_slowdown:1:1: smt_slowdown above the 2 threads of a core; expected at most what taking turns "
      "would cost");
  EXPECT_EQ(
      message("packages: 16\ndies_per_package: 2\ncores_per_die: 128\nthreads_per_core: 2\npackages_per_group: 1\n"),
      "t:1:1: a machine of 8192 hardware threads; expected at most 4096");
}

// Leaves a machine without the keys it need not say.
Machine without(const std::vector<std::string>& keys, const Sets& sets = {}) {
  Node tree = parse_file(LOCKCAST_SOURCE_DIR "/machines/textbook-32.yaml");
  Node& coherence = *tree.find("coherence");
  for (const std::string& key : keys) {
    std::erase_if(coherence.entries, [&](const Entry& entry) { return entry.key == key; });
  }
  for (const auto& [path, value] : sets) { assign(tree, path, value); }
  return read_machine(tree);
}

TEST(Home, is_interleaved_with_two_parties_where_a_machine_says_nothing) {
  const CoherenceChoice silent = without({"home", "third_leg"}).coherence;
  EXPECT_EQ(silent.home, HomePlacement::interleaved);
  EXPECT_EQ(silent.third_leg.value, 0ns);
  const CoherenceChoice said =
      read("", {{"coherence.home", "first-touch"}, {"coherence.third_leg", "40 ns"}}).coherence;
  EXPECT_EQ(said.home, HomePlacement::first_touch);
  EXPECT_EQ(said.third_leg.value, 40ns);
  EXPECT_NE(message_of([] { without({"third_leg"}); }).find("missing key 'third_leg' in coherence"), std::string::npos);
  EXPECT_EQ(message("", {{"coherence.home", "first_touch"}}),
            "--set coherence.home:1:1: unknown home 'first_touch'; expected one of interleaved, first-touch; did you "
            "mean 'first-touch'?");
}

TEST(Invalidate, is_one_cost_or_one_by_distance) {
  const auto parameter = [](int value) {
    const std::string text = std::to_string(value) + " ns";
    return "{value: " + text + ", interval: [" + text + ", " + text + "], range: [" + text + ", " + text +
           "], origin: assumed, reference: test}";
  };
  const std::string by_distance = "{same_die: " + parameter(1) + ", package_mate: " + parameter(2) +
                                  ", one_hop: " + parameter(3) + ", two_hops: " + parameter(4) + "}";
  const CoherenceParameters one = read("").coherence.parameters;
  const CoherenceParameters four = read("", {{"coherence.invalidate", by_distance}}).coherence.parameters;
  for (std::size_t d = 1; d < distance_count; ++d) {
    EXPECT_EQ(one.invalidate[d].value, 150ns);
    EXPECT_EQ(one.write_extra[d].value, 0ns) << "not said";
    EXPECT_EQ(four.invalidate[d].value, d * 1ns);
  }
  EXPECT_EQ(read("", {{"coherence.write_extra", by_distance}}).coherence.parameters.write_extra[3].value, 3ns);
  EXPECT_EQ(read("", {{"coherence.write_extra", by_distance}, {"coherence.write_extra.one_hop", "9 ns"}})
                .coherence.parameters.write_extra[3]
                .value,
            9ns);
  EXPECT_EQ(message("", {{"coherence.invalidate", "{same_die: " + parameter(1) + ", two_hops: " + parameter(4) + "}"}}),
            "--set coherence.invalidate:1:1: missing key 'package_mate' in invalidate");
}

}  // namespace
}  // namespace lockcast::yaml::machine_reader_test
