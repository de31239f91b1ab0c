// The loop over all pairs, written so that the compiler can vectorise it: one body at a time,
// attracted by bodies in sixteen lanes, with eight bodies per lane each time that the sums are
// loaded.
#include "real/kernels/nbody/gravity.hpp"

#include <cmath>

#include "real/kernels/vectors.hpp"

namespace equipoise {
namespace {

constexpr std::size_t unrolled = 8;

/// A vector in space for each lane.
struct LaneSums {
  double x[gravity_lanes];
  double y[gravity_lanes];
  double z[gravity_lanes];
};

/// Adds the attraction of the bodies [from, from + steps * lanes) at the point (x, y, z).
template <std::size_t steps>
[[gnu::always_inline]] inline void attract(const BodyColumns& bodies, std::size_t from, double x,
                                           double y, double z, double softening2, LaneSums& sums) {
  for (std::size_t lane = 0; lane < gravity_lanes; ++lane) {
    double sum_x = sums.x[lane];
    double sum_y = sums.y[lane];
    double sum_z = sums.z[lane];
#pragma GCC unroll 8
    for (std::size_t k = 0; k < steps; ++k) {
      const std::size_t j = from + k * gravity_lanes + lane;
      const double dx = bodies.x[j] - x;
      const double dy = bodies.y[j] - y;
      const double dz = bodies.z[j] - z;
      const double distance2 = dx * dx + dy * dy + dz * dz + softening2;
      const double pull = bodies.mass[j] / (distance2 * std::sqrt(distance2));
      sum_x += pull * dx;
      sum_y += pull * dy;
      sum_z += pull * dz;
    }
    sums.x[lane] = sum_x;
    sums.y[lane] = sum_y;
    sums.z[lane] = sum_z;
  }
}

[[gnu::always_inline]] inline double total_of(double (&lanes)[gravity_lanes]) {
  for (std::size_t half = gravity_lanes / 2; half > 0; half /= 2) {
    for (std::size_t i = 0; i < half; ++i) lanes[i] += lanes[i + half];
  }
  return lanes[0];
}

/// The body of `accelerate`.
[[gnu::always_inline]] inline void accelerate_all(BodyColumns bodies, std::size_t first,
                                                  std::size_t count, double softening2,
                                                  AccelerationColumns out) {
  const std::size_t padded = padded_bodies(bodies.count);
  constexpr std::size_t stride = unrolled * gravity_lanes;
  for (std::size_t i = 0; i < count; ++i) {
    const double x = bodies.x[first + i];
    const double y = bodies.y[first + i];
    const double z = bodies.z[first + i];
    LaneSums sums = {};
    std::size_t j = 0;
    for (; j + stride <= padded; j += stride) {
      attract<unrolled>(bodies, j, x, y, z, softening2, sums);
    }
    for (; j < padded; j += gravity_lanes) attract<1>(bodies, j, x, y, z, softening2, sums);
    out.x[i] = total_of(sums.x);
    out.y[i] = total_of(sums.y);
    out.z[i] = total_of(sums.z);
  }
}

}  // namespace

void accelerate(const BodyColumns& bodies, std::size_t first, std::size_t count, double softening,
                const AccelerationColumns& out) {
  with_widest_vectors<accelerate_all>(bodies, first, count, softening * softening, out);
}

}  // namespace equipoise
