// Tests of the Gaussian blur: filters and pixels worked out by hand, and wrong pixels that the
// check must find.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "real/kernels/catalog.hpp"
#include "real/kernels/gaussian/blur.hpp"
#include "real/kernels/seeded.hpp"
#include "tests/support/computed_blocks.hpp"

namespace equipoise::gaussian_test {
namespace {

TEST(Gaussian, WeighsNeighboursAsByHand) {
  const std::vector<double> weights = gaussian_weights(1);
  // With radius 1, one pixel is three standard deviations: e^-4.5 beside the middle, e^-9 in the
  // corners.
  const double beside = std::exp(-4.5);
  const double sum = 1.0 + 4.0 * beside + 4.0 * beside * beside;
  ASSERT_EQ(weights.size(), 9u);
  EXPECT_NEAR(weights[4], 1.0 / sum, 1e-15);
  for (const std::size_t i : {1, 3, 5, 7}) EXPECT_NEAR(weights[i], beside / sum, 1e-15);
  for (const std::size_t i : {0, 2, 6, 8}) EXPECT_NEAR(weights[i], beside * beside / sum, 1e-15);
}

TEST(Gaussian, ConvolvesAsByHand) {
  // A filter that is not symmetric shows which weight meets which pixel.
  const BlurShape shape{.width = 2, .radius = 1};
  const std::vector<double> weights = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  std::vector<double> in(4 * shape.stride(), -1e9);
  const double pixels[4][4] = {{1, 0, 0, 2}, {0, 1, 0, 0}, {0, 0, 10, 0}, {0, 0, 0, 1}};
  for (std::size_t y = 0; y < 4; ++y) std::copy_n(pixels[y], 4, &in[y * shape.stride()]);
  std::vector<double> out(4);
  blur(shape, weights.data(), in.data(), 2, out.data());
  EXPECT_EQ(out, (std::vector<double>{1 + 5 + 90, 6 + 4 + 80, 2 + 60, 1 + 50 + 9}));
}

/// A random image, blurred in blocks of `block` rows.
struct Blurred {
  std::size_t width, height, radius;
  std::vector<double> in, out;

  Blurred(std::size_t w, std::size_t h, std::size_t r, std::size_t block = 1000)
      : width(w), height(h), radius(r), in(w * h), out(w * h) {
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = seeded_number(8, i, 0.0, 1.0);
    const BlurShape shape{.width = w, .radius = r};
    std::vector<double> padded((h + 2 * r) * shape.stride());
    for (std::size_t y = 0; y < h + 2 * r; ++y) {
      for (std::size_t x = 0; x < shape.stride(); ++x) {
        padded[y * shape.stride() + x] = in[inside(y, h) * w + inside(x, w)];
      }
    }
    const std::vector<double> weights = gaussian_weights(r);
    for (std::size_t y = 0; y < h; y += block) {
      blur(shape, weights.data(), &padded[y * shape.stride()], std::min(block, h - y), &out[y * w]);
    }
  }

  [[nodiscard]] std::size_t inside(std::size_t position, std::size_t count) const {
    return std::min(std::max(position, radius) - radius, count - 1);
  }

  [[nodiscard]] Verification check() const {
    return check_blur({in.data(), width, out.data(), width, height, radius});
  }
};

TEST(Gaussian, AgreesWithItsCheckAtEverySize) {
  for (const std::size_t width : {1, 2, 15, 16, 17, 40}) {
    for (const std::size_t height : {1, 3, 4, 5, 21}) {
      for (const std::size_t radius : {1, 2, 9}) {
        const Verification found = Blurred(width, height, radius).check();
        EXPECT_TRUE(found.passed) << width << " x " << height << ", " << radius << ": "
                                  << found.what;
      }
    }
  }
}

TEST(Gaussian, LeavesAnEvenImageAsItIs) {
  const BlurShape shape{.width = 20, .radius = 3};
  const std::vector<double> in((5 + 6) * shape.stride(), 0.75);
  std::vector<double> out(100);
  blur(shape, gaussian_weights(3).data(), in.data(), 5, out.data());
  for (const double pixel : out) EXPECT_NEAR(pixel, 0.75, 1e-14);
}

TEST(Gaussian, GivesTheSameBitsHoweverRowsAreDivided) {
  const Blurred whole(37, 23, 4);
  for (const std::size_t block : {1, 2, 3, 4, 5, 7, 22}) {
    EXPECT_EQ(Blurred(37, 23, 4, block).out, whole.out) << block;
  }
}

TEST(Gaussian, NoticesAWrongPixelWhereverItIs) {
  Blurred image(30, 20, 3);
  for (const std::size_t at : {0, 29, 314, 570, 599}) {
    const double right = image.out[at];
    for (const double wrong : {right * (1.0 + 1e-12), -right, 1e300, 0.0, std::nan("")}) {
      image.out[at] = wrong;
      const Verification found = image.check();
      EXPECT_FALSE(found.passed) << at << ": " << wrong;
      EXPECT_TRUE(found.what.starts_with("row " + std::to_string(at / 30) + ", pixel " +
                                         std::to_string(at % 30) + ":"))
          << found.what;
    }
    image.out[at] = right;
  }
  EXPECT_TRUE(image.check().passed);
}

TEST(Gaussian, NoticesAnImageThatWasOnlyCopied) {
  Blurred image(30, 20, 3);
  image.out = image.in;
  EXPECT_FALSE(image.check().passed);
}

TEST(Gaussian, BlursImagesThatAreSmallerThanTheFilter) {
  for (const char* height : {"1", "2", "3"}) {
    const auto kernel = make_kernel(
        "gaussian", {{"width", "2"}, {"height", height}, {"radius", "7"}}, "--workload");
    kernel->allocate(3);
    compute_in_turns(*kernel, 1);
    EXPECT_TRUE(kernel->verify().passed) << kernel->verify().what;
  }
}

TEST(Gaussian, DescribesItsWorkload) {
  const auto kernel =
      make_kernel("gaussian", {{"width", "8000"}, {"height", "6000"}}, "--workload");
  const Workload& workload = kernel->workload();
  EXPECT_EQ(workload.items, 6000);
  EXPECT_EQ(workload.in_bytes_per_item, 8.0 * (8000 + 2 * 40));  // a row in its frame
  EXPECT_EQ(workload.out_bytes_per_item, 8.0 * 8000);
  EXPECT_EQ(workload.resident_bytes, 8.0 * 81 * 81);
  EXPECT_EQ(workload.flop_per_item, 2.0 * 81 * 81 * 8000);
  EXPECT_EQ(kernel->workload().problem,
            (std::map<std::string, double>{{"width", 8000}, {"radius", 40}}));
  EXPECT_GE(kernel->host_bytes(), 2.0 * 8 * 8000 * 6000);
}

TEST(Gaussian, RefusesWhatIsOutOfRange) {
  EXPECT_NE(refusal_of_kernel("gaussian", {{"radius", "0"}}).find("radius"), std::string::npos);
  EXPECT_NE(refusal_of_kernel("gaussian", {{"radius", "2000"}}).find("radius"), std::string::npos);
  EXPECT_NE(refusal_of_kernel("gaussian", {{"width", "0"}}).find("width"), std::string::npos);
  EXPECT_NE(refusal_of_kernel("gaussian", {{"height", "1e9"}}).find("height"), std::string::npos);
}

}  // namespace
}  // namespace equipoise::gaussian_test
