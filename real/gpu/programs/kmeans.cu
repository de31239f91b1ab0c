// k-means on GPUs: the nearest centroid of each point, by scores |c|^2 / 2 - x . c.
//
// Bound by fused multiply-adds. A block of threads takes 96 points and all centroids, up to 64 at a
// time and eight coordinates at a time through two buffers in shared memory; a thread keeps the
// scores of 6 points and up to 8 centroids in registers. With fewer scores, reading coordinates
// from shared memory would take longer than the arithmetic.
#include "real/gpu/programs.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "real/gpu/device_code.hpp"

namespace equipoise {
namespace {

constexpr unsigned across = 8;  ///< threads that divide the centroids of a point
constexpr unsigned down = 16;   ///< threads that divide the points
constexpr unsigned block_threads = across * down;
constexpr unsigned own_points = 6;
constexpr unsigned tile_points = down * own_points;
constexpr unsigned steps = 8;  ///< coordinates in a buffer
constexpr double infinity = __builtin_huge_val();
constexpr double unit_roundoff = 0x1p-53;

/// The coordinates of a tile of points and of a tile of centroids. Rows are longer than needed, for
/// the sake of the banks.
template <unsigned own>
struct alignas(16) Tile {
  double points[steps][tile_points + 2];
  double centroids[steps][across * own + 2];
};

/// The best centroids so far of each point, among those that each of its threads has scored: the
/// score, the next best score, and the best one's number. Beside them the largest numbers that each
/// thread has met.
struct Found {
  double least[across][tile_points + 1];
  double second[across][tile_points + 1];
  std::int32_t label[across][tile_points + 1];
  double reach[block_threads];
};

/// Where a thread fetches coordinates of points: the first point that it fetches, and how many
/// points of the tile there are from that one on.
struct PointRows {
  const double* first;
  int left;
};

/// What a thread fetches from global memory for the next tile.
template <unsigned own>
struct Fetched {
  static constexpr unsigned points_each = tile_points * steps / block_threads;
  static constexpr unsigned centroids_each =
      (across * own * steps + block_threads - 1) / block_threads;
  double points[points_each];
  double centroids[centroids_each];

  /// Fetches coordinates `from` to `from` + steps of the points and of the centroids from
  /// `first_centroid` on; what is beyond the end is 0.
  __device__ void fetch(const NearestSearch& search, const PointRows& point_rows,
                        unsigned first_centroid, unsigned from) {
    constexpr unsigned rows = block_threads / steps;
    const unsigned dimensions = static_cast<unsigned>(search.dimensions);
    const unsigned j = from + threadIdx.x % steps;
    const unsigned first = first_centroid + threadIdx.x / steps;
    const double* const centroids_from =
        search.table + search.clusters + std::size_t{first} * dimensions;
#pragma unroll
    for (unsigned q = 0; q < points_each; ++q) {
      const bool is_there = static_cast<int>(q * rows) < point_rows.left && j < dimensions;
      points[q] = is_there ? point_rows.first[std::size_t{q * rows} * dimensions + j] : 0.0;
    }
#pragma unroll
    for (unsigned q = 0; q < centroids_each; ++q) {
      const bool is_there = first + q * rows < search.clusters && j < dimensions;
      centroids[q] = is_there ? centroids_from[std::size_t{q * rows} * dimensions + j] : 0.0;
    }
  }

  __device__ void store(Tile<own>& tile) const {
    const unsigned j = threadIdx.x % steps;
    const unsigned row = threadIdx.x / steps;
#pragma unroll
    for (unsigned q = 0; q < points_each; ++q) {
      tile.points[j][row + q * (block_threads / steps)] = points[q];
    }
#pragma unroll
    for (unsigned q = 0; q < centroids_each; ++q) {
      const unsigned c = row + q * (block_threads / steps);
      if (c < across * own) tile.centroids[j][c] = centroids[q];
    }
  }
};

/// The place in its tile of centroid `r` of a thread. Pairs of neighbours, so that one load brings
/// two.
__device__ unsigned place_of(unsigned r) {
  return r / 2 * (2 * across) + 2 * (threadIdx.x % across) + r % 2;
}

/// Subtracts from the scores the part of the products that comes from coordinate `j` of the tile.
template <unsigned own>
__device__ void subtract(const Tile<own>& tile, unsigned j, double (&scores)[own_points][own]) {
  double point[own_points];
  double centroid[own];
#pragma unroll
  for (unsigned i = 0; i < own_points; ++i) {
    point[i] = tile.points[j][threadIdx.x / across * own_points + i];
  }
#pragma unroll
  for (unsigned r = 0; r < own; ++r) centroid[r] = tile.centroids[j][place_of(r)];
#pragma unroll
  for (unsigned i = 0; i < own_points; ++i) {
#pragma unroll
    for (unsigned r = 0; r < own; ++r)
      scores[i][r] = std::fma(-centroid[r], point[i], scores[i][r]);
  }
}

/// Keeps `score` if it is among the two best, and returns whether it is the best.
__device__ bool keeps_better(double score, double& least, double& second) {
  const bool is_better = score < least;
  const double worse = is_better ? least : score;
  second = worse < second ? worse : second;
  least = is_better ? score : least;
  return is_better;
}

/// Keeps the two best of `least`, `second` and the scores of two neighbours, the first of which has
/// the number `first`. Returns the number of the best; `label` is that of `least`.
__device__ std::int32_t best_of(const double (&two)[2], std::int32_t first, double& least,
                                double& second, std::int32_t label) {
  const bool is_later = two[1] < two[0];
  const double better = is_later ? two[1] : two[0];
  const double worse = is_later ? two[0] : two[1];
  const bool is_better = better < least;
  const double loser = is_better ? least : better;
  const double rival = is_better ? worse : second;
  second = rival < loser ? rival : loser;
  least = is_better ? better : least;
  return is_better ? first + (is_later ? 1 : 0) : label;
}

template <unsigned own>
__device__ void keep_best(const double (&scores)[own_points][own], std::size_t first_centroid,
                          Found& found) {
  const unsigned a = threadIdx.x % across;
#pragma unroll
  for (unsigned i = 0; i < own_points; ++i) {
    const unsigned p = threadIdx.x / across * own_points + i;
    double least = found.least[a][p];
    double second = found.second[a][p];
    std::int32_t label = found.label[a][p];
#pragma unroll
    for (unsigned r = 0; r < own; r += 2) {
      const auto number = static_cast<std::int32_t>(first_centroid + place_of(r));
      label = best_of({scores[i][r], scores[i][r + 1]}, number, least, second, label);
    }
    found.least[a][p] = least;
    found.second[a][p] = second;
    found.label[a][p] = label;
  }
}

/// The larger number; infinite if `number` is NaN. Then nothing is decided.
__device__ double larger(double reach, double number) {
  if (number <= reach) return reach;
  return number == number ? number : infinity;
}

/// Prepares what was found: no centroid yet, and twice the largest |c|^2 / 2.
__device__ void begin(const NearestSearch& search, Found& found) {
  for (unsigned i = 0; i < own_points; ++i) {
    const unsigned p = threadIdx.x / across * own_points + i;
    found.least[threadIdx.x % across][p] = infinity;
    found.second[threadIdx.x % across][p] = infinity;
    found.label[threadIdx.x % across][p] = 0;
  }
  double reach = 0.0;
  for (std::size_t c = threadIdx.x; c < search.clusters; c += block_threads) {
    reach = larger(reach, 2.0 * search.table[c]);
  }
  found.reach[threadIdx.x] = reach;
}

/// Raises the thread's reach to a bound on the |x|^2 / 2 of all points with a coordinate in
/// `numbers`.
template <unsigned count>
__device__ void widen(const double (&numbers)[count], unsigned dimensions, Found& found) {
  double reach = found.reach[threadIdx.x];
#pragma unroll
  for (const double x : numbers) reach = larger(reach, 0.5 * dimensions * x * x);
  found.reach[threadIdx.x] = reach;
}

/// Makes `found.reach[0]` the largest of all threads.
__device__ void combine_reach(Found& found) {
  for (unsigned half = block_threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x >= half) continue;
    const double other = found.reach[threadIdx.x + half];
    if (found.reach[threadIdx.x] < other) found.reach[threadIdx.x] = other;
  }
  __syncthreads();
}

/// Combines what the threads of the block have found, and writes the labels. A label is decided if
/// the scores are further apart than rounding may have moved them, here or on the CPU: by at most
/// (d + 1) u (|c|^2 / 2 + |x| |c|) each.
__device__ void write_labels(const NearestSearch& search, std::size_t first_point,
                             const Found& found) {
  const unsigned p = threadIdx.x;
  if (p >= tile_points || first_point + p >= search.count) return;
  double least = infinity;
  double second = infinity;
  std::int32_t label = 0;
  for (unsigned a = 0; a < across; ++a) {
    label = keeps_better(found.least[a][p], least, second) ? found.label[a][p] : label;
    second = found.second[a][p] < second ? found.second[a][p] : second;
  }
  const double gap =
      16.0 * static_cast<double>(search.dimensions + 2) * unit_roundoff * found.reach[0];
  const bool is_decided = second - least > gap;  // false if `gap` is infinite
  search.labels[first_point + p] = is_decided ? label : undecided_label;
}

/// Subtracts from the scores what the coordinates `from` to `from` + steps contribute.
template <unsigned own>
__device__ void subtract_tile(const Tile<own>& tile, unsigned from, unsigned dimensions,
                              double (&scores)[own_points][own]) {
  if (from + steps <= dimensions) {
#pragma unroll 2
    for (unsigned s = 0; s < steps; ++s) subtract<own>(tile, s, scores);
  } else {
#pragma unroll 1
    for (unsigned s = 0; from + s < dimensions; ++s) subtract<own>(tile, s, scores);
  }
}

/// Finds the labels of 96 points; each thread scores `own` centroids at a time.
template <unsigned own>
__global__ void __launch_bounds__(block_threads, 3) find_nearest_of_tiles(NearestSearch search) {
  constexpr unsigned tile_centroids = across * own;
  __shared__ Tile<own> tiles[2];
  __shared__ Found found;
  const auto dimensions = static_cast<unsigned>(search.dimensions);
  const auto clusters = static_cast<unsigned>(search.clusters);
  const std::size_t first_point = std::size_t{blockIdx.x} * tile_points;
  const std::size_t points_left = search.count - first_point;
  const PointRows rows{search.points + (first_point + threadIdx.x / steps) * search.dimensions,
                       static_cast<int>(points_left < tile_points ? points_left : tile_points) -
                           static_cast<int>(threadIdx.x / steps)};
  begin(search, found);
  Fetched<own> fetched;
  fetched.fetch(search, rows, 0, 0);
  fetched.store(tiles[0]);
  __syncthreads();
  unsigned now = 0;
  for (unsigned c = 0; c < clusters; c += tile_centroids) {
    double scores[own_points][own];
#pragma unroll
    for (unsigned r = 0; r < own; ++r) {
      const unsigned number = c + place_of(r);
      const double half_square = number < clusters ? search.table[number] : infinity;
#pragma unroll
      for (unsigned i = 0; i < own_points; ++i) scores[i][r] = half_square;
    }
    for (unsigned j = 0; j < dimensions; j += steps, now = 1 - now) {
      if (c == 0) widen(fetched.points, dimensions, found);
      const bool is_last = j + steps >= dimensions;
      fetched.fetch(search, rows, is_last ? c + tile_centroids : c, is_last ? 0 : j + steps);
      subtract_tile<own>(tiles[now], j, dimensions, scores);
      fetched.store(tiles[1 - now]);
      __syncthreads();
    }
    keep_best<own>(scores, c, found);
  }
  combine_reach(found);
  write_labels(search, first_point, found);
}

void launch_kmeans(const Stream& stream, const NearestSearch& search) {
  const unsigned blocks = blocks_for(search.count, tile_points);
  if (search.clusters <= 2 * across) {
    launch(find_nearest_of_tiles<2>, {blocks}, {block_threads}, 0, stream, search);
  } else if (search.clusters <= 4 * across) {
    launch(find_nearest_of_tiles<4>, {blocks}, {block_threads}, 0, stream, search);
  } else {
    launch(find_nearest_of_tiles<8>, {blocks}, {block_threads}, 0, stream, search);
  }
  launch_kmeans_undecided(stream, search);
}

}  // namespace

GpuProgram gpu_kmeans(const KernelParameters& parameters) {
  return {[] {
            load_code(find_nearest_of_tiles<2>, find_nearest_of_tiles<4>, find_nearest_of_tiles<8>);
            load_kmeans_undecided();
          },
          [dimensions = whole(parameters, "dimensions"), clusters = whole(parameters, "clusters")](
              const Stream& stream, const StagedBlock& block) {
            launch_kmeans(stream, {block.input<double>(0), items_of(block), dimensions,
                                   block.kept<double>(0), clusters, block.result<std::int32_t>(0)});
          }};
}

}  // namespace equipoise
