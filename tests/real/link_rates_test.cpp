// Tests of the figures that timed copies give.
#include "real/devices/link_rates.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace equipoise::link_rates_test {
namespace {

/// A link that takes exactly as long as its figures say.
struct ExactLink {
  LinkRates rates;
  int copies = 0;
  int late_every = 0;  ///< every so manieth copy takes a second more; 0: none

  Seconds operator()(std::size_t in_bytes, std::size_t out_bytes) {
    const auto in = static_cast<double>(in_bytes);
    const auto out = static_cast<double>(out_bytes);
    const double alone_s = std::max(rates.in.time(in).value, rates.out.time(out).value);
    const double latency_s = std::max(in_bytes > 0 ? rates.in.latency.value : 0.0,
                                      out_bytes > 0 ? rates.out.latency.value : 0.0);
    const double together_s = latency_s + (in + out) / rates.both_bytes_per_s;
    ++copies;
    const bool is_late = late_every > 0 && copies % late_every == 0;
    return Seconds{std::max(alone_s, together_s) + (is_late ? 1.0 : 0.0)};
  }
};

constexpr std::size_t large_bytes = std::size_t{32} << 20;

LinkRates measured(ExactLink link) {
  return measure_link_rates([&link](std::size_t in, std::size_t out) { return link(in, out); },
                            large_bytes);
}

TEST(LinkRates, AreThoseOfTheLinkInEachDirectionAndInBoth) {
  const LinkRates rates = measured({{{Seconds{8e-6}, 25e9}, {Seconds{10e-6}, 20e9}, 36e9}});
  EXPECT_NEAR(rates.in.bandwidth_bytes_per_s, 25e9, 1e3);
  EXPECT_NEAR(rates.in.latency.value, 8e-6, 1e-12);
  EXPECT_NEAR(rates.out.bandwidth_bytes_per_s, 20e9, 1e3);
  EXPECT_NEAR(rates.out.latency.value, 10e-6, 1e-12);
  EXPECT_NEAR(rates.both_bytes_per_s, 36e9, 36e9 * 1e-6);
  EXPECT_TRUE(rates.both_share()) << "0.8 of the sum";
}

TEST(LinkRates, SeeThatDirectionsOfDifferentSpeedDoNotDelayEachOther) {
  const LinkRates rates = measured({{{Seconds{}, 25e9}, {Seconds{}, 5e9}, 30e9}});
  EXPECT_NEAR(rates.both_bytes_per_s, 30e9, 30e9 * 1e-3);
  EXPECT_FALSE(rates.both_share());
}

TEST(LinkRates, DoNotCountCopiesThatWereLate) {
  const LinkRates rates = measured({{{Seconds{1e-5}, 10e9}, {Seconds{1e-5}, 10e9}, 20e9}, 0, 4});
  EXPECT_NEAR(rates.in.bandwidth_bytes_per_s, 10e9, 1e3);
  EXPECT_NEAR(rates.out.bandwidth_bytes_per_s, 10e9, 1e3);
  EXPECT_FALSE(rates.both_share());
}

TEST(LinkRates, AreFiniteWhereCopiesTakeNoTimeOnACoarseClock) {
  const LinkRates rates =
      measure_link_rates([](std::size_t, std::size_t) { return Seconds{}; }, large_bytes);
  EXPECT_LE(rates.in.bandwidth_bytes_per_s, 1e18);
  EXPECT_LE(rates.in.latency.value, 1e-9);
  EXPECT_LE(rates.both_bytes_per_s, 1e18);
}

}  // namespace
}  // namespace equipoise::link_rates_test
