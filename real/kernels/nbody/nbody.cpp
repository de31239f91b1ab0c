// Bodies that attract one another. Every item is one body, whose acceleration is a sum over all
// bodies.
//
// A benchmark of the energy paper (Euro-Par 2017; from AMD's APP SDK), with 51200 bodies there. See
// real/kernels/nbody/gravity.hpp for the computation. Places and masses of all bodies stay on every
// unit. They are copied before the unit's first block. The places are copied again with its first
// block of every further iteration (`iteration_bytes`). The accelerations of a block are copied
// back. Between two iterations the bodies move by one step of the leapfrog method, with velocities
// half a step behind.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "real/kernels/buffer.hpp"
#include "real/kernels/catalog.hpp"
#include "real/kernels/nbody/gravity.hpp"
#include "real/kernels/nbody/gravity_check.hpp"
#include "real/kernels/seeded.hpp"

namespace equipoise {
namespace {

constexpr double time_step = 1e-3;

/// x, y and z columns for many bodies.
using Vectors3 = std::array<Buffer, 3>;

Vectors3 make_vectors(std::size_t count) { return {Buffer(count), Buffer(count), Buffer(count)}; }

VectorColumns pointers(const Vectors3& vectors) {
  return {vectors[0].data(), vectors[1].data(), vectors[2].data()};
}

/// All bodies on the host.
struct HostBodies {
  Vectors3 place;
  Vectors3 velocity;
  Vectors3 acceleration;
  Buffer mass;
  int steps_done = 0;
};

class Nbody final : public Kernel {
 public:
  Nbody(Items bodies, int iterations, Distribution distribution) {
    const auto count = static_cast<double>(bodies);
    workload_.kernel = "nbody";
    workload_.items = bodies;
    workload_.iterations = iterations;
    workload_.distribution = distribution;
    workload_.out_bytes_per_item = 3.0 * sizeof(double);
    workload_.resident_bytes = 4.0 * count * sizeof(double);
    workload_.iteration_bytes = 3.0 * count * sizeof(double);
    workload_.memory_bytes_per_item = 3.0 * sizeof(double);
    workload_.flop_per_item = flop_per_pair * count;
    workload_.parameters = problem();
  }

  const Workload& workload() const override { return workload_; }
  std::string item() const override { return "body"; }
  std::map<std::string, double> problem() const override {
    return {{"bodies", static_cast<double>(workload_.items)}};
  }
  double host_bytes() const override {
    return 10.0 * static_cast<double>(workload_.items) * sizeof(double);
  }

  void allocate(std::uint64_t seed) override {
    seed_ = seed;
    host_.place = make_vectors(padded_bodies(count()));
    host_.velocity = make_vectors(count());
    host_.acceleration = make_vectors(count());
    host_.mass = Buffer(padded_bodies(count()));
    for (std::size_t i = 0; i < count(); ++i) {
      host_.mass.data()[i] = seeded_number(seed, i, 0.5, 1.5) / static_cast<double>(count());
    }
    data_ = {};
    for (Buffer& column : host_.acceleration) data_.results.push_back(result_rows(column.data()));
    for (const Buffer& column : host_.place) {
      data_.resident.push_back(resident_array(column.span()));
    }
    data_.resident.push_back(resident_array(std::as_const(host_.mass).span()));
    data_.fixed = {host_.mass.fixed()};
    clear_results();
  }

  /// Puts the bodies back to their initial places, at rest.
  void clear_results() override {
    for (std::size_t k = 0; k < 3; ++k) {
      std::uint64_t position = (k + 1) << 60;
      for (double& place : host_.place[k].span().first(count())) {
        place = seeded_number(seed_, position++, -1.0, 1.0);
      }
      std::ranges::fill(host_.velocity[k].span(), 0.0);
    }
    host_.steps_done = 0;
    raise_versions_of_places();
    fill_with_nan(host_.acceleration);
  }

  /// Moves the bodies by one step. A body whose acceleration was not computed keeps its velocity.
  void begin_iteration(int /*iteration*/) override {
    for (std::size_t k = 0; k < 3; ++k) {
      for (std::size_t i = 0; i < count(); ++i) {
        const double acceleration = host_.acceleration[k].data()[i];
        double& velocity = host_.velocity[k].data()[i];
        if (!std::isnan(acceleration)) velocity += acceleration * time_step;
        host_.place[k].data()[i] += velocity * time_step;
      }
    }
    ++host_.steps_done;
    raise_versions_of_places();
    fill_with_nan(host_.acceleration);
  }

  const KernelData& data() const override { return data_; }

  std::unique_ptr<CpuProgram> make_cpu_program() const override {
    return make_cpu_program_of(
        [count = count()](const StagedBlock& block, Items first, Items items) {
          accelerate({block.kept<double>(0), block.kept<double>(1), block.kept<double>(2),
                      block.kept<double>(3), count},
                     static_cast<std::size_t>(block.first + first), static_cast<std::size_t>(items),
                     nbody_softening,
                     {block.result<double>(0) + first, block.result<double>(1) + first,
                      block.result<double>(2) + first});
        });
  }

  Verification verify() const override {
    return check_gravity({.bodies = {host_.place[0].data(), host_.place[1].data(),
                                     host_.place[2].data(), host_.mass.data(), count()},
                          .acceleration = pointers(host_.acceleration),
                          .velocity = pointers(host_.velocity),
                          .softening = nbody_softening,
                          .step = time_step,
                          .steps_done = host_.steps_done});
  }

 private:
  [[nodiscard]] std::size_t count() const { return static_cast<std::size_t>(workload_.items); }

  void raise_versions_of_places() {
    for (std::size_t k = 0; k < 3; ++k) ++data_.resident[k].version;
  }

  Workload workload_;
  std::uint64_t seed_ = 0;
  HostBodies host_;
  KernelData data_;
};

}  // namespace

std::unique_ptr<Kernel> make_nbody(const Parameters& parameters) {
  return std::make_unique<Nbody>(parameters.items("bodies", 0, Items{1} << 40),
                                 iterations_of(parameters), distribution_of(parameters));
}

}  // namespace equipoise
