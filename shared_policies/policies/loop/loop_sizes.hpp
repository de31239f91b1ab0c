// The block sizes of dynamic loop self-scheduling, as formulas.
//
// R of the N items remain; P units share them. Sources are cited from later texts of the same
// authors and from the reference lists of the public libraries DLS4LB and LB4OMP. Their formulas
// agree with these unless a comment says otherwise. The libraries add 0.55 and truncate; here sizes
// are rounded up, as in the papers.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

namespace equipoise {

/// Fixed-size chunking: the block size that balances the overhead h of a request against the
/// different end times of units,
///
///     (sqrt(2) N h / (sigma P sqrt(ln P)))^(2/3),
///
/// for independent item times of standard deviation sigma: the least of
/// N h / (P c) + sigma sqrt(2 c ln P). At most N / P, which is also the limit for sigma -> 0; N for
/// one unit, where ln P is 0. Source: Kruskal and Weiss (1985).
[[nodiscard]] inline double fixed_size_items(double items, double units, double overhead_s,
                                             double sigma_s) {
  const double even = items / units;
  if (units < 2.0 || sigma_s <= 0.0) return even;
  const double ratio =
      std::sqrt(2.0) * items * overhead_s / (sigma_s * units * std::sqrt(std::log(units)));
  return std::min(std::pow(ratio, 2.0 / 3.0), even);
}

/// Fixed-size chunking if all items of a block are slow or fast together, so that the time of a
/// block of c items, c m on average, scatters by s c m. The expected end of the last of P units is
/// then later by
///
///     N h / (P c) + s c m sqrt(2 ln P)
///
/// than that of work without overhead and scatter, least for
///
///     c = (N h / (P s m sqrt(2 ln P)))^(1/2),
///
/// with the same limits. `item_s`: m, the mean time of an item. `relative_deviation`: s. Source:
/// ours; Kruskal and Weiss with s c m in place of sigma sqrt(c).
[[nodiscard]] inline double fixed_size_alike_items(double items, double units, double overhead_s,
                                                   double item_s, double relative_deviation) {
  const double even = items / units;
  if (units < 2.0 || relative_deviation <= 0.0) return even;
  const double late_s = relative_deviation * item_s * std::sqrt(2.0 * std::log(units));
  return std::min(std::sqrt(items * overhead_s / (units * late_s)), even);
}

/// mFSC: the fixed size that gives about as many blocks as FAC2, without any measured input,
///
///     floor(0.55 + m ln 2 / ln m),   m = ceil(N / P);   m for m < 2.
///
/// Source: DLS4LB, LB4OMP.
[[nodiscard]] inline double as_many_as_factoring_items(double items, double units) {
  const double even = std::ceil(items / units);
  return even < 2.0 ? even : std::floor(0.55 + even * std::log(2.0) / std::log(even));
}

/// Factoring: returns x. A batch takes 1 / x of the R remaining items, in P blocks of R / (x P),
/// with
///
///     b = P sigma / (2 sqrt(R) mu),   x = 1 + b^2 + b sqrt(b^2 + 2)  in the first batch of a loop,
///                                     x = 2 + b^2 + b sqrt(b^2 + 4)  later,
///
/// for item times of mean mu and standard deviation sigma. Source: Hummel, Schonberg, Flynn (1992).
[[nodiscard]] inline double factoring_divisor(double remaining, double units,
                                              double coefficient_of_variation,
                                              bool is_first_batch) {
  const double b = units / (2.0 * std::sqrt(remaining)) * coefficient_of_variation;
  const double least = is_first_batch ? 1.0 : 2.0;
  return least + b * b + b * std::sqrt(b * b + 2.0 * least);
}

/// Mean and variance of the time of one item on one unit.
struct ItemTime {
  double mean_s = 0.0;
  double variance_s2 = 0.0;
};

/// Adaptive factoring: the block of unit p,
///
///     (D + 2 T R - sqrt(D^2 + 4 D T R)) / (2 mu_p),   D = sum(sigma_i^2 / mu_i),
///                                                      T = 1 / sum(1 / mu_i),
///
/// `units` (P) must not be empty; means > 0. If all variances are 0, the size is T R / mu_p: the
/// unit's share of all remaining items. O(P). Source: Banicescu and Liu (2000). DLS4LB puts the
/// standard deviation into D; LB4OMP and the paper do not.
[[nodiscard]] inline double adaptive_factoring_items(double remaining,
                                                     std::span<const ItemTime> units,
                                                     std::size_t p) {
  double d = 0.0;
  double speed = 0.0;
  for (const ItemTime& unit : units) {
    d += unit.variance_s2 / unit.mean_s;
    speed += 1.0 / unit.mean_s;
  }
  // Equal to the formula above, (a - sqrt(a^2 - b^2)) = b^2 / (a + sqrt(a^2 - b^2)), but without
  // cancellation if D is large.
  const double tr = remaining / speed;
  const double sum = d + 2.0 * tr + std::sqrt(d * d + 4.0 * d * tr);
  return 2.0 * tr * tr / (sum * units[p].mean_s);
}

/// The sizes of trapezoid self-scheduling: they fall linearly from f = ceil(N / (2 P)) to the last
/// size l, in S = ceil(2 N / (f + l)) steps of
///
///     delta = (f - l) / (S - 1).
///
/// Source: Tzen and Ni (1993), who round delta down; DLS4LB does not round it.
class TrapezoidSizes {
 public:
  TrapezoidSizes() = default;
  TrapezoidSizes(double items, double units, double last_items, bool floor_delta)
      : first_(std::ceil(items / (2.0 * units))), last_(std::min(last_items, first_)) {
    steps_ = std::ceil(2.0 * items / (first_ + last_));
    if (steps_ > 1.0) delta_ = (first_ - last_) / (steps_ - 1.0);
    if (floor_delta) delta_ = std::floor(delta_);
  }

  /// The next size; at least l.
  [[nodiscard]] double next() {
    const double size = std::max(first_ - delta_ * taken_, last_);
    taken_ += 1.0;
    return size;
  }
  /// Whether all steps were taken. The steps together have at least N items.
  [[nodiscard]] bool is_over() const { return taken_ >= steps_; }

 private:
  double first_ = 0.0;
  double last_ = 1.0;
  double steps_ = 0.0;
  double delta_ = 0.0;
  double taken_ = 0.0;
};

}  // namespace equipoise
