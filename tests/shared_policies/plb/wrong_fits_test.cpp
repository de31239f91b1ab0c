// Tests of plb-hec, dlb-gpu and plb-hac on costs that their first fits miss: flat at first, and
// wrong for one unit.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/policy_schedule.hpp"

namespace equipoise::wrong_fits_test {
namespace {

/// The block sizes of a unit in the decisions called `what`, in order.
std::vector<Items> chosen(const Schedule& schedule, std::uint32_t unit) {
  std::vector<Items> sizes;
  for (const DecisionRecord& record : schedule.decisions) {
    for (const UnitEstimate& estimate : record.decision.estimates) {
      if (estimate.unit.index == unit) sizes.push_back(estimate.block_items);
    }
  }
  return sizes;
}

/// An accelerator whose blocks take as long as one of `flat_items`, if they are smaller, and a core
/// of 10 items per second. Steps have 5000 items.
PolicyTest flat_then_linear(double flat_items, double per_item_s) {
  PolicyTest test;
  test.policy = "plb-hec";
  test.parameters = {{"initial_block_items", "100"}};
  test.items = 100'000;
  add_affine(test, 0.0, 0.0);
  add_affine(test, 0.0, 0.1);
  test.fake.units[0].compute_s = [=](double x) { return per_item_s * std::max(flat_items, x); };
  return test;
}

TEST(FlatThenLinear, PlbHecTrainsOnTheFlatPartAndThenFindsTheBend) {
  // Flat up to 2000 items, 2 s. Training: 100, 200, 400, 800 items of 2 s each on the accelerator,
  // whose measured speed doubles from round to round; 100, 2 * 100 / 5, 4 * 100 / 10 and
  // 8 * 100 / 20 items on the core.
  const Schedule schedule = run_schedule(flat_then_linear(2000.0, 0.001));
  EXPECT_EQ(schedule.sizes(0, BlockTag::train), (std::vector<Items>{100, 200, 400, 800}));
  EXPECT_EQ(schedule.sizes(1, BlockTag::train), (std::vector<Items>{100, 40, 40, 40}));
  EXPECT_NEAR(schedule.decisions.front().at.value, 10.0 + 4.0 + 4.0 + 4.0, 1e-9);
  // A curve through the flat part gives the accelerator nearly all of a step, which takes it 5 s,
  // while the core does its few items in about 2 s. The truth: 0.001 x = 0.1 (5000 - x) at 4950.5.
  EXPECT_GT(chosen(schedule, 0).front(), 4960);
  EXPECT_GE(schedule.decisions_called(DecisionKind::rebalance), 1U);
  EXPECT_LE(schedule.decisions_called(DecisionKind::rebalance), 2U);
  EXPECT_NEAR(static_cast<double>(chosen(schedule, 0).back()), 4950.5, 5.0);
  EXPECT_NEAR(static_cast<double>(chosen(schedule, 1).back()), 49.5, 3.0);
  expect_all_done(schedule, 100'000);
}

TEST(FlatThenLinear, PlbHecFindsEqualTimesBeyondABendThatItTrainedOn) {
  // Flat up to 400 items: 2, 2, 2 and 4 s. The truth: 0.005 x = 0.1 (5000 - x) at 4761.9.
  const Schedule schedule = run_schedule(flat_then_linear(400.0, 0.005));
  EXPECT_EQ(schedule.sizes(0, BlockTag::train), (std::vector<Items>{100, 200, 400, 800}));
  EXPECT_NEAR(static_cast<double>(chosen(schedule, 0).back()), 4761.9, 0.01 * 4761.9);
  EXPECT_NEAR(static_cast<double>(chosen(schedule, 1).back()), 238.1, 0.1 * 238.1);
  expect_all_done(schedule, 100'000);
}

/// Two units of 100 items per second, and a third that takes 100 s for any block until 300 s, and
/// is then as fast as the others. The first unit is half as fast from 450 s on.
PolicyTest wrong_about_one(const std::string& policy) {
  PolicyTest test;
  test.policy = policy;
  test.parameters = {{"initial_block_items", "10"}};
  test.items = 100'000;
  for (int unit = 0; unit < 3; ++unit) add_affine(test, 0.0, 0.01);
  const auto clock = test.clock;
  test.fake.units[0].compute_s = [clock](double x) {
    return (clock->now_s() < 450.0 ? 0.01 : 0.02) * x;
  };
  test.fake.units[2].compute_s = [clock](double x) {
    return clock->now_s() < 301.0 ? 100.0 : 0.01 * x;
  };
  return test;
}

class LeftOut : public testing::TestWithParam<std::string> {};

TEST_P(LeftOut, ComesBackAtTheNextSolution) {
  // A step of 5000 items takes two units 25 s: at 100 s a block, the third gets none. It was right
  // about 100 s until 301 s. From the next solution on it has blocks, is measured, and gets more.
  const Schedule schedule = run_schedule(wrong_about_one(GetParam()));
  const std::vector<Items> third = chosen(schedule, 2);
  ASSERT_GE(third.size(), 3U);
  EXPECT_EQ(third.at(0), 0);
  EXPECT_GT(third.at(1), 0);
  for (std::size_t i = 1; i < third.size(); ++i) {
    EXPECT_FALSE(third[i] == 0 && third[i - 1] == 0) << "solution " << i;
  }
  EXPECT_GT(*std::max_element(third.begin(), third.end()), third.at(1));
  expect_all_done(schedule, 100'000);
}

INSTANTIATE_TEST_SUITE_P(Plb, LeftOut, testing::Values("plb-hec", "dlb-gpu", "plb-hac"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace equipoise::wrong_fits_test
