// Tests of awf-b to awf-e, af and hguided on schedules that were worked out by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "tests/support/policy_schedule.hpp"
#include "tests/support/refusal.hpp"

namespace equipoise::adaptive_factoring_test {
namespace {

using Sizes = std::vector<Items>;

/// 1000 items, units that take 1 and 3 s per item, and first blocks of 10 items.
PolicyTest one_and_three(const std::string& policy) {
  PolicyTest test;
  test.policy = policy;
  test.parameters["initial_block_items"] = "10";
  test.items = 1000;
  add_affine(test, 0.0, 1.0);
  add_affine(test, 0.0, 3.0);
  return test;
}

Sizes first_of(const Sizes& sizes, std::size_t count) {
  EXPECT_GE(sizes.size(), count);
  return {sizes.begin(),
          sizes.begin() + static_cast<std::ptrdiff_t>(std::min(count, sizes.size()))};
}

TEST(AwfC, WeighsHalfAShareOfTheRestAtEachRequest) {
  const Schedule schedule = run_schedule(one_and_three("awf-c"));
  EXPECT_EQ(schedule.sizes(0, BlockTag::train), (Sizes{10}));
  EXPECT_EQ(schedule.sizes(1, BlockTag::train), (Sizes{10}));
  // At 10 s nothing is known of the second unit: 245 of 980. At 30 s the weights are 1.5 and 0.5:
  // half of 184 for the second. Then 1.5 times 161 at 255 s, and half of 101 at 306 s.
  EXPECT_EQ(first_of(schedule.sizes(0, BlockTag::run), 2), (Sizes{245, 242}));
  EXPECT_EQ(first_of(schedule.sizes(1, BlockTag::run), 2), (Sizes{92, 51}));
  EXPECT_EQ(schedule.items(), 1000);
}

TEST(AwfB, WeighsTheBlocksOfABatch) {
  const Schedule schedule = run_schedule(one_and_three("awf-b"));
  // A batch of 490 with a base of 245 begins at 10 s: 245, half of the base at 30 s, 1.5 times the
  // base at 255 s, and the batch is over. The next batch, with a base of 61, begins at 399 s: 31
  // three times, and 92 at 623 s.
  EXPECT_EQ(first_of(schedule.sizes(0, BlockTag::run), 3), (Sizes{245, 368, 92}));
  EXPECT_EQ(first_of(schedule.sizes(1, BlockTag::run), 4), (Sizes{123, 31, 31, 31}));
  EXPECT_EQ(schedule.items(), 1000);
}

TEST(AwfC, TakesUnitsWithoutABlockForTheFastestOrTheSlowest) {
  PolicyTest test = one_and_three("awf-c");
  test.fake.units[1] = affine_unit(0.0, 2.0);
  add_affine(test, 0.0, 100.0);
  // 970 remain at 10 s, 808 at 20 s: a base of 135, with a weight of 0.6 or 0.75.
  EXPECT_EQ(run_schedule(test).sizes(1, BlockTag::run).front(), 81);
  test.parameters["unknown"] = "largest";
  EXPECT_EQ(run_schedule(test).sizes(1, BlockTag::run).front(), 102);
}

/// Units that compute an item in 1 s, the second of which also copies it in and out in 1 s each.
PolicyTest with_copies(const std::string& policy) {
  PolicyTest test = one_and_three(policy);
  test.fake.units[1] = affine_unit(0.0, 1.0);
  test.fake.units[1].in_s = [](double items) { return items; };
  test.fake.units[1].out_s = [](double items) { return items; };
  return test;
}

TEST(AwfC, CountsCopiesWhenAskedTo) {
  // With copies, 10 items take 30 s on the second unit; without, 10 s as on the first. The base is
  // 184.
  PolicyTest test = with_copies("awf-c");
  EXPECT_EQ(run_schedule(test).sizes(1, BlockTag::run).front(), 184);
  test.parameters["time"] = "block";
  EXPECT_EQ(run_schedule(test).sizes(1, BlockTag::run).front(), 92);
}

TEST(AwfE, CountsFromTheRequestToTheEnd) {
  const Schedule schedule = run_schedule(with_copies("awf-e"));
  // As awf-c on units that compute an item in 1 s and 3 s.
  EXPECT_EQ(first_of(schedule.sizes(0, BlockTag::run), 2), (Sizes{245, 242}));
  EXPECT_EQ(first_of(schedule.sizes(1, BlockTag::run), 2), (Sizes{92, 51}));
  EXPECT_EQ(schedule.items(), 1000);
}

TEST(AwfD, CountsFromTheRequestToTheEndInBatches) {
  const Schedule schedule = run_schedule(with_copies("awf-d"));
  // As awf-b on units that compute an item in 1 s and 3 s.
  EXPECT_EQ(first_of(schedule.sizes(0, BlockTag::run), 3), (Sizes{245, 368, 92}));
  EXPECT_EQ(first_of(schedule.sizes(1, BlockTag::run), 4), (Sizes{123, 31, 31, 31}));
  // awf-b itself takes the units for equally fast.
  EXPECT_EQ(run_schedule(with_copies("awf-b")).sizes(1, BlockTag::run).front(), 245);
}

TEST(AwfB, KeepsItsWeightsFromIterationToIteration) {
  PolicyTest test;
  test.policy = "awf-b";
  test.items = 1000;
  test.iterations = 2;
  for (const double item_s : {1.0, 2.0, 4.0, 4.0}) add_affine(test, 0.0, item_s);
  const Schedule schedule = run_schedule(test);
  Sizes second;
  for (const BlockRecord& record : schedule.blocks) {
    if (record.block.iteration == 1) {
      EXPECT_EQ(record.block.tag, BlockTag::run);
    }
    if (record.block.iteration == 1 && record.block.first == 0)
      second.push_back(record.block.items);
  }
  EXPECT_EQ(second, (Sizes{250}));  // weight 2, base 125
}

TEST(AwfB, ChangesItsWeightsBetweenIterationsOnlyWhenAskedTo) {
  PolicyTest test;
  test.policy = "awf-b";
  test.parameters["update"] = "iteration";
  test.items = 1000;
  test.iterations = 2;
  for (const double item_s : {1.0, 2.0, 4.0, 4.0}) add_affine(test, 0.0, item_s);
  const Sizes all = run_schedule(test).sizes_as_handed_out();
  // The first iteration has the sizes of fac2. The second begins with weights 2, 1, 1/2, 1/2.
  EXPECT_EQ(first_of(all, 5), (Sizes{125, 125, 125, 125, 63}));
  Items sum = 0;
  std::size_t second = 0;
  while (sum < 1000) sum += all[second++];
  EXPECT_EQ(sum, 1000);
  EXPECT_EQ(Sizes(all.begin() + static_cast<std::ptrdiff_t>(second),
                  all.begin() + static_cast<std::ptrdiff_t>(second) + 4),
            (Sizes{250, 125, 63, 63}));
}

TEST(AwfB, LearnsEveryKernelForItself) {
  PolicyTest test = one_and_three("awf-b");
  test.later_kernels = {"second", "first"};
  const Schedule schedule = run_schedule(test);
  // There are first blocks in the first two phases, and none in the third.
  EXPECT_EQ(schedule.sizes(0, BlockTag::train), (Sizes{10, 10}));
  EXPECT_EQ(schedule.items(), 3000);
}

TEST(Af, SharesWhatRemainsByMeansWhenTimesDoNotScatter) {
  PolicyTest test = one_and_three("af");
  test.parameters["initial_block_items"] = "20";
  test.parameters["sub_blocks"] = "2";
  const Schedule schedule = run_schedule(test);
  EXPECT_EQ(schedule.sizes(0, BlockTag::train), (Sizes{5, 15}));
  EXPECT_EQ(schedule.sizes(1, BlockTag::train), (Sizes{5, 15}));
  // Three quarters of 960 at 20 s, a quarter of 240 at 60 s.
  EXPECT_EQ(schedule.sizes(0, BlockTag::run).front(), 720);
  EXPECT_EQ(schedule.sizes(1, BlockTag::run).front(), 60);
}

TEST(Af, TakesUnitsWithoutABlockForTheFastest) {
  PolicyTest test = one_and_three("af");
  test.fake.units[1] = affine_unit(0.0, 5.0);
  test.parameters["initial_block_items"] = "20";
  test.parameters["sub_blocks"] = "2";
  const Schedule schedule = run_schedule(test);
  // Half of 975 at 20 s, when the other unit still has its first 5 items. A sixth of 472 at 100 s.
  EXPECT_EQ(schedule.sizes(0, BlockTag::run).front(), 488);
  EXPECT_EQ(schedule.sizes(1, BlockTag::run).front(), 79);
}

/// The first block after training of a unit that has done 5, 15, 5 and 15 items in `times_s`, 80 s
/// in all. The other unit needs 1 s for an item.
Items block_after(const std::vector<double>& times_s) {
  PolicyTest test;
  test.policy = "af";
  test.items = 1000;
  test.parameters = {{"initial_block_items", "40"}, {"sub_blocks", "4"}};
  add_affine(test, 0.0, 1.0);
  add_affine(test, 0.0, 2.0);
  std::size_t calls = 0;
  test.fake.units[1].compute_s = [&](double items) {
    return calls < times_s.size() ? times_s[calls++] : 2.0 * items;
  };
  const Schedule schedule = run_schedule(test);
  EXPECT_EQ(schedule.sizes(1, BlockTag::train), (Sizes{5, 15, 5, 15}));
  // At 40 s the means are 1 and 15 / 5: three quarters of 940.
  EXPECT_EQ(schedule.sizes(0, BlockTag::run).front(), 705);
  EXPECT_EQ(schedule.items(), 1000);
  return schedule.sizes(1, BlockTag::run).front();
}

TEST(Af, TakesLessWhenItemsScatter) {
  // 10 -+ 5 s and 30 -+ 5 sqrt(3) s, as of items with variance s^2. By differences of blocks of one
  // size, s^2 = 10^2 / (5 + 5) = 10. At 80 s the means are 1 and 2: D = 10 / 2, T R = 2/3 * 215,
  // (5 + 286.67 - sqrt(25 + 20 * 143.33)) / (2 * 2) = 59.47.
  const double off = 5.0 * std::sqrt(3.0);
  EXPECT_EQ(block_after({15.0, 30.0 + off, 5.0, 30.0 - off}), 60);
}

TEST(Af, DoesNotTakeTheScatterOfWholeBlocksForThatOfItems) {
  // 10 -+ 5 s and 30 -+ 15 s: blocks deviate by half of their time, whatever their size. A third of
  // 215.
  EXPECT_EQ(block_after({15.0, 45.0, 5.0, 15.0}), 72);
}

TEST(HGuided, GivesAFallingShareByThePowersItIsTold) {
  PolicyTest test = one_and_three("hguided");
  test.items = 800;
  test.parameters = {{"powers", "3/1"}};
  const Schedule schedule = run_schedule(test);
  // 800 * 3/4 / 4 = 150 and 650 / 16 = 40. At 120 s 610 / 16 = 38. At 150 s 572 * 3/16 = 107.
  EXPECT_EQ(first_of(schedule.sizes(0, BlockTag::run), 2), (Sizes{150, 107}));
  EXPECT_EQ(first_of(schedule.sizes(1, BlockTag::run), 2), (Sizes{40, 38}));
  EXPECT_TRUE(schedule.sizes(0, BlockTag::train).empty());
}

TEST(HGuided, MeasuresThePowersUnlessTold) {
  PolicyTest test = one_and_three("hguided");
  const Schedule schedule = run_schedule(test);
  EXPECT_EQ(schedule.sizes(0, BlockTag::train), (Sizes{10}));
  // 980 / 8 = 122 while nothing is known of the other unit. At 30 s 858 / 16 = 53. At 132 s 805 *
  // 3/16 = 150.
  EXPECT_EQ(first_of(schedule.sizes(0, BlockTag::run), 2), (Sizes{122, 150}));
  EXPECT_EQ(schedule.sizes(1, BlockTag::run).front(), 53);
}

/// 1000 items unless said otherwise, and units with these powers, which are known.
PolicyTest guided(const std::string& powers, const std::vector<double>& item_s) {
  PolicyTest test;
  test.policy = "hguided";
  test.parameters["powers"] = powers;
  test.items = 1000;
  for (const double s : item_s) add_affine(test, 0.0, s);
  return test;
}

TEST(HGuided, HasADivisorForEachUnit) {
  PolicyTest test = guided("3/1", {1.0, 3.0});
  test.items = 800;
  test.parameters["divisor"] = "1/4";
  const Schedule schedule = run_schedule(test);
  // 800 * 3/4 / 2 = 300 and 500 / 4 / 8 = 15. At 45 s 485 / 32 = 15.
  EXPECT_EQ(schedule.sizes(0, BlockTag::run).front(), 300);
  EXPECT_EQ(first_of(schedule.sizes(1, BlockTag::run), 2), (Sizes{15, 15}));
}

TEST(HGuided, HasASmallestBlockForEachUnit) {
  PolicyTest test = guided("3/1", {1.0, 7.0});
  test.items = 100;
  test.parameters["min_block_items"] = "30/4";
  const Schedule schedule = run_schedule(test);
  // 100 * 3/16 = 18, 70 / 16 = 4. At 28 s 66 / 16 = 4, at 30 s 62 * 3/16 = 11, at 56 s 32 / 16 = 2,
  // and at 60 s the last 28.
  EXPECT_EQ(schedule.sizes(0, BlockTag::run), (Sizes{30, 30, 28}));
  EXPECT_EQ(schedule.sizes(1, BlockTag::run), (Sizes{4, 4, 4}));
}

/// The first block of each unit.
Sizes first_blocks(const PolicyTest& test) {
  const Sizes all = run_schedule(test).sizes_as_handed_out();
  return first_of(all, test.fake.units.size());
}

TEST(HGuided, IsTunedByTheRankOfAUnitsPower) {
  PolicyTest test = guided("9/3/1", {1.0, 3.0, 9.0});
  test.parameters["preset"] = "tuned";
  // k = 1, 1.5, 3.5: 1000 * 9/13 / 3 = 230.8, 770 * 3/13 / 4.5 = 39.5, 731 / 13 / 10.5 = 5.4.
  EXPECT_EQ(first_blocks(test), (Sizes{230, 39, 5}));
  // At least 30, 15 and 1 grains: 23, 3.6 and 0.4 items are less.
  test.items = 100;
  EXPECT_EQ(first_blocks(test), (Sizes{30, 15, 1}));
  // 23.1, 4.3 and 0.4 of 2 * 30, 2 * 15 and 2 items.
  test.grain_items = 2;
  EXPECT_EQ(first_blocks(test), (Sizes{60, 30, 2}));
  test.parameters["min_block_items"] = "auto";
  EXPECT_EQ(first_blocks(test), (Sizes{24, 4, 2}));
}

TEST(HGuided, GivesUnitsOfNearlyTheSamePowerTheSameRank) {
  PolicyTest test = guided("10/9/1", {1.0, 1.0, 9.0});
  test.parameters["preset"] = "tuned";
  // k = 1, 1, 3.5: 1000 / 2 / 3 = 166.7, 834 * 9/20 / 3 = 125.1, 709 / 20 / 10.5 = 3.4.
  EXPECT_EQ(first_blocks(test), (Sizes{166, 125, 3}));
  // No ranks: k = 2, as without tuning, 1000 / 2 / 4 = 125 and 875 / 8 = 109.4.
  PolicyTest alike = guided("1/1", {1.0, 1.0});
  alike.parameters["preset"] = "tuned";
  EXPECT_EQ(first_blocks(alike), (Sizes{125, 109}));
}

TEST(HGuided, IsTunedByMeasuredPowersOnceTwoAreKnown) {
  PolicyTest test = one_and_three("hguided");
  test.parameters["preset"] = "tuned";
  const Schedule schedule = run_schedule(test);
  EXPECT_EQ(schedule.sizes(0, BlockTag::train), (Sizes{10}));
  // At 10 s k = 2: 980 / 8 = 122. At 30 s 858 / 4 / 7 = 30. At 120 s 828 / 28 = 29. At 132 s
  // 799 * 3/4 / 2 = 299.
  EXPECT_EQ(first_of(schedule.sizes(0, BlockTag::run), 2), (Sizes{122, 299}));
  EXPECT_EQ(first_of(schedule.sizes(1, BlockTag::run), 2), (Sizes{30, 29}));
  EXPECT_EQ(schedule.items(), 1000);
}

TEST(HGuided, RefusesListsThatAreNotOneAUnit) {
  const PolicyTest test = one_and_three("hguided");
  const auto refused = [&](const TypedParameters& parameters) {
    return refusal_of([&] {
      (void)make_policy(find_policy("hguided"), PolicyInputs{parameters, &test.known});
    });
  };
  EXPECT_NE(refused({{"divisor", "1/2/3"}}).find("3 numbers for 2 units"), std::string::npos);
  EXPECT_NE(refused({{"min_block_items", "1/2/3"}}).find("3 numbers for 2 units"),
            std::string::npos);
  EXPECT_NE(refused({{"min_block_items", "1.5/2"}}).find("whole numbers"), std::string::npos);
  EXPECT_NE(refused({{"divisor", "by_speed"}}).find("divisor"), std::string::npos);
}

TEST(HGuided, RefusesPowersThatAreNotOneAUnit) {
  const PolicyTest test = one_and_three("hguided");
  const PolicyInputs inputs{{{"powers", "2/1/1"}}, &test.known};
  const std::string refusal =
      refusal_of([&] { (void)make_policy(find_policy("hguided"), inputs); });
  EXPECT_NE(refusal.find("3 numbers for 2 units"), std::string::npos) << refusal;
}

}  // namespace
}  // namespace equipoise::adaptive_factoring_test
