#include "sim/study/gains.hpp"

#include "tests/study/forecast.hpp"

#include <gtest/gtest.h>

namespace lockcast::gains_test {

namespace {

GainScore score(const std::vector<ForecastRow>& rows) { return score_gains("all", cells_of(rows)); }

TEST(Gains, are_over_the_first_variant_in_table_order_of_the_same_cell) {
  // Predicted 150/100, measured 240/200: 1.5 / 1.2 - 1 = 25 %; 'no change' says 1 / 1.2 - 1 = -16.7 %.
  const std::vector<ForecastRow> rows{forecast("flexlocks", 32, 150, 240), forecast("master", 32, 100, 200),
                                      forecast("master", 8, 1000, 1000)};
  const GainScore gains = score(rows);
  EXPECT_EQ(gains.lockcast.all.points, 1U) << "a cell with a single variant has no gain";
  EXPECT_EQ(gains.lockcast.above.points, 1U);
  EXPECT_NEAR(gains.lockcast.above.median, 0.25, 1e-12);
  EXPECT_NEAR(gains.unchanged.above.median, 1 - 1 / 1.2, 1e-12);
}

TEST(Gains, the_baseline_is_the_first_that_was_measured) {
  const std::vector<ForecastRow> rows{forecast("master", 32, 50, 0), forecast("pgproc-split", 32, 100, 100),
                                      forecast("pgproc-split+clog32", 32, 110, 100)};
  const std::vector<Gain> gains = gains_of(cells_of(rows).front());
  ASSERT_EQ(gains.size(), 1U);
  EXPECT_EQ(gains[0].baseline->variant, "pgproc-split");
  EXPECT_NEAR(gains[0].error(), 0.1, 1e-12);
}

TEST(Gains, nothing_measured_gives_nothing) {
  const GainScore gains = score({forecast("master", 32, 100, 0), forecast("flexlocks", 32, 150, 0)});
  EXPECT_EQ(gains.lockcast.all.points, 0U);
  EXPECT_EQ(gains.order, Share{});
  EXPECT_EQ(score({}).lockcast.all.points, 0U);
}

TEST(Gains, a_sign_counts_where_the_measured_gain_is_above_the_threshold) {
  // Over the baseline's 100, measured: +20 %, -20 %, +5 %, +20 %, +2 %.
  const GainScore gains = score({
      forecast("master", 32, 100, 100), forecast("a", 32, 101, 120),  // right
      forecast("b", 32, 99, 80),                                      // right
      forecast("c", 32, 99, 105),                                     // wrong, above 3 % only
      forecast("d", 32, 100, 120),                                    // a tie did not say: wrong
      forecast("e", 32, 90, 102),                                     // too small to have a sign
  });
  EXPECT_EQ(gains.sign_large, (Share{2, 3}));
  EXPECT_EQ(gains.sign_small, (Share{2, 4}));
}

TEST(Gains, no_effect_is_measured_below_3_percent_and_forecast_within_5) {
  const GainScore gains = score({
      forecast("master", 32, 100, 100), forecast("a", 32, 104, 102),  // right
      forecast("b", 32, 96, 98),                                      // right
      forecast("c", 32, 106, 102),                                    // wrong
      forecast("d", 32, 106, 104),                                    // had an effect
  });
  EXPECT_EQ(gains.no_effect, (Share{2, 3}));
}

TEST(Gains, the_order_of_pairs_counts_where_they_differ_by_more_than_5_percent) {
  // Measured 100, 104, 120: master-a has no order, master-b and a-b have. Forecast: b above master, below a.
  const GainScore gains =
      score({forecast("master", 32, 10, 100), forecast("a", 32, 30, 104), forecast("b", 32, 20, 120)});
  EXPECT_EQ(gains.order, (Share{1, 2}));
  const GainScore tie = score({forecast("master", 32, 10, 100), forecast("a", 32, 10, 120)});
  EXPECT_EQ(tie.order, (Share{0, 1})) << "a tie is no order";
  const GainScore cells = score({forecast("master", 32, 10, 100), forecast("a", 48, 30, 200)});
  EXPECT_EQ(cells.order, Share{}) << "only variants of one cell are compared";
}

TEST(Interactions, are_both_together_over_the_product_of_each_alone) {
  // Predicted: 1.2 * 1.5 = 1.8, together 2.7: x1.5. Measured: 1.1 * 2 = 2.2, together 1.1: x0.5.
  const std::vector<ForecastRow> rows{forecast("master", 32, 100, 10), forecast("pgproc-split", 32, 120, 11),
                                      forecast("flexlocks", 32, 150, 20),
                                      forecast("flexlocks+pgproc-split", 32, 270, 11)};
  const std::vector<Interaction> found = interactions_of(cells_of(rows).front());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].together->variant, "flexlocks+pgproc-split");
  EXPECT_NEAR(found[0].predicted, 1.5, 1e-12);
  ASSERT_TRUE(found[0].measured);
  EXPECT_NEAR(*found[0].measured, 0.5, 1e-12);
}

TEST(Interactions, a_baseline_s_own_changes_are_no_change_and_a_missing_measurement_is_none) {
  const std::vector<ForecastRow> rows{
      forecast("pgproc-split", 32, 100, 10), forecast("pgproc-split+clog32", 32, 120, 11),
      forecast("pgproc-split+flexlocks", 32, 150, 20), forecast("pgproc-split+flexlocks+clog32", 32, 180, 0)};
  const std::vector<Interaction> found = interactions_of(cells_of(rows).front());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NEAR(found[0].predicted, 1, 1e-12);
  EXPECT_FALSE(found[0].measured);
}

TEST(Interactions, need_all_three) {
  const std::vector<ForecastRow> rows{forecast("master", 32, 100, 10), forecast("pgproc-split", 32, 120, 11),
                                      forecast("pgproc-split+flexlocks", 32, 270, 11)};
  EXPECT_TRUE(interactions_of(cells_of(rows).front()).empty());
}

}  // namespace

}  // namespace lockcast::gains_test
