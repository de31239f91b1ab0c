// Tests of the Fourier transform: arrays worked out by hand, and wrong results that the check must
// find.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <string>
#include <vector>

#include "real/kernels/catalog.hpp"
#include "real/kernels/fft2d/fourier_transform.hpp"
#include "real/kernels/seeded.hpp"
#include "tests/support/computed_blocks.hpp"

namespace equipoise::fft2d_test {
namespace {

using Number = std::complex<double>;

/// Returns the transform of `in`.
std::vector<Number> transformed(const FourierShape& shape, const std::vector<Number>& in) {
  const FourierTransform fourier(shape);
  Buffer room = fourier.make_room();
  Buffer from(2 * in.size());
  Buffer to(2 * in.size());
  for (std::size_t i = 0; i < in.size(); ++i) {
    from.data()[2 * i] = in[i].real();
    from.data()[2 * i + 1] = in[i].imag();
  }
  fourier.transform(from.data(), to.data(), room);
  std::vector<Number> out(in.size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = {to.data()[2 * i], to.data()[2 * i + 1]};
  return out;
}

void expect_near(const std::vector<Number>& found, const std::vector<Number>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(std::abs(found[i] - expected[i]), 0.0, 1e-12) << i << ": " << found[i];
  }
}

TEST(Fft2d, TransformsTwoByTwoAsByHand) {
  const std::vector<Number> in = {1.0, 2.0, 3.0, {4.0, 1.0}};
  expect_near(transformed({2, 2, 1}, in), {{10.0, 1.0}, {-2.0, -1.0}, {-4.0, -1.0}, {0.0, 1.0}});
}

TEST(Fft2d, TransformsAWaveToOneNumber) {
  // The transform of e^(2 pi i (m / 3 + n / 4)) is 12 at k = 1, l = 1 and 0 elsewhere.
  std::vector<Number> in;
  for (int m = 0; m < 3; ++m) {
    for (int n = 0; n < 4; ++n) in.push_back(std::polar(1.0, 2.0 * M_PI * (m / 3.0 + n / 4.0)));
  }
  std::vector<Number> expected(12, 0.0);
  expected[1 * 4 + 1] = 12.0;
  expect_near(transformed({3, 4, 1}, in), expected);
}

/// Forward, filter and inverse together compute the periodic five-point difference: -4 times the
/// value at the point itself, and the value at its four neighbours.
TEST(Fft2d, MakesFivePointDifferencesThereAndBack) {
  std::vector<Number> in(30, 0.0);
  in[19] = {1.0, -2.0};
  std::vector<Number> expected(30, 0.0);
  expected[19] = {-4.0, 8.0};
  for (const std::size_t i : {9, 29, 18, 10}) {
    expected[i] = {1.0, -2.0};
  }
  expect_near(transformed({3, 10, 2}, in), expected);
}

/// Random arrays in one long column, and their transforms.
struct Transforms {
  FourierShape shape;
  std::size_t count;
  Buffer in;
  Buffer out;

  Transforms(const FourierShape& s, std::size_t n)
      : shape(s), count(n), in(2 * s.points() * n), out(2 * s.points() * n) {
    const FourierTransform fourier(shape);
    Buffer room = fourier.make_room();
    std::uint64_t position = 0;
    for (double& value : in.span()) value = seeded_number(5, position++, -1.0, 1.0);
    const std::size_t stride = 2 * shape.points();
    for (std::size_t i = 0; i < count; ++i) {
      fourier.transform(in.data() + i * stride, out.data() + i * stride, room);
    }
  }

  [[nodiscard]] Verification check() const {
    return check_transforms(in.data(), out.data(), count, shape);
  }
};

TEST(Fft2d, AgreesWithItsCheckAtEverySize) {
  for (const int directions : {1, 2}) {
    for (const std::size_t rows : {1, 2, 8, 64, 101}) {
      for (const std::size_t columns : {1, 3, 8, 97, 128}) {
        const Verification found = Transforms({rows, columns, directions}, 3).check();
        EXPECT_TRUE(found.passed) << rows << " x " << columns << ": " << found.what;
      }
    }
  }
}

TEST(Fft2d, NoticesAWrongNumberWhereverItIs) {
  for (const int directions : {1, 2}) {
    Transforms transforms({12, 20, directions}, 9);
    const std::size_t stride = 2 * transforms.shape.points();
    for (const std::size_t item : {0, 4, 8}) {
      for (const std::size_t at : {std::size_t{0}, stride / 2 - 1, stride - 1}) {
        double& number = transforms.out.data()[item * stride + at];
        const double right = number;
        for (const double wrong : {right + 1e-9, -right, right * 1e6, std::nan("")}) {
          number = wrong;
          const Verification found = transforms.check();
          EXPECT_FALSE(found.passed) << item << ", " << at << ": " << wrong;
          EXPECT_TRUE(found.what.starts_with("transform " + std::to_string(item))) << found.what;
        }
        number = right;
      }
    }
    EXPECT_TRUE(transforms.check().passed);
  }
}

TEST(Fft2d, NoticesNumbersThatChangedPlaces) {
  // The swap keeps the sum of squares (Parseval), so another part of the check must find it.
  Transforms transforms({16, 16, 1}, 1);
  std::swap(transforms.out.data()[40], transforms.out.data()[42]);
  std::swap(transforms.out.data()[41], transforms.out.data()[43]);
  EXPECT_FALSE(transforms.check().passed);
}

TEST(Fft2d, NoticesAnInputThatWasOnlyCopied) {
  for (const int directions : {1, 2}) {
    Transforms transforms({16, 16, directions}, 1);
    std::ranges::copy(transforms.in.span(), transforms.out.data());
    EXPECT_FALSE(transforms.check().passed);
  }
}

TEST(Fft2d, DescribesItsWorkload) {
  const auto kernel =
      make_kernel("fft2d", {{"transforms", "1024"}, {"rows", "512"}, {"columns", "256"}}, "x");
  const Workload& workload = kernel->workload();
  EXPECT_EQ(workload.items, 1024);
  EXPECT_EQ(workload.in_bytes_per_item, 512.0 * 256.0 * 16.0);
  EXPECT_EQ(workload.out_bytes_per_item, 512.0 * 256.0 * 16.0);
  EXPECT_EQ(workload.flop_per_item, 512.0 * 256.0 * (2.0 * 5.0 * 17.0 + 3.0));
  EXPECT_EQ(kernel->workload().problem,
            (std::map<std::string, double>{{"rows", 512}, {"columns", 256}, {"directions", 2}}));
  EXPECT_GE(kernel->host_bytes(), 2.0 * 1024 * 512 * 256 * 16);
}

TEST(Fft2d, RefusesWhatIsOutOfRange) {
  EXPECT_NE(refusal_of_kernel("fft2d", {{"rows", "0"}}).find("rows"), std::string::npos);
  EXPECT_NE(refusal_of_kernel("fft2d", {{"columns", "2e6"}}).find("columns"), std::string::npos);
  EXPECT_NE(refusal_of_kernel("fft2d", {{"directions", "3"}}).find("directions"),
            std::string::npos);
  EXPECT_NE(refusal_of_kernel("fft2d", {{"transforms", "0"}}).find("at least one item"),
            std::string::npos);
  EXPECT_NE(
      refusal_of_kernel("fft2d", {{"transforms", "1e15"}, {"rows", "1e6"}, {"columns", "1e6"}}),
      "not refused");
}

}  // namespace
}  // namespace equipoise::fft2d_test
