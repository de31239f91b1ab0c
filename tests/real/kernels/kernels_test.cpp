// Tests of the kernels of the catalog: what they compute, and wrong results that the checks must
// find.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "real/kernels/blackscholes/option_price.hpp"
#include "real/kernels/catalog.hpp"
#include "real/kernels/matmul/product_check.hpp"
#include "real/kernels/seeded.hpp"
#include "tests/support/computed_blocks.hpp"

namespace equipoise::kernels_test {
namespace {

/// Random options with prices of `price_options`.
struct Options {
  std::vector<double> spot, strike, years, volatility, call, put;

  explicit Options(std::size_t count)
      : spot(count), strike(count), years(count), volatility(count), call(count), put(count) {
    for (std::size_t i = 0; i < count; ++i) {
      spot[i] = seeded_number(1, i, 1.0, 200.0);
      strike[i] = seeded_number(2, i, 1.0, 200.0);
      years[i] = seeded_number(3, i, 0.01, 10.0);
      volatility[i] = seeded_number(4, i, 0.02, 1.0);
    }
    price_options(
        {spot.data(), strike.data(), years.data(), volatility.data(), call.data(), put.data()}, 0,
        count, 0.05);
  }

  [[nodiscard]] Verification check() const {
    return check_options(
        {spot.data(), strike.data(), years.data(), volatility.data(), call.data(), put.data()},
        spot.size(), 0.05);
  }
};

TEST(Blackscholes, PricesTheTextbookOption) {
  Options options(1);
  options.spot[0] = options.strike[0] = 100.0;
  options.years[0] = 1.0;
  options.volatility[0] = 0.2;
  price_options({options.spot.data(), options.strike.data(), options.years.data(),
                 options.volatility.data(), options.call.data(), options.put.data()},
                0, 1, 0.05);
  EXPECT_NEAR(options.call[0], 10.450583572185565, 1e-12);
  EXPECT_NEAR(options.put[0], 5.573526022256971, 1e-12);
  EXPECT_NEAR(call_by_integration(100.0, 100.0, 1.0, 0.2, 0.05), 10.450583572185565, 1e-9);
}

TEST(Blackscholes, AgreesWithIndependentPricesWhereverAnOptionLies) {
  const Verification found = Options(10'007).check();
  EXPECT_TRUE(found.passed) << found.what;
}

TEST(Blackscholes, NoticesAWrongPriceWhereverItIs) {
  for (const std::size_t at : {std::size_t{0}, std::size_t{4'321}, std::size_t{10'006}}) {
    for (const double factor : {1.0 + 1e-7, -1.0, std::nan("")}) {
      Options options(10'007);
      options.call[at] *= factor;
      options.call[at] += 1e-7;
      const Verification found = options.check();
      EXPECT_FALSE(found.passed);
      EXPECT_NE(found.what.find("option " + std::to_string(at)), std::string::npos) << found.what;
    }
  }
}

TEST(Blackscholes, NoticesWrongPricesThatKeepParity) {
  Options options(10'007);
  options.call[5'000] += 1e-6;
  options.put[5'000] += 1e-6;
  EXPECT_FALSE(options.check().passed);
}

TEST(Matmul, NoticesOneWrongElement) {
  constexpr std::size_t n = 50;
  std::vector<double> a(n * n);
  std::vector<double> b(n * n);
  std::vector<double> c(n * n, 0.0);
  for (std::size_t i = 0; i < n * n; ++i) {
    a[i] = seeded_number(1, i, -1.0, 1.0);
    b[i] = seeded_number(2, i, -1.0, 1.0);
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t k = 0; k < n; ++k) c[i * n + j] += a[i * n + k] * b[k * n + j];
    }
  }
  EXPECT_TRUE(check_product(a.data(), b.data(), c.data(), n).passed);
  c[17 * n + 3] += 1e-8;
  const Verification found = check_product(a.data(), b.data(), c.data(), n);
  EXPECT_FALSE(found.passed);
  EXPECT_NE(found.what.find("row 17"), std::string::npos) << found.what;
}

TEST(Matmul, MakesTheSameInputFromTheSameSeed) {
  EXPECT_EQ(seeded_number(1, 2, 0.0, 1.0), seeded_number(1, 2, 0.0, 1.0));
  EXPECT_NE(seeded_number(1, 2, 0.0, 1.0), seeded_number(2, 2, 0.0, 1.0));
  EXPECT_NE(seeded_number(1, 2, 0.0, 1.0), seeded_number(1, 3, 0.0, 1.0));
}

TEST(KernelCatalog, DescribesItsWorkloads) {
  const auto product = make_kernel("matmul", {{"n", "1536"}}, "--workload");
  const Workload& rows = product->workload();
  EXPECT_EQ(rows.items, 1536);
  EXPECT_EQ(rows.in_bytes_per_item, 8.0 * 1536);
  EXPECT_EQ(rows.resident_bytes, 8.0 * 1536 * 1536);
  EXPECT_EQ(rows.flop_per_item, 2.0 * 1536 * 1536);
  EXPECT_EQ(product->workload().problem.at("n"), 1536.0);
  const auto prices = make_kernel("blackscholes", {{"options", "2e6"}}, "--workload");
  EXPECT_EQ(prices->workload().items, 2'000'000);
  EXPECT_TRUE(
      prices->workload().problem.empty());  // the cost of an option does not depend on their number
}

TEST(KernelCatalog, SaysWhatIsWrongWithAWorkload) {
  EXPECT_NE(refusal_of_kernel("matmull", {}).find("did you mean 'matmul'"), std::string::npos);
  EXPECT_NE(refusal_of_kernel("blackscholes", {{"option", "5"}}).find("did you mean 'options'"),
            std::string::npos);
  EXPECT_NE(refusal_of_kernel("matmul", {{"n", "0"}}).find("at least one item"), std::string::npos);
  EXPECT_NE(refusal_of_kernel("matmul", {{"n", "-4"}}).find("out of range"), std::string::npos);
  EXPECT_NE(refusal_of_kernel("matmul", {{"n", "12.5"}}).find("whole"), std::string::npos);
  EXPECT_NE(refusal_of_kernel("matmul", {{"n", "nan"}}), "not refused");
  EXPECT_NE(refusal_of_kernel("matmul", {{"n", "many"}}), "not refused");
  EXPECT_NE(refusal_of_kernel("matmul", {{"n", "1e30"}}), "not refused");
  EXPECT_NE(refusal_of_kernel("blackscholes", {{"options", "1e18"}}), "not refused");
}

TEST(KernelCatalog, ListsDefaultsThatAreLegal) {
  for (const KernelInfo& info : kernel_catalog()) {
    TypedParameters defaults;
    for (const ParameterInfo& parameter : info.parameters) {
      defaults[parameter.name] = parameter.default_text;
    }
    const auto typed = make_kernel(info.name, defaults, "--workload");
    const auto untyped = make_kernel(info.name, {}, "--workload");
    EXPECT_EQ(typed->workload().items, untyped->workload().items);
    EXPECT_EQ(typed->workload().kernel, info.name);
  }
}

TEST(KernelCatalog, HasKernelsWhoseUnitsComputeToTheEndWhenTheKernelIsGone) {
  // Like a thread that was left behind: all data that it still reads must be its own.
  const std::map<std::string, TypedParameters> small = {
      {"binomial", {{"options", "64"}, {"steps", "16"}}},
      {"blackscholes", {{"options", "64"}}},
      {"empty", {{"items", "64"}}},
      {"fft2d", {{"transforms", "4"}, {"rows", "64"}, {"columns", "32"}}},
      {"gaussian", {{"width", "32"}, {"height", "64"}}},
      {"grn", {{"genes", "64"}, {"candidates", "16"}}},
      {"kmeans", {{"points", "64"}, {"clusters", "8"}}},
      {"mandelbrot", {{"width", "32"}, {"height", "64"}}},
      {"matmul", {{"n", "64"}}},
      {"nbody", {{"bodies", "64"}}},
      {"synthetic", {{"items", "64"}, {"operations", "1000"}}},
      {"taylor", {{"points", "64"}, {"terms", "16"}}}};
  for (const KernelInfo& info : kernel_catalog()) {
    ASSERT_TRUE(small.contains(info.name)) << info.name << ": add small parameters for this kernel";
    auto kernel = make_kernel(info.name, small.at(info.name), "--workload");
    kernel->allocate(1);
    std::thread on_its_own([&] {
      ThreadTeam team({cores_of_this_thread().front()});
      const Block block{.id = 0, .first = 0, .items = kernel->workload().items};
      StagedUnit unit(*kernel, block.items);
      unit.bring(block);
      kernel.reset();
      unit.compute(team);
    });
    on_its_own.join();
  }
}

}  // namespace
}  // namespace equipoise::kernels_test
