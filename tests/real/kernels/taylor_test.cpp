// Tests of Taylor series: polynomials worked out by hand, and wrong values that the check must
// find.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "real/kernels/catalog.hpp"
#include "real/kernels/seeded.hpp"
#include "real/kernels/taylor/taylor_series.hpp"
#include "tests/support/computed_blocks.hpp"

namespace equipoise::taylor_test {
namespace {

/// Random points of a square, and the values of the series there.
struct Series {
  std::vector<double> x, y, value;
  std::size_t terms;

  Series(std::size_t count, std::size_t degree) : x(count), y(count), value(count), terms(degree) {
    for (std::size_t i = 0; i < count; ++i) {
      x[i] = seeded_number(1, i, -0.65, 0.65);
      y[i] = seeded_number(2, i, -0.65, 0.65);
    }
    evaluate(0, count);
  }

  void evaluate(std::size_t first, std::size_t count) {
    evaluate_series(x.data(), y.data(), value.data(), first, count, logarithm_series(terms));
  }

  [[nodiscard]] Verification check() const { return check_series(x, y, value, terms); }
};

double value_at(double x, double y, std::size_t terms) {
  double value = 0.0;
  evaluate_series(&x, &y, &value, 0, 1, logarithm_series(terms));
  return value;
}

TEST(Taylor, EvaluatesPolynomialsOfFewTermsAsByHand) {
  // Re z = x; Re z^2 = x^2 - y^2; Re z^3 = x^3 - 3 x y^2.
  EXPECT_DOUBLE_EQ(value_at(0.5, 0.25, 1), 0.5);
  EXPECT_DOUBLE_EQ(value_at(0.5, 0.25, 2), 0.5 - (0.25 - 0.0625) / 2.0);
  EXPECT_DOUBLE_EQ(value_at(0.5, 0.25, 3), 0.5 - 0.1875 / 2.0 + (0.125 - 0.09375) / 3.0);
  EXPECT_DOUBLE_EQ(series_by_powers(0.5, 0.25, 3), 0.5 - 0.1875 / 2.0 + 0.03125 / 3.0);
  EXPECT_EQ(value_at(0.0, 0.0, 10), 0.0);
}

TEST(Taylor, ConvergesToTheLogarithm) {
  EXPECT_NEAR(value_at(0.5, 0.0, 100), std::log(1.5), 1e-15);
  EXPECT_NEAR(value_at(-0.5, 0.0, 100), std::log(0.5), 1e-15);
  EXPECT_NEAR(value_at(0.0, 0.5, 100), 0.5 * std::log(1.25), 1e-15);
  EXPECT_NEAR(value_at(-0.6, 0.6, 400), 0.5 * std::log(0.16 + 0.36), 1e-14);
}

TEST(Taylor, AgreesWithItsCheckWhateverTheDegree) {
  for (const std::size_t terms : {1, 2, 3, 30, 1000}) {
    const Verification found = Series(1'003, terms).check();
    EXPECT_TRUE(found.passed) << terms << " terms: " << found.what;
  }
}

TEST(Taylor, GivesAPointTheSameWhateverIsBesideIt) {
  const Series together(150, 40);
  Series apart(150, 40);
  for (std::size_t i = 0; i < 150; i += 7) apart.evaluate(i, std::min<std::size_t>(7, 150 - i));
  EXPECT_EQ(apart.value, together.value);
}

TEST(Taylor, NoticesAWrongValueWhereverItIs) {
  for (const std::size_t at : {0, 501, 1'002}) {
    Series series(1'003, 1000);
    const double right = series.value[at];
    for (const double wrong : {right + 1e-11, -right, right + 1e6, std::nan("")}) {
      series.value[at] = wrong;
      const Verification found = series.check();
      EXPECT_FALSE(found.passed);
      EXPECT_TRUE(found.what.starts_with("point " + std::to_string(at) + ":")) << found.what;
    }
  }
}

TEST(Taylor, NoticesATermThatIsMissing) {
  Series series(10, 20);
  EXPECT_TRUE(series.check().passed);
  series.terms = 19;
  series.evaluate(0, 10);
  series.terms = 20;
  EXPECT_FALSE(series.check().passed);
}

TEST(Taylor, DescribesItsWorkload) {
  const auto kernel = make_kernel("taylor", {{"points", "1e6"}, {"terms", "100"}}, "--workload");
  const Workload& workload = kernel->workload();
  EXPECT_EQ(workload.items, 1'000'000);
  EXPECT_EQ(workload.in_bytes_per_item, 16.0);
  EXPECT_EQ(workload.out_bytes_per_item, 8.0);
  EXPECT_EQ(workload.memory_bytes_per_item, 24.0);
  EXPECT_EQ(workload.flop_per_item, 409.0);
  EXPECT_EQ(kernel->workload().problem, (std::map<std::string, double>{{"terms", 100.0}}));
  EXPECT_EQ(kernel->host_bytes(), 24e6);
}

TEST(Taylor, RefusesWhatIsOutOfRange) {
  EXPECT_NE(refusal_of_kernel("taylor", {{"points", "0"}}).find("at least one item"),
            std::string::npos);
  EXPECT_NE(refusal_of_kernel("taylor", {{"terms", "0"}}).find("terms"), std::string::npos);
  EXPECT_NE(refusal_of_kernel("taylor", {{"terms", "1000001"}}).find("terms"), std::string::npos);
  EXPECT_NE(refusal_of_kernel("taylor", {{"points", "5e15"}, {"terms", "1e6"}}).find("overflows"),
            std::string::npos);
}

}  // namespace
}  // namespace equipoise::taylor_test
