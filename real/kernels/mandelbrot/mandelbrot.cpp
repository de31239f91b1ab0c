// An image of the Mandelbrot set. Every item is one row, and rows differ in cost.
//
// A benchmark of the energy paper (Euro-Par 2017; from AMD's APP SDK). See
// real/kernels/mandelbrot/escape_time.hpp for the computation. Rows through the set take four times
// as long as the mean row. Policies that learn the cost of an item from the first blocks would only
// see cheap rows outside the set. Therefore rows are handed out in a random order, the same for
// every image of that height, unless `order=natural` asks for the irregular case. Copied to a unit:
// the imaginary part of every row of a block; copied back: its counts.
#include <fmt/format.h>

#include <cmath>
#include <complex>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "real/kernels/buffer.hpp"
#include "real/kernels/catalog.hpp"
#include "real/kernels/mandelbrot/escape_time.hpp"
#include "real/kernels/seeded.hpp"

namespace equipoise {
namespace {

using Exact = std::complex<long double>;

constexpr Items followed_one_in = 16;
constexpr double unit_roundoff = 0x1p-53;
/// Points nearer than this to a known border are not classified.
constexpr double border = 1e-9;

/// The steps of a pixel, if they are known without following its orbit.
std::optional<Items> known_steps(double x, double y, Items max_iterations) {
  const double distance = x * x + y * y;
  if (distance > 4.0 + border) return 0;
  const double from_cusp = x - 0.25;
  const double q = from_cusp * from_cusp + y * y;
  const bool in_cardioid = q * (q + from_cusp) < 0.25 * y * y - border;
  const bool in_disc = (x + 1.0) * (x + 1.0) + y * y < 0.0625 - border;
  const bool on_axis = y == 0.0 && x > -2.0 + border && x < 0.25 - border;
  if (in_cardioid || in_disc || on_axis) return max_iterations;
  return std::nullopt;
}

/// A description of the error in the count of a pixel, or empty if none.
std::string fault_of(const double* counts, const EscapeImage& image, Items row, Items column) {
  const double count = counts[row * image.width + column];
  const auto most = static_cast<double>(image.max_iterations);
  const auto wrong = [&](const std::string& why) {
    return fmt::format("row {}, pixel {}: {:.17g} steps, {}", row, column, count, why);
  };
  if (!(count >= 0.0 && count <= most) || count != std::floor(count)) {
    return wrong(fmt::format("which is no whole number from 0 to {}", image.max_iterations));
  }
  const Items other = image.height - 1 - row;
  const double mirrored = counts[other * image.width + column];
  if (count != mirrored) {
    return wrong(fmt::format("but row {}, its mirror image, has {}", other, mirrored));
  }
  const double x = image.real(column);
  const double y = image.imaginary(row);
  if (const std::optional<Items> known = known_steps(x, y, image.max_iterations)) {
    if (count == static_cast<double>(*known)) return {};
    return wrong(fmt::format("where {} are known", *known));
  }
  if (count == 0.0 && x * x + y * y < 4.0 - border) return wrong("but c itself is inside");
  if (y != 0.0 && (column + 5 * row) % followed_one_in != 0) return {};
  const StepRange range = steps_in_doubles(x, y, image.max_iterations);
  if (count >= static_cast<double>(range.low) && count <= static_cast<double>(range.high)) {
    return {};
  }
  return wrong(range.low == range.high ? fmt::format("not {}", range.low)
                                       : fmt::format("not {} to {}", range.low, range.high));
}

}  // namespace

StepRange steps_in_doubles(double real, double imaginary, Items max_iterations) {
  const Exact c(real, imaginary);
  // Comparing squares also rounds.
  constexpr long double inside = 2.0L * (1.0L - 4.0L * unit_roundoff);
  constexpr long double outside = 2.0L * (1.0L + 4.0L * unit_roundoff);
  long double x = real;
  long double y = imaginary;
  long double error = 0.0L;
  Items low = 0;
  bool is_certain = true;
  for (Items k = 1; k <= max_iterations; ++k) {
    const long double size = std::sqrt(x * x + y * y);
    if (size - error > outside) return {low, k - 1};
    is_certain = is_certain && size + error <= inside;
    if (is_certain) low = k;
    if (error > 4.0L) break;
    // Each of at most six roundings applies to a number that is at most this large.
    const long double largest = (size + error) * (size + error) + std::abs(c);
    error = 2.0L * size * error + error * error + 8.0L * unit_roundoff * largest;
    const long double next = x * x - y * y + c.real();
    y = 2.0L * x * y + c.imag();
    x = next;
  }
  return {low, max_iterations};
}

Verification check_escapes(const double* counts, const EscapeImage& image) {
  for (Items row = 0; row < image.height; ++row) {
    // These rows are mirror images of rows that have been checked.
    if (2 * row >= image.height + 1) break;
    for (Items column = 0; column < image.width; ++column) {
      const std::string fault = fault_of(counts, image, row, column);
      if (!fault.empty()) return {false, fault};
    }
  }
  return {true, fmt::format("{} rows are symmetric and agree with what is known of the set; orbits "
                            "agree for one pixel in {}",
                            image.height, followed_one_in)};
}

namespace {

constexpr Items side_max = Items{1} << 20;

class Mandelbrot final : public Kernel {
 public:
  explicit Mandelbrot(const Parameters& parameters)
      : Kernel("mandelbrot", "row of pixels", parameters.items("height", 1, side_max), parameters),
        image_{.width = parameters.items("width", 1, side_max),
               .height = workload_.items,
               .max_iterations = parameters.items("max_iterations", 1, Items{1} << 30)},
        is_natural_(parameters.choice("order", {"random", "natural"}) == 1) {
    const auto width = static_cast<double>(image_.width);
    const auto height = static_cast<double>(image_.height);
    const auto max_iterations = static_cast<double>(image_.max_iterations);
    set_bytes(sizeof(double), width * sizeof(double), 0.0, height * sizeof(Items));
    // Steps that count, as a mean over the image. Vectors also compute steps that do not count, for
    // pixels that have escaped while others in the vector have not.
    workload_.flop_per_item = width * mean_steps(image_.max_iterations) * flop_per_step;
    workload_.parameters = {
        {"width", width}, {"height", height}, {"max_iterations", max_iterations}};
    workload_.problem = {{"width", width},
                         {"max_iterations", max_iterations},
                         {"natural_order", is_natural_ ? 1.0 : 0.0}};
  }

  void allocate(std::uint64_t /*seed*/) override {
    const auto height = static_cast<std::size_t>(image_.height);
    counts_ = Buffer(height * static_cast<std::size_t>(image_.width));
    std::vector<Items>& rows = row_of_item_;
    rows.resize(height);
    std::iota(rows.begin(), rows.end(), Items{0});
    for (std::size_t i = height - 1; i > 0 && !is_natural_; --i) {
      const double at = seeded_number(height, i, 0.0, static_cast<double>(i + 1));
      std::swap(rows[i], rows[static_cast<std::size_t>(at)]);
    }
    imaginary_ = Buffer(height);
    for (std::size_t i = 0; i < height; ++i) {
      imaginary_.data()[i] = image_.imaginary(rows[i]);
    }
    ResultRows counts = result_rows(counts_.data(), static_cast<std::size_t>(image_.width));
    counts.row_of_item = rows;
    data_ = {{input_rows(imaginary_.data())}, {counts}, {}, {imaginary_.fixed()}};
    clear_results();
  }

  void clear_results() override { fill_with_nan(counts_); }

  CpuProgram make_cpu_program() const override {
    return [image = image_](const StagedBlock& block, std::size_t first, std::size_t items) {
      const auto width = static_cast<std::size_t>(image.width);
      for (std::size_t i = first; i < first + items; ++i) {
        count_steps(image, block.input<double>(0)[i], block.result<double>(0) + i * width);
      }
    };
  }

  Verification verify() const override { return check_escapes(counts_.data(), image_); }

 private:
  EscapeImage image_;
  bool is_natural_;
  std::vector<Items> row_of_item_;  ///< (items)
  Buffer imaginary_;                ///< (items) im c of the item's row
  Buffer counts_;                   ///< (height, width) in the order of the image
};

}  // namespace

std::unique_ptr<Kernel> make_mandelbrot(const Parameters& parameters) {
  return std::make_unique<Mandelbrot>(parameters);
}

}  // namespace equipoise
