// Tests of greedy, static and optimum on schedules that were worked out by hand.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/support/policy_schedule.hpp"

namespace equipoise::baselines_test {
namespace {

using Sizes = std::vector<Items>;

PolicyTest three_affine_units(const std::string& policy, Items items) {
  PolicyTest test;
  test.policy = policy;
  test.items = items;
  add_affine(test, 0.1, 0.01);
  add_affine(test, 0.5, 0.004);
  add_affine(test, 2.0, 0.002);
  return test;
}

/// Adds a unit whose block time grows with the square of the block size.
void add_quadratic(PolicyTest& test, double per_square_s) {
  class Square final : public CostModel {
   public:
    explicit Square(double factor) : factor_(factor) {}
    [[nodiscard]] CostAt at(double x) const override {
      return {factor_ * x * x, 2.0 * factor_ * x};
    }
    [[nodiscard]] bool non_decreasing() const override { return true; }

   private:
    double factor_;
  };
  test.fake.units.emplace_back();
  test.fake.units.back().compute_s = [=](double x) { return per_square_s * x * x; };
  test.known.phases.front().push_back(std::make_unique<Square>(per_square_s));
}

TEST(Greedy, GivesEqualPiecesToWhoeverIsIdle) {
  PolicyTest test;
  test.policy = "greedy";
  test.parameters = {{"initial_block_items", "10"}};
  test.items = 60;
  add_affine(test, 0.0, 0.1);
  add_affine(test, 0.0, 0.25);
  const Schedule schedule = run_schedule(test);
  // Unit 0 begins blocks at 0, 1, 2 and 3 s, unit 1 at 0 and 2.5 s. Unit 1 ends last, at 5 s.
  EXPECT_EQ(schedule.sizes(0, BlockTag::run), (Sizes{10, 10, 10, 10}));
  EXPECT_EQ(schedule.sizes(1, BlockTag::run), (Sizes{10, 10}));
  EXPECT_NEAR(schedule.makespan(), 5.0, 1e-12);
}

TEST(Greedy, CutsTheWorkIntoAsManyPiecesAsAsked) {
  PolicyTest test;
  test.policy = "greedy";
  test.parameters = {{"pieces", "7"}};
  test.items = 100;
  add_affine(test, 0.0, 0.1);
  // ceil(100 / 7) = 15: six pieces of 15 and one of 10.
  EXPECT_EQ(run_schedule(test).sizes(0, BlockTag::run), (Sizes{15, 15, 15, 15, 15, 15, 10}));
}

TEST(Greedy, TakesTheCommonFirstBlockUnlessToldOtherwise) {
  PolicyTest test;
  test.policy = "greedy";
  test.items = 6000;
  add_affine(test, 0.0, 0.1);
  add_affine(test, 0.0, 0.1);
  // 0.10 * 6000 / (15 * 2) = 20.
  EXPECT_EQ(run_schedule(test).sizes(0, BlockTag::run).front(), 20);
  test.grain_items = 64;
  EXPECT_EQ(run_schedule(test).sizes(0, BlockTag::run).front(), 64);
}

TEST(Static, DividesOnceSoThatAllEndTogether) {
  const Schedule schedule = run_schedule(three_affine_units("static", 1000));
  // Shares of 241.18, 502.94 and 255.88 items end together at 2.512 s.
  EXPECT_EQ(schedule.sizes(0, BlockTag::run), (Sizes{241}));
  EXPECT_EQ(schedule.sizes(1, BlockTag::run), (Sizes{503}));
  EXPECT_EQ(schedule.sizes(2, BlockTag::run), (Sizes{256}));
  EXPECT_NEAR(schedule.makespan(), 2.512, 1e-12);
}

TEST(Static, CutsSharesIntoBlocksWhenAskedOrWhenMemoryDemandsIt) {
  PolicyTest test = three_affine_units("static", 1000);
  test.parameters["blocks"] = "2";
  EXPECT_EQ(run_schedule(test).sizes(1, BlockTag::run), (Sizes{252, 251}));
  test.parameters.clear();
  test.memory_bytes = {1e9, 200.0, 1e9};
  const Schedule schedule = run_schedule(test);
  for (const Items size : schedule.sizes(1, BlockTag::run)) {
    EXPECT_LE(size, 200);
  }
  EXPECT_GE(schedule.sizes(1, BlockTag::run).size(), 2U);
  EXPECT_EQ(schedule.items(), 1000);
}

TEST(Static, ReadsTheProfileAsALineOrAsASpeed) {
  PolicyTest test = three_affine_units("static", 900);
  test.parameters["model"] = "affine";
  // The profile consists of three lines already: T = (900 + 10 + 125 + 1000) / 850.
  EXPECT_NEAR(run_schedule(test).makespan(), 2035.0 / 850.0, 0.011);
  test.parameters["model"] = "speed";
  // Speeds at 300 items: 300 / 3.1, 300 / 1.7, 300 / 2.6, together 388.63. Shares: 224.1, 408.6,
  // 267.2.
  const Schedule speeds = run_schedule(test);
  EXPECT_EQ(speeds.sizes(0, BlockTag::run), (Sizes{224}));
  EXPECT_EQ(speeds.sizes(1, BlockTag::run), (Sizes{409}));
  EXPECT_EQ(speeds.sizes(2, BlockTag::run), (Sizes{267}));
}

TEST(Static, RepeatsItsDivisionInEveryIteration) {
  PolicyTest test = three_affine_units("static", 1000);
  test.iterations = 2;
  EXPECT_EQ(run_schedule(test).sizes(0, BlockTag::run), (Sizes{241, 241}));
}

TEST(Optimum, IsTheExactDivisionOfAffineCosts) {
  const Schedule schedule = run_schedule(three_affine_units("optimum", 1000));
  EXPECT_NEAR(schedule.makespan(), 2.512, 1e-12);
  EXPECT_EQ(schedule.blocks.size(), 3U);
}

TEST(Optimum, LeavesAUnitIdleThatWouldEndLast) {
  const Schedule schedule = run_schedule(three_affine_units("optimum", 100));
  EXPECT_TRUE(schedule.sizes(2, BlockTag::run).empty());
  EXPECT_NEAR(schedule.makespan(), 0.672, 1e-9);  // 57 and 43 items
}

TEST(Optimum, CutsAShareWhoseCostGrowsMoreThanInProportion) {
  PolicyTest test;
  test.policy = "optimum";
  test.items = 1000;
  test.grain_items = 10;
  add_quadratic(test, 1e-5);
  add_affine(test, 0.0, 0.02);
  const Schedule schedule = run_schedule(test);
  // All 100 blocks of 10 items take 0.001 s each on the first unit, 0.1 s together. The other unit
  // needs 0.2 s for one.
  EXPECT_EQ(schedule.sizes(0, BlockTag::run), Sizes(100, 10));
  EXPECT_TRUE(schedule.sizes(1, BlockTag::run).empty());
  EXPECT_NEAR(schedule.makespan(), 0.1, 1e-9);
}

TEST(PlannedPolicies, FinishWhatALostUnitLeaves) {
  for (const char* policy : {"static", "optimum"}) {
    for (const double at : {0.0, 0.5, 2.0, 2.5}) {
      for (const std::uint32_t unit : {0U, 1U, 2U}) {
        SCOPED_TRACE(fmt::format("{} at {} unit {}", policy, at, unit));
        PolicyTest test = three_affine_units(policy, 1000);
        test.memory_bytes = {60.0, 60.0, 60.0};
        test.fake.faults.push_back({Seconds{at}, UnitId{unit}, false});
        test.fake.faults.push_back({Seconds{3.0}, UnitId{unit}, true});
        const Schedule schedule = run_schedule(test);
        expect_all_done(schedule, 1000);
      }
    }
  }
}

TEST(Policies, AllFinishWithMoreUnitsThanItemsAndWithOne) {
  for (const PolicyInfo& info : policy_catalog()) {
    for (const Items items : {1, 2, 5, 17}) {
      for (const int n : {1, 3, 9}) {
        SCOPED_TRACE(fmt::format("{} items {} units {}", info.name, items, n));
        PolicyTest test;
        test.policy = info.name;
        test.items = items;
        test.iterations = 2;
        for (int p = 0; p < n; ++p) {
          add_affine(test, 0.01 * p, 0.1 + 0.05 * p);
        }
        const Schedule schedule = run_schedule(test);
        expect_all_done(schedule, 2 * items);
      }
    }
  }
}

TEST(Policies, AllKeepToMemoryOnTwoNodes) {
  const std::vector<double> cap_items = {3.0, 7.0, 1.0, 100.0};
  for (const PolicyInfo& info : policy_catalog()) {
    SCOPED_TRACE(info.name);
    PolicyTest test;
    test.policy = info.name;
    test.items = 60;
    test.iterations = 2;
    test.memory_bytes = cap_items;
    test.units.resize(4);
    for (std::size_t p = 0; p < 4; ++p) {
      add_affine(test, 0.01, 0.1 + 0.05 * static_cast<double>(p));
      test.units[p].name = fmt::format("u{}", p);
      test.units[p].node = p < 2 ? "near" : "far";
      test.units[p].is_remote = p >= 2;
    }
    const Schedule schedule = run_schedule(test);
    expect_all_done(schedule, 120);
    for (const BlockRecord& record : schedule.blocks) {
      EXPECT_LE(static_cast<double>(record.block.items), cap_items[record.unit.index]);
    }
  }
}

}  // namespace
}  // namespace equipoise::baselines_test
