// Gravity among bodies: bound by arithmetic, about 20 operations a pair. A block of threads brings
// tiles of bodies to shared memory; if few bodies are to be accelerated, several threads share one.
#include "real/gpu/programs.hpp"

#include <cmath>
#include <cstddef>

#include "real/gpu/device_code.hpp"
#include "real/kernels/nbody/gravity.hpp"

namespace equipoise {
namespace {

constexpr unsigned block_threads = 256;
constexpr unsigned sharers_max = 32;
/// Threads that keep a large GPU busy.
constexpr std::size_t threads_wanted = std::size_t{1} << 17;

struct alignas(32) Attractor {
  double x;
  double y;
  double z;
  double mass;
};

/// `sharers` threads accelerate a body: each adds the attraction of an equal part of every tile.
__global__ void accelerate_body(BodyColumns bodies, std::size_t first, std::size_t count,
                                double softening2, unsigned sharers, AccelerationColumns out) {
  __shared__ Attractor tile[block_threads];
  const unsigned block_bodies = block_threads / sharers;
  const unsigned part_first = threadIdx.x / block_bodies * block_bodies;
  const std::size_t body = std::size_t{blockIdx.x} * block_bodies + threadIdx.x % block_bodies;
  const std::size_t here = first + (body < count ? body : 0);
  const double x = bodies.x[here];
  const double y = bodies.y[here];
  const double z = bodies.z[here];
  double sum_x = 0.0;
  double sum_y = 0.0;
  double sum_z = 0.0;
  for (std::size_t from = 0; from < bodies.count; from += block_threads) {
    const std::size_t j = from + threadIdx.x;
    __syncthreads();
    tile[threadIdx.x] = j < bodies.count
                            ? Attractor{bodies.x[j], bodies.y[j], bodies.z[j], bodies.mass[j]}
                            : Attractor{0.0, 0.0, 0.0, 0.0};
    __syncthreads();
    for (unsigned k = part_first; k < part_first + block_bodies; ++k) {
      const Attractor there = tile[k];
      const double dx = there.x - x;
      const double dy = there.y - y;
      const double dz = there.z - z;
      const double nearness = rsqrt(softening2 + dx * dx + dy * dy + dz * dz);
      const double pull = there.mass * nearness * (nearness * nearness);
      sum_x += pull * dx;
      sum_y += pull * dy;
      sum_z += pull * dz;
    }
  }
  __syncthreads();
  tile[threadIdx.x] = {sum_x, sum_y, sum_z, 0.0};
  __syncthreads();
  if (part_first != 0 || body >= count) return;
  for (unsigned k = threadIdx.x + block_bodies; k < block_threads; k += block_bodies) {
    sum_x += tile[k].x;
    sum_y += tile[k].y;
    sum_z += tile[k].z;
  }
  out.x[body] = sum_x;
  out.y[body] = sum_y;
  out.z[body] = sum_z;
}

}  // namespace

GpuProgram gpu_nbody(const KernelParameters& parameters) {
  return {[] { load_code(accelerate_body); },
          [bodies = whole(parameters, "bodies")](const Stream& stream, const StagedBlock& block) {
            const std::size_t count = items_of(block);
            unsigned sharers = 1;
            while (sharers < sharers_max && count * sharers < threads_wanted) sharers *= 2;
            const unsigned blocks = blocks_for(count, block_threads / sharers);
            launch(accelerate_body, {blocks}, {block_threads}, 0, stream,
                   body_columns(block, bodies), static_cast<std::size_t>(block.first), count,
                   nbody_softening * nbody_softening, sharers, acceleration_columns(block));
          }};
}

}  // namespace equipoise
