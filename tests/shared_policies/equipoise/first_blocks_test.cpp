// Tests of what is tried although nothing is known of it.
#include "shared_policies/policies/equipoise/first_blocks.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace equipoise::first_blocks_test {
namespace {

TEST(IsWorthTrying, IfItCannotTakeTooLong) {
  EXPECT_TRUE(is_worth_trying(1.0, 100.0, 100.0));
  EXPECT_TRUE(is_worth_trying(0.0, 1e-9, 100.0));
}

TEST(IsWorthTrying, NotIfItIsTooLongEvenAtTheBest) {
  EXPECT_FALSE(is_worth_trying(1.0, 1.0, 100.0));
  EXPECT_FALSE(is_worth_trying(1.0, -1.0, 100.0));
}

TEST(IsWorthTrying, IfTheMeanGainIsTheMeanLoss) {
  // With k = e^u, u from 0 to ln 100 equally likely, and 29 s left of what takes k seconds. Loss:
  // the sum over u of k - 29 above 29, 100 - 29 - 29 ln(100 / 29) = 35.10. Gain: half of the sum of
  // 29 - k below, (29 ln 29 - 28) / 2 = 34.83. With 29.2 s: 34.85 and 35.15.
  EXPECT_FALSE(is_worth_trying(1.0, 29.0, 100.0));
  EXPECT_TRUE(is_worth_trying(1.0, 29.2, 100.0));
  EXPECT_FALSE(is_worth_trying(1e-3, 0.029, 100.0));
  // With ten times at most: (4.6 ln 4.6 - 3.6) / 2 = 1.71 against 10 - 4.6 - 4.6 ln(10 / 4.6) =
  // 1.83, and 4.8: 1.86 against 1.68.
  EXPECT_FALSE(is_worth_trying(1.0, 4.6, 10.0));
  EXPECT_TRUE(is_worth_trying(1.0, 4.8, 10.0));
}

}  // namespace
}  // namespace equipoise::first_blocks_test
