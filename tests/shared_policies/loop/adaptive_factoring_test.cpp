// Tests of awf-b, awf-c, af and hguided on schedules that were worked out by hand.
#include <gtest/gtest.h>

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

TEST(AwfC, CountsCopiesAndDispatchWhenAskedTo) {
  PolicyTest test = one_and_three("awf-c");
  test.fake.units[1] = affine_unit(0.0, 1.0);
  test.fake.units[1].in_s = [](double items) { return items; };
  test.fake.units[1].out_s = [](double items) { return items; };
  // With copies, 10 items take 30 s on the second unit; without, 10 s as on the first. The base is
  // 184.
  EXPECT_EQ(run_schedule(test).sizes(1, BlockTag::run).front(), 184);
  test.parameters["time"] = "block";
  EXPECT_EQ(run_schedule(test).sizes(1, BlockTag::run).front(), 92);
  test.parameters["time"] = "request";
  EXPECT_EQ(run_schedule(test).sizes(1, BlockTag::run).front(), 92);
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
  EXPECT_EQ(schedule.sizes(0, BlockTag::train), (Sizes{10, 10}));
  EXPECT_EQ(schedule.sizes(1, BlockTag::train), (Sizes{10, 10}));
  // At 20 s the second unit is taken to be as fast as the first: half of 970. At 60 s a quarter of
  // 475.
  EXPECT_EQ(schedule.sizes(0, BlockTag::run).front(), 485);
  EXPECT_EQ(schedule.sizes(1, BlockTag::run).front(), 119);
}

TEST(Af, TakesLessWhenTimesScatter) {
  PolicyTest test;
  test.policy = "af";
  test.items = 1000;
  test.parameters = {{"initial_block_items", "30"}, {"sub_blocks", "2"}};
  // 15 items take 15 s on one unit. On the other they take 15 s and 45 s alternately.
  add_affine(test, 0.0, 1.0);
  test.fake.units.push_back(affine_unit(0.0, 1.0));
  test.known.phases.front().push_back(std::make_unique<AffineCurve>(0.0, 1.0));
  int calls = 0;
  test.fake.units[1].compute_s = [&calls](double items) {
    return ++calls % 2 == 0 ? 3.0 * items : items;
  };
  const Schedule schedule = run_schedule(test);
  // At 30 s half of 940. At 60 s the means are 1 and 2, the variances 0 and 15 (1 - 2)^2 + 15 (3 -
  // 2)^2 = 30:
  // D = 30/2, T R = 2/3 * 470, (15 + 626.67 - sqrt(225 + 60 * 313.33)) / (2 * 2) = 125.93.
  EXPECT_EQ(schedule.sizes(0, BlockTag::run).front(), 470);
  EXPECT_EQ(schedule.sizes(1, BlockTag::run).front(), 126);
  EXPECT_EQ(schedule.items(), 1000);
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

TEST(HGuided, RefusesPowersThatAreNotOneAUnit) {
  const PolicyTest test = one_and_three("hguided");
  const PolicyInputs inputs{{{"powers", "2/1/1"}}, &test.known};
  const std::string refusal =
      refusal_of([&] { (void)make_policy(find_policy("hguided"), inputs); });
  EXPECT_NE(refusal.find("3 numbers for 2 units"), std::string::npos) << refusal;
}

}  // namespace
}  // namespace equipoise::adaptive_factoring_test
