// Tests of the Mandelbrot set: orbits worked out by hand, and wrong counts that the check must
// find.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "real/kernels/catalog.hpp"
#include "real/kernels/mandelbrot/escape_time.hpp"
#include "tests/support/computed_blocks.hpp"

namespace equipoise::mandelbrot_test {
namespace {

std::vector<double> counts_of(const EscapeImage& image) {
  std::vector<double> counts(static_cast<std::size_t>(image.width * image.height));
  for (Items row = 0; row < image.height; ++row) {
    count_steps(image, image.imaginary(row), counts.data() + row * image.width);
  }
  return counts;
}

TEST(Mandelbrot, CountsStepsAsByHand) {
  const EscapeImage image{.width = 6, .height = 1, .max_iterations = 50};
  const double reals[] = {-2.0, -1.5, -1.0, -0.5, 0.0, 0.5};
  for (Items i = 0; i < 6; ++i) EXPECT_EQ(image.real(i), reals[i]);
  std::vector<double> counts(6);
  count_steps(image, 0.0, counts.data());
  // On the real axis, points from -2 to 1/4 never escape. The orbit of 0.5 is 0.5, 0.75, 1.0625,
  // 1.63, then 3.15 outside.
  EXPECT_EQ(counts, (std::vector<double>{50, 50, 50, 50, 50, 4}));
  count_steps(image, 1.0, counts.data());
  // -2+i is outside. The other orbits: -1.5+i, -0.25-2i; -1+i, -1-i, -1+3i; -0.5+i, -1.25, 1.06+i,
  // -0.37+3.1i; i, -1+i, -i, -1+i, ... which never escapes; 0.5+i, -0.25+2i.
  EXPECT_EQ(counts, (std::vector<double>{0, 1, 2, 3, 50, 1}));
}

TEST(Mandelbrot, CountsNoMoreThanItIsAllowed) {
  for (const Items most : {1, 2, 3, 4, 5, 7, 8, 9, 100}) {
    std::vector<double> counts(6);
    count_steps({.width = 6, .height = 1, .max_iterations = most}, 1.0, counts.data());
    const auto at_most = [most](double count) {
      return std::min(count, static_cast<double>(most));
    };
    EXPECT_EQ(counts, (std::vector<double>{0, 1, at_most(2), at_most(3), at_most(1000), 1}))
        << most;
  }
}

TEST(Mandelbrot, AgreesWithItsCheckAtEverySize) {
  for (const Items width : {1, 2, 31, 32, 33, 100}) {
    for (const Items height : {1, 2, 7, 64}) {
      for (const Items most : {1, 2, 30, 300}) {
        const EscapeImage image{width, height, most};
        const Verification found = check_escapes(counts_of(image).data(), image);
        EXPECT_TRUE(found.passed) << width << " x " << height << ", " << most << ": " << found.what;
      }
    }
  }
}

TEST(Mandelbrot, KnowsInWhatRangeAnOrbitInDoublesEnds) {
  const StepRange certain = steps_in_doubles(0.5, 0.0, 100);
  EXPECT_EQ(certain.low, 4);
  EXPECT_EQ(certain.high, 4);
  const StepRange inside = steps_in_doubles(-0.1, 0.1, 5000);
  EXPECT_EQ(inside.low, 5000);
  EXPECT_EQ(inside.high, 5000);
  // The orbit of -2 stays at 2, on the circle itself, so no error bound can exclude that it stays.
  EXPECT_EQ(steps_in_doubles(-2.0, 0.0, 100).high, 100);
  // A chaotic orbit loses a digit every few steps. The lower end of the range must stop when its
  // digits are used up.
  const StepRange chaos = steps_in_doubles(-1.9, 1e-9, 100'000);
  EXPECT_GT(chaos.low, 20);
  EXPECT_LT(chaos.low, 200);
}

TEST(Mandelbrot, NoticesAWrongCountWhereverItIs) {
  const EscapeImage image{.width = 40, .height = 31, .max_iterations = 60};
  std::vector<double> counts = counts_of(image);
  for (const std::size_t at : {0, 39, 301, 603, 639, 811, 1239}) {
    const double right = counts[at];
    for (const double wrong : {right + 1.0, right - 1.0, right + 0.5, 1e300, std::nan("")}) {
      counts[at] = wrong;
      const Verification found = check_escapes(counts.data(), image);
      EXPECT_FALSE(found.passed) << at << ": " << wrong;
      EXPECT_NE(found.what.find("row " + std::to_string(at / 40)), std::string::npos) << found.what;
    }
    counts[at] = right;
  }
  EXPECT_TRUE(check_escapes(counts.data(), image).passed);
}

TEST(Mandelbrot, NoticesAPairOfWrongRowsThatMirrorEachOther) {
  const EscapeImage image{.width = 40, .height = 30, .max_iterations = 60};
  for (Items row = 0; row < 15; ++row) {
    std::vector<double> counts = counts_of(image);
    for (const Items wrong : {row, image.height - 1 - row}) {
      for (Items i = 0; i < image.width; ++i)
        counts[static_cast<std::size_t>(wrong * 40 + i)] += 1.0;
    }
    EXPECT_FALSE(check_escapes(counts.data(), image).passed) << row;
  }
}

TEST(Mandelbrot, NoticesMembersThatAreSaidToEscape) {
  const EscapeImage image{.width = 64, .height = 64, .max_iterations = 60};
  std::vector<double> counts = counts_of(image);
  for (double& count : counts) count = std::min(count, 59.0);
  EXPECT_FALSE(check_escapes(counts.data(), image).passed);
}

TEST(Mandelbrot, EstimatesTheMeanCount) {
  for (const Items most : {10, 100, 1000}) {
    const EscapeImage image{.width = 256, .height = 256, .max_iterations = most};
    const std::vector<double> counts = counts_of(image);
    const double mean =
        std::accumulate(counts.begin(), counts.end(), 0.0) / static_cast<double>(counts.size());
    EXPECT_NEAR(mean_steps(most) / mean, 1.0, 0.03) << most;
  }
}

TEST(Mandelbrot, DealsEveryRowOnceInAnOrderThatDependsOnTheHeightAlone) {
  // In natural order the first items are the first rows, so the check misses row 19, the mirror of
  // row 0. In random order the rows that it misses differ, and are the same each time.
  const auto first_missing = [](const TypedParameters& parameters, Items items) {
    const auto kernel = make_kernel("mandelbrot", parameters, "--workload");
    kernel->allocate(static_cast<std::uint64_t>(items));
    compute(*kernel, 0, items);
    return kernel->verify();
  };
  const TypedParameters random = {{"width", "8"}, {"height", "20"}, {"max_iterations", "10"}};
  TypedParameters natural = random;
  natural["order"] = "natural";
  EXPECT_NE(first_missing(natural, 10).what.find("but row 19, its mirror"), std::string::npos);
  std::set<std::string> found;
  for (Items items = 1; items < 20; ++items) {
    const Verification verification = first_missing(random, items);
    EXPECT_FALSE(verification.passed);
    EXPECT_EQ(verification.what, first_missing(random, items).what);
    found.insert(verification.what);
  }
  EXPECT_GT(found.size(), 3u);
  EXPECT_TRUE(first_missing(random, 20).passed);
}

TEST(Mandelbrot, DescribesItsWorkload) {
  const auto kernel = make_kernel(
      "mandelbrot", {{"width", "20480"}, {"height", "10240"}, {"order", "natural"}}, "--workload");
  const Workload& workload = kernel->workload();
  EXPECT_EQ(workload.items, 10240);
  EXPECT_EQ(workload.in_bytes_per_item, 8.0);
  EXPECT_EQ(workload.out_bytes_per_item, 8.0 * 20480);
  EXPECT_NEAR(workload.flop_per_item, 20480 * 8 * 171.7, 0.02 * 20480 * 8 * 171.7);
  EXPECT_EQ(kernel->workload().problem,
            (std::map<std::string, double>{
                {"width", 20480}, {"max_iterations", 1000}, {"natural_order", 1}}));
  EXPECT_GE(kernel->host_bytes(), 8.0 * 20480 * 10240);
}

TEST(Mandelbrot, RefusesWhatIsOutOfRange) {
  EXPECT_NE(refusal_of_kernel("mandelbrot", {{"width", "0"}}).find("width"), std::string::npos);
  EXPECT_NE(refusal_of_kernel("mandelbrot", {{"height", "2e6"}}).find("height"), std::string::npos);
  EXPECT_NE(refusal_of_kernel("mandelbrot", {{"max_iterations", "0"}}).find("max_iterations"),
            std::string::npos);
  EXPECT_NE(refusal_of_kernel("mandelbrot", {{"order", "naturel"}}).find("did you mean 'natural'"),
            std::string::npos);
}

}  // namespace
}  // namespace equipoise::mandelbrot_test
