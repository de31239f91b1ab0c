// The formulas for block sizes.
#include "shared_policies/policies/loop/loop_sizes.hpp"

#include <algorithm>
#include <cmath>

namespace equipoise {

namespace {

/// Whether the formulas have a finite minimum: there is scatter, and more than one unit has it.
bool is_scattered(double units, double deviation) { return units >= 2.0 && deviation > 0.0; }

}  // namespace

double fixed_size_items(double items, double units, double overhead_s, double sigma_s) {
  const double even = items / units;
  if (!is_scattered(units, sigma_s)) return even;
  const double ratio =
      std::sqrt(2.0) * items * overhead_s / (sigma_s * units * std::sqrt(std::log(units)));
  return std::min(std::pow(ratio, 2.0 / 3.0), even);
}

double fixed_size_alike_items(double items, double units, double overhead_s, double item_s,
                              double relative_deviation) {
  const double even = items / units;
  if (!is_scattered(units, relative_deviation)) return even;
  const double late_s = relative_deviation * item_s * std::sqrt(2.0 * std::log(units));
  return std::min(std::sqrt(items * overhead_s / (units * late_s)), even);
}

double as_many_as_factoring_items(double items, double units) {
  const double even = std::ceil(items / units);
  return even < 2.0 ? even : std::floor(0.55 + even * std::log(2.0) / std::log(even));
}

double factoring_divisor(double remaining, double units, double coefficient_of_variation,
                         bool is_first_batch) {
  const double b = units / (2.0 * std::sqrt(remaining)) * coefficient_of_variation;
  const double least = is_first_batch ? 1.0 : 2.0;
  return least + b * b + b * std::sqrt(b * b + 2.0 * least);
}

double adaptive_factoring_items(double remaining, std::span<const ItemTime> units, std::size_t p) {
  double d = 0.0;
  double speed = 0.0;
  for (const ItemTime& unit : units) {
    d += unit.variance_s2 / unit.mean_s;
    speed += 1.0 / unit.mean_s;
  }
  // Equal to the formula in the header, (a - sqrt(a^2 - b^2)) = b^2 / (a + sqrt(a^2 - b^2)), but
  // without cancellation if D is large.
  const double tr = remaining / speed;
  const double sum = d + 2.0 * tr + std::sqrt(d * d + 4.0 * d * tr);
  return 2.0 * tr * tr / (sum * units[p].mean_s);
}

TrapezoidSizes::TrapezoidSizes(double items, double units, double last_items, bool floor_delta)
    : first_(std::ceil(items / (2.0 * units))), last_(std::min(last_items, first_)) {
  steps_ = std::ceil(2.0 * items / (first_ + last_));
  if (steps_ > 1.0) delta_ = (first_ - last_) / (steps_ - 1.0);
  if (floor_delta) delta_ = std::floor(delta_);
}

double TrapezoidSizes::next() {
  const double size = std::max(first_ - delta_ * taken_, last_);
  taken_ += 1.0;
  return size;
}

}  // namespace equipoise
