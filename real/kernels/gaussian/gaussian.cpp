// A Gaussian blur of an image. Every item is one row, which needs the rows around it.
//
// A benchmark of the energy paper (Euro-Par 2017), which blurs 8000 x 8000 pixels with a filter of
// 81 x 81. The kernel computes the convolution in two dimensions, see
// real/kernels/gaussian/blur.hpp. Two one-dimensional passes would need a fortieth of the
// operations, but they would be bound by memory, and every block would repeat the first pass for
// the rows around it. The paper's benchmark is bound by arithmetic, like its n-body benchmark. Only
// the check uses two passes.
//
// The image lies on the host in a frame: its outermost rows and columns continue beyond its edges
// as far as the filter reaches. Copied to a unit: the framed rows of a block, and `radius` rows
// above and below them. Copied back: the block's rows. The bytes per item count only the rows of
// the block, which is right for large blocks; the 2 * radius rows around come in addition with
// every block.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "real/kernels/buffer.hpp"
#include "real/kernels/catalog.hpp"
#include "real/kernels/gaussian/blur.hpp"
#include "real/kernels/seeded.hpp"

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

namespace {

constexpr Items side_max = Items{1} << 20;

class Gaussian final : public Kernel {
 public:
  explicit Gaussian(const Parameters& parameters)
      : Kernel("gaussian", "row of pixels", parameters.items("height", 1, side_max), parameters),
        shape_{.width = static_cast<std::size_t>(parameters.items("width", 1, side_max)),
               .radius = static_cast<std::size_t>(parameters.items("radius", 1, 1024))} {
    const auto width = static_cast<double>(shape_.width);
    const auto taps = static_cast<double>(shape_.taps());
    const double in_bytes = static_cast<double>(shape_.stride()) * sizeof(double);
    set_bytes(in_bytes, width * sizeof(double), taps * taps * sizeof(double),
              in_bytes * static_cast<double>(2 * shape_.radius));
    workload_.flop_per_item = 2.0 * taps * taps * width;
    set_problem("height", {{"width", width}, {"radius", static_cast<double>(shape_.radius)}});
  }

  void allocate(std::uint64_t seed) override {
    in_ = Buffer((count() + 2 * shape_.radius) * shape_.stride());
    out_ = Buffer(count() * shape_.width);
    weights_ = gaussian_weights(shape_.radius);
    make_image(seed);
    InputRows in = input_rows(in_.data(), shape_.stride());
    in.further_rows = static_cast<Items>(2 * shape_.radius);
    data_ = {{in},
             {result_rows(out_.data(), shape_.width)},
             {resident_array(std::span<const double>(weights_))},
             {in_.fixed()}};
    clear_results();
  }

  void clear_results() override { fill_with_nan(out_); }

  CpuProgram make_cpu_program() const override {
    return [shape = shape_](const StagedBlock& block, std::size_t first, std::size_t items) {
      blur(shape, block.kept<double>(0), block.input<double>(0) + first * shape.stride(), items,
           block.result<double>(0) + first * shape.width);
    };
  }

  Verification verify() const override {
    return check_blur({.in = pixels(),
                       .in_stride = shape_.stride(),
                       .out = out_.data(),
                       .width = shape_.width,
                       .height = count(),
                       .radius = shape_.radius});
  }

 private:
  /// The image's first pixel, inside the frame.
  [[nodiscard]] const double* pixels() const {
    return in_.data() + shape_.radius * shape_.stride() + shape_.radius;
  }

  void make_image(std::uint64_t seed) {
    std::uint64_t position = 0;
    double* row = in_.data() + shape_.radius * shape_.stride();
    for (std::size_t y = 0; y < count(); ++y, row += shape_.stride()) {
      double* const first = row + shape_.radius;
      double* const end = first + shape_.width;
      for (double* pixel = first; pixel < end; ++pixel) {
        *pixel = seeded_number(seed, position++, 0.0, 1.0);
      }
      std::fill(row, first, *first);
      std::fill(end, row + shape_.stride(), end[-1]);
    }
    const std::span<double> all = in_.span();
    const std::size_t above = shape_.radius * shape_.stride();
    for (std::size_t y = 0; y < shape_.radius; ++y) {
      const std::size_t at = y * shape_.stride();
      std::ranges::copy(all.subspan(above, shape_.stride()), all.data() + at);
      std::ranges::copy(all.subspan(all.size() - above - shape_.stride(), shape_.stride()),
                        all.data() + (all.size() - at - shape_.stride()));
    }
  }

  BlurShape shape_;
  Buffer in_;   ///< (height + 2 r, stride), in its frame
  Buffer out_;  ///< (height, width)
  std::vector<double> weights_;
};

}  // namespace

std::unique_ptr<Kernel> make_gaussian(const Parameters& parameters) {
  return std::make_unique<Gaussian>(parameters);
}

}  // namespace equipoise
