// Whoever forecasts from less must not be given more by accident.

#include "sim/study/baselines.hpp"

#include "sim/study/usl.hpp"
#include "tests/study/forecast.hpp"

#include <gtest/gtest.h>

namespace lockcast::baselines_test {

namespace {

using Rows = std::vector<ForecastRow>;

TEST(KeepLast, forecasts_the_measured_value_of_the_next_smaller_client_count_of_the_same_curve) {
  const Rows rows{forecast("master", 32, 1, 300), forecast("master", 1, 1, 10), forecast("master", 8, 1, 75),
                  forecast("clog32", 8, 1, 80)};
  const std::vector<BaselineForecast> forecasts = baseline_forecasts(rows);
  EXPECT_EQ(forecasts[0].keep_last, 75);
  EXPECT_EQ(forecasts[1].keep_last, std::nullopt) << "the first point of a curve has none before it";
  EXPECT_EQ(forecasts[2].keep_last, 10);
  EXPECT_EQ(forecasts[3].keep_last, std::nullopt) << "another variant is another curve";
}

TEST(KeepLast, leaves_out_points_where_nothing_was_measured) {
  const Rows rows{forecast("master", 1, 1, 10), forecast("master", 8, 1, 0), forecast("master", 16, 1, 120)};
  const std::vector<BaselineForecast> forecasts = baseline_forecasts(rows);
  EXPECT_EQ(forecasts[1].keep_last, std::nullopt);
  EXPECT_EQ(forecasts[2].keep_last, 10);
}

TEST(UslBaseline, a_patched_curve_gets_the_baseline_s_law_and_nothing_of_its_own) {
  const UslCurve law{0.02, 0.001, 900};
  Rows rows;
  for (const std::uint32_t n : {1U, 8U, 16U, 32U}) {
    rows.push_back(forecast("master", n, 1, law.tps(n), "calibrate"));
  }
  for (const std::uint32_t n : {1U, 8U, 16U, 64U}) { rows.push_back(forecast("clog32", n, 1, 5000.0 + n)); }
  const std::vector<BaselineForecast> forecasts = baseline_forecasts(rows);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ASSERT_TRUE(forecasts[i].usl);
    EXPECT_NEAR(*forecasts[i].usl / law.tps(rows[i].clients), 1, 1e-6) << i;
  }
}

TEST(UslBaseline, each_calibrated_curve_has_a_law_of_its_own_and_the_first_in_table_order_stands_for_the_rest) {
  const UslCurve split{0.01, 0.0005, 700};
  const UslCurve master{0.02, 0.001, 900};
  Rows rows;
  for (const std::uint32_t n : {1U, 8U, 32U}) {
    rows.push_back(forecast("pgproc-split", n, 1, split.tps(n), "calibrate"));
    rows.push_back(forecast("master", n, 1, master.tps(n), "calibrate"));
  }
  rows.push_back(forecast("flexlocks", 32, 1, 1));
  const std::vector<BaselineForecast> forecasts = baseline_forecasts(rows);
  EXPECT_NEAR(*forecasts[0].usl / split.tps(1), 1, 1e-6);
  EXPECT_NEAR(*forecasts[1].usl / master.tps(1), 1, 1e-6);
  EXPECT_NEAR(*forecasts[6].usl / master.tps(32), 1, 1e-6);
}

TEST(UslBaseline, has_nothing_to_say_without_three_calibrated_points) {
  const Rows rows{forecast("master", 1, 1, 10, "calibrate"), forecast("master", 8, 1, 75, "calibrate"),
                  forecast("clog32", 8, 1, 80), forecast("clog32", 16, 1, 150), forecast("clog32", 32, 1, 200)};
  for (const BaselineForecast& baseline : baseline_forecasts(rows)) { EXPECT_EQ(baseline.usl, std::nullopt); }
}

}  // namespace

}  // namespace lockcast::baselines_test
