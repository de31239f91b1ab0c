// Tests of how differing items are found: what is said of units whose times are known by hand.
#include "real/recording/cost_finder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "real/recording/unit_recorder.hpp"
#include "tests/support/random_seed.hpp"
#include "tests/support/scripted_kernel.hpp"

namespace equipoise::cost_finder_test {
namespace {

using Cost = std::function<double(Items)>;

/// A unit that takes a fixed time for a block, and 10 us for an item of cost 1.
struct Unit10us {
  Cost cost;
  double fixed_s = 0.0;
  std::function<double()> noise = [] { return 1.0; };  ///< a factor

  double seconds(Items first, Items items) const {
    double work = 0.0;
    for (Items i = first; i < first + items; ++i) work += cost(i);
    return (fixed_s + 1e-5 * work) * noise();
  }
};

Workload items_of(Items items, Items grain = 1) {
  Workload workload;
  workload.items = items;
  workload.grain_items = grain;
  return workload;
}

/// What a finder asked for, and how long it took.
struct Found {
  CostFinder finder;
  std::vector<ItemRange> blocks;
  double seconds = 0.0;
  double longest_s = 0.0;
};

Found find(const Unit10us& unit, const Workload& workload, double budget_s, Items block_max) {
  Found found{CostFinder(workload, block_max, Seconds{budget_s}), {}};
  while (!found.finder.is_done()) {
    const ItemRange block = found.finder.next_block();
    const double time_s = unit.seconds(block.first, block.items);
    found.blocks.push_back(block);
    found.seconds += time_s;
    found.longest_s = std::max(found.longest_s, time_s);
    found.finder.take(Seconds{time_s}, Seconds{found.seconds});
  }
  return found;
}

Found find(const Unit10us& unit, Items items, double budget_s = 10.0) {
  return find(unit, items_of(items), budget_s, items);
}

Cost step(Items at, double before, double after) {
  return [=](Items i) { return i < at ? before : after; };
}

TEST(CostFinder, FindsTheCostsOfRanges) {
  // 800 items of cost 0.5 and 800 of 1.5: the mean is 1.
  const Found found = find({step(800, 0.5, 1.5)}, 1600);
  ASSERT_TRUE(found.finder.differ());
  const CostsRecord costs = found.finder.costs();
  EXPECT_EQ(costs.items, 1600);
  ASSERT_TRUE(are_whole(costs.ranges));
  for (const CostRange& range : costs.ranges) {
    EXPECT_DOUBLE_EQ(range.cost, range.first < 800 ? 0.5 : 1.5) << range.first;
  }
}

TEST(CostFinder, IsFinerWhereCostsChange) {
  // The step lies within the range from 700 to 800. An item takes 1e-5 (0.4 * 730 + 2.5 * 870) /
  // 1600 = 15.4 us on average, so ranges of less than 0.1 ms have fewer than 7 items. They are
  // halves of 100, 50, 25 and 12 or 13 items, of which the last cannot be halved.
  const Found found = find({step(730, 0.4, 2.5)}, 1600);
  const ItemCosts costs(found.finder.costs().ranges);
  const double mean = (730 * 0.4 + 870 * 2.5) / 1600;
  for (const CostRange& range : costs.ranges()) {
    const Items end = range.first + range.items;
    if (end <= 718) {
      EXPECT_NEAR(range.cost, 0.4 / mean, 1e-3) << range.first;
    } else if (range.first >= 743) {
      EXPECT_NEAR(range.cost, 2.5 / mean, 1e-3) << range.first;
    } else {
      EXPECT_LE(range.items, 13);
    }
    if (end <= 600 || range.first >= 900) {
      EXPECT_EQ(range.items, 100) << range.first;
    }
  }
  EXPECT_NEAR(costs.sum(0, 800), (730 * 0.4 + 70 * 2.5) / mean, 0.1);
}

TEST(CostFinder, TimesBlocksOfTheirOwnInHalves) {
  // An item takes 1e-5 (2.5 * 730 + 0.4 * 870) / 1600 = 13.6 us on average, and a 256th of 50 ms is
  // for blocks of some 14 items. That of the range from 700 to 800 has cheap items only.
  const Found found = find({step(730, 2.5, 0.4)}, 1600, 0.05);
  const double mean = (730 * 2.5 + 870 * 0.4) / 1600;
  const ItemCosts costs(found.finder.costs().ranges);
  EXPECT_NEAR(costs.sum(700, 1), 2.5 / mean, 0.05);
  EXPECT_NEAR(costs.sum(799, 1), 0.4 / mean, 0.05);
}

TEST(CostFinder, LeavesOutTheFixedCostOfABlock) {
  // A block of 100 items takes 0.2 ms, and 0.5 or 1.5 ms more. In proportion to times, cheap items
  // would cost more than half of the mean.
  const Found found = find({step(800, 0.5, 1.5), 2e-4}, 1600);
  ASSERT_TRUE(found.finder.differ());
  EXPECT_GT(found.finder.costs().ranges.front().cost, 0.55);
  const CostsRecord costs = found.finder.costs(Seconds{2e-4});
  EXPECT_NEAR(costs.ranges.front().cost, 0.5, 1e-4);
  EXPECT_NEAR(costs.ranges.back().cost, 1.5, 1e-4);
  // No block would be left if each were fixed cost.
  EXPECT_EQ(found.finder.costs(Seconds{1.0}), found.finder.costs());
}

TEST(CostFinder, SaysThatAlikeItemsAreAlikeHoweverTimesScatter) {
  const unsigned seed = random_seed();
  std::mt19937 numbers(seed);
  for (const double deviation : {0.0, 0.01, 0.1, 0.3}) {
    for (int round = 0; round < 100; ++round) {
      SCOPED_TRACE("--gtest_random_seed=" + std::to_string(seed));
      std::normal_distribution<double> factor(1.0, deviation);
      const Found found = find(
          {[](Items) { return 1.0; }, 1e-5, [&] { return std::max(0.1, factor(numbers)); }}, 1600);
      EXPECT_FALSE(found.finder.differ()) << deviation;
      EXPECT_FALSE(found.finder.gave_up());
    }
  }
}

TEST(CostFinder, IsSilentAboutDifferencesThatAreHardlyWorthTelling) {
  // Costs of 0.97 and 1.03 have a deviation of 3 %, those of 0.93 and 1.07 one of 7 %.
  EXPECT_FALSE(find({step(800, 0.97, 1.03)}, 1600).finder.differ());
  EXPECT_TRUE(find({step(800, 0.93, 1.07)}, 1600).finder.differ());
}

TEST(CostFinder, FindsDifferencesInTimesThatScatter) {
  const unsigned seed = random_seed();
  std::mt19937 numbers(seed);
  SCOPED_TRACE("--gtest_random_seed=" + std::to_string(seed));
  std::normal_distribution<double> factor(1.0, 0.03);
  const Found found = find({step(800, 0.5, 1.5), 0.0, [&] { return factor(numbers); }}, 1600);
  ASSERT_TRUE(found.finder.differ());
  // The shorter of two or three times is below the mean by some 3 %, in both halves alike.
  const ItemCosts costs(found.finder.costs().ranges);
  EXPECT_NEAR(costs.sum(0, 800), 400.0, 20.0);
}

TEST(CostFinder, EndsWithItsBudget) {
  // All items take 160 s; a budget of 1 s is for blocks of 5 ms, about 500 items.
  const auto wave = [](Items i) { return i / 700'000 % 2 == 0 ? 0.1 : 1.9; };
  const Found found = find({wave}, 16'000'000, 1.0);
  EXPECT_TRUE(found.finder.differ());
  EXPECT_LE(found.seconds, 1.0 + found.longest_s);
  EXPECT_LT(found.longest_s, 0.03);
  EXPECT_TRUE(are_whole(found.finder.costs().ranges));
}

TEST(CostFinder, GivesUpWhereBlocksTakeTooLong) {
  // A block of one item takes a second, of a budget of ten.
  const Found found = find({[](Items) { return 1.0; }, 1.0}, 1600, 10.0);
  EXPECT_TRUE(found.finder.gave_up());
  EXPECT_FALSE(found.finder.differ());
  EXPECT_LE(found.seconds, 11.0 + 1e-3);
}

TEST(CostFinder, NeedsFourGrains) {
  EXPECT_TRUE(CostFinder(items_of(39, 10), 39, Seconds{1.0}).is_done());
  EXPECT_FALSE(CostFinder(items_of(40, 10), 40, Seconds{1.0}).is_done());
}

TEST(CostFinder, AsksForWholeGrainsThatTheUnitHolds) {
  const Found found = find({step(500, 0.1, 2.0)}, items_of(1003, 8), 1.0, 24);
  EXPECT_TRUE(found.finder.differ());
  for (const ItemRange& block : found.blocks) {
    EXPECT_EQ(block.first % 8, 0);
    EXPECT_EQ(block.items % 8, 0);
    EXPECT_LE(block.items, 24);
    EXPECT_LE(block.first + block.items, 1003);
  }
  EXPECT_EQ(found.finder.costs().items, 1003);
}

TEST(UnitRecorder, HasTheTimesOfBlocksOfMeanCost) {
  // A block takes 1 ms, and 10 us for an item of cost 1, whatever places the blocks are at.
  const Unit10us unit{step(800, 0.5, 1.5), 1e-3};
  KernelScript script(1600);
  ScriptedKernel kernel(script);
  RecordSetup setup;
  setup.units = parse_units({"cpu"});
  setup.kernel = &kernel;
  setup.sizes = {10, 50, 200, 700};
  setup.samples_min = setup.samples_max = 40;
  UnitRecorder recorder(setup, 0, {0, 1600});
  const auto costs = std::make_shared<ItemCosts>(ItemCosts({{0, 800, 0.5}, {800, 800, 1.5}}));
  recorder.know(costs);
  Seconds now;
  while (!recorder.is_done()) {
    const Block block = recorder.next_block(0);
    const Seconds time{unit.seconds(block.first, block.items)};
    now += time;
    recorder.take({{Seconds{}, Seconds{}, time, Seconds{}}, Seconds{}}, now);
  }
  EXPECT_NEAR(recorder.fixed_cost().value, 1e-3, 1e-9);
  recorder.know(costs);
  const std::vector<TraceSample> samples = recorder.samples();
  ASSERT_EQ(samples.size(), 160u);
  for (const TraceSample& sample : samples) {
    EXPECT_NEAR(sample.compute_mean_s, 1e-3 + 1e-5 * sample.items, 1e-9) << sample.items;
  }
}

TEST(UnitRecorder, PassesOverBlocksWithLittleWork) {
  // A fifth of the items has all work but a little. Of blocks of 100 items, the fourth has
  // 20 * 4.96 of its work, and those behind it 1, less than half of the usual 100.
  const Cost cost = step(320, 4.96, 0.01);
  KernelScript script(1600);
  ScriptedKernel kernel(script);
  RecordSetup setup;
  setup.units = parse_units({"cpu"});
  setup.kernel = &kernel;
  setup.sizes = {100};
  UnitRecorder recorder(setup, 0, {0, 1600});
  recorder.know(std::make_shared<ItemCosts>(ItemCosts({{0, 320, 4.96}, {320, 1280, 0.01}})));
  std::vector<Items> firsts;
  for (int i = 0; i < 5; ++i) firsts.push_back(recorder.next_block(0).first);
  EXPECT_EQ(firsts, (std::vector<Items>{0, 100, 200, 300, 0}));
}

}  // namespace
}  // namespace equipoise::cost_finder_test
