// The loop of k-means: a matrix product of points and centroids that keeps only the smallest
// element of each row.
#include "real/kernels/nearest.hpp"

#include <algorithm>
#include <limits>

#include "real/kernels/lanes.hpp"
#include "real/kernels/vectors.hpp"

namespace equipoise {
namespace {

/// Points that are searched together, so that they stay in the first cache while the table passes.
constexpr std::size_t tile_points = 32;
constexpr double infinity = std::numeric_limits<double>::infinity();

/// The best of the centroids seen so far, in each lane for itself.
struct Best {
  Lanes score;
  WholeLanes index;
};

/// Scores the centroids of one group for `rows` points at once, and keeps what is better.
template <std::size_t rows>
[[gnu::always_inline]] inline void search_group(const double* points, std::size_t dimensions,
                                                const double* group, std::size_t first_index,
                                                Best* best) {
  Lanes left[rows];
  Lanes right[rows];
  for (std::size_t r = 0; r < rows; ++r) {
    load(group, left[r]);
    load(group + lane_count, right[r]);
  }
  const double* coordinates = group + centroids_per_group;
  for (std::size_t j = 0; j < dimensions; ++j, coordinates += centroids_per_group) {
    Lanes left_centroids;
    Lanes right_centroids;
    load(coordinates, left_centroids);
    load(coordinates + lane_count, right_centroids);
    for (std::size_t r = 0; r < rows; ++r) {
      const double x = points[r * dimensions + j];
      left[r] -= x * left_centroids;
      right[r] -= x * right_centroids;
    }
  }
  const auto index = static_cast<std::int64_t>(first_index);
  const WholeLanes left_index = WholeLanes{0, 1, 2, 3, 4, 5, 6, 7} + index;
  const WholeLanes right_index = left_index + std::int64_t{lane_count};
  for (std::size_t r = 0; r < rows; ++r) {
    const WholeLanes is_right = right[r] < left[r];
    const Lanes score = is_right ? right[r] : left[r];
    const WholeLanes at = is_right ? right_index : left_index;
    const WholeLanes is_better = score < best[r].score;
    best[r].score = is_better ? score : best[r].score;
    best[r].index = is_better ? at : best[r].index;
  }
}

/// The smallest score's index; of equal ones, the smallest index.
[[gnu::always_inline]] inline std::int32_t label_of(const Best& best) {
  double score = best.score[0];
  std::int64_t index = best.index[0];
  for (std::size_t l = 1; l < lane_count; ++l) {
    const bool is_better =
        best.score[l] < score || (best.score[l] == score && best.index[l] < index);
    score = is_better ? best.score[l] : score;
    index = is_better ? best.index[l] : index;
  }
  return static_cast<std::int32_t>(index);
}

/// What `find_nearest` says, for at most `tile_points` points.
[[gnu::always_inline]] inline void search_tile(const double* points, std::size_t count,
                                               std::size_t dimensions, const double* table,
                                               std::size_t groups, std::int32_t* labels) {
  constexpr std::size_t rows = 4;
  Best best[tile_points];
  for (std::size_t i = 0; i < count; ++i) {
    best[i].score = infinity - Lanes{};
    best[i].index = WholeLanes{};
  }
  for (std::size_t g = 0; g < groups; ++g) {
    const double* const group = table + g * centroids_per_group * (dimensions + 1);
    const std::size_t first_index = g * centroids_per_group;
    std::size_t i = 0;
    for (; i + rows <= count; i += rows) {
      search_group<rows>(points + i * dimensions, dimensions, group, first_index, best + i);
    }
    for (; i < count; ++i) {
      search_group<1>(points + i * dimensions, dimensions, group, first_index, best + i);
    }
  }
  for (std::size_t i = 0; i < count; ++i) labels[i] = label_of(best[i]);
}

[[gnu::always_inline]] inline void search_all(const double* points, std::size_t count,
                                              std::size_t dimensions, const double* table,
                                              std::size_t groups, std::int32_t* labels) {
  for (std::size_t first = 0; first < count; first += tile_points) {
    search_tile(points + first * dimensions, std::min(tile_points, count - first), dimensions,
                table, groups, labels + first);
  }
}

std::size_t groups_of(std::size_t clusters) {
  return (clusters + centroids_per_group - 1) / centroids_per_group;
}

}  // namespace

std::size_t nearest_table_size(std::size_t clusters, std::size_t dimensions) {
  return groups_of(clusters) * centroids_per_group * (dimensions + 1);
}

void make_nearest_table(std::span<const double> centroids, std::size_t dimensions, double* table) {
  const std::size_t clusters = centroids.size() / dimensions;
  for (std::size_t c = 0; c < groups_of(clusters) * centroids_per_group; ++c) {
    double* const column = table +
                           c / centroids_per_group * centroids_per_group * (dimensions + 1) +
                           c % centroids_per_group;
    double square = 0.0;
    for (std::size_t j = 0; j < dimensions; ++j) {
      const double value = c < clusters ? centroids[c * dimensions + j] : 0.0;
      square += value * value;
      column[(j + 1) * centroids_per_group] = value;
    }
    *column = c < clusters ? 0.5 * square : infinity;
  }
}

void find_nearest(const double* points, std::size_t count, std::size_t dimensions,
                  const double* table, std::size_t clusters, std::int32_t* labels) {
  with_widest_vectors<search_all>(points, count, dimensions, table, groups_of(clusters), labels);
}

}  // namespace equipoise
