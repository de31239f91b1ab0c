// The attraction among bodies, as a sum over all pairs, and a check of it in far less time.
#pragma once

#include <cstddef>

#include "real/kernels/kernel_data.hpp"

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

/// Vectors for many bodies, as columns.
template <class Number>
struct VectorColumnsOf {
  Number* x;
  Number* y;
  Number* z;
};
using AccelerationColumns = VectorColumnsOf<double>;
using VectorColumns = VectorColumnsOf<const double>;

/// The places and masses that a unit keeps, and the accelerations of a block from item `first` on.
[[nodiscard]] inline BodyColumns body_columns(const StagedBlock& block, std::size_t bodies) {
  return {block.kept<double>(0), block.kept<double>(1), block.kept<double>(2),
          block.kept<double>(3), bodies};
}
[[nodiscard]] inline AccelerationColumns acceleration_columns(const StagedBlock& block,
                                                              std::size_t first = 0) {
  return {block.result<double>(0) + first, block.result<double>(1) + first,
          block.result<double>(2) + first};
}

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

/// The bodies after some steps from rest, with the accelerations and velocities to be checked.
struct MovedBodies {
  BodyColumns bodies;
  VectorColumns acceleration;  ///< at the current places
  VectorColumns velocity;      ///< the sum of all accelerations times `step`
  double softening = 0.0;
  double step = 0.0;   ///< time step
  int steps_done = 0;  ///< 0: the bodies have not moved yet
};

/// Checks all bodies by the conservation laws sum m a = 0 and sum m r x a = 0, and sum m v = 0 for
/// earlier steps. Checks one body in 64 and at least 64 bodies, evenly spread, by the sum in long
/// double. The tolerance is the rounding bound: u times the longest chain of additions times the
/// sum of the terms' sizes, each at most m_j 2 / (3 sqrt(3) softening^2). An error of one body is
/// found if it exceeds that tolerance divided by the body's share of the mass. A body that was
/// never computed holds NaNs and fails.
///
/// Source of the bound: Higham, Accuracy and Stability (2002), section 4.2.
[[nodiscard]] Verification check_gravity(const MovedBodies& moved);

}  // namespace equipoise
