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
#include <numbers>
#include <optional>
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

/// Tapering: the block of
///
///     K = T + v^2 / 2 - v sqrt(2 T + v^2 / 4),   T = R / P + K_min / 2,   v = alpha sigma / mu,
///
/// items, for item times of mean mu and standard deviation sigma and blocks of at least K_min
/// items. It solves T - K = v sqrt(T + K): a block of K items takes no longer than an even share of
/// T items elsewhere unless their difference is alpha standard deviations off. May be negative
/// where T is small; the block is then K_min. `scaled_variation`: v. Source: Lucco (1992), as later
/// papers print it. LB4OMP leaves K_min / 2 out.
[[nodiscard]] inline double tapered_items(double remaining, double units, double min_items,
                                          double scaled_variation) {
  const double t = remaining / units + min_items / 2.0;
  const double v = scaled_variation;
  return t + v * v / 2.0 - v * std::sqrt(2.0 * t + v * v / 4.0);
}

/// What the bold strategy knows before the loop.
struct BoldInputs {
  double mean_s = 0.0;      ///< mu, of the time of an item; > 0
  double sigma_s = 0.0;     ///< standard deviation of the time of an item
  double overhead_s = 0.0;  ///< h, of one request
};

/// What it knows of the loop when a unit requests work.
struct BoldState {
  double unassigned = 0.0;  ///< R, items not handed out; > 0
  double undone = 0.0;      ///< N, estimated: R, and what is left of the blocks handed out
  double unreturned = 0.0;  ///< M, R and all items of blocks that have not come back
  double units = 1.0;       ///< P
};

/// The bold strategy. With
///
///     a = 2 (sigma / mu)^2,   b = 8 a ln(8 a),   c1 = h / (mu ln 2),   c2 = sqrt(2 pi) c1
///
/// of the loop, and at each request
///
///     Q = R / P,   r = max(R, N),   t = r / P,   v = Q / (b + Q),   d = R / (1 + 1 / ln Q - v),
///     s = a (ln d - ln c2) (1 + M / (r P)),
///     w = ln(v ln Q) + ln b  if b > 0,   w = ln ln Q  otherwise,
///
/// a block has
///
///     1                                                           items  if Q <= 1,
///     t                                                                  if d <= c2,
///     min(t, t + max(0, c1 w) + s / 2 - sqrt(s (t + s / 4)))             otherwise.
///
/// Without c1 w, the last size solves K + sqrt(s K) = t: a block that with its scatter fits into
/// the even share t. c1 w is for the overhead that larger blocks save. Source: Hagerup (1997), as
/// LB4OMP's code has it.
[[nodiscard]] inline double bold_items(const BoldInputs& known, const BoldState& now) {
  const double q = now.unassigned / now.units;
  if (q <= 1.0) return 1.0;
  const double variation = known.sigma_s / known.mean_s;
  const double a = 2.0 * variation * variation;
  const double r = std::max(now.unassigned, now.undone);
  const double t = r / now.units;
  if (a <= 0.0) return t;
  const double b = 8.0 * a * std::log(8.0 * a);  // > -0.37, because x ln x > -1 / e
  const double c1 = known.overhead_s / (known.mean_s * std::numbers::ln2);
  const double c2 = std::sqrt(2.0 * std::numbers::pi) * c1;
  const double ln_q = std::log(q);
  const double v = q / (b + q);
  const double d = now.unassigned / (1.0 + 1.0 / ln_q - v);
  if (d <= c2) return t;
  const double s = a * (std::log(d) - std::log(c2)) * (1.0 + now.unreturned / (r * now.units));
  const double w = b > 0.0 ? std::log(v * ln_q) + std::log(b) : std::log(ln_q);
  // t + s / 2 - sqrt(s (t + s / 4)), without cancellation if s is large: without overhead, c2 is 0
  // and s infinite.
  const double shrunk = t * t / (t + s / 2.0 + std::sqrt(s * (t + s / 4.0)));
  return std::min(t, shrunk + std::max(0.0, c1 * w));
}

/// Divisor and smallest block of hguided for one unit.
struct TunedUnit {
  double divisor = 2.0;     ///< k
  double min_grains = 1.0;  ///< m
};

/// The values that EngineCL's authors recommend for three devices, a CPU, an integrated and a
/// discrete GPU: k = 3.5, 1.5, 1 and m = 1, 15, 30. `rank` is 0 for the slowest units and 1 for the
/// fastest; between the three devices, values are on lines (ours). Nothing if all units are
/// alike: k = 2, m = 1, as without tuning. Source: Nozal, Bosque, Beivide (2019).
[[nodiscard]] inline TunedUnit tuned_by_rank(std::optional<double> rank) {
  if (!rank) return {};
  const double upper = *rank * 2.0 - 1.0;
  if (upper < 0.0) return {std::lerp(1.5, 3.5, -upper), std::lerp(15.0, 1.0, -upper)};
  return {std::lerp(1.5, 1.0, upper), std::lerp(15.0, 30.0, upper)};
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
