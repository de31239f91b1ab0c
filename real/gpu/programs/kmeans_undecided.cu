// k-means on GPUs: the few points for which two centroids are equally near up to rounding.
// Compiled without contraction, so that every score has the CPU's bits.
//
// Bound by reading the labels once, for there are hardly any such points. A block of threads looks
// at 128 points and divides the centroids of one that is undecided.
#include "real/gpu/programs.hpp"

#include <cstddef>
#include <cstdint>

#include "real/gpu/device_code.hpp"

namespace equipoise {
namespace {

constexpr unsigned block_threads = 128;
constexpr double infinity = __builtin_huge_val();

/// The nearest centroid of a point; of several, the first. All threads of the block call it.
__device__ std::int32_t nearest_of_all(const NearestSearch& search, const double* point,
                                       double* least, std::int32_t* label) {
  double own_least = infinity;
  std::int32_t own_label = 0;
  for (std::size_t c = threadIdx.x; c < search.clusters; c += block_threads) {
    const double* const centroid = search.table + search.clusters + c * search.dimensions;
    double score = search.table[c];
    for (std::size_t j = 0; j < search.dimensions; ++j) score -= centroid[j] * point[j];
    if (score < own_least) {
      own_least = score;
      own_label = static_cast<std::int32_t>(c);
    }
  }
  least[threadIdx.x] = own_least;
  label[threadIdx.x] = own_label;
  for (unsigned half = block_threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x >= half) continue;
    const unsigned other = threadIdx.x + half;
    const bool is_equal = least[other] == least[threadIdx.x];
    if (least[other] < least[threadIdx.x] || (is_equal && label[other] < label[threadIdx.x])) {
      least[threadIdx.x] = least[other];
      label[threadIdx.x] = label[other];
    }
  }
  __syncthreads();
  return label[0];
}

__global__ void decide_undecided(NearestSearch search) {
  __shared__ std::int32_t labels[block_threads];
  __shared__ double least[block_threads];
  __shared__ std::int32_t label[block_threads];
  const std::size_t first = std::size_t{blockIdx.x} * block_threads;
  const std::size_t own = first + threadIdx.x;
  labels[threadIdx.x] = own < search.count ? search.labels[own] : 0;
  __syncthreads();
  for (unsigned p = 0; p < block_threads; ++p) {
    if (labels[p] != undecided_label) continue;
    const double* const point = search.points + (first + p) * search.dimensions;
    const std::int32_t nearest = nearest_of_all(search, point, least, label);
    if (threadIdx.x == 0) search.labels[first + p] = nearest;
    __syncthreads();
  }
}

}  // namespace

void load_kmeans_undecided() { load_code(decide_undecided); }

void launch_kmeans_undecided(const Stream& stream, const NearestSearch& search) {
  const unsigned blocks = blocks_for(search.count, block_threads);
  launch(decide_undecided, {blocks}, {block_threads}, 0, stream, search);
}

}  // namespace equipoise
