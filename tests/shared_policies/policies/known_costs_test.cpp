// Tests of policies that are given what each item costs, on divisions that were worked out by hand.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "shared_policies/machine/item_costs.hpp"
#include "shared_policies/policies/known_work.hpp"
#include "tests/support/policy_schedule.hpp"
#include "tests/support/refusal.hpp"

namespace equipoise::known_costs_test {
namespace {

using Sizes = std::vector<Items>;

/// Items of these costs, which have mean 1, as the machine has them and as policies know them.
void add_costs(PolicyTest& test, std::vector<CostRange> ranges) {
  const auto costs = std::make_shared<ItemCosts>(std::move(ranges));
  test.items = costs->items();
  test.fake.items = {costs};
  test.known.items = {costs};
}

/// Items of which item i of N costs (2 i + 1) / N, so that the first n cost n^2 / N, on units that
/// take 1 s and 1/2 s for an item of mean cost.
PolicyTest increasing(const std::string& policy,
                      std::map<std::string, std::string> parameters = {{"costs", "known"}},
                      Items items = 9) {
  PolicyTest test;
  test.policy = policy;
  test.parameters = std::move(parameters);
  add_affine(test, 0.0, 1.0);
  add_affine(test, 0.0, 0.5);
  std::vector<CostRange> ranges;
  for (Items i = 0; i < items; ++i) {
    ranges.push_back({i, 1, static_cast<double>(2 * i + 1) / static_cast<double>(items)});
  }
  add_costs(test, std::move(ranges));
  return test;
}

TEST(KnownCosts, StaticCutsWhereTheCostsAddUpToTheShares) {
  // Shares of the cost: 3 and 6. Item 5 would bring the first five, 25 / 9, to 4, and less than
  // half of it belongs to the first unit. The other one has 56 / 9.
  const Schedule schedule = run_schedule(increasing("static"));
  EXPECT_EQ(schedule.items_by_unit(), (Sizes{5, 4}));
  EXPECT_NEAR(schedule.makespan(), 28.0 / 9.0, 1e-12);
  // Otherwise shares are 3 and 6 items, which cost 1 and 8.
  const Schedule alike = run_schedule(increasing("static", {}));
  EXPECT_EQ(alike.items_by_unit(), (Sizes{3, 6}));
  EXPECT_NEAR(alike.makespan(), 4.0, 1e-12);
}

TEST(KnownCosts, StaticGivesEachBlockItsCostWhicheverItemsAreNext) {
  // Planned: costs of 2 and 1, and of 3 and 3. Unit 0 gets four items of 16 / 9 and is owed 2 / 9.
  // Unit 1 should have 29 / 9, to which two items and 9 / 13 of the third add up: three, 33 / 9.
  // That is 4 / 9 too much. Unit 0, at 16 / 9 s, should have 5 / 9 and gets one item of 15 / 9;
  // unit 1 the last.
  PolicyTest test = increasing("static");
  test.parameters["blocks"] = "2";
  const Schedule schedule = run_schedule(test);
  EXPECT_EQ(schedule.sizes_as_handed_out(), (Sizes{4, 3, 1, 1}));
  EXPECT_EQ(schedule.sizes(0, BlockTag::run), (Sizes{4, 1}));
}

TEST(KnownCosts, StaticGivesGrainsThatAreNearest) {
  // A third of the items, the last, have all the cost, which is 3 each. Grains of 4 items: shares
  // of 4 and 8 items of mean cost. Eight items cost nothing and 4 / 3 items 4: 9.33, so two grains.
  // They cost nothing, and the other unit gets all that costs.
  PolicyTest test = increasing("static");
  test.grain_items = 4;
  add_costs(test, {{0, 8, 0.0}, {8, 4, 3.0}});
  const Schedule schedule = run_schedule(test);
  EXPECT_EQ(schedule.items_by_unit(), (Sizes{8, 4}));
}

TEST(KnownCosts, StaticFillsMemoryByItems) {
  // The first 60 items cost a third each, the other 20 cost 3. Unit 0 should have 26 or 27 of 80
  // items of mean cost, which the first 60 items and 2 or 3 more are; its memory holds 25, so these
  // are three blocks.
  PolicyTest test = increasing("static");
  test.memory_bytes = {25.0, 1e9};
  add_costs(test, {{0, 60, 1.0 / 3.0}, {60, 20, 3.0}});
  const Schedule schedule = run_schedule(test);
  expect_all_done(schedule, 80);
  EXPECT_EQ(schedule.sizes(0, BlockTag::run).size(), 3U);
  EXPECT_TRUE(schedule.sizes(0, BlockTag::tail).empty());
}

TEST(KnownCosts, WfHalvesTheRemainingCost) {
  // Weights 2/3 and 4/3. Cost 9 remains: base ceil(9 / 4) = 3. Unit 0 gets a cost of 2, which needs
  // five items (25 / 9); unit 1 a cost of 4, which needs three more (39 / 9), and asks first again,
  // when 17 / 9 remain: base 1, so one item.
  const Schedule schedule = run_schedule(increasing("wf"));
  EXPECT_EQ(schedule.sizes_as_handed_out(), (Sizes{5, 3, 1}));
  EXPECT_EQ(schedule.items_by_unit(), (Sizes{5, 4}));
  // By items: base 3, so 2 and 4 items; unit 0 is free after 4 / 9 s, when three remain.
  EXPECT_EQ(run_schedule(increasing("wf", {})).sizes_as_handed_out().front(), 2);
}

TEST(KnownCosts, OptimumKnowsThemUnasked) {
  const Schedule plan = run_schedule(increasing("optimum", {}));
  EXPECT_EQ(plan.items_by_unit(), (Sizes{5, 4}));
  const Schedule reacting = run_schedule(increasing("optimum", {{"reacts", "true"}}, 900));
  expect_all_done(reacting, 900);
  EXPECT_LE(reacting.makespan(), 1.01 * 300.0);
  const Schedule untold = [] {
    PolicyTest test = increasing("optimum", {});
    test.known.items.clear();
    return run_schedule(test);
  }();
  EXPECT_EQ(untold.items_by_unit(), (Sizes{3, 6}));
}

TEST(KnownCosts, OptimumThatReactsHasTheCostsOfTheSchedulesShares) {
  // Shares of 519 and 381 items: the first costs 519^2 / 900 = 299.29, and unit 0 gets half of that
  // at once, 149.645, which 366 items (148.84) and nearly all of the next (733 / 900) are.
  PolicyTest test = increasing("optimum", {{"reacts", "true"}}, 900);
  test.known.schedule = {{{519}, {381}}};
  const Schedule schedule = run_schedule(test);
  EXPECT_EQ(schedule.sizes_as_handed_out().front(), 367);
  EXPECT_LE(schedule.makespan(), 1.01 * 300.0);
}

TEST(KnownCosts, AreThoseOfThePhase) {
  // The items of the second phase cost the more the earlier they come. Of the first n, the costs
  // add up to 9 - (9 - n)^2 / 9: 3 for n = 9 - sqrt(54) = 1.65, so two items.
  PolicyTest test = increasing("static");
  test.later_kernels = {"first"};
  std::vector<CostRange> ranges;
  for (Items i = 0; i < 9; ++i) ranges.push_back({i, 1, static_cast<double>(17 - 2 * i) / 9.0});
  const auto down = std::make_shared<ItemCosts>(std::move(ranges));
  test.fake.items.push_back(down);
  test.known.items.push_back(down);
  KnownCosts::Phase& again = test.known.phases.emplace_back();
  for (const double item_s : {1.0, 0.5})
    again.push_back(std::make_unique<AffineCurve>(0.0, item_s));
  test.fake.later_phases = {test.fake.units};
  EXPECT_EQ(run_schedule(test).sizes(0, BlockTag::run), (Sizes{5, 2}));
}

TEST(KnownCosts, LeaveNoItemBehindWhenUnitsAreLostOrItemsCostNothing) {
  using Parameters = std::map<std::string, std::string>;
  const std::vector<std::pair<std::string, Parameters>> policies = {
      {"static", {{"costs", "known"}}},
      {"static", {{"costs", "known"}, {"blocks", "5"}}},
      {"wf", {{"costs", "known"}}},
      {"optimum", {}},
      {"optimum", {{"reacts", "true"}}}};
  const std::vector<std::vector<CostRange>> all_costs = {
      {{0, 300, 0.0}, {300, 100, 4.0}},
      {{0, 100, 4.0}, {100, 300, 0.0}},
      {{0, 150, 0.0}, {150, 100, 4.0}, {250, 150, 0.0}}};
  for (const auto& [policy, parameters] : policies) {
    for (const std::vector<CostRange>& costs : all_costs) {
      for (const double at_s : {0.0, 50.0, 100.0, 150.0, 1e6}) {
        for (const std::uint32_t unit : {0U, 1U}) {
          SCOPED_TRACE(policy + " " + std::to_string(costs.size()) + " ranges, " +
                       std::to_string(unit) + " lost at " + std::to_string(at_s));
          PolicyTest test = increasing(policy, parameters);
          test.iterations = 2;
          add_costs(test, costs);
          test.fake.faults.push_back({Seconds{at_s}, UnitId{unit}, false});
          expect_all_done(run_schedule(test), 800);
        }
      }
    }
  }
}

TEST(KnownCosts, AreRefusedWhereNothingTellsThem) {
  PolicyTest test = increasing("static");
  test.known.items.clear();
  const PolicyInputs inputs{test.parameters, &test.known};
  const std::string refusal = refusal_of([&] { (void)make_policy(find_policy("static"), inputs); });
  EXPECT_NE(refusal.find("leave costs=known out"), std::string::npos) << refusal;
  // Items that are known to be alike are known.
  test.known.items = {nullptr};
  test.fake.items.clear();
  EXPECT_EQ(run_schedule(test).items_by_unit(), (Sizes{3, 6}));
}

TEST(KnownCosts, AreForPoliciesThatSaySo) {
  EXPECT_TRUE(knows_costs(find_policy("optimum"), {}));
  for (const char* policy : {"static", "wf"}) {
    EXPECT_FALSE(knows_costs(find_policy(policy), {}));
    EXPECT_FALSE(knows_costs(find_policy(policy), {{"costs", "alike"}}));
    EXPECT_TRUE(knows_costs(find_policy(policy), {{"costs", "known"}}));
  }
  EXPECT_FALSE(knows_costs(find_policy("gss"), {{"costs", "known"}}));
}

TEST(KnownWork, FindsTheItemsThatHaveSoMuchWork) {
  // Costs 0.5, 0.5, 0, 0, 2, 3.
  KnownCosts known;
  known.items = {std::make_shared<ItemCosts>(
      std::vector<CostRange>{{0, 2, 0.5}, {2, 2, 0.0}, {4, 1, 2.0}, {5, 1, 3.0}})};
  const KnownWork work(known);
  const View view(std::vector<Unit>(1), {items_of(6)});
  const auto items = [&](Items first, double of) {
    return work.items_from(view, first, 6 - first, of);
  };
  EXPECT_DOUBLE_EQ(items(0, 0.25), 0.5);
  EXPECT_DOUBLE_EQ(items(0, 0.5), 1.0);
  EXPECT_DOUBLE_EQ(items(0, 1.0), 4.0);  // with the two that cost nothing
  EXPECT_DOUBLE_EQ(items(0, 2.0), 4.5);
  EXPECT_DOUBLE_EQ(items(4, 3.5), 1.5);
  EXPECT_DOUBLE_EQ(items(0, 7.0), 7.0);  // one more than there are
  EXPECT_DOUBLE_EQ(work.remaining(view), 6.0);
  EXPECT_DOUBLE_EQ(KnownWork().items_from(view, 3, 3, 2.5), 2.5);
}

}  // namespace
}  // namespace equipoise::known_costs_test
