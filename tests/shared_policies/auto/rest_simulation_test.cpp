// Tests of what `auto` learns of a loop, and of its simulation of the rest, with numbers that were
// worked out by hand.
#include "shared_policies/policies/auto/rest_simulation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "shared_policies/policies/auto/learned_loop.hpp"
#include "shared_policies/policies/catalog.hpp"
#include "tests/support/scripted.hpp"

namespace equipoise::rest_simulation_test {
namespace {

constexpr double no_limit = std::numeric_limits<double>::infinity();
constexpr std::int64_t many_blocks = 1'000'000;

/// The state of a run whose first iteration begins at 0 s.
View begun(std::size_t units, Items items) {
  const RunSetup setup = setup_of(units, items_of(items));
  View view(setup.units, setup.phases);
  view.include({{}, RunStarted{}});
  view.include({{}, PhaseStarted{0}});
  view.include({{}, IterationStarted{0}});
  return view;
}

LearnedLoop learned_of(const View& view) {
  LearnedLoop loop;
  loop.begin_phase(view);
  loop.begin_iteration({});
  return loop;
}

// -- Simulation ----------------------------------------------------------------------------------

/// Two units: every block takes 0.5 s to begin and 1 s beside its items, of which each takes 1 s on
/// the first unit, and 2 s on the second. The master needs 0.25 s for a block.
LoopModel two_units() {
  LoopModel model;
  model.paces = {{.latency_s = 0.5, .fixed_s = 1.0, .item_s = 1.0, .slowness = 1.0},
                 {.latency_s = 0.5, .fixed_s = 1.0, .item_s = 2.0, .slowness = 2.0}};
  model.master_s = 0.25;
  model.item_s = 1.0;
  return model;
}

SimulatedRest simulate(const View& view, const LoopModel& model, const std::vector<double>& item_s,
                       Items block_items, std::int64_t blocks_most = many_blocks,
                       double limit_s = no_limit) {
  const LearnedLoop loop = learned_of(view);
  const CostsAhead costs(1.0, item_s, 0.0);
  const RestOfLoop rest{view, loop, model, costs, {}};
  Scripted policy = pieces_of(block_items);
  return simulate_rest(rest, policy, blocks_most, limit_s);
}

TEST(RestSimulation, FollowsUnitsAndMasterBlockByBlock) {
  // First unit: handed out at 0 and 3.5 s, ends at 0.5 + 1 + 2 = 3.5 s and 7 s. Second unit: handed
  // out at 0.25 s, ends at 0.75 + 1 + 4 = 5.75 s; it has the last block, too: until 11.25 s.
  const SimulatedRest rest = simulate(begun(2, 8), two_units(), std::vector<double>(8, 1.0), 2);
  EXPECT_DOUBLE_EQ(rest.seconds, 11.25);
  EXPECT_EQ(rest.blocks, 4);
}

TEST(RestSimulation, CountsWhatEachItemCosts) {
  // The last two items cost 3 s instead of 1 s: 4 items' worth more, on the second unit 8 s.
  const std::vector<double> item_s = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 3.0, 3.0};
  EXPECT_DOUBLE_EQ(simulate(begun(2, 8), two_units(), item_s, 2).seconds, 19.25);
}

TEST(RestSimulation, WaitsForBlocksThatAreOut) {
  // Of 4 items, two have been on the second unit since 1 s: until 1 + 0.5 + 5 = 6.5 s. At 4 s, when
  // the simulation begins, the first unit gets the other two: until 7.5 s, 3.5 s later.
  View view = begun(2, 4);
  view.grant({Block{0, 0, 2}, Seconds{1.0}}, UnitId{1});
  view.pass(Seconds{4.0});
  EXPECT_DOUBLE_EQ(simulate(view, two_units(), {1.0, 1.0}, 2).seconds, 3.5);
  // At 10 s the block on the second unit is overdue by 3.5 s and expected to need as long again:
  // until 13.5 s, as the block that the first unit begins now.
  view.pass(Seconds{10.5});
  EXPECT_DOUBLE_EQ(simulate(view, two_units(), {1.0, 1.0}, 2).seconds, 4.0);
}

TEST(RestSimulation, ExtrapolatesBeyondTheBlocksThatItMaySimulate) {
  LoopModel model;
  model.paces = {{.item_s = 1.0}};
  // Two blocks of an item take 2 s; the other eight, of which four cost twice as much, 12 s.
  std::vector<double> item_s(10, 1.0);
  for (std::size_t k = 6; k < 10; ++k) item_s[k] = 2.0;
  const SimulatedRest rest = simulate(begun(1, 10), model, item_s, 1, 2);
  EXPECT_DOUBLE_EQ(rest.seconds, 14.0);
  EXPECT_EQ(rest.blocks, 2);
}

TEST(RestSimulation, EndsWhenItCannotBeTheBestAnyMore) {
  const std::vector<double> item_s(8, 1.0);
  EXPECT_TRUE(std::isinf(simulate(begun(2, 8), two_units(), item_s, 1, many_blocks, 5.0).seconds));
}

TEST(RestSimulation, LetsAPolicyUseWhatBlocksOfOthersHaveShown) {
  // awf-c has not handed out a block yet. Told of a block on each unit, of 1 s and of 3 s an item,
  // it gives the first unit 2 * 3 / 4 of a fourth of 80 items, not a first block.
  const View view = begun(2, 80);
  std::vector<Event> past;
  for (std::uint32_t p = 0; p < 2; ++p) {
    BlockFinished finished{UnitId{p}, Block{p, p, 1}, {}, {}, {}};
    finished.times.compute = Seconds{1.0 + 2.0 * p};
    past.push_back({finished.times.compute, finished});
  }
  const auto policy = make_policy(find_policy("awf-c"), {});
  begin_midway(*policy, view, past);
  class Asked final : public Decisions {
   public:
    void decided(const Decision& /*decision*/) override {}
    void note(const std::string& /*what*/) override {}
    Items items = 0;

   private:
    Items grant(UnitId /*unit*/, Items asked, BlockTag /*tag*/, std::uint32_t /*group*/) override {
      return items = asked;
    }
    bool withdraw(UnitId /*unit*/, std::uint64_t /*block*/) override { return false; }
    Items grant_copy(std::uint64_t /*block*/, UnitId /*of*/, UnitId /*to*/) override { return 0; }
    bool send_probe(UnitId /*unit*/, double /*there*/, std::optional<double> /*back*/,
                    std::uint64_t /*number*/) override {
      return false;
    }
    void wake(Seconds /*at*/, std::uint64_t /*timer*/) override {}
  } asked;
  policy->decide(view, {Seconds{3.0}, UnitIdle{UnitId{0}}}, asked);
  EXPECT_EQ(asked.items, 30);
}

// -- Learning ------------------------------------------------------------------------------------

/// A block of `items` items from number `first` on, handed out 0.125 s before it begins, that takes
/// `busy_s` and then ends at `end`.
void add_block(LearnedLoop& loop, std::uint32_t unit, Items first, Items items, double busy_s,
               double end) {
  BlockFinished finished{UnitId{unit}, Block{0, first, items}, {}, {}, {}};
  finished.times.compute = Seconds{busy_s};
  finished.begins = back_to_back(finished.times, Seconds{end});
  finished.assigned = finished.begins.setup - Seconds{0.125};
  loop.add(finished, Seconds{end});
}

TEST(LearnedLoop, FindsFixedCostsItemsAndLatency) {
  const View view = begun(2, 8);
  LearnedLoop loop = learned_of(view);
  EXPECT_FALSE(loop.is_known());
  double end = 0.0;
  for (const Items x : {1, 2, 4}) {
    end += 10.0;
    add_block(loop, 0, 0, x, 0.5 + 0.25 * static_cast<double>(x), end);
    add_block(loop, 1, 0, x, 0.5 * static_cast<double>(x), end);
  }
  EXPECT_TRUE(loop.is_known());
  const LoopModel& model = loop.fit();
  EXPECT_NEAR(model.paces[0].fixed_s, 0.5, 1e-9);
  EXPECT_NEAR(model.paces[0].item_s, 0.25, 1e-9);
  EXPECT_NEAR(model.paces[0].latency_s, 0.125, 1e-9);
  EXPECT_NEAR(model.paces[1].fixed_s, 0.0, 1e-9);
  EXPECT_NEAR(model.paces[1].item_s, 0.5, 1e-9);
  // Four and two items a second, so 3 on average: an item takes 1/3 s.
  EXPECT_NEAR(model.item_s, 1.0 / 3.0, 1e-9);
  EXPECT_NEAR(model.paces[0].slowness, 0.75, 1e-9);
  EXPECT_NEAR(model.paces[1].slowness, 1.5, 1e-9);
}

TEST(LearnedLoop, BelievesInNoFixedCostThatScatterMayExplain) {
  const View view = begun(1, 8);
  LearnedLoop loop = learned_of(view);
  // The line is 0.5 + x. Residuals of 1 and -1 s at one item: a variance of 2 / (4 - 2) = 1 of an
  // item. With sum(1/x) = 2.5, sum(1) = 4 and sum(x) = 10 the standard error of 0.5 is
  // sqrt(10 / (2.5 * 10 - 4 * 4)) = 1.05. So all of the 12 s are those of 10 items.
  add_block(loop, 0, 0, 1, 2.5, 10.0);
  add_block(loop, 0, 1, 1, 0.5, 20.0);
  add_block(loop, 0, 2, 4, 4.5, 30.0);
  add_block(loop, 0, 4, 4, 4.5, 40.0);
  const LoopModel& model = loop.fit();
  EXPECT_EQ(model.paces[0].fixed_s, 0.0);
  EXPECT_NEAR(model.paces[0].item_s, 1.2, 1e-9);
}

TEST(LearnedLoop, TakesUnitsThatShowedNothingForTheSlowest) {
  const View view = begun(3, 8);
  LearnedLoop loop = learned_of(view);
  add_block(loop, 0, 0, 2, 2.0, 10.0);
  add_block(loop, 2, 2, 2, 6.0, 10.0);
  const LoopModel& model = loop.fit();
  EXPECT_NEAR(model.paces[1].item_s, 3.0, 1e-9);
  EXPECT_NEAR(model.paces[1].latency_s, 0.125, 1e-9);
}

TEST(LearnedLoop, MeasuresHowLongTheMasterNeedsForABlock) {
  View view = begun(3, 9);
  LearnedLoop loop = learned_of(view);
  add_block(loop, 0, 0, 1, 1.0, 1.0);
  loop.begin_iteration(Seconds{2.0});
  // The second unit was waiting when the first was handed a block, 0.25 s before its own. The third
  // began to wait at 4 s: how long it waited before says nothing.
  view.grant({Block{1, 1, 1}, Seconds{2.0}}, UnitId{0});
  loop.handed_out(view, UnitId{0});
  view.grant({Block{2, 2, 1}, Seconds{2.25}}, UnitId{1});
  loop.handed_out(view, UnitId{1});
  loop.ended(UnitId{2}, Seconds{4.0});
  view.grant({Block{3, 3, 1}, Seconds{4.0}}, UnitId{2});
  loop.handed_out(view, UnitId{2});
  EXPECT_DOUBLE_EQ(loop.fit().master_s, 0.25);
}

TEST(LearnedLoop, RemembersFromOneIterationToTheNextWhatItemsCostWhere) {
  const View view = begun(1, 8);
  LearnedLoop loop = learned_of(view);
  add_block(loop, 0, 0, 1, 0.5, 10.0);
  (void)loop.fit();
  EXPECT_EQ(loop.costs_ahead(view, 3, 1).size(), 3U);
  add_block(loop, 0, 1, 3, 3.0, 20.0);
  add_block(loop, 0, 4, 4, 2.0, 30.0);
  loop.begin_iteration(Seconds{40.0});
  // Items 1 to 3 cost 1 s each, and the first, of which nothing was known when it ended, counts
  // like its neighbour; the others cost 0.5 s.
  const std::vector<CostsAhead> ways = loop.costs_ahead(view, 3, 1);
  ASSERT_EQ(ways.size(), 1U);
  EXPECT_NEAR(ways[0].between(0.0, 4.0), 4.0, 1e-9);
  EXPECT_NEAR(ways[0].between(4.0, 4.0), 2.0, 1e-9);
  EXPECT_NEAR(ways[0].between(3.0, 2.0), 1.5, 1e-9);
  // With two items left, these are the last ones.
  View later = view;
  later.grant({Block{0, 0, 6}, Seconds{40.0}}, UnitId{0});
  EXPECT_NEAR(loop.costs_ahead(later, 3, 1)[0].between(0.0, 2.0), 1.0, 1e-9);
}

TEST(LearnedLoop, DrawsCostsOfItemsFromTheLatestBlocks) {
  const View view = begun(1, 100'000);
  LearnedLoop loop = learned_of(view);
  // Half of the items cost 1 s, the other half 3 s: 2 s on average.
  for (Items k = 0; k < 32; ++k) {
    add_block(loop, 0, 10 * k, 10, k % 2 == 0 ? 10.0 : 30.0, 40.0 * static_cast<double>(k + 1));
  }
  const LoopModel& model = loop.fit();
  ASSERT_NEAR(model.paces[0].item_s, 2.0, 1e-9);
  const std::vector<CostsAhead> ways = loop.costs_ahead(view, 2, 7);
  ASSERT_EQ(ways.size(), 2U);
  EXPECT_NE(ways[0].between(0.0, 1000.0), ways[1].between(0.0, 1000.0));
  for (const CostsAhead& way : ways) {
    // 10,000 blocks, in 4096 pieces of the mean of two: with sd 1 of a block, 2 +- 0.011.
    EXPECT_NEAR(way.between(0.0, 1e5) / 1e5, 2.0, 0.06);
  }
  EXPECT_EQ(loop.costs_ahead(view, 1, 7)[0].between(0.0, 1000.0), ways[0].between(0.0, 1000.0));
}

}  // namespace
}  // namespace equipoise::rest_simulation_test
