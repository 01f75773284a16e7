// Two sides of a comparison: pairs, intervals, and what counts as worse.

#include "models/check.hpp"
#include "sim/study/difference_report.hpp"

#include <gtest/gtest.h>

namespace lockcast::difference_test {

namespace {

ResultRow result(std::uint32_t clients, std::vector<double> tps, std::optional<std::uint64_t> seed = 1,
                 const std::string& machine = "m") {
  ResultRow r;
  r.row.scenario = "s";
  r.row.machine = machine;
  r.row.clients = clients;
  for (const double one : tps) { r.row.tps += one / static_cast<double>(tps.size()); }
  r.row.tps_low = r.row.tps * 0.9;
  r.row.tps_high = r.row.tps * 1.1;
  r.seed = seed;
  r.replication_tps = std::move(tps);
  r.row.latency_us = 100;
  r.row.spent_us[0] = 100;
  r.row.limit = "work of one backend";
  return r;
}

TEST(Difference, of_pairs_is_told_from_chance_where_intervals_overlap) {
  const ResultRow a = result(8, {100, 120, 80, 110});
  const ResultRow b = result(8, {97, 117, 77, 107});
  const PointDifference paired = difference_of(a, b);
  EXPECT_TRUE(paired.is_paired);
  EXPECT_TRUE(paired.is_significant()) << "each is slower by 3";
  EXPECT_TRUE(is_regression(paired, 0.02));
  EXPECT_FALSE(is_regression(paired, 0.05));
  const PointDifference apart = difference_of(a, result(8, {97, 117, 77, 107}, 2));
  EXPECT_FALSE(apart.is_paired) << "another seed";
  EXPECT_FALSE(apart.is_significant());
  EXPECT_FALSE(is_regression(apart, 0.02));
  EXPECT_FALSE(difference_of(a, result(8, {}, 1)).is_paired) << "no replications: " << apart.change;
}

TEST(Comparison, matches_points_and_counts_the_others) {
  const std::vector<ResultRow> a{result(1, {100, 100}), result(2, {200, 200})};
  const Comparison c = compare_results(a, {result(2, {100, 101}), result(4, {400, 400})});
  ASSERT_EQ(c.points.size(), 1U);
  EXPECT_EQ(c.only_in_a, 1U);
  EXPECT_EQ(c.only_in_b, 1U);
  EXPECT_FALSE(c.across_machines);
  EXPECT_TRUE(compare_results(a, {result(2, {100, 101}, 1, "other")}).across_machines);
  EXPECT_THROW(compare_results(a, {result(4, {400, 400})}), InputError);
  EXPECT_THROW(compare_results({}, {}), InputError);
}

TEST(Comparison, says_where_the_time_went) {
  const ResultRow a = result(2, {200, 200});
  ResultRow b = result(2, {100, 101});
  b.row.latency_us = 200;
  b.row.spent_us[2] = 100;  // spin
  b.row.lock_waits = {{"L", 60}};
  b.row.limit = "cache lines of L";
  const std::string text = as_table(compare_results({a}, {b}), 0.1, true, false);
  EXPECT_NE(text.find("spin                +100.0"), std::string::npos) << text;
  EXPECT_NE(text.find("+60.0 waiting for L"), std::string::npos) << text;
  EXPECT_NE(text.find("limited by work of one backend, then by cache lines of L"), std::string::npos) << text;
}

}  // namespace

}  // namespace lockcast::difference_test
