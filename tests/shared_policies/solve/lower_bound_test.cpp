// Tests of lower bounds, with values worked out by hand, and of the solvers that they use.
#include "shared_policies/solve/lower_bound.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <iostream>
#include <memory>
#include <random>
#include <vector>

#include "shared_policies/solve/packing_program.hpp"
#include "shared_policies/solve/unit_needs.hpp"
#include "tests/support/bound_problem.hpp"

namespace equipoise::lower_bound_test {
namespace {

BoundProblem three_affine_units(Items items) {
  BoundProblem test(items);
  test.add_affine_unit(0.1, 0.01);
  test.add_affine_unit(0.5, 0.004);
  test.add_affine_unit(2.0, 0.002);
  return test;
}

TEST(LowerBound, IsTheSingleBlockOptimumForAffineCosts) {
  const LowerBound thousand = three_affine_units(1000).bound();
  EXPECT_NEAR(thousand.seconds, 2.511765, 1e-6);
  EXPECT_NEAR(thousand.share_items[0], 241.176, 1e-2);
  EXPECT_NEAR(thousand.share_items[1], 502.941, 1e-2);
  EXPECT_NEAR(thousand.share_items[2], 255.882, 1e-2);
  EXPECT_EQ(thousand.binding, "compute");
  const LowerBound hundred = three_affine_units(100).bound();
  EXPECT_NEAR(hundred.seconds, 0.671429, 1e-6);
  EXPECT_EQ(hundred.share_items[2], 0.0);
  EXPECT_NEAR(three_affine_units(10).bound().seconds, 0.2, 1e-8);
}

TEST(LowerBound, LetsAUnitWithLittleMemoryDoSeveralBlocks) {
  BoundProblem test = three_affine_units(1000);
  test.workload.memory_bytes_per_item = 1.0;
  test.platform.units[1].unit.memory_bytes = 200.0;
  // 0.0065 s per item in blocks of 200: 100 T - 10 + T / 0.0065 + 500 T - 1000 = 1000.
  EXPECT_NEAR(test.bound().seconds, 2010.0 / (600.0 + 1.0 / 0.0065), 1e-6);
}

TEST(LowerBound, SplitsBlocksWhereThatIsCheaper) {
  BoundProblem test(1000);
  test.add({1, 2, 5, 10, 100, 1000}, [](double x) { return 1e-5 * x * x; });
  test.add_affine_unit(0.0, 0.02);
  // With grain 1 the first unit does 10^5 items per second in blocks of one item. The second unit
  // needs 0.02 s for one item.
  EXPECT_NEAR(test.bound().seconds, 0.01, 1e-9);
  // With grain 100 the first unit takes 0.1 s for 100 items, 0.001 s per item. The second needs 2 s
  // for a block.
  test.workload.grain_items = 100;
  EXPECT_NEAR(test.bound().seconds, 1.0, 1e-6);
}

TEST(LowerBound, CountsCopiesOverTheNarrowestLink) {
  BoundProblem test(100);
  const auto p = test.add_affine_unit(0.0, 0.001);
  test.workload.in_bytes_per_item = 10.0;
  test.workload.out_bytes_per_item = 4.0;
  const auto wide = test.add_link(1000.0, 0.25);
  const auto narrow = test.add_link(100.0, 0.5);
  test.platform.units[p].in.links = {wide, narrow};
  test.platform.units[p].out.links = {wide};
  // In: 0.75 + 1000 / 100. Out: 0.25 + 0.4. The wide link: 1400 / 1000.
  const LowerBound in = test.bound();
  EXPECT_NEAR(in.seconds, 10.75, 1e-6);
  EXPECT_EQ(in.binding, "copies");
  test.platform.units[p].unit.copy_engines = 1;
  EXPECT_NEAR(test.bound().seconds, 11.4, 1e-6);
  test.workload.resident_bytes = 50.0;
  EXPECT_NEAR(test.bound().seconds, 11.9, 1e-6);
  test.workload.iterations = 3;
  EXPECT_NEAR(test.bound().seconds, 11.9 + 2 * 11.4, 1e-6);
  test.workload.iteration_bytes = 20.0;
  EXPECT_NEAR(test.bound().seconds, 11.9 + 2 * 11.6, 1e-6);
  test.workload.distribution = Distribution::replicated;
  EXPECT_NEAR(test.bound().seconds, 11.4 + 2 * 11.6, 1e-6);
}

TEST(LowerBound, AddsTheBytesOfBothWaysOnALink) {
  BoundProblem test(100);
  const auto p = test.add_affine_unit(0.0, 0.001);
  test.workload.in_bytes_per_item = 10.0;
  test.workload.out_bytes_per_item = 10.0;
  const auto link = test.add_link(100.0);
  test.platform.units[p].in.links = {link};
  test.platform.units[p].out.links = {link};
  EXPECT_NEAR(test.bound().seconds, 20.0, 1e-6);
  test.platform.links[link].shared = false;
  EXPECT_NEAR(test.bound().seconds, 10.0, 1e-6);
}

TEST(LowerBound, SharesOneSlowLinkBetweenUnits) {
  BoundProblem test(1000);
  test.workload.in_bytes_per_item = 1.0;
  const auto link = test.add_link(100.0);
  for (int p = 0; p < 4; ++p) {
    test.platform.units[test.add_affine_unit(0.0, 0.001)].in.links = {link};
  }
  const LowerBound bound = test.bound();
  EXPECT_NEAR(bound.seconds, 10.0, 1e-6);
  EXPECT_EQ(bound.binding, "l0");
  // The unit on the master needs no link: 100 T + 50 T = 1000.
  test.add_affine_unit(0.0, 0.02);
  EXPECT_NEAR(test.bound().seconds, 1000.0 / 150.0, 1e-6);
}

TEST(LowerBound, IsNotAboveWhatOneUnitDoesAlone) {
  // Two units behind one link need 5 s for resident data. The unit on the master does all ten items
  // in 0.1 s.
  BoundProblem test(10);
  test.workload.resident_bytes = 5000.0;
  test.workload.in_bytes_per_item = 1.0;
  const auto link = test.add_link(1000.0);
  for (int p = 0; p < 2; ++p) {
    test.platform.units[test.add_affine_unit(0.0, 0.01)].in.links = {link};
  }
  test.add_affine_unit(0.0, 0.01);
  EXPECT_LE(test.bound().seconds, 0.1);
  EXPECT_GE(test.bound().seconds, 0.0999);
  test.workload.iterations = 3;
  test.workload.iteration_bytes = 5000.0;
  EXPECT_LE(test.bound().seconds, 0.3);
  EXPECT_GE(test.bound().seconds, 0.2999);
}

TEST(LowerBound, FillsTwoNodesBehindTwoSlowLinks) {
  BoundProblem test(1000);
  test.workload.in_bytes_per_item = 1.0;
  const auto first = test.add_link(100.0);
  const auto second = test.add_link(60.0);
  for (const auto link : {first, first, second, second}) {
    test.platform.units[test.add_affine_unit(0.0, 1e-4)].in.links = {link};
  }
  // No single link binds: 1000 items over 160 bytes per second.
  EXPECT_NEAR(test.bound().seconds, 1000.0 / 160.0, 1e-6);
  // A trunk link of 120 bytes per second before both.
  const auto trunk = test.add_link(120.0);
  for (PlatformUnit& unit : test.platform.units) {
    unit.in.links.push_back(trunk);
  }
  const LowerBound bound = test.bound();
  EXPECT_NEAR(bound.seconds, 1000.0 / 120.0, 1e-6);
  EXPECT_EQ(bound.binding, "l2");
}

TEST(LowerBound, ChoosesUnitsThatMoveFewerBytesWhereALinkIsScarce) {
  BoundProblem test(100);
  const auto link = test.add_link(10.0);
  for (const double bytes : {1.0, 4.0}) {
    const auto p = test.add_affine_unit(0.0, 0.1);
    test.platform.units[p].in.links = {link};
    for (TraceSample& sample : test.trace.samples) {
      if (sample.unit == p) {
        sample.in_bytes = bytes * sample.items;
      }
    }
  }
  // x1 <= 10 T and x1 + 4 x2 <= 10 T: the first unit alone, 10 s.
  EXPECT_NEAR(test.bound().seconds, 10.0, 1e-6);
  // With a link twice as wide: x1 = 10 T, x2 = 2.5 T.
  test.platform.links[link].bandwidth_bytes_per_s = 20.0;
  EXPECT_NEAR(test.bound().seconds, 8.0, 1e-6);
}

TEST(LowerBound, ToleratesPartialGrainsAndOneItem) {
  BoundProblem one(1);
  one.add_affine_unit(0.5, 0.25);
  EXPECT_NEAR(one.bound().seconds, 0.75, 1e-8);
  BoundProblem partial(107);
  partial.workload.grain_items = 10;
  partial.add_affine_unit(0.5, 0.25);
  EXPECT_NEAR(partial.bound().seconds, 0.5 + 26.75, 1e-6);
}

TEST(LowerBound, ContainsTheMergesBetweenIterations) {
  // Three iterations of 1 s, two merges of 10 s.
  BoundProblem test(200);
  test.add_affine_unit(0.0, 0.01);
  test.add_affine_unit(0.0, 0.01);
  test.workload.iterations = 3;
  test.merge_s = 10.0;
  EXPECT_NEAR(test.bound().seconds, 3.0 + 20.0, 1e-7);
  test.workload.iterations = 1;
  EXPECT_NEAR(test.bound().seconds, 1.0, 1e-7);
  // Units at half their speed from 11.5 s on. The second iteration, from 11 s on, takes 1.5 s; the
  // third one, from 22.5 s on, 2 s.
  test.workload.iterations = 3;
  test.disturb(11.5, DisturbanceKind::slow, "u0", 2.0);
  test.disturb(11.5, DisturbanceKind::slow, "u1", 2.0);
  EXPECT_NEAR(test.bound().seconds, 24.5, 1e-7);
}

TEST(LowerBound, HandlesThousandsOfUnitsBehindHundredsOfLinks) {
  BoundProblem test(1'000'000);
  test.workload.in_bytes_per_item = 1.0;
  const auto trunk = test.add_link(1e6);
  std::vector<std::uint32_t> links;
  for (int node = 0; node < 100; ++node) {
    links.push_back(test.add_link(1e3 * (1 + node % 7)));
  }
  double rate = 0.0;
  for (int node = 0; node < 100; ++node) {
    for (int p = 0; p < 20; ++p) {
      const auto unit = test.add_affine_unit(0.0, 1e-3);
      test.platform.units[unit].in.links = {trunk, links[static_cast<std::size_t>(node)]};
    }
    rate += 1e3 * (1 + node % 7);
  }
  EXPECT_NEAR(test.bound().seconds, 1e6 / rate, 1e-6);
}

TEST(CheapestBlocks, NeverExceedsAnyWayOfCuttingAShare) {
  const std::uint64_t seed = 5;
  std::cout << "seed " << seed << "\n";
  std::mt19937_64 random(seed);
  for (int round = 0; round < 200; ++round) {
    SCOPED_TRACE(round);
    // Random times of blocks of 1 to 12 items. The least time of all ways to cut comes from dynamic
    // programming.
    std::vector<BlockTake> takes;
    for (int size = 1; size <= 12; ++size) {
      takes.push_back(
          {static_cast<double>(size), 1.0 + static_cast<double>(random() % 1000) / 10.0});
    }
    std::vector<double> least(61, 0.0);
    for (std::size_t x = 1; x <= 60; ++x) {
      least[x] = 1e18;
      for (std::size_t size = 1; size <= std::min<std::size_t>(12, x); ++size) {
        least[x] = std::min(least[x], takes[size - 1].takes + least[x - size]);
      }
    }
    const CheapestBlocks cheapest(takes);
    for (std::size_t x = 1; x <= 60; ++x) {
      EXPECT_GE(cheapest.within(least[x]), static_cast<double>(x) * (1.0 - 1e-12)) << x;
    }
    // The bound is reached at multiples of the cheapest size.
    double best = 1e18;
    for (const BlockTake& take : takes) {
      best = std::min(best, take.takes / take.items);
    }
    EXPECT_NEAR(cheapest.per_item(), best, 1e-12);
  }
}

TEST(LowerBound, OfItemsThatDifferDividesTheirWork) {
  // 8 s of work on two units of equal speed, whatever the number of items.
  BoundProblem problem(8);
  problem.add_affine_unit(0.0, 1.0);
  problem.add_affine_unit(0.0, 1.0);
  problem.costs = std::make_shared<ItemCosts>(generated_costs(CostPattern::increasing, 8, 1));
  EXPECT_NEAR(problem.bound().seconds, 4.0, 1e-8);
  problem.costs = std::make_shared<ItemCosts>(std::vector<CostRange>{{0, 7, 0.0}, {7, 1, 8.0}});
  EXPECT_NEAR(problem.bound().seconds, 4.0, 1e-8);
}

TEST(LowerBound, OfItemsThatDifferCountsABlocksFixedTimeOnce) {
  BoundProblem problem(4);
  problem.add_affine_unit(1.0, 2.0);
  problem.costs = std::make_shared<ItemCosts>(generated_costs(CostPattern::decreasing, 4, 1));
  EXPECT_NEAR(problem.bound().seconds, 1.0 + 2.0 * 4.0, 1e-8);
}

TEST(LowerBound, OfOneHeavyItemAmongVeryManyIsOfAllUnits) {
  // A bound may divide the heavy item: 1e9 s of work on a hundred units.
  BoundProblem problem(1'000'000'000);
  for (int unit = 0; unit < 100; ++unit) problem.add_affine_unit(0.0, 1.0);
  problem.costs = std::make_shared<ItemCosts>(
      std::vector<CostRange>{{0, 999'999'999, 1.0}, {999'999'999, 1, 999'999'999.0}});
  EXPECT_NEAR(problem.bound().seconds, 1e7, 1.0);
}

TEST(LowerBound, OfItemsThatDifferCopiesAllOfThem) {
  // 80 bytes over a link of 1 byte/s take longer than 8 items of 1 ms, and the heaviest item has 10
  // bytes as any other.
  BoundProblem problem(8);
  problem.add_affine_unit(0.0, 1e-3);
  problem.platform.units[0].in.links = {problem.add_link(1.0)};
  problem.workload.in_bytes_per_item = 10.0;
  problem.costs = std::make_shared<ItemCosts>(generated_costs(CostPattern::increasing, 8, 1));
  EXPECT_NEAR(problem.bound().seconds, 80.0, 1e-6);
}

TEST(PackingSolver, FindsTheBestMixture) {
  // Maximise 3 a + 5 b subject to a / 2 + b <= 1 and a + b / 2 <= 1: a = b = 2/3.
  const Packing packing =
      make_packing_solver()
          ->solve({{3.0, 5.0}, {0, 2, 4}, {0, 1, 0, 1}, {0.5, 1.0, 1.0, 0.5}, 2})
          .value();
  EXPECT_NEAR(packing.gain, 16.0 / 3.0, 1e-9);
  EXPECT_NEAR(packing.fractions[0], 2.0 / 3.0, 1e-9);
  EXPECT_NEAR(packing.fractions[1], 2.0 / 3.0, 1e-9);
}

}  // namespace
}  // namespace equipoise::lower_bound_test
