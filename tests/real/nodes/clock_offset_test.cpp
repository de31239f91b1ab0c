// Differences of clocks from messages there and back.
#include "real/nodes/clock_offset.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace equipoise::clock_offset_test {
namespace {

TEST(ClockOffset, IsTheMiddleOfTheQuickestExchange) {
  ClockOffset clock;
  clock.add(1000, 5600, 1200);  // seen there at 5600, here at 1100 +- 100: 4500 ahead
  EXPECT_DOUBLE_EQ(clock.estimate().ahead_ns, 4500.0);
  EXPECT_DOUBLE_EQ(clock.estimate().error_ns, 100.0);
  clock.add(2000, 6900, 2800);  // slower: the answer waited
  EXPECT_DOUBLE_EQ(clock.estimate().ahead_ns, 4500.0);
  clock.add(3000, 7530, 3040);  // quicker: 4510 +- 20
  EXPECT_DOUBLE_EQ(clock.estimate().ahead_ns, 4510.0);
  EXPECT_DOUBLE_EQ(clock.estimate().error_ns, 20.0);
  EXPECT_EQ(clock.estimate().exchanges, 3);
}

TEST(ClockOffset, FindsTheDriftOfAClockThatIsFaster) {
  ClockOffset clock;
  // 20 us in a second faster, 1 ms ahead at the start; exchanges of 10 us.
  for (int second = 0; second < 30; ++second) {
    const std::int64_t left = 1'000'000'000LL * second;
    const std::int64_t middle = left + 5000;
    const auto ahead = static_cast<std::int64_t>(1'000'000.0 + 2e-5 * static_cast<double>(middle));
    clock.add(left, middle + ahead, left + 10'000);
  }
  EXPECT_NEAR(clock.estimate().drift, 2e-5, 1e-7);
  EXPECT_NEAR(clock.estimate().ahead_at(60e9), 1e6 + 2e-5 * 60e9, 3000.0);
}

TEST(ClockOffset, TakesNoDriftFromWhatMayBeChance) {
  ClockOffset clock;
  clock.add(0, 100'050'000, 100'000);                      // 100 ms +- 50 us
  clock.add(1'000'000'000, 1'100'080'000, 1'000'100'000);  // 30 us more a second later
  EXPECT_EQ(clock.estimate().drift, 0.0);
}

}  // namespace
}  // namespace equipoise::clock_offset_test
