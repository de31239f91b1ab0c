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

#include "real/kernels/buffer.hpp"
#include "real/kernels/catalog.hpp"
#include "real/kernels/nbody/gravity.hpp"
#include "real/kernels/nbody/gravity_check.hpp"
#include "real/kernels/seeded.hpp"

namespace equipoise {
namespace {

constexpr double softening = 0.05;
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

class NbodySide final : public UnitKernel {
 public:
  NbodySide(HostBodies& host, std::size_t bodies, Items items_max)
      : host_(host),
        bodies_(bodies),
        place_(make_vectors(padded_bodies(bodies))),
        mass_(padded_bodies(bodies)),
        acceleration_(make_vectors(static_cast<std::size_t>(items_max))) {}

  void copy_resident() override {
    std::copy_n(host_.mass.data(), bodies_, mass_.data());
    copy_places();
  }

  void copy_in(const Block& /*block*/) override {
    if (steps_done_ != host_.steps_done) copy_places();
  }

  void compute(const Block& block, ThreadTeam& team) override {
    const BodyColumns bodies = {place_[0].data(), place_[1].data(), place_[2].data(), mass_.data(),
                                bodies_};
    team.run(block.items, [&](Items first, Items items) {
      accelerate(bodies, static_cast<std::size_t>(block.first + first),
                 static_cast<std::size_t>(items), softening,
                 {acceleration_[0].data() + first, acceleration_[1].data() + first,
                  acceleration_[2].data() + first});
    });
  }

  void copy_out(const Block& block) override {
    for (std::size_t k = 0; k < 3; ++k) {
      std::copy_n(acceleration_[k].data(), block.items, host_.acceleration[k].data() + block.first);
    }
  }

 private:
  void copy_places() {
    for (std::size_t k = 0; k < 3; ++k) {
      std::copy_n(host_.place[k].data(), bodies_, place_[k].data());
    }
    steps_done_ = host_.steps_done;
  }

  HostBodies& host_;
  std::size_t bodies_;
  Vectors3 place_;
  Buffer mass_;
  Vectors3 acceleration_;
  int steps_done_ = 0;  ///< the step to which the places here belong
};

class Nbody final : public Kernel {
 public:
  Nbody(Items bodies, int iterations) {
    const auto count = static_cast<double>(bodies);
    workload_.kernel = "nbody";
    workload_.items = bodies;
    workload_.iterations = iterations;
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
    host_.place = make_vectors(count());
    host_.velocity = make_vectors(count());
    host_.acceleration = make_vectors(count());
    host_.mass = Buffer(count());
    for (std::size_t i = 0; i < count(); ++i) {
      host_.mass.data()[i] = seeded_number(seed, i, 0.5, 1.5) / static_cast<double>(count());
    }
    clear_results();
  }

  /// Puts the bodies back to their initial places, at rest.
  void clear_results() override {
    for (std::size_t k = 0; k < 3; ++k) {
      std::uint64_t position = (k + 1) << 60;
      for (double& place : host_.place[k].span()) {
        place = seeded_number(seed_, position++, -1.0, 1.0);
      }
      std::ranges::fill(host_.velocity[k].span(), 0.0);
    }
    host_.steps_done = 0;
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
    fill_with_nan(host_.acceleration);
  }

  std::unique_ptr<UnitKernel> make_cpu_side(Items items_max) override {
    return std::make_unique<NbodySide>(host_, count(), items_max);
  }

  Verification verify() const override {
    return check_gravity({.bodies = {host_.place[0].data(), host_.place[1].data(),
                                     host_.place[2].data(), host_.mass.data(), count()},
                          .acceleration = pointers(host_.acceleration),
                          .velocity = pointers(host_.velocity),
                          .softening = softening,
                          .step = time_step,
                          .steps_done = host_.steps_done});
  }

 private:
  [[nodiscard]] std::size_t count() const { return static_cast<std::size_t>(workload_.items); }

  Workload workload_;
  std::uint64_t seed_ = 0;
  HostBodies host_;
};

}  // namespace

std::unique_ptr<Kernel> make_nbody(const Parameters& parameters) {
  return std::make_unique<Nbody>(parameters.items("bodies", 0, Items{1} << 40),
                                 iterations_of(parameters));
}

}  // namespace equipoise
