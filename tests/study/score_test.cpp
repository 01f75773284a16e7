#include "sim/study/score.hpp"

#include "sim/study/score_report.hpp"
#include "tests/study/forecast.hpp"

#include <gtest/gtest.h>

namespace lockcast::score_test {

namespace {

using Rows = std::vector<ForecastRow>;

const GroupScore* find(const std::vector<GroupScore>& groups, const std::string& name) {
  for (const GroupScore& group : groups) {
    if (group.name == name) { return &group; }
  }
  return nullptr;
}

// Errors of 10, 20 and 30 % below 24 clients, and 40 % above.
Rows four_points() {
  return {forecast("master", 1, 110, 100, "calibrate"), forecast("master", 8, 80, 100, "calibrate"),
          forecast("master", 32, 60, 100, "calibrate"), forecast("flexlocks", 8, 130, 100)};
}

TEST(Score, errors_are_grouped_by_role_series_and_variant) {
  Rows rows = four_points();
  rows.back().series = "other";
  const Score score = score_of(rows);
  EXPECT_EQ(score.measured, 4U);
  EXPECT_NEAR(score.total.lockcast.all.median, 0.25, 1e-12);
  EXPECT_NEAR(score.total.lockcast.all.p90, 0.4, 1e-12);
  EXPECT_NEAR(score.total.lockcast.below.median, 0.2, 1e-12);
  EXPECT_EQ(score.total.lockcast.above.points, 1U);
  EXPECT_NEAR(find(score.roles, "calibrate")->lockcast.all.median, 0.2, 1e-12);
  EXPECT_NEAR(find(score.roles, "predict")->lockcast.all.median, 0.3, 1e-12);
  ASSERT_EQ(score.series.size(), 2U);
  EXPECT_EQ(find(score.series, "s, m")->lockcast.all.points, 3U);
  EXPECT_NEAR(find(score.series, "other, m")->lockcast.all.mean, 0.3, 1e-12);
  ASSERT_EQ(score.variants.size(), 2U);
  EXPECT_EQ(score.variants[0].name, "master");
}

TEST(Score, a_rival_is_set_beside_lockcast_on_the_points_the_rival_can_tell) {
  // keep-last tells 8 and 32 clients of master, exactly; there Lockcast is off by 20 and 40 %.
  const Rows rows = four_points();
  const Score score = score_of(rows);
  EXPECT_EQ(score.total.keep_last.rival.all.points, 2U);
  EXPECT_EQ(score.total.keep_last.rival.all.mean, 0);
  EXPECT_NEAR(score.total.keep_last.lockcast.all.mean, 0.3, 1e-12);
  EXPECT_EQ(find(score.roles, "predict")->keep_last.rival.all.points, 0U);
}

TEST(Score, rows_without_a_measurement_are_counted_and_not_scored) {
  const Rows rows{forecast("master", 1, 110, 0), forecast("master", 8, 80, 100)};
  const Score score = score_of(rows);
  EXPECT_EQ(score.rows, 2U);
  EXPECT_EQ(score.measured, 1U);
  EXPECT_EQ(score.total.lockcast.all.points, 1U);
  const Score none = score_of({});
  EXPECT_EQ(none.total.lockcast.all.points, 0U);
  EXPECT_TRUE(none.worst.empty());
}

TEST(Score, the_worst_come_first_and_ties_in_the_order_of_the_rows) {
  const Rows rows{forecast("a", 1, 110, 100), forecast("b", 1, 90, 100),  forecast("c", 1, 300, 100),
                  forecast("d", 1, 101, 100), forecast("e", 1, 102, 100), forecast("f", 1, 103, 100)};
  const Score score = score_of(rows);
  ASSERT_EQ(score.worst.size(), 5U);
  EXPECT_EQ(score.worst[0].row->variant, "c");
  EXPECT_EQ(score.worst[1].row->variant, "a");
  EXPECT_EQ(score.worst[2].row->variant, "b");
  EXPECT_EQ(score.worst[4].row->variant, "e") << "the smallest error is not among the five";
}

TEST(Score, intervals_of_both_sides_are_counted_with_their_ends) {
  Rows rows{forecast("a", 1, 100, 100), forecast("b", 1, 100, 104), forecast("c", 1, 100, 110)};
  rows[0].measured->low = 100;
  rows[0].measured->high = 120;
  rows[1].measured->low = 102;
  rows[1].measured->high = 120;
  rows[1].tps_low = 96;
  rows[1].tps_high = 104;
  const Score score = score_of(rows);
  EXPECT_EQ(score.inside_measured, (Share{1, 2}));
  EXPECT_EQ(score.inside_forecast, (Share{2, 3}));
}

Rows waiting_rows() {
  Rows rows{forecast("master", 32, 100, 100), forecast("pgproc-split", 32, 200, 180),
            forecast("flexlocks", 32, 200, 180), forecast("master", 8, 100, 100),
            forecast("pgproc-split", 8, 100, 100)};
  rows[0].lock_waits = {{"ProcArrayLock", 900}, {"WALInsertLock", 100}};
  rows[1].lock_waits = {{"ProcArrayLock", 50}, {"WALInsertLock", 400}};
  rows[2].lock_waits = {{"WALInsertLock", 500}, {"FlexLock", 20}};
  rows[3].lock_waits = rows[4].lock_waits = {{"ProcArrayLock", 1}};
  return rows;
}

TEST(Bottleneck, is_compared_with_the_baseline_of_the_cell_on_permanent_tables_from_24_clients) {
  const Rows rows = waiting_rows();
  const Score score = score_of(rows);
  ASSERT_EQ(score.bottlenecks.size(), 2U);
  const Bottleneck& split = score.bottlenecks[0];
  EXPECT_EQ(split.after->variant, "pgproc-split");
  EXPECT_EQ(split.locks[0].before_us, 900);
  EXPECT_EQ(split.locks[0].after_us, 50);
  EXPECT_EQ(split.locks[1].before_us, 100);
  EXPECT_EQ(split.locks[1].after_us, 400);
  EXPECT_EQ(split.leading_before.name, "ProcArrayLock");
  EXPECT_EQ(split.leading_after.name, "WALInsertLock");
  EXPECT_EQ(score.bottlenecks[1].locks[0].after_us, std::nullopt) << "flexlocks has no such lock";

  Rows unlogged = rows;
  for (ForecastRow& row : unlogged) { row.tables = "unlogged"; }
  EXPECT_TRUE(score_of(unlogged).bottlenecks.empty());
}

TEST(Report, has_every_part_and_a_dash_for_a_missing_figure) {
  const Rows rows = waiting_rows();
  const Score score = score_of(rows);
  const std::string text = score_as_table(score, false, false);
  for (const char* words :
       {"5 forecasts, 5 beside a measurement", "role calibrate", "variant pgproc-split", "keep-last, role predict",
        "USL, role calibrate", "the worst points", "the worst gains", "does the bottleneck move?"}) {
    EXPECT_NE(text.find(words), std::string::npos) << words << "\n" << text;
  }
  EXPECT_NE(text.find("role calibrate                   -       -"), std::string::npos) << text;
  const std::string scoreboard = score_as_table(score, true, false);
  EXPECT_NE(scoreboard.find("keep-last"), std::string::npos);
  EXPECT_EQ(scoreboard.find("the worst points"), std::string::npos);
}

TEST(Report, says_when_there_is_nothing_to_score_or_no_lock_waits) {
  const Rows rows{forecast("master", 32, 100, 0)};
  const std::string text = score_as_table(score_of(rows), false, false);
  EXPECT_EQ(text,
            "1 forecasts, 0 beside a measurement\nnothing to score\n\n"
            "no lock waits in this file: whether the bottleneck moves cannot be told\n");
  const std::string json = score_as_json(score_of(rows), "1");
  EXPECT_NE(json.find("\"bottlenecks\": null"), std::string::npos) << json;
  EXPECT_NE(json.find("\"median\": null"), std::string::npos) << json;
}

}  // namespace

}  // namespace lockcast::score_test
