// Bodies that attract one another. Every item is one body, whose acceleration is a sum over all
// bodies.
//
// A benchmark of the energy paper (Euro-Par 2017; from AMD's APP SDK), with 51200 bodies there. See
// real/kernels/nbody/gravity.hpp for the computation. Places and masses of all bodies stay on every
// unit. They are copied before the unit's first block. The places are copied again with its first
// block of every further iteration (`iteration_bytes`). The accelerations of a block are copied
// back. Between two iterations the bodies move by one step of the leapfrog method, with velocities
// half a step behind.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "real/kernels/buffer.hpp"
#include "real/kernels/catalog.hpp"
#include "real/kernels/nbody/gravity.hpp"
#include "real/kernels/seeded.hpp"

namespace equipoise {
namespace {

using Exact = long double;
using Vector = std::array<Exact, 3>;

constexpr double unit_roundoff = 0x1p-53;
constexpr std::size_t summed_min = 64;
constexpr std::size_t summed_one_in = 64;

template <class Columns>
Vector at(const Columns& columns, std::size_t i) {
  return {columns.x[i], columns.y[i], columns.z[i]};
}

Exact size_of(const Vector& v) { return std::hypot(v[0], v[1], v[2]); }

/// The number of additions in a chain, within a lane and over the lanes, and of roundings within a
/// term.
double chain(const BodyColumns& bodies) {
  return static_cast<double>(bodies.count) / gravity_lanes + 1.0 + 4.0 + 12.0;
}

/// A description of the error in the acceleration of body `i`, or empty if none.
std::string fault_of(const MovedBodies& moved, std::size_t i) {
  const BodyColumns& bodies = moved.bodies;
  const Vector here = at(bodies, i);
  const Exact softening = moved.softening;
  Vector sum = {};
  Exact sizes = 0.0L;
  for (std::size_t j = 0; j < bodies.count; ++j) {
    const Vector there = at(bodies, j);
    const Vector d = {there[0] - here[0], there[1] - here[1], there[2] - here[2]};
    const Exact distance =
        std::sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + softening * softening);
    const Exact pull = bodies.mass[j] / distance / distance / distance;
    for (std::size_t k = 0; k < 3; ++k) sum[k] += pull * d[k];
    sizes += pull * distance;
  }
  const Vector claimed = at(moved.acceleration, i);
  const Exact error = size_of({claimed[0] - sum[0], claimed[1] - sum[1], claimed[2] - sum[2]});
  if (error <= 2.0 * chain(bodies) * unit_roundoff * sizes) return {};  // false for NaN
  return fmt::format("body {}: its acceleration is off by {:.3g} of {:.3g}", i,
                     static_cast<double>(error), static_cast<double>(size_of(sum)));
}

/// Sums over all bodies.
struct Sums {
  Exact mass = 0.0L;
  Exact reach = 0.0L;  ///< the largest distance of a body from the origin
  Vector force = {};
  Vector torque = {};
  Vector momentum = {};
};

Sums sums_of(const MovedBodies& moved) {
  Sums sums;
  for (std::size_t i = 0; i < moved.bodies.count; ++i) {
    const Exact mass = moved.bodies.mass[i];
    const Vector r = at(moved.bodies, i);
    const Vector a = at(moved.acceleration, i);
    const Vector v = at(moved.velocity, i);
    sums.mass += mass;
    sums.reach = std::max(sums.reach, size_of(r));
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t next = (k + 1) % 3;
      const std::size_t last = (k + 2) % 3;
      sums.force[k] += mass * a[k];
      sums.torque[k] += mass * (r[next] * a[last] - r[last] * a[next]);
      sums.momentum[k] += mass * v[k];
    }
  }
  return sums;
}

std::string fault_of_sums(const MovedBodies& moved) {
  const Sums sums = sums_of(moved);
  const double softening2 = moved.softening * moved.softening;
  const Exact strongest = sums.mass * 2.0L / (3.0L * std::sqrt(3.0L) * softening2);
  const Exact force = 2.0L * chain(moved.bodies) * unit_roundoff * sums.mass * strongest;
  // Every earlier step added as much, and also rounded the sum itself.
  const Exact impulse =
      moved.steps_done * moved.step * force +
      moved.steps_done * moved.steps_done * moved.step * unit_roundoff * sums.mass * strongest;
  struct Law {
    const char* name;
    Vector sum;
    Exact allowed;
  };
  for (const Law& law :
       {Law{"forces", sums.force, force}, Law{"torques", sums.torque, sums.reach * force},
        Law{"momenta", sums.momentum, impulse}}) {
    if (size_of(law.sum) <= law.allowed) continue;
    return fmt::format("the bodies' {} add up to {:.3g} instead of 0, rounding allows {:.3g}",
                       law.name, static_cast<double>(size_of(law.sum)),
                       static_cast<double>(law.allowed));
  }
  return {};
}

}  // namespace

Verification check_gravity(const MovedBodies& moved) {
  const std::size_t count = moved.bodies.count;
  for (std::size_t i = 0; i < count; ++i) {
    const Vector a = at(moved.acceleration, i);
    if (!std::isfinite(size_of(a))) {
      return {false, fmt::format("body {}: its acceleration is {:.3g}", i,
                                 static_cast<double>(size_of(a)))};
    }
  }
  const std::size_t summed = std::min(count, std::max(summed_min, count / summed_one_in));
  for (std::size_t k = 0; k < summed; ++k) {
    // The subset contains the first and the last body.
    const std::size_t i = summed == 1 ? 0 : k * (count - 1) / (summed - 1);
    const std::string fault = fault_of(moved, i);
    if (!fault.empty()) return {false, fault};
  }
  const std::string fault = fault_of_sums(moved);
  if (!fault.empty()) return {false, fault};
  return {true, fmt::format("{} bodies conserve momentum and angular momentum, {} agree with long "
                            "sums",
                            count, summed)};
}

namespace {

constexpr double time_step = 1e-3;

/// x, y and z columns for many bodies.
using Vectors3 = std::array<Buffer, 3>;

Vectors3 make_vectors(std::size_t count) { return {Buffer(count), Buffer(count), Buffer(count)}; }

VectorColumns pointers(const Vectors3& vectors) {
  return {vectors[0].data(), vectors[1].data(), vectors[2].data()};
}

class Nbody final : public Kernel {
 public:
  explicit Nbody(const Parameters& parameters)
      : Kernel("nbody", "body", parameters.items("bodies", 0, Items{1} << 40), parameters) {
    const auto bodies = static_cast<double>(workload_.items);
    const double velocity_bytes = 3.0 * bodies * sizeof(double);
    set_bytes(0.0, 3.0 * sizeof(double), 4.0 * bodies * sizeof(double), velocity_bytes);
    workload_.iteration_bytes = velocity_bytes;  // of the places
    workload_.flop_per_item = flop_per_pair * bodies;
    set_problem("bodies", {{"bodies", bodies}});
  }

  void allocate(std::uint64_t seed) override {
    seed_ = seed;
    place_ = make_vectors(padded_bodies(count()));
    velocity_ = make_vectors(count());
    acceleration_ = make_vectors(count());
    mass_ = Buffer(padded_bodies(count()));
    for (std::size_t i = 0; i < count(); ++i) {
      mass_.data()[i] = seeded_number(seed, i, 0.5, 1.5) / static_cast<double>(count());
    }
    for (Buffer& column : acceleration_) data_.results.push_back(result_rows(column.data()));
    for (const Buffer& column : place_) {
      data_.resident.push_back(resident_array(column.span()));
    }
    data_.resident.push_back(resident_array(std::as_const(mass_).span()));
    data_.fixed = {mass_.fixed()};
    clear_results();
  }

  /// Puts the bodies back to their initial places, at rest.
  void clear_results() override {
    for (std::size_t k = 0; k < 3; ++k) {
      std::uint64_t position = (k + 1) << 60;
      for (double& place : place_[k].span().first(count())) {
        place = seeded_number(seed_, position++, -1.0, 1.0);
      }
      std::ranges::fill(velocity_[k].span(), 0.0);
    }
    steps_done_ = 0;
    raise_versions_of_places();
    fill_with_nan(acceleration_);
  }

  /// Moves the bodies by one step. A body whose acceleration was not computed keeps its velocity.
  void begin_iteration(int /*iteration*/) override {
    for (std::size_t k = 0; k < 3; ++k) {
      for (std::size_t i = 0; i < count(); ++i) {
        const double acceleration = acceleration_[k].data()[i];
        double& velocity = velocity_[k].data()[i];
        if (!std::isnan(acceleration)) velocity += acceleration * time_step;
        place_[k].data()[i] += velocity * time_step;
      }
    }
    ++steps_done_;
    raise_versions_of_places();
    fill_with_nan(acceleration_);
  }

  CpuProgram make_cpu_program() const override {
    return [count = count()](const StagedBlock& block, std::size_t first, std::size_t items) {
      accelerate(body_columns(block, count), static_cast<std::size_t>(block.first) + first, items,
                 nbody_softening, acceleration_columns(block, first));
    };
  }

  Verification verify() const override {
    return check_gravity(
        {.bodies = {place_[0].data(), place_[1].data(), place_[2].data(), mass_.data(), count()},
         .acceleration = pointers(acceleration_),
         .velocity = pointers(velocity_),
         .softening = nbody_softening,
         .step = time_step,
         .steps_done = steps_done_});
  }

 private:
  void raise_versions_of_places() {
    for (std::size_t k = 0; k < 3; ++k) ++data_.resident[k].version;
  }

  std::uint64_t seed_ = 0;
  Vectors3 place_;
  Vectors3 velocity_;
  Vectors3 acceleration_;
  Buffer mass_;
  int steps_done_ = 0;
};

}  // namespace

std::unique_ptr<Kernel> make_nbody(const Parameters& parameters) {
  return std::make_unique<Nbody>(parameters);
}

}  // namespace equipoise
