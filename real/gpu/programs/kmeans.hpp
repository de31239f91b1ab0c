// k-means on GPUs: finds the nearest centroid of each point.
#pragma once

#include <cstddef>
#include <cstdint>

#include "real/gpu/stream.hpp"

namespace equipoise {

/// The points of a block and the centroids, as in real/kernels/kmeans/nearest.hpp.
struct NearestSearch {
  const double* points;  ///< (count, dimensions)
  std::size_t count;
  std::size_t dimensions;
  const double* table;  ///< as `make_nearest_table` writes it
  std::size_t clusters;
  std::int32_t* labels;  ///< (count)
};

/// The label of a point for which fused multiply-add cannot tell the nearest centroid.
inline constexpr std::int32_t undecided_label = -2;

/// Loads the kernels onto the current device, so that no launch waits for that. Throws as
/// check_cuda does.
void load_kmeans();
/// Enqueues the search for all points on `stream`. The labels are those that the CPU finds, to the
/// last point: where two centroids are as near as rounding can tell, the second of two kernels
/// repeats the CPU's arithmetic.
void launch_kmeans(const Stream& stream, const NearestSearch& search);

/// Part of load_kmeans.
void load_kmeans_undecided();
/// Enqueues the second kernel, which replaces every `undecided_label`.
void launch_kmeans_undecided(const Stream& stream, const NearestSearch& search);

}  // namespace equipoise
