// Tests of ItemDifferences: whether dear items are seen to lie together.
#include <gtest/gtest.h>

#include <random>

#include "shared_policies/policies/equipoise/item_differences.hpp"
#include "tests/support/random_seed.hpp"

namespace equipoise::item_differences_test {
namespace {

TEST(ItemDifferences, AreFoundAfterTenBlocksInARowThatTookTooLong) {
  // Products of 0.3^2 each: n 0.09 > 3 sqrt(n) 0.09 for n > 9 pairs.
  ItemDifferences differences;
  for (std::uint32_t block = 0; block < 10; ++block) differences.add({block % 2}, 0.3);
  EXPECT_FALSE(differences.are_found()) << "nine pairs";
  differences.add({0}, 0.3);
  EXPECT_TRUE(differences.are_found());
  differences.add({1}, -5.0);
  EXPECT_TRUE(differences.are_found()) << "it stays said";
}

TEST(ItemDifferences, CountOnlyFromATenthOfTheTime) {
  ItemDifferences differences;
  for (std::uint32_t block = 0; block < 1000; ++block) differences.add({block % 2}, 0.09);
  EXPECT_FALSE(differences.are_found()) << "0.0081 is below 0.1^2";
}

TEST(ItemDifferences, AreNotFoundOfOneUnit) {
  ItemDifferences differences;
  for (int block = 0; block < 1000; ++block) differences.add({0}, 1.0);
  EXPECT_FALSE(differences.are_found());
}

TEST(ItemDifferences, AreNotFoundWhereOneUnitOfFourIsSlow) {
  // Of four pairs, one has 0.7 * 0 before it and one after it.
  ItemDifferences differences;
  for (std::uint32_t block = 0; block < 1000; ++block) {
    differences.add({block % 4}, block % 4 == 0 ? 0.7 : 0.0);
  }
  EXPECT_FALSE(differences.are_found());
}

TEST(ItemDifferences, AreSeldomFoundInNoise) {
  // Independent errors of 30 % on four units, 100 blocks in each of 200 runs. Looking after each
  // block, a sum of products passes three standard errors in a few runs of a hundred.
  const std::uint64_t seed = random_seed();
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  std::normal_distribution<double> error(0.0, 0.3);
  int found = 0;
  for (int run = 0; run < 200; ++run) {
    ItemDifferences differences;
    for (std::uint32_t block = 0; block < 100; ++block) differences.add({block % 4}, error(random));
    found += differences.are_found() ? 1 : 0;
  }
  EXPECT_LE(found, 20);
}

}  // namespace
}  // namespace equipoise::item_differences_test
