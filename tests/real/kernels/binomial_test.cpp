// Tests of option pricing on a lattice: prices worked out by hand, and wrong prices that the check
// must find.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "real/kernels/binomial/lattice_price.hpp"
#include "real/kernels/blackscholes/option_price.hpp"
#include "real/kernels/catalog.hpp"
#include "real/kernels/seeded.hpp"
#include "tests/support/computed_blocks.hpp"

namespace equipoise::binomial_test {
namespace {

constexpr double rate = 0.05;

/// Random options as columns, with prices of `price_on_lattice`.
struct Options {
  std::vector<double> spot, strike, years, volatility, call;
  std::size_t steps;

  Options(std::size_t count, std::size_t lattice_steps)
      : spot(count),
        strike(count),
        years(count),
        volatility(count),
        call(count),
        steps(lattice_steps) {
    for (std::size_t i = 0; i < count; ++i) {
      spot[i] = seeded_number(1, i, 1.0, 200.0);
      strike[i] = seeded_number(2, i, 1.0, 200.0);
      years[i] = seeded_number(3, i, 0.1, 5.0);
      volatility[i] = seeded_number(4, i, 0.15, 0.8);
    }
    price(0, count);
  }

  void price(std::size_t first, std::size_t count) {
    price_on_lattice({spot.data(), strike.data(), years.data(), volatility.data(), call.data()},
                     first, count, rate, steps);
  }

  [[nodiscard]] Verification check() const {
    return check_lattice_prices(
        {spot.data(), strike.data(), years.data(), volatility.data(), call.data()}, spot.size(),
        rate, steps);
  }
};

double price_of(double spot, double strike, double years, double volatility, std::size_t steps) {
  Options one(1, steps);
  one.spot[0] = spot;
  one.strike[0] = strike;
  one.years[0] = years;
  one.volatility[0] = volatility;
  one.price(0, 1);
  return one.call[0];
}

TEST(Binomial, PricesLatticesOfOneTwoAndThreeStepsAsByHand) {
  // One step: u = e^0.2, p = (e^0.05 - 1/u) / (u - 1/u) = 0.577493. The option is worth 22.140276
  // after an up step.
  EXPECT_NEAR(price_of(100.0, 100.0, 1.0, 0.2, 1), 12.162284964623943, 1e-12);
  EXPECT_NEAR(price_of(100.0, 100.0, 1.0, 0.2, 2), 9.540501338582947, 1e-12);
  EXPECT_NEAR(price_of(100.0, 110.0, 2.0, 0.3, 3), 17.770844618076588, 1e-12);
  EXPECT_NEAR(call_by_terminal_sum(100.0, 100.0, 1.0, 0.2, rate, 1), 12.162284964623943, 1e-12);
  EXPECT_NEAR(call_by_terminal_sum(100.0, 110.0, 2.0, 0.3, rate, 3), 17.770844618076588, 1e-12);
}

TEST(Binomial, ApproachesTheContinuousPriceAsStepsGrow) {
  const double limit = call_by_integration(100.0, 100.0, 1.0, 0.2, rate);
  EXPECT_NEAR(limit, 10.450583572185565, 1e-9);
  // An odd number of steps gives a price above the limit, an even one a price below. The error is
  // less than 2 / steps.
  for (const std::size_t steps : {10, 11, 100, 101, 1000}) {
    const double off = price_of(100.0, 100.0, 1.0, 0.2, steps) - limit;
    EXPECT_EQ(off > 0.0, steps % 2 == 1) << steps;
    EXPECT_LT(std::abs(off), 2.0 / static_cast<double>(steps));
  }
}

TEST(Binomial, AgreesWithItsCheckWhereverAnOptionLies) {
  for (const std::size_t steps : {1, 2, 7, 64, 254, 1500}) {
    const Verification found = Options(203, steps).check();
    EXPECT_TRUE(found.passed) << steps << " steps: " << found.what;
  }
}

TEST(Binomial, PricesAnOptionTheSameWhateverIsBesideIt) {
  const Options together(37, 30);
  Options apart(37, 30);
  for (std::size_t i = 0; i < 37; i += 5) apart.price(i, std::min<std::size_t>(5, 37 - i));
  EXPECT_EQ(apart.call, together.call);
}

TEST(Binomial, NoticesAWrongPriceWhereverItIs) {
  for (const std::size_t at : {0, 500, 1'000}) {
    Options options(1'001, 50);
    const double right = options.call[at];
    for (const double wrong : {right + 1e-9, -right - 1e-9, right + 50.0, std::nan("")}) {
      options.call[at] = wrong;
      const Verification found = options.check();
      EXPECT_FALSE(found.passed);
      EXPECT_TRUE(found.what.starts_with("option " + std::to_string(at) + ":")) << found.what;
    }
  }
}

TEST(Binomial, DescribesItsWorkload) {
  const auto kernel =
      make_kernel("binomial", {{"options", "20480000"}, {"steps", "254"}}, "--workload");
  const Workload& workload = kernel->workload();
  EXPECT_EQ(workload.items, 20'480'000);
  EXPECT_EQ(workload.in_bytes_per_item, 32.0);
  EXPECT_EQ(workload.out_bytes_per_item, 8.0);
  EXPECT_EQ(workload.memory_bytes_per_item, 40.0);
  EXPECT_EQ(workload.flop_per_item, 3.0 * 32385.0 + 2.0 * 255.0);
  EXPECT_EQ(kernel->workload().problem, (std::map<std::string, double>{{"steps", 254.0}}));
  EXPECT_EQ(kernel->host_bytes(), 40.0 * 20'480'000.0);
}

TEST(Binomial, RefusesWhatIsOutOfRange) {
  EXPECT_NE(refusal_of_kernel("binomial", {{"options", "0"}}).find("at least one item"),
            std::string::npos);
  EXPECT_NE(refusal_of_kernel("binomial", {{"steps", "0"}}).find("steps"), std::string::npos);
  EXPECT_NE(refusal_of_kernel("binomial", {{"steps", "100001"}}).find("steps"), std::string::npos);
  EXPECT_NE(
      refusal_of_kernel("binomial", {{"options", "1e14"}, {"steps", "1e5"}}).find("overflows"),
      std::string::npos);
}

}  // namespace
}  // namespace equipoise::binomial_test
