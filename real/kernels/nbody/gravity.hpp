// How bodies attract one another, by the sum over all pairs.
#pragma once

#include <cstddef>

namespace equipoise {

/// Bodies as columns. Each is readable up to `padded_bodies(count)`; what stands there beyond the
/// bodies is finite, and has no mass.
struct BodyColumns {
  const double* x;
  const double* y;
  const double* z;
  const double* mass;
  std::size_t count;
};

/// Accelerations as columns.
struct AccelerationColumns {
  double* x;
  double* y;
  double* z;
};

/// Lanes in which sums are kept apart; the last ones are filled with bodies of no mass.
inline constexpr std::size_t gravity_lanes = 16;
[[nodiscard]] constexpr std::size_t padded_bodies(std::size_t count) {
  return (count + gravity_lanes - 1) / gravity_lanes * gravity_lanes;
}

/// What `accelerate` computes for one pair: three differences, the square of the distance (six),
/// its power 3/2 (two), one division, three products and three sums.
inline constexpr double flop_per_pair = 18.0;

/// The accelerations of bodies [first, first + count), with G = 1, written to out[0 .. count):
///
///     a_i = sum_j m_j (r_j - r_i) / (|r_j - r_i|^2 + softening^2)^(3/2),   softening > 0
///
/// Lane l adds up the bodies j = l modulo 16 in their order, then the lanes are added pair by pair:
/// the same bits on every CPU and whichever bodies are computed together. O(count * bodies.count).
///
/// Source: Aarseth (2003), direct summation with Plummer's softening.
void accelerate(const BodyColumns& bodies, std::size_t first, std::size_t count, double softening,
                const AccelerationColumns& out);

}  // namespace equipoise
