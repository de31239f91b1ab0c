// The loop of k-means: a matrix product of centroids and points that keeps only the smallest
// element of each column. Written so that the compiler can vectorise it: a tile of points side by
// side, and four centroids and four coordinates each time that the points' scores are loaded.
#include "real/kernels/kmeans/nearest.hpp"

#include <algorithm>
#include <limits>

#include "real/kernels/buffer.hpp"
#include "real/kernels/vectors.hpp"

namespace equipoise {
namespace {

constexpr std::size_t tile_points = 64;
constexpr std::size_t tile_centroids = 4;
constexpr std::size_t unrolled = 4;
constexpr double infinity = std::numeric_limits<double>::infinity();

/// One number for each point of a tile.
using TileRow = double[tile_points];

/// The best centroid so far for each point. Indices are doubles, so that a vector holds as many
/// indices as scores.
struct Best {
  TileRow score;
  TileRow index;
};

/// The parts of the table of `clusters` centroids.
struct Table {
  const double* half_squares;
  const double* centroids;
  std::size_t clusters;
  std::size_t dimensions;
};

/// Subtracts from the scores the part of the products of `rows` centroids with the points that
/// comes from `steps` coordinates.
template <std::size_t rows, std::size_t steps>
[[gnu::always_inline]] inline void subtract(const double* coordinates, const double* centroids,
                                            std::size_t dimensions, TileRow* scores) {
  for (std::size_t i = 0; i < tile_points; ++i) {
    double score[rows];
#pragma GCC unroll 4
    for (std::size_t r = 0; r < rows; ++r) score[r] = scores[r][i];
#pragma GCC unroll 4
    for (std::size_t j = 0; j < steps; ++j) {
#pragma GCC unroll 4
      for (std::size_t r = 0; r < rows; ++r) {
        score[r] -= centroids[r * dimensions + j] * coordinates[j * tile_points + i];
      }
    }
#pragma GCC unroll 4
    for (std::size_t r = 0; r < rows; ++r) scores[r][i] = score[r];
  }
}

/// Keeps the better of the best so far and of `rows` centroids, the first of which has the number
/// `first`.
template <std::size_t rows>
[[gnu::always_inline]] inline void keep_better(const TileRow* scores, std::size_t first,
                                               Best& best) {
  for (std::size_t i = 0; i < tile_points; ++i) {
    double score = best.score[i];
    double index = best.index[i];
#pragma GCC unroll 4
    for (std::size_t r = 0; r < rows; ++r) {
      const bool is_better = scores[r][i] < score;
      score = is_better ? scores[r][i] : score;
      index = is_better ? static_cast<double>(first + r) : index;
    }
    best.score[i] = score;
    best.index[i] = index;
  }
}

/// Computes the scores of `rows` centroids from `first` on for a tile of points, and keeps the
/// best; `coordinates` (dimensions, tile).
template <std::size_t rows>
[[gnu::always_inline]] inline void try_centroids(const Table& table, std::size_t first,
                                                 const double* coordinates, Best& best) {
  const std::size_t dimensions = table.dimensions;
  const double* const centroids = table.centroids + first * dimensions;
  TileRow scores[rows];
  for (std::size_t r = 0; r < rows; ++r) {
    std::fill_n(scores[r], tile_points, table.half_squares[first + r]);
  }
  std::size_t j = 0;
  for (; j + unrolled <= dimensions; j += unrolled) {
    subtract<rows, unrolled>(coordinates + j * tile_points, centroids + j, dimensions, scores);
  }
  for (; j < dimensions; ++j) {
    subtract<rows, 1>(coordinates + j * tile_points, centroids + j, dimensions, scores);
  }
  keep_better<rows>(scores, first, best);
}

/// Transposes at most `tile_points` points (count, dimensions) to `coordinates` (dimensions, tile).
[[gnu::always_inline]] inline void transpose(const double* points, std::size_t count,
                                             std::size_t dimensions, double* coordinates) {
  for (std::size_t j = 0; j < dimensions; ++j) {
    for (std::size_t i = 0; i < count; ++i) {
      coordinates[j * tile_points + i] = points[i * dimensions + j];
    }
  }
}

/// The body of `find_nearest`; `coordinates` is working memory for (dimensions, tile).
[[gnu::always_inline]] inline void search_all(Table table, const double* points, std::size_t count,
                                              double* coordinates, std::int32_t* labels) {
  for (std::size_t begin = 0; begin < count; begin += tile_points) {
    const std::size_t in_tile = std::min(tile_points, count - begin);
    transpose(points + begin * table.dimensions, in_tile, table.dimensions, coordinates);
    Best best;
    std::fill_n(best.score, tile_points, infinity);
    std::fill_n(best.index, tile_points, 0.0);
    std::size_t c = 0;
    for (; c + tile_centroids <= table.clusters; c += tile_centroids) {
      try_centroids<tile_centroids>(table, c, coordinates, best);
    }
    for (; c < table.clusters; ++c) try_centroids<1>(table, c, coordinates, best);
    for (std::size_t i = 0; i < in_tile; ++i) {
      labels[begin + i] = static_cast<std::int32_t>(best.index[i]);
    }
  }
}

}  // namespace

std::size_t nearest_table_size(std::size_t clusters, std::size_t dimensions) {
  return clusters * (dimensions + 1);
}

void make_nearest_table(std::span<const double> centroids, std::size_t dimensions, double* table) {
  const std::size_t clusters = centroids.size() / dimensions;
  for (std::size_t c = 0; c < clusters; ++c) {
    double square = 0.0;
    for (const double value : centroids.subspan(c * dimensions, dimensions)) {
      square += value * value;
    }
    table[c] = 0.5 * square;
  }
  std::ranges::copy(centroids, table + clusters);
}

void find_nearest(const double* points, std::size_t count, std::size_t dimensions,
                  const double* table, std::size_t clusters, std::int32_t* labels) {
  Buffer coordinates(dimensions * tile_points);
  with_widest_vectors<search_all>(Table{table, table + clusters, clusters, dimensions}, points,
                                  count, coordinates.data(), labels);
}

}  // namespace equipoise
