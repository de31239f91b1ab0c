// Checks accelerations in far less time than computing them takes.
#pragma once

#include "real/kernels/kernel.hpp"
#include "real/kernels/nbody/gravity.hpp"

namespace equipoise {

/// Vectors for many bodies, as columns.
struct VectorColumns {
  const double* x;
  const double* y;
  const double* z;
};

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
