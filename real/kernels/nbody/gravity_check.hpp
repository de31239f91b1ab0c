// Tells whether accelerations are right, in far less time than computing them takes.
#pragma once

#include "real/kernels/kernel.hpp"
#include "real/kernels/nbody/gravity.hpp"

namespace equipoise {

/// Vectors of many bodies as columns.
struct VectorColumns {
  const double* x;
  const double* y;
  const double* z;
};

/// What is said of bodies after some steps from rest.
struct MovedBodies {
  BodyColumns bodies;
  VectorColumns acceleration;  ///< at these places
  VectorColumns velocity;      ///< summed up from accelerations, times `step`
  double softening = 0.0;
  double step = 0.0;   ///< of time
  int steps_done = 0;  ///< 0: nothing has moved yet
};

/// Checks all bodies by what attraction conserves: sum m a = 0 and sum m r x a = 0, and sum m v = 0
/// for the steps before; at least 64 bodies and one in 64, evenly spread, by the sum in long
/// double. What is allowed is what rounding may do: u times the longest chain of additions times
/// the sum of the terms' sizes, each at most m_j 2 / (3 sqrt(3) softening^2). An error of one body
/// is found where it is above that over the body's share of the mass. A body that was never
/// computed holds NaNs and fails.
///
/// Source of the bound: Higham, Accuracy and Stability (2002), section 4.2.
[[nodiscard]] Verification check_gravity(const MovedBodies& moved);

}  // namespace equipoise
