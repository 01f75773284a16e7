// What makes two results the same, and what is left to do: without simulating anything.

#include "sim/study/sweep.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace lockcast::sweep_test {

namespace {

Scenario hot_spinlock(const std::vector<Assignment>& sets = {}) {
  return load_scenario(LOCKCAST_SOURCE_DIR "/scenarios/hot-spinlock.yaml", sets, {LOCKCAST_SOURCE_DIR});
}

std::string key_of(const Scenario& scenario, const PredictOptions& options = {}, const std::string& program = "1",
                   Messages messages = Messages::inner) {
  return identify({&scenario, scenario.cases().front(), messages}, options, program).key;
}

// As the store would hold the point; `program` made it.
StoredPoint stored(const SweepPoint& point, const PredictOptions& options, const std::string& program) {
  const Identity identity = identify(point.task, options, program);
  StoredPoint result;
  result.key = identity.key;
  result.configuration = identity.configuration;
  result.row.scenario = point.task.scenario->name;
  result.row.machine = point.task.scenario->machine.name;
  result.row.variant = point.task.point.variant;
  result.row.clients = point.task.point.clients;
  return result;
}

TEST(Identity, follows_from_everything_that_is_simulated_and_nothing_else) {
  const Scenario scenario = hot_spinlock();
  const std::string key = key_of(scenario);
  EXPECT_EQ(key_of(hot_spinlock()), key) << "read again";

  PredictOptions options;
  options.jobs = 7;
  EXPECT_EQ(key_of(scenario, options), key) << "how many workers there are";
  options.seed = 2;
  EXPECT_NE(key_of(scenario, options), key);
  options = {};
  options.measured = Picos{20ms};
  EXPECT_NE(key_of(scenario, options), key);
  options = {};
  options.precision = 0.03;
  EXPECT_NE(key_of(scenario, options), key);

  EXPECT_NE(key_of(scenario, {}, "2"), key) << "another program";
  EXPECT_NE(key_of(scenario, {}, "1", Messages::full), key);
  EXPECT_NE(key_of(hot_spinlock({{"machine.cpu.poll", "9 ns"}})), key);
  EXPECT_NE(key_of(hot_spinlock({{"workload.lines.counter.stride", "128 B"}})), key);

  Scenario measured = hot_spinlock();
  measured.measured[measured.cases().front()] = {1000, {}, {}, "predict"};
  EXPECT_EQ(key_of(measured), key) << "a measurement changes no forecast";
}

TEST(Identity, differs_between_all_points_of_a_scenario) {
  const Scenario scenario = hot_spinlock();
  const std::vector<SweepPoint> points = points_of(scenario, Messages::inner, {}, "1");
  std::set<std::string> keys;
  for (const SweepPoint& point : points) { keys.insert(point.identity.key); }
  EXPECT_EQ(keys.size(), points.size());
  EXPECT_EQ(points.size(), 30U);
}

TEST(Identity, differences_of_configurations_are_named) {
  using Keys = std::vector<std::string>;
  EXPECT_EQ(differences(R"({"seed":1,"rig":{"a":1}})", R"({"seed":1,"rig":{"a":1}})"), Keys{});
  EXPECT_EQ(differences(R"({"seed":1,"rig":{"a":1},"old":0})", R"({"seed":1,"rig":{"a":2},"new":0})"),
            (Keys{"rig", "old", "new"}));
}

TEST(SweepPlan, leaves_out_what_is_finished_and_names_what_is_outdated) {
  const Scenario scenario = hot_spinlock();
  const std::vector<SweepPoint> points = points_of(scenario, Messages::inner, {}, "1");
  const SweepPlan all = plan(points, std::vector<StoredPoint>{});
  EXPECT_EQ(all.to_run.size(), points.size());
  EXPECT_TRUE(all.finished.empty() && all.outdated.empty());
  EXPECT_TRUE(std::is_sorted(all.to_run.begin(), all.to_run.end(), [&](std::size_t a, std::size_t b) {
    return relative_cost(points[a].task) > relative_cost(points[b].task);
  })) << "dearest first";

  const SweepPlan rest = plan(points, {stored(points[3], {}, "1"), stored(points[5], {}, "0")});
  EXPECT_EQ(rest.finished, std::vector<std::size_t>{3});
  EXPECT_EQ(rest.to_run.size(), points.size() - 1);
  ASSERT_EQ(rest.outdated.size(), 1U);
  EXPECT_EQ(rest.outdated[0].point, 5U);
  EXPECT_EQ(rest.outdated[0].differences, std::vector<std::string>{"program"});
}

}  // namespace

}  // namespace lockcast::sweep_test
