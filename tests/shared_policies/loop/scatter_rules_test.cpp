// Tests of taper and bold on schedules that were worked out by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "tests/support/policy_schedule.hpp"

namespace equipoise::scatter_rules_test {
namespace {

using Sizes = std::vector<Items>;

/// 1000 items on `units` that take `item_s` per item.
PolicyTest on_units(const std::string& policy, const std::vector<double>& item_s) {
  PolicyTest test;
  test.policy = policy;
  test.items = 1000;
  for (const double s : item_s) add_affine(test, 0.0, s);
  return test;
}

Sizes sequence(PolicyTest& test, const std::map<std::string, std::string>& parameters) {
  test.parameters = parameters;
  const Schedule schedule = run_schedule(test);
  expect_all_done(schedule, test.items * test.iterations);
  return schedule.sizes_as_handed_out();
}

TEST(Taper, GivesLessThanAnEvenShareTheMoreItemTimesScatter) {
  PolicyTest test = on_units("taper", {1.0, 1.0, 1.0, 1.0});
  // v = 1.3 * 0.3 = 0.39, T = 1000 / 4 + 1 / 2: 250.5 + 0.076 - 0.39 * sqrt(501 + 0.038) = 241.85.
  // Then T = 758 / 4 + 1 / 2: 190 + 0.076 - 0.39 * sqrt(380 + 0.038) = 182.47.
  EXPECT_EQ(sequence(test, {{"coefficient_of_variation", "0.3"}}),
            (Sizes{242, 183, 138, 105, 79, 60, 45, 35, 26, 20, 16, 12,
                   9,   7,   5,   4,   3,  3,  2,  2,  1,  1,  1,  1}));
  // v = 1.3: 250.5 + 0.845 - 1.3 * sqrt(501 + 0.4225) = 222.23.
  EXPECT_EQ(sequence(test, {{"coefficient_of_variation", "1"}}).front(), 223);
  // v = 3: 250.5 + 4.5 - 3 * sqrt(501 + 2.25) = 187.70.
  EXPECT_EQ(sequence(test, {{"coefficient_of_variation", "1"}, {"alpha", "3"}}).front(), 188);
  // T alone, which is 250.5 at first, then 749 / 4 + 1 / 2 = 187.75.
  const Sizes even = sequence(test, {{"coefficient_of_variation", "0"}});
  EXPECT_EQ(Sizes(even.begin(), even.begin() + 3), (Sizes{251, 188, 141}));
}

TEST(Taper, CountsHalfTheSmallestBlockIntoTheShare) {
  // T = 1000 / 4 + 20 / 2: 260 + 0.845 - 1.3 * sqrt(520 + 0.4225) = 231.19.
  PolicyTest test = on_units("taper", {1.0, 1.0, 1.0, 1.0});
  EXPECT_EQ(sequence(test, {{"coefficient_of_variation", "1"}, {"min_block_items", "20"}}),
            (Sizes{232, 177, 136, 105, 81, 62, 49, 38, 30, 23, 20, 20, 20, 7}));
}

TEST(Taper, MeasuresScatterWithinAndBetweenUnitsUnlessTold) {
  PolicyTest test = on_units("taper", {1.0, 2.0});
  test.parameters = {{"initial_block_items", "40"}, {"sub_blocks", "4"}};
  // As of items with mean 2 s and variance 10 s^2 (see the test of af).
  const double off = 5.0 * std::sqrt(3.0);
  const std::vector<double> times_s = {15.0, 30.0 + off, 5.0, 30.0 - off};
  std::size_t calls = 0;
  test.fake.units[1].compute_s = [&](double items) {
    return calls < times_s.size() ? times_s[calls++] : 2.0 * items;
  };
  const Schedule schedule = run_schedule(test);
  EXPECT_EQ(schedule.sizes(0, BlockTag::train), (Sizes{5, 15, 5, 15}));
  EXPECT_EQ(schedule.sizes(1, BlockTag::train), (Sizes{5, 15, 5, 15}));
  // At 40 s the first unit has done 40 items in 40 s, the other 5 in 15 s, which show a mean only:
  // mu = 55 / 45 = 1.2222, sigma^2 = (40 * 0.2222^2 + 5 * 1.7778^2) / 45 = 0.3951, v = 0.6685.
  // T = 940 / 2 + 1 / 2: 470.5 + 0.2235 - 0.6685 * sqrt(941 + 0.1117) = 450.21.
  EXPECT_EQ(schedule.sizes(0, BlockTag::run).front(), 451);
  // At 80 s it is 40 items in 80 s, with a variance of 10: mu = 120 / 80, sigma^2 = (40 * 0.5^2 +
  // 40 * (10 + 0.5^2)) / 80 = 5.25, v = 1.9858. 1000 - 80 - 451 = 469 remain:
  // 235 + 1.9717 - 1.9858 * sqrt(470 + 0.9858) = 193.88.
  EXPECT_EQ(schedule.sizes(1, BlockTag::run).front(), 194);
  expect_all_done(schedule, 1000);
}

TEST(Taper, KeepsWhatItLearnedOfAKernel) {
  PolicyTest test = on_units("taper", {1.0, 1.0});
  test.iterations = 2;
  test.parameters = {{"initial_block_items", "40"}, {"sub_blocks", "4"}};
  const Schedule schedule = run_schedule(test);
  expect_all_done(schedule, 2000);
  for (const BlockRecord& record : schedule.blocks) {
    if (record.block.iteration == 1) {
      EXPECT_EQ(record.block.tag, BlockTag::run);
    }
  }
}

const std::map<std::string, std::string> known = {
    {"mu_s", "1"}, {"sigma_s", "0.5"}, {"overhead_s", "0.1"}};

TEST(Bold, GivesMoreThanAnEvenShareOfTheRestWhileOthersAreAtWork) {
  // a = 0.5, b = 4 ln 4 = 5.5452, c1 = 0.1 / ln 2 = 0.14427, c2 = 0.36163.
  //
  // At first, R = N = M = 1000: Q = t = 250, ln Q = 5.5215, v = 250 / 255.5452 = 0.97830,
  // d = 1000 / (1 + 0.18111 - 0.97830) = 4930.7, s = 0.5 ln(4930.7 / 0.36163) (1 + 1 / 4) = 5.9502,
  // w = ln(0.97830 * 5.5215) + ln 5.5452 = 3.3996:
  // 250 + 0.4905 + 2.9751 - sqrt(5.9502 * 251.4876) = 214.78.
  //
  // The second unit asks at once: R = 785, N = M = 1000, so that t is 250 still. Q = 196.25,
  // d = 3619.3, s = 5.7570, w = 3.3489: 250 + 0.4831 + 2.8785 - sqrt(5.7570 * 251.4392) = 215.32.
  //
  // At 215 s the first unit is back. R = 134, M = 785. The others have done 215 * 216 / 216.1 =
  // 214.90 of 216 items, 214.90 of 217 and 214.90 of 218: N = 134 + 1.10 + 2.10 + 3.10 = 140.30,
  // t = 35.074, Q = 33.5, ln Q = 3.5115, v = 0.85798, d = 313.97,
  // s = 0.5 ln(868.2) (1 + 785 / 561.19) = 8.1157, w = 2.8158:
  // 35.0743 + 0.4062 + 4.0579 - sqrt(8.1157 * 37.1032) = 22.19.
  PolicyTest test = on_units("bold", {1.0, 1.0, 1.0, 1.0});
  EXPECT_EQ(sequence(test, known),
            (Sizes{215, 216, 217, 218, 23, 23, 23, 24, 8, 7, 7, 5, 3, 3, 2, 2, 1, 1, 1, 1}));
}

TEST(Bold, TakesLateBlocksForLessThanNothing) {
  std::map<std::string, std::string> dear = known;
  dear["overhead_s"] = "1";
  // 456 and 458 of 1000. The second unit takes 3 s for an item. At 456 s, 86 items remain, and it
  // should have done 456 * 458 / 459 = 455.0 of its own: N = 86 + 3.0, t = 44.5. At 509 s it would
  // have done 507.9: N = 33 - 49.9, and t = R / P = 16.5.
  PolicyTest test = on_units("bold", {1.0, 3.0});
  EXPECT_EQ(sequence(test, dear), (Sizes{456, 458, 34, 19, 11, 8, 5, 4, 3, 1, 1}));
}

TEST(Bold, ReadsTheProfileUnlessTold) {
  PolicyTest test;
  test.policy = "bold";
  test.items = 1000;
  add_affine(test, 0.2, 1.0);
  add_affine(test, 0.2, 3.0);
  const Sizes read = sequence(test, {});
  // Items take 1.0004 and 3.0004 s in blocks of 500.
  EXPECT_EQ(read, sequence(test, {{"mu_s", "2.0004"}, {"sigma_s", "1"}, {"overhead_s", "0.2"}}));
  EXPECT_NE(read, sequence(test, {{"mu_s", "2.0004"}, {"sigma_s", "2"}, {"overhead_s", "0.2"}}));
}

TEST(Bold, CountsABlockThatItsUnitHasNotBegunAsAWhole) {
  PolicyTest test = on_units("bold", {1.0});
  test.slots = 2;
  std::map<std::string, std::string> scattered = known;
  scattered["sigma_s"] = "5";
  // 420, and 435 behind them, for which N = 1000 as well. At 420 s R = 145 and N = 145 + 435, which
  // allows for more than 145. If the second block had advanced by as much as the first, N would be
  // 160, and the third block 17.
  EXPECT_EQ(sequence(test, scattered), (Sizes{420, 435, 145}));
}

TEST(Bold, StartsAnewInEveryIteration) {
  PolicyTest test = on_units("bold", {1.0, 1.0});
  const Sizes once = sequence(test, known);
  test.iterations = 2;
  Sizes expected = once;
  expected.insert(expected.end(), once.begin(), once.end());
  EXPECT_EQ(sequence(test, known), expected);
}

}  // namespace
}  // namespace equipoise::scatter_rules_test
