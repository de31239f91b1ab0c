// Checks a blur by two one-dimensional passes, and some pixels by the two-dimensional definition.
#include "real/kernels/gaussian/blur_check.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace equipoise {
namespace {

constexpr double unit_roundoff = 0x1p-53;
constexpr std::size_t defined_max = 64;

/// The largest rounding error, relative to a sum.
double rounding(std::size_t radius) {
  const auto taps = static_cast<double>(2 * radius + 1);
  return 2.0 * unit_roundoff * (taps * taps + 20.0);
}

/// The values of a Gaussian of standard deviation r / 3 at -r .. r, scaled to add up to 1.
std::vector<long double> gaussian(std::size_t radius) {
  std::vector<long double> weights(2 * radius + 1);
  long double sum = 0.0L;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    const long double deviations =
        3.0L * (static_cast<long double>(k) / static_cast<long double>(radius) - 1.0L);
    weights[k] = std::exp(-0.5L * deviations * deviations);
    sum += weights[k];
  }
  for (long double& weight : weights) weight /= sum;
  return weights;
}

/// `position` + `step` - `radius`, moved into [0, count).
std::size_t clamped(std::size_t position, std::size_t step, std::size_t radius, std::size_t count) {
  const std::size_t moved = position + step;
  return moved < radius ? 0 : std::min(moved - radius, count - 1);
}

/// Blurs one row at a time in two passes.
class TwoPasses {
 public:
  explicit TwoPasses(const BlurredImage& image)
      : image_(image), columns_(image.width + 2 * image.radius), row_(image.width) {
    for (const long double weight : gaussian(image.radius)) {
      weights_.push_back(static_cast<double>(weight));
    }
  }

  /// Row `y` of the blurred image (width), valid until the next call.
  const std::vector<double>& row(std::size_t y) {
    const std::size_t radius = image_.radius;
    std::ranges::fill(columns_, 0.0);
    double* const middle = columns_.data() + radius;
    for (std::size_t k = 0; k < weights_.size(); ++k) {
      const double weight = weights_[k];
      const double* const from =
          image_.in + clamped(y, k, radius, image_.height) * image_.in_stride;
      for (std::size_t x = 0; x < image_.width; ++x) middle[x] += weight * from[x];
    }
    std::fill_n(columns_.begin(), radius, middle[0]);
    std::fill_n(middle + image_.width, radius, middle[image_.width - 1]);
    std::ranges::fill(row_, 0.0);
    for (std::size_t l = 0; l < weights_.size(); ++l) {
      const double weight = weights_[l];
      const double* const from = columns_.data() + l;
      for (std::size_t x = 0; x < image_.width; ++x) row_[x] += weight * from[x];
    }
    return row_;
  }

 private:
  BlurredImage image_;
  std::vector<double> weights_;
  std::vector<double> columns_;  ///< (width + 2 r) blurred along the columns
  std::vector<double> row_;
};

/// A description of the error in a pixel that should be `expected`, or empty if none.
std::string fault_of(const BlurredImage& image, std::size_t y, std::size_t x, double expected) {
  const double claimed = image.out[y * image.width + x];
  if (std::abs(claimed - expected) <= rounding(image.radius) * expected) return {};
  return fmt::format("row {}, pixel {}: {:.17g} instead of {:.17g}", y, x, claimed, expected);
}

double by_definition(const BlurredImage& image, const std::vector<long double>& weights,
                     std::size_t y, std::size_t x) {
  long double sum = 0.0L;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    const std::size_t row = clamped(y, k, image.radius, image.height) * image.in_stride;
    for (std::size_t l = 0; l < weights.size(); ++l) {
      const std::size_t column = clamped(x, l, image.radius, image.width);
      sum += weights[k] * weights[l] * static_cast<long double>(image.in[row + column]);
    }
  }
  return static_cast<double>(sum);
}

}  // namespace

Verification check_blur(const BlurredImage& image) {
  TwoPasses passes(image);
  for (std::size_t y = 0; y < image.height; ++y) {
    const std::vector<double>& expected = passes.row(y);
    for (std::size_t x = 0; x < image.width; ++x) {
      const std::string fault = fault_of(image, y, x, expected[x]);
      if (!fault.empty()) return {false, fault};
    }
  }
  const std::vector<long double> weights = gaussian(image.radius);
  const std::size_t pixels = image.width * image.height;
  const std::size_t defined = std::min(defined_max, pixels);
  const auto check = [&](std::size_t y, std::size_t x) {
    return fault_of(image, y, x, by_definition(image, weights, y, x));
  };
  std::string fault;
  for (const std::size_t y : {std::size_t{0}, image.height - 1}) {
    for (const std::size_t x : {std::size_t{0}, image.width - 1}) {
      if (fault.empty()) fault = check(y, x);
    }
  }
  for (std::size_t k = 0; k < defined && fault.empty(); ++k) {
    const std::size_t at = (2 * k + 1) * pixels / (2 * defined);
    fault = check(at / image.width, at % image.width);
  }
  if (!fault.empty()) return {false, fault};
  return {true, fmt::format("{} pixels agree with two passes in one dimension, {} with the sum "
                            "in two",
                            pixels, defined + 4)};
}

}  // namespace equipoise
