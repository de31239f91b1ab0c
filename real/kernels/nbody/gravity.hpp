// The attraction among bodies, as a sum over all pairs.
#pragma once

#include <cstddef>

namespace equipoise {

/// Bodies as columns. Each column is readable up to `padded_bodies(count)`; the values beyond
/// `count` are finite, with mass 0.
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

/// Lanes with separate sums; the last lanes are filled up with bodies of mass 0.
inline constexpr std::size_t gravity_lanes = 16;
[[nodiscard]] constexpr std::size_t padded_bodies(std::size_t count) {
  return (count + gravity_lanes - 1) / gravity_lanes * gravity_lanes;
}

/// The softening of the kernel nbody.
inline constexpr double nbody_softening = 0.05;

/// Floating-point operations of `accelerate` for one pair: three differences, the square of the
/// distance (six), its power 3/2 (two), one division, three products and three sums.
inline constexpr double flop_per_pair = 18.0;

/// The accelerations of bodies [first, first + count), with G = 1, written to out[0 .. count):
///
///     a_i = sum_j m_j (r_j - r_i) / (|r_j - r_i|^2 + softening^2)^(3/2),   softening > 0
///
/// Lane l adds the bodies j = l modulo 16 in order, then the lanes are added pair by pair. So the
/// bits are the same on every CPU, whichever bodies are computed together. O(count * bodies.count).
///
/// Source: Aarseth (2003), direct summation with Plummer softening.
void accelerate(const BodyColumns& bodies, std::size_t first, std::size_t count, double softening,
                const AccelerationColumns& out);

}  // namespace equipoise
