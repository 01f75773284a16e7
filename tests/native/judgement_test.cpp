// From made-up visits to a verdict: every limit just below and just above, and nothing that looks at a clock.

#include "validate/judgement.hpp"

#include "validate/regime.hpp"
#include "validate/visit.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace lockcast::judgement_test {
namespace {

// --- Visits ---

Visit quiet_visit() {
  Visit visit;
  visit.before = {.line_ns = 30, .lost_share = 0.01};
  visit.after = {.line_ns = 32, .lost_share = 0.01};
  return visit;
}

TEST(Visit, is_simulated_at_the_mean_latency_of_its_guards) {
  EXPECT_DOUBLE_EQ(quiet_visit().line_ns().value(), 31);
  Visit one_cpu = quiet_visit();
  one_cpu.before.line_ns.reset();
  one_cpu.after.line_ns.reset();
  EXPECT_FALSE(one_cpu.line_ns());
  EXPECT_EQ(one_cpu.discarded(), "");
}

TEST(Visit, is_discarded_when_the_distance_changes_by_a_third) {
  Visit visit = quiet_visit();
  visit.after.line_ns = 39.8;
  EXPECT_EQ(visit.discarded(), "");
  visit.after.line_ns = 40;
  EXPECT_EQ(visit.discarded(), "the distance of the CPUs changed");
  std::swap(visit.before, visit.after);
  EXPECT_EQ(visit.discarded(), "the distance of the CPUs changed");
}

TEST(Visit, is_discarded_when_a_guard_lost_its_cpu_and_when_the_run_itself_was_disturbed) {
  Visit visit = quiet_visit();
  visit.after.lost_share = 0.2;
  EXPECT_EQ(visit.discarded(), "");
  visit.after.lost_share = 0.21;
  EXPECT_EQ(visit.discarded(), "others took 21 % of a CPU just before or after");
  visit.native.unusable = "epochs differ";
  EXPECT_EQ(visit.discarded(), "epochs differ");
}

// --- Points ---

TEST(PointClass, is_that_of_the_hardest_thing_about_it) {
  EXPECT_EQ(class_of(1, 2, true, 0.1), PointClass::one_thread);
  EXPECT_EQ(class_of(2, 2, true, 0.95), PointClass::contended);
  EXPECT_EQ(class_of(2, 2, true, 0.951), PointClass::hardly_contended);
  EXPECT_EQ(class_of(3, 2, false, 0.99), PointClass::oversubscribed);
  EXPECT_EQ(class_of(3, 2, true, 0.99), PointClass::fifo_collapse);
  EXPECT_EQ(class_of(2, 1, true, 0.99), PointClass::fifo_collapse);
}

TEST(Outcome, is_the_median_error_of_visits_and_not_the_error_of_their_means) {
  // Two regimes: the means agree, no visit does.
  const PointOutcome outcome = outcome_of({{30, 100, 110}, {31, 100, 110}, {150, 100, 82.6}});
  EXPECT_NEAR(outcome.error, 0.10, 1e-9);
  EXPECT_NEAR(outcome.measured, 100, 1e-9);
  EXPECT_NEAR(outcome.predicted, std::cbrt(110 * 110 * 82.6), 1e-9);
  EXPECT_EQ(outcome.unusable, "");
}

TEST(Outcome, needs_two_visits) {
  EXPECT_EQ(outcome_of({{30, 100, 100}}).unusable, "1 usable visits");
  EXPECT_EQ(outcome_of({}).unusable, "0 usable visits");
  EXPECT_EQ(outcome_of({{30, 100, 100}, {160, 50, 50}}).unusable, "") << "regimes may differ";
}

TEST(Outcome, compares_the_host_with_itself_only_within_a_regime) {
  EXPECT_FALSE(outcome_of({{30, 100, 100}, {160, 50, 50}}).native_error);
  EXPECT_NEAR(outcome_of({{30, 100, 100}, {30, 104, 100}, {160, 50, 50}}).native_error.value(), 0.04, 1e-9);
}

TEST(Outcome, two_modes_in_one_regime_are_no_point_and_are_both_named) {
  EXPECT_EQ(outcome_of({{30, 100, 100}, {31, 150, 100}}).unusable, "");
  EXPECT_EQ(outcome_of({{30, 100, 100}, {31, 151, 100}}).unusable, "two modes in one regime: 100 and 151");
  EXPECT_EQ(outcome_of({{30, 100, 100}, {160, 151, 100}}).unusable, "");
}

// --- Verdicts ---

JudgedPoint point_with(double error, PointClass point_class = PointClass::contended) {
  JudgedPoint point;
  point.point_class = point_class;
  point.outcome.measured = 100;
  point.outcome.predicted = 100 * (1 + error);
  point.outcome.error = error;
  return point;
}

TEST(Judgement, passes_at_the_tolerance_and_fails_above_it) {
  EXPECT_EQ(judgement_of({point_with(0.1), point_with(-0.1)}, 0.1).kind, VerdictKind::pass);
  const Judgement above = judgement_of({point_with(0.11), point_with(-0.11)}, 0.1);
  EXPECT_EQ(above.kind, VerdictKind::fail);
  ASSERT_EQ(above.reasons.size(), 1U);
  EXPECT_EQ(above.reasons[0], "threads <= CPUs, contended: median error 11 %, above 10 %");
}

TEST(Judgement, easy_points_hide_no_hard_class) {
  std::vector<JudgedPoint> points(9, point_with(0, PointClass::one_thread));
  points.push_back(point_with(-0.2));
  const Judgement judgement = judgement_of(points, 0.1);
  EXPECT_DOUBLE_EQ(judgement.all.median, 0);
  EXPECT_EQ(judgement.kind, VerdictKind::fail);
}

TEST(Judgement, a_long_tail_fails_too) {
  std::vector<JudgedPoint> points(7, point_with(0.05));
  points.insert(points.end(), 3, point_with(0.4));
  const Judgement judgement = judgement_of(points, 0.1);
  EXPECT_EQ(judgement.kind, VerdictKind::fail);
  EXPECT_EQ(judgement.reasons.at(0), "all points: 90 % quantile 40 %, above 30 %");
}

TEST(Judgement, a_host_that_disagrees_with_itself_says_nothing) {
  JudgedPoint point = point_with(5);
  point.outcome.native_error = 0.05;
  EXPECT_EQ(judgement_of({point}, 0.1).kind, VerdictKind::fail);
  point.outcome.native_error = 0.06;
  EXPECT_EQ(judgement_of({point}, 0.1).kind, VerdictKind::too_noisy);
}

TEST(Judgement, more_unusable_points_than_usable_ones_say_nothing) {
  JudgedPoint unusable = point_with(0);
  unusable.outcome.unusable = "disturbed";
  EXPECT_EQ(judgement_of({point_with(0), unusable}, 0.1).kind, VerdictKind::pass);
  EXPECT_EQ(judgement_of({point_with(0), unusable, unusable}, 0.1).kind, VerdictKind::too_noisy);
}

TEST(Judgement, a_collapse_is_judged_apart_and_by_a_factor) {
  JudgedPoint point = point_with(0, PointClass::fifo_collapse);
  point.outcome = collapse_outcome({500, 1e6, 500}, {740, 740, 1e6});
  Judgement judgement = judgement_of({point, point_with(0)}, 0.1);
  EXPECT_EQ(judgement.kind, VerdictKind::pass);
  EXPECT_EQ(judgement.all.points, 1U) << "not among the others";
  point.outcome = collapse_outcome({500}, {1'500'000});  // not called
  judgement = judgement_of({point, point_with(0)}, 0.1);
  EXPECT_EQ(judgement.kind, VerdictKind::fail);
}

TEST(Judgement, counts_which_variant_is_faster_where_the_host_clearly_says) {
  const auto variant = [](const char* group, const char* name, double measured, double predicted) {
    JudgedPoint point;
    point.group = group;
    point.variant = name;
    point.outcome.measured = measured;
    point.outcome.predicted = predicted;
    return point;
  };
  const SignSummary signs = judgement_of({variant("a", "tas", 100, 100), variant("a", "ttas", 120, 110),  // right
                                          variant("b", "tas", 100, 100), variant("b", "ttas", 120, 90),   // wrong
                                          variant("c", "tas", 100, 100), variant("c", "ttas", 109, 50)},  // not clear
                                         0.1)
                                .signs;
  EXPECT_EQ(signs.clear, 2U);
  EXPECT_EQ(signs.right, 1U);
  EXPECT_EQ(signs.wrong, std::vector<std::string>{"b: ttas over tas"});
}

// --- Another latency ---

TEST(ScaledLines, take_longer_on_their_way_and_nothing_else_does) {
  Machine machine;
  machine.cpu.atomic_hit.value = 4ns;
  machine.coherence.parameters.transfer[2].value = 30ns;
  machine.coherence.parameters.memory[2].value = 90ns;
  machine.coherence.parameters.atomic_extra.value = 10ns;
  machine.coherence.home_occupancy.value = 5ns;
  machine.coherence.ping_pong.value = 40ns;
  scale_lines(machine, 2);
  EXPECT_EQ(machine.cpu.atomic_hit.value, 4ns);
  EXPECT_EQ(machine.coherence.parameters.transfer[2].value, 60ns);
  EXPECT_EQ(machine.coherence.parameters.memory[2].value, 90ns);
  EXPECT_EQ(machine.coherence.parameters.atomic_extra.value, 20ns);
  EXPECT_EQ(machine.coherence.home_occupancy.value, 10ns);
  EXPECT_EQ(machine.coherence.ping_pong.value, 80ns);
}

TEST(ScaledLines, go_by_steps_of_which_one_changes_nothing) {
  EXPECT_DOUBLE_EQ(nearest_step(1), 1);
  EXPECT_DOUBLE_EQ(nearest_step(1.02), 1);
  EXPECT_NEAR(nearest_step(1.05), 1.06, 1e-12);
  EXPECT_NEAR(nearest_step(5) / 5, 1, 0.03);
}

}  // namespace
}  // namespace lockcast::judgement_test
