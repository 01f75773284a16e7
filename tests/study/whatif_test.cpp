// What of a what-if needs no simulation: scaling a machine, finding a peak, ordering fixes, the analytic models.

#include "sim/study/whatif.hpp"

#include "models/check.hpp"
#include "sim/study/peak_search.hpp"
#include "sim/study/queueing.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace lockcast::whatif_test {

namespace {

Machine machine(const std::string& name, const std::vector<Assignment>& sets = {}) {
  return load_machine(name, sets, {LOCKCAST_SOURCE_DIR});
}

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& error) { return error.what(); }
  return {};
}

TEST(Cores, are_whole_packages_and_below_one_package_dies_and_cores) {
  struct Row {
    std::uint32_t cores, packages, dies, cores_per_die;
    bool extrapolated;
  };
  const Machine textbook = machine("textbook-32");  // 4 x 2 x 4
  for (const Row& row : {Row{1, 1, 1, 1, false}, Row{3, 1, 1, 3, false}, Row{4, 1, 1, 4, false}, Row{8, 1, 2, 4, false},
                         Row{24, 3, 2, 4, false}, Row{32, 4, 2, 4, false}, Row{256, 32, 2, 4, true}}) {
    const Scaling scaling = scaled_to(textbook, row.cores);
    EXPECT_EQ(scaling.topology.packages, row.packages) << row.cores;
    EXPECT_EQ(scaling.topology.dies_per_package, row.dies) << row.cores;
    EXPECT_EQ(scaling.topology.cores_per_die, row.cores_per_die) << row.cores;
    EXPECT_EQ(scaling.is_extrapolated, row.extrapolated) << row.cores;
    const Machine scaled = machine("textbook-32", scaling.sets);
    EXPECT_EQ(scaled.topology.cores(), row.cores);
    EXPECT_EQ(scaled.topology.packages_per_group, textbook.topology.packages_per_group);
  }
  EXPECT_TRUE(scaled_to(textbook, 32).sets.empty());
  EXPECT_EQ(message_of([&] { scaled_to(textbook, 12); }),
            "12 cores cannot be built of whole packages of 8 cores, which textbook-32 has; expected 8 or 16");
  EXPECT_EQ(message_of([&] { scaled_to(textbook, 6); }),
            "6 cores cannot be built of whole dies of 4 cores, which textbook-32 has; expected 4 or 8");
}

TEST(Cores, of_a_wired_machine_come_in_boxes_with_its_matrix) {
  const Machine opteron = machine("opteron-6128-32");
  for (const std::uint32_t cores : {4U, 8U, 16U, 48U, 256U}) {
    const Machine scaled = machine("opteron-6128-32", scaled_to(opteron, cores).sets);
    ASSERT_EQ(scaled.topology.cores(), cores);
    for (std::uint32_t a = 0; a < cores; ++a) {
      for (std::uint32_t b = 0; b < cores; ++b) {
        const Distance expected =
            a / 32 == b / 32 ? opteron.topology.distance(CoreId{a % 32}, CoreId{b % 32}) : Distance::two_hops;
        ASSERT_EQ(scaled.topology.distance(CoreId{a}, CoreId{b}), expected) << cores << ": " << a << ", " << b;
      }
    }
  }
}

// Looks for the peak of a curve and counts how often it was asked.
struct Found {
  std::uint32_t peak;
  std::size_t points;
  bool is_open;
  std::optional<std::uint32_t> knee;
};
Found search(const std::function<double(std::uint32_t)>& curve, std::uint32_t guess, std::uint32_t limit) {
  PeakSearch search(guess, limit, true);
  for (auto next = search.wanted(); !next.empty(); next = search.wanted()) {
    for (const std::uint32_t clients : next) {
      EXPECT_FALSE(search.tps().contains(clients)) << "asked twice: " << clients;
      search.add(clients, curve(clients));
    }
    if (search.tps().size() > 100) { break; }
  }
  return {search.peak(), search.tps().size(), search.is_open(), knee_of(search.tps())};
}

TEST(PeakSearch, comes_within_a_factor_of_one_and_a_half_from_any_guess) {
  for (const double at : {1.0, 3.0, 17.0, 48.0, 300.0}) {
    const auto hill = [&](std::uint32_t n) { return n / (1 + (n / at) * (n / at)); };
    for (const std::uint32_t guess : {1U, 8U, 64U, 1000U}) {
      const Found found = search(hill, guess, 2048);
      EXPECT_LT(std::fabs(std::log(found.peak / at)), std::log(1.51)) << at << " from " << guess << ": " << found.peak;
      EXPECT_LE(found.points, 18U) << at << " from " << guess;
      EXPECT_FALSE(found.is_open);
      EXPECT_TRUE(found.knee);
    }
  }
}

TEST(PeakSearch, of_a_plateau_finds_its_beginning_and_of_a_line_its_end) {
  const auto plateau = [](std::uint32_t n) { return std::min<double>(n, 20); };
  const Found found = search(plateau, 32, 512);
  EXPECT_LE(found.peak, 32U);
  EXPECT_GE(found.peak, 20U);
  const Found line = search([](std::uint32_t n) { return n; }, 8, 64);
  EXPECT_EQ(line.peak, 64U);
  EXPECT_TRUE(line.is_open);
  EXPECT_FALSE(line.knee);
  EXPECT_EQ(search([](std::uint32_t) { return 0; }, 8, 64).peak, 1U) << "nothing anywhere";
}

// Throughput of the base and of sets of three fixes a, b, c, as somebody made them up.
FixOrder asked(const std::function<double(FixSet)>& tps, std::size_t fixes, std::size_t* count = nullptr) {
  FixOrder order(fixes);
  for (auto sets = order.wanted(); !sets.empty(); sets = order.wanted()) {
    for (const FixSet set : sets) {
      order.add(set, tps(set));
      if (count != nullptr) { ++*count; }
    }
  }
  return order;
}

TEST(FixOrder, sees_what_another_bottleneck_hides) {
  // b mends what shows only once a has been made.
  const FixOrder order = asked([](FixSet set) { return has(set, 0) ? has(set, 1) ? 200.0 : 120.0 : 100.0; }, 2);
  EXPECT_DOUBLE_EQ(*order.gain(only(1)), 1.0);
  EXPECT_DOUBLE_EQ(*order.last_gain(1), 200.0 / 120);
  EXPECT_DOUBLE_EQ(*order.interaction(0, 1), 2.0 / 1.2);
  const std::vector<FixStep> steps = order.steps();
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_EQ(steps[0].fix, 0U);
  EXPECT_EQ(steps[1].fix, 1U);
  EXPECT_DOUBLE_EQ(steps[1].gain, 200.0 / 120);
}

TEST(FixOrder, takes_the_best_step_first_and_asks_for_few_sets) {
  const std::vector<double> factor{1.1, 1.5, 0.9, 1.3, 1.0, 1.2};
  std::size_t count = 0;
  const FixOrder order = asked(
      [&](FixSet set) {
        double tps = 100;
        for (std::size_t i = 0; i < factor.size(); ++i) { tps *= has(set, i) ? factor[i] : 1; }
        return tps;
      },
      factor.size(), &count);
  std::vector<std::size_t> fixes;
  for (const FixStep& step : order.steps()) { fixes.push_back(step.fix); }
  EXPECT_EQ(fixes, (std::vector<std::size_t>{1, 3, 5, 0, 4, 2}));
  EXPECT_LT(count, 40U) << "of 64 sets";
}

TEST(FixOrder, leaves_out_what_excludes_each_other) {
  FixOrder order(2);
  order.add(0, 100);
  order.add(1, 110);
  order.add(2, 130);
  order.exclude(3);
  EXPECT_TRUE(order.wanted().empty());
  ASSERT_EQ(order.steps().size(), 1U);
  EXPECT_EQ(order.steps()[0].fix, 1U);
  EXPECT_FALSE(order.interaction(0, 1));
}

// Acquisitions per us as computed from the paper's formulas elsewhere.
TEST(Markov, gives_the_values_computed_from_it_elsewhere) {
  struct Row {
    double s, c, a;
    std::uint32_t n;
    double per_us;
  };
  for (const Row& row : {Row{0.15, 0.11, 5, 8, 1.49}, Row{0.15, 0.11, 5, 24, 0.81}, Row{0.15, 0.11, 20, 32, 1.55},
                         Row{0.15, 0, 5, 32, 5.66}, Row{0.30, 0.50, 20, 16, 0.59}, Row{0.30, 0.50, 20, 48, 0.08}}) {
    EXPECT_NEAR((NonScalableLock{row.s, row.c, row.a}.acquisitions_per_second(row.n)), row.per_us, 0.0051) << row.n;
  }
  EXPECT_GT((NonScalableLock{1e-6, 1e-8, 1e-5}.acquisitions_per_second(4096)), 0) << "no overflow";
}

TEST(Mva, is_linear_alone_and_ends_at_the_busiest_station) {
  EXPECT_DOUBLE_EQ(mva_tps({{0.5, 1, 1}}, 0.5, 1), 1.0);
  EXPECT_NEAR(mva_tps({{0.5, 1, 1}}, 0.5, 1000), 2.0, 1e-6);
  // Two clients, one station and a delay, by hand: queue 1/2 seen by the second, so 0.75 + 0.5.
  EXPECT_DOUBLE_EQ(mva_tps({{0.5, 1, 1}}, 0.5, 2), 2 / 1.25);
  EXPECT_DOUBLE_EQ(mva_tps({{1.0, 8, 1}}, 0, 8), 8.0) << "a core for each";
  EXPECT_NEAR(mva_tps({{1.0, 8, 1}}, 0, 100), 8.0, 1e-6);
  EXPECT_GT(mva_tps({{0.5, 1, 16}}, 0.5, 16), mva_tps({{0.5, 1, 1}}, 0.5, 16)) << "spread over sixteen";
}

Scenario hot_spinlock() {
  return load_scenario(LOCKCAST_SOURCE_DIR "/scenarios/hot-spinlock.yaml", {}, {LOCKCAST_SOURCE_DIR});
}

TEST(Fixes, of_variants_are_their_parts_beyond_the_baseline) {
  Scenario scenario = hot_spinlock();
  scenario.library_variants = {"split", "clog", "flex"};
  yaml::Node change = yaml::parse_text("spin: tas", "t");
  scenario.variant_trees.entries = {{"split", {}, change}};
  std::vector<FixSet> sets;
  const std::vector<Fix> fixes = fixes_of(scenario, "split", {"split+clog", "split+clog+flex", "flex"}, sets);
  ASSERT_EQ(fixes.size(), 3U);
  EXPECT_EQ(fixes[0].name, "clog");
  EXPECT_EQ(fixes[0].target, "split+clog");
  EXPECT_EQ(fixes[2].target, "flex") << "instead of the baseline";
  EXPECT_EQ(sets, (std::vector<FixSet>{1, 3, 4}));
  EXPECT_EQ(name_of("split", fixes, 3), "split+clog+flex");
  EXPECT_EQ(name_of("split", fixes, 0), "split");
}

TEST(Fixes, of_locks_are_checked_where_they_are_written) {
  const Scenario scenario = hot_spinlock();
  EXPECT_EQ(lock_fix("counter_lock=mcs", scenario).lock_kind, "mcs");
  EXPECT_NE(message_of([&] { lock_fix("counterlock=mcs", scenario); }).find("did you mean 'counter_lock'?"),
            std::string::npos);
  EXPECT_NE(message_of([&] { lock_fix("counter_lock=msc", scenario); }).find("did you mean 'mcs'?"), std::string::npos);
}

// With next to nothing simulated: what comes out is whole, and the same twice.
TEST(WhatIf, answers_for_every_core_count_and_fix) {
  WhatIfQuestion question;
  const Scenario own = hot_spinlock();
  question.baseline = "tas";
  question.asked = {0};
  question.fixes = fixes_of(own, "tas", {"ttas", "mcs"}, question.asked);
  for (const std::uint32_t cores : {2U, 8U}) {
    const Scaling scaling = scaled_to(own.machine, cores);
    question.machines.push_back({scaling, load_scenario(own.file, scaling.sets, {LOCKCAST_SOURCE_DIR})});
  }
  question.mend_at = {1};
  WhatIfOptions options;
  options.full.replications_min = options.full.replications_disagreeing = options.full.replications_max = 2;
  options.full.warmup = Picos{200us};
  options.full.measured = Picos{1ms};
  options.search = options.full;
  options.clients = {1, 4};
  const WhatIf answer = ask(question, options, {});
  ASSERT_EQ(answer.cells.size(), 6U);
  for (const PeakCell& cell : answer.cells) {
    EXPECT_GT(cell.peak.tps, 0) << cell.name;
    EXPECT_EQ(cell.trials.size(), 2U);
    EXPECT_TRUE(cell.baselines.mva);
  }
  ASSERT_EQ(answer.mendings.size(), 1U);
  EXPECT_EQ(answer.mendings[0].cells.size(), 3U);
  EXPECT_EQ(answer.mendings[0].impossible.size(), 1U) << "a lock has one kind";
  const WhatIf again = ask(question, options, {});
  for (std::size_t i = 0; i < answer.cells.size(); ++i) {
    EXPECT_EQ(answer.cells[i].peak.tps, again.cells[i].peak.tps);
  }
}

}  // namespace

}  // namespace lockcast::whatif_test
