// Tests of the comparison of a device's clock with the host's.
#include "real/gpu/device_clock.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>

namespace equipoise::device_clock_test {
namespace {

using SteadyTime = std::chrono::steady_clock;

/// A device's clock beside the host's, which is known exactly.
struct TwoClocks {
  double device_per_host_s = 1.0;
  Clock::TimePoint host_zero = SteadyTime::now();

  [[nodiscard]] Seconds device_at(double host_s) const {
    return Seconds{7.0 + device_per_host_s * host_s};
  }
  [[nodiscard]] Clock::TimePoint host_at(double host_s) const {
    return host_zero +
           std::chrono::duration_cast<SteadyTime::duration>(std::chrono::duration<double>(host_s));
  }
  /// How far `clock` is off at `host_s`.
  [[nodiscard]] double error_s(const DeviceClock& clock, double host_s) const {
    return std::chrono::duration<double>(clock.host_time(device_at(host_s)) - host_at(host_s))
        .count();
  }
};

/// Compares the clocks of `two` whenever that is due up to `end_s`, each time wrong by `error()`,
/// and calls `each(host time in s)` after every comparison and 100 times up to the next one.
template <class Error, class Each>
void compare_until(const TwoClocks& two, DeviceClock& clock, double end_s, Error&& error,
                   Each&& each) {
  for (double at_s = 0.0; at_s < end_s;) {
    clock.compare(two.device_at(at_s), two.host_at(at_s + error()));
    const double span_s = std::chrono::duration<double>(clock.next_due()).count();
    for (int i = 0; i < 100; ++i) each(at_s + span_s * i / 100.0);
    at_s += span_s;
  }
}

TEST(DeviceClock, TakesTheClocksForEquallyFastAtFirst) {
  const TwoClocks two;
  DeviceClock clock;
  clock.compare(two.device_at(0.0), two.host_at(0.0));
  EXPECT_NEAR(two.error_s(clock, 0.5), 0.0, 2e-9);
  EXPECT_NEAR(two.error_s(clock, -0.5), 0.0, 2e-9) << "also before the first comparison";
}

// After 20 ms the difference of 2e-4 has added up to 4 us; it is known from then on.
TEST(DeviceClock, LearnsTheDifferenceOfTheSpeeds) {
  const TwoClocks two{.device_per_host_s = 1.0002};
  DeviceClock clock;
  double worst_s = 0.0;
  compare_until(
      two, clock, 30.0, [] { return 0.0; },
      [&](double at_s) { worst_s = std::max(worst_s, std::abs(two.error_s(clock, at_s))); });
  EXPECT_LE(worst_s, 4.2e-6);
  EXPECT_LE(std::abs(two.error_s(clock, 30.0)), 1e-8);
}

TEST(DeviceClock, IsWrongByNoMoreThanItsComparisonsAndNeverJumps) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> error(-3e-6, 3e-6);
  const TwoClocks two{.device_per_host_s = 1.0 - 5e-5};
  DeviceClock clock;
  double last_s = 0.0;
  double last_error_s = 0.0;
  bool is_first = true;
  compare_until(
      two, clock, 60.0, [&] { return error(random); },
      [&](double at_s) {
        const double error_s = two.error_s(clock, at_s);
        // The slope of the first second is known to some 3e-6 / 20 ms = 1.5e-4.
        EXPECT_LE(std::abs(error_s), at_s < 2.0 ? 60e-6 : 10e-6) << at_s;
        if (!is_first) {
          EXPECT_LE(std::abs(error_s - last_error_s), 4e-4 * (at_s - last_s) + 2e-9) << at_s;
        }
        is_first = false;
        last_s = at_s;
        last_error_s = error_s;
      });
}

// Between the opening of a device and the run, and while a block computes, the clocks are not
// compared.
TEST(DeviceClock, StaysRightHoweverRarelyTheClocksAreCompared) {
  for (const double gap_s : {3.0, 10.0, 100.0}) {
    const TwoClocks two{.device_per_host_s = 1.00002};
    DeviceClock clock;
    for (int i = 0; i < 20; ++i) {
      const double at_s = gap_s * i;
      // Wrong by 3 us, this way and that.
      clock.compare(two.device_at(at_s), two.host_at(at_s + (i % 2 == 0 ? 3e-6 : -3e-6)));
      if (i < 2) continue;  // the speed is not known yet
      for (int k = 0; k <= 10; ++k) {
        const double now_s = at_s + gap_s * k / 10.0;
        EXPECT_LE(std::abs(two.error_s(clock, now_s)), 20e-6) << gap_s << ", " << i << ", " << k;
      }
    }
  }
}

TEST(DeviceClock, KeepsTheTimesThatItToldBeforeAComparison) {
  const TwoClocks two{.device_per_host_s = 1.0001};
  DeviceClock clock;
  for (const double at_s : {0.0, 1.0, 2.0}) clock.compare(two.device_at(at_s), two.host_at(at_s));
  const Clock::TimePoint before = clock.host_time(two.device_at(1.5));
  clock.compare(two.device_at(3.0), two.host_at(3.0001));
  EXPECT_EQ(clock.host_time(two.device_at(1.5)), before);
  EXPECT_LT(clock.host_time(two.device_at(2.9999)), clock.host_time(two.device_at(3.0)));
}

}  // namespace
}  // namespace equipoise::device_clock_test
