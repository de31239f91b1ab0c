// Checks by symmetry, by known parts of the set, and by single orbits with an error bound.
#include "real/kernels/mandelbrot/escape_check.hpp"

#include <cmath>
#include <complex>
#include <optional>

#include <fmt/format.h>

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

}  // namespace equipoise
