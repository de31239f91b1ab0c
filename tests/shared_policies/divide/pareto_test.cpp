// Tests of pareto: divisions that were worked out by hand, on the fake executor, for curves that
// are not smooth; pieces; and what it is told and refuses.
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "shared_policies/policies/divide/piece_division.hpp"
#include "shared_policies/run/metrics.hpp"
#include "tests/support/policy_schedule.hpp"
#include "tests/support/random_seed.hpp"
#include "tests/support/refusal.hpp"

namespace equipoise::pareto_test {
namespace {

using Sizes = std::vector<Items>;

/// Times of blocks of 1, 2, ... items; of larger ones in proportion to the last.
class TableCost final : public CostModel {
 public:
  explicit TableCost(std::vector<double> seconds) : seconds_(std::move(seconds)) {}
  [[nodiscard]] CostAt at(double items) const override {
    const auto place = static_cast<std::size_t>(items) - 1;
    if (place < seconds_.size()) return {seconds_[place], 0.0};
    return {seconds_.back() * items / static_cast<double>(seconds_.size()), 0.0};
  }
  [[nodiscard]] bool non_decreasing() const override { return false; }

 private:
  std::vector<double> seconds_;
};

/// Adds a unit whose blocks of 1, 2, ... items take `seconds`.
void add_table(PolicyTest& test, const std::vector<double>& seconds, double idle_w, double busy_w) {
  const TableCost cost(seconds);
  test.fake.units.push_back(affine_unit(0.0, 1.0));
  test.fake.units.back().compute_s = [cost](double items) { return cost.at(items).seconds; };
  test.known.phases.front().push_back(std::make_unique<TableCost>(seconds));
  add_watts(test, UnitKind::cpu, idle_w, busy_w);
}

/// Four items on two units that draw 1 W each when idle. `a` draws 2 W more while it computes, `b`
/// 1 W more. `b` does three items in less time than two. The divisions between a and b:
///
///     0 4   12 s   12 J and 12 x 2 W: 36 J   EDP 432 J s
///     1 3    6 s   6 + 6 = 12 J and 6 x 2 W: 24 J    EDP 144 J s
///     2 2    7 s   8 + 7 = 15 J and 14 J: 29 J
///     3 1    9 s   18 + 2 = 20 J and 18 J: 38 J
///     4 0   10 s   20 J and 20 J: 40 J
PolicyTest two_units() {
  PolicyTest test;
  test.policy = "pareto";
  test.items = 4;
  add_table(test, {3.0, 4.0, 9.0, 10.0}, 1.0, 3.0);
  add_table(test, {2.0, 7.0, 6.0, 12.0}, 1.0, 2.0);
  return test;
}

/// Items that take 1 s on the first unit, which draws 10 W more while it computes, and 3 s on the
/// second, which draws 1 W more; 0.1 W each when idle. Of 12 items, x on the first:
/// max(x, 3 (12 - x)) s, and 10 x + 3 (12 - x) dynamic joules.
///
///     x = 9: 9 s, 99 J dynamic, 100.8 J       x = 8: 12 s, 92 J, 94.4 J
///     x = 0: 36 s, 36 J, 43.2 J
PolicyTest fast_and_frugal() {
  PolicyTest test;
  test.policy = "pareto";
  test.items = 12;
  add_table(test, {1.0}, 0.1, 10.1);
  add_table(test, {3.0}, 0.1, 1.1);
  return test;
}

Sizes shares_for(PolicyTest& test, const std::string& objective, const std::string& slack = "any") {
  test.parameters["objective"] = objective;
  test.parameters["slack"] = slack;
  return run_schedule(test).items_by_unit();
}

TEST(Pareto, KnowsThatMoreItemsMayTakeLessTime) {
  PolicyTest test = two_units();
  for (const char* objective : {"time", "energy", "edp"}) {
    EXPECT_EQ(shares_for(test, objective), (Sizes{1, 3})) << objective;
  }
  const Schedule schedule = run_schedule(test);
  EXPECT_EQ(schedule.blocks.size(), 2U);
  EXPECT_NEAR(schedule.makespan(), 6.0, 1e-12);
  Metrics metrics(test.units);
  for (const BlockRecord& record : schedule.blocks) metrics.block(record);
  EXPECT_NEAR(*metrics.numbers().energy_j, 24.0, 1e-9);
  expect_all_done(schedule, 4);
}

TEST(Pareto, GivesUpNoMoreTimeForEnergyThanItMay) {
  PolicyTest test = fast_and_frugal();
  EXPECT_EQ(shares_for(test, "time"), (Sizes{9, 3}));
  EXPECT_EQ(shares_for(test, "energy"), (Sizes{0, 12}));
  EXPECT_EQ(shares_for(test, "energy", "3"), (Sizes{0, 12}));
  EXPECT_EQ(shares_for(test, "energy", "0.34"), (Sizes{8, 4}));
  EXPECT_EQ(shares_for(test, "energy", "0.33"), (Sizes{9, 3}));
  EXPECT_EQ(shares_for(test, "energy", "0"), (Sizes{9, 3}));
  // 9 s x 100.8 J = 907 J s; 12 x 94.4 = 1133; 36 x 43.2 = 1555; the others lie between.
  EXPECT_EQ(shares_for(test, "edp"), (Sizes{9, 3}));
}

TEST(Pareto, CountsWhatUnitsDrawWhoeverWorks) {
  // 20 W more, always: 9 s x 20.2 W + 99 J = 280.8 J, 12 s: 334.4 J, 36 s: 763.2 J.
  PolicyTest test = fast_and_frugal();
  test.units[0].idle_w = 20.1;
  test.units[0].busy_w = 30.1;
  EXPECT_EQ(shares_for(test, "energy"), (Sizes{9, 3}));
}

TEST(Pareto, CutsTheItemsIntoPiecesOfWholeGrains) {
  Workload workload;
  workload.items = 100;
  const auto cut = [&](Items wanted) {
    const Pieces pieces = cut_into_pieces(workload, wanted);
    return Sizes{pieces.count, pieces.items, pieces.last_items};
  };
  EXPECT_EQ(cut(10), (Sizes{10, 10, 10}));
  EXPECT_EQ(cut(1), (Sizes{1, 100, 100}));
  EXPECT_EQ(cut(8), (Sizes{8, 13, 9}));
  EXPECT_EQ(cut(1000), (Sizes{100, 1, 1}));
  workload.grain_items = 8;  // 13 items are two grains
  EXPECT_EQ(cut(8), (Sizes{7, 16, 4}));
  workload.grain_items = 200;
  EXPECT_EQ(cut(8), (Sizes{1, 100, 100}));
  // Four pieces of 3 items: 9 and 3, as with single items.
  PolicyTest test = fast_and_frugal();
  test.parameters["pieces"] = "4";
  EXPECT_EQ(shares_for(test, "time"), (Sizes{9, 3}));
  // Eight at most are six of 2 items: the first unit does 8 of the items, 12 s, or 10, 10 s.
  test.parameters["pieces"] = "8";
  EXPECT_EQ(shares_for(test, "time"), (Sizes{10, 2}));
}

TEST(Pareto, GivesTheSmallerLastPieceWhereItSavesMost) {
  // 11 items in pieces of 4, 4 and 3. The first unit with two pieces does 8 or 7 in as many
  // seconds, and the second one 3 or 4 in 9 s or 12 s.
  PolicyTest test = fast_and_frugal();
  test.items = 11;
  test.parameters["pieces"] = "3";
  EXPECT_EQ(shares_for(test, "time"), (Sizes{8, 3}));
}

TEST(Pareto, DoesAShareInAsManyBlocksAsMemoryRequiresAndCountsTheirTimes) {
  // Blocks of at most 2 items: b does 3 items as 2 and 1 in 7 + 2 = 9 s, and 4 in 14 s; a does 4 in
  // 8 s, 3 in 4 + 3 = 7 s. Divisions: 0 4: 14 s; 1 3: 9 s; 2 2: 7 s; 3 1: 7 s; 4 0: 8 s. Of the
  // two with 7 s, dynamic energies are 8 + 7 = 15 J and 14 + 2 = 16 J.
  PolicyTest test = two_units();
  test.memory_bytes = {2.0, 2.0};
  EXPECT_EQ(shares_for(test, "time"), (Sizes{2, 2}));
  // Energies: 14 + 28, 3 x 2 + 9 + 18, 15 + 14, 16 + 14 and 16 + 16 J.
  EXPECT_EQ(shares_for(test, "energy"), (Sizes{2, 2}));
  test.units[1].busy_w = 40.0;  // then all four on a take the least: 16 + 16 J
  const Schedule schedule = run_schedule(test);
  EXPECT_EQ(schedule.sizes(0, BlockTag::run), (Sizes{2, 2}));
  EXPECT_NEAR(schedule.makespan(), 8.0, 1e-12);
}

TEST(Pareto, DividesTheSameInEveryIterationAndAnewForOtherPhasesAndUnits) {
  PolicyTest test = two_units();
  test.iterations = 3;
  EXPECT_EQ(run_schedule(test).items_by_unit(), (Sizes{3, 9}));
  test.later_kernels = {"second"};
  auto& second = test.known.phases.emplace_back();
  second.push_back(std::make_unique<TableCost>(std::vector<double>{1.0}));
  second.push_back(std::make_unique<TableCost>(std::vector<double>{1.0}));
  EXPECT_EQ(run_schedule(test).items_by_unit(), (Sizes{3 + 6, 9 + 6}));
  // The second unit is absent in the first iteration, and takes part from the next one on.
  test = two_units();
  test.iterations = 2;
  test.fake.faults = {{Seconds{0.0}, UnitId{1}, false}, {Seconds{9.5}, UnitId{1}, true}};
  const Schedule schedule = run_schedule(test);
  expect_all_done(schedule, 8);
  EXPECT_EQ(schedule.items_by_unit(), (Sizes{5, 3}));
}

TEST(Pareto, NeedsWattsForEnergyAloneAndTimeForSlack) {
  PolicyTest test = fast_and_frugal();
  test.units[1].busy_w.reset();
  EXPECT_EQ(shares_for(test, "time"), (Sizes{9, 3}));
  const std::string why = refusal_of([&] { (void)shares_for(test, "energy"); });
  EXPECT_NE(why.find("pareto:objective=energy needs"), std::string::npos) << why;
  EXPECT_NE(why.find("u1 has idle watts but no busy watts"), std::string::npos) << why;
  const std::string slack = refusal_of([&] { (void)shares_for(test, "time", "0.1"); });
  EXPECT_EQ(slack,
            "policy: slack is the time that may be given up for energy, and objective=time gives "
            "up none; add objective=energy or edp, or leave slack out");
  PolicyTest with_watts = fast_and_frugal();
  const std::string negative = refusal_of([&] { (void)shares_for(with_watts, "energy", "-1"); });
  EXPECT_NE(negative.find("slack"), std::string::npos) << negative;
}

TEST(Pareto, FinishesWhatALostUnitLeavesWhateverItsObjective) {
  const unsigned seed = random_seed();
  SCOPED_TRACE("--gtest_random_seed=" + std::to_string(seed));
  std::mt19937 random(seed);
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  for (int round = 0; round < rounds_of(200); ++round) {
    PolicyTest test;
    test.policy = "pareto";
    test.items = static_cast<Items>(uniform(1, 5000));
    test.grain_items = static_cast<Items>(uniform(1, 9));
    test.iterations = 2;
    const auto units = static_cast<std::uint32_t>(uniform(1, 6));
    for (std::uint32_t p = 0; p < units; ++p) {
      std::vector<double> seconds;
      for (int k = 1; k <= 50; ++k) seconds.push_back(uniform(0.01, 0.02) * k);
      const double idle_w = uniform(0, 50);
      add_table(test, seconds, idle_w, idle_w + uniform(0, 200));
      test.fake.faults.push_back({Seconds{uniform(0, 5)}, UnitId{p}, false});
      test.fake.faults.push_back({Seconds{uniform(5, 9)}, UnitId{p}, true});
    }
    test.parameters["pieces"] = std::to_string(static_cast<int>(uniform(1, 60)));
    test.parameters["objective"] = uniform(0, 1) < 0.5 ? "energy" : "edp";
    const Schedule schedule = run_schedule(test);
    ASSERT_TRUE(schedule.outcome.complete) << "round " << round;
    ASSERT_FALSE(schedule.outcome.policy_stalled) << "round " << round;
    ASSERT_EQ(schedule.items(), 2 * test.items) << "round " << round;
  }
}

}  // namespace
}  // namespace equipoise::pareto_test
