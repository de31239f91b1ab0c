// Tests of how quantities are written for people.
#include "tools/console/quantity_text.hpp"

#include <gtest/gtest.h>

namespace equipoise::quantity_text_test {
namespace {

TEST(QuantityText, HasThePrefixThatLeavesOneToThreeDigitsBeforeThePoint) {
  EXPECT_EQ(quantity_text(3.0263142681425175e-05, "s"), "30.3 us");
  EXPECT_EQ(quantity_text(0.00075, "s", 2), "750 us");
  EXPECT_EQ(quantity_text(0.9999999999, "s"), "1.00 s");
  EXPECT_EQ(quantity_text(0.9996, "s"), "1.00 s");
  EXPECT_EQ(quantity_text(999.7e-6, "s"), "1.00 ms");
  EXPECT_EQ(quantity_text(101e6, "items/s"), "101 M items/s");
  EXPECT_EQ(quantity_text(200, "items/s"), "200 items/s");
  EXPECT_EQ(quantity_text(0.5e12, "B/s"), "500 GB/s");
  EXPECT_EQ(quantity_text(2.9e9, "Hz", 2), "2.9 GHz");
  EXPECT_EQ(quantity_text(1234, "J s"), "1.23 kJ s");
  EXPECT_EQ(quantity_text(-0.002, "s"), "-2.00 ms");
}

TEST(QuantityText, DoesNotGroupSecondsAboveOneAndWritesNothingAsZero) {
  EXPECT_EQ(quantity_text(14200, "s", 4), "14200 s");
  EXPECT_EQ(quantity_text(0.0, "s"), "0 s");
}

TEST(QuantityText, CountsBytesWithBinaryPrefixesAndSmallOnesInFull) {
  EXPECT_EQ(bytes_text(0.0), "0 B");
  EXPECT_EQ(bytes_text(1.0), "1 B");
  EXPECT_EQ(bytes_text(1536.0), "1.5 KiB");
  EXPECT_EQ(bytes_text(3.0 * 1024 * 1024), "3 MiB");
  EXPECT_EQ(bytes_text(64.0 * 1024 * 1024 * 1024), "64 GiB");
}

TEST(QuantityText, HasSignificantDigitsWithoutExponentsWherePeopleDo) {
  EXPECT_EQ(significant(0.47193, 4), "0.4719");
  EXPECT_EQ(significant(1234.5, 2), "1234");
  EXPECT_EQ(significant(1.5e-7, 3), "1.50e-07");
  EXPECT_EQ(significant(0.0, 3), "0");
}

}  // namespace
}  // namespace equipoise::quantity_text_test
