// Finds the nearest of many centroids for each of many points.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace equipoise {

/// The number of doubles that `make_nearest_table` writes for `clusters` centroids.
[[nodiscard]] std::size_t nearest_table_size(std::size_t clusters, std::size_t dimensions);

/// Writes the table for `find_nearest` from `centroids` (clusters, dimensions): half of each
/// squared length, then the centroids.
void make_nearest_table(std::span<const double> centroids, std::size_t dimensions, double* table);

/// Finds the nearest centroid of each of `count` points (count, dimensions) and writes its number
/// to `labels`; of several equally near ones, the first. O(count clusters dimensions).
///
///     argmin_c |x - c|^2 = argmin_c (|c|^2 / 2 - x . c)
///
/// A point's label depends only on the point and the table, not on other points, and is the same on
/// every CPU. 64 points are computed side by side, so fewer than 64 cost as much as 64. Needs
/// memory for the coordinates of 64 points.
void find_nearest(const double* points, std::size_t count, std::size_t dimensions,
                  const double* table, std::size_t clusters, std::int32_t* labels);

}  // namespace equipoise
