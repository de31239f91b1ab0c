// Which of many centroids is nearest to each of many points.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace equipoise {

/// How many doubles `make_nearest_table` writes for `clusters` centroids.
[[nodiscard]] std::size_t nearest_table_size(std::size_t clusters, std::size_t dimensions);

/// Lays out `centroids` (clusters, dimensions) for `find_nearest`: the halves of their squared
/// lengths, then they themselves.
void make_nearest_table(std::span<const double> centroids, std::size_t dimensions, double* table);

/// Finds the nearest centroid of each of `count` points (count, dimensions) and writes its number
/// into `labels`; of several equally near ones, the first. O(count clusters dimensions).
///
///     argmin_c |x - c|^2 = argmin_c (|c|^2 / 2 - x . c)
///
/// A point's label depends on the point and the table alone, not on the points beside it. Every CPU
/// gives the same. 64 points side by side, so that fewer cost as much as 64; memory for the
/// coordinates of as many.
void find_nearest(const double* points, std::size_t count, std::size_t dimensions,
                  const double* table, std::size_t clusters, std::int32_t* labels);

}  // namespace equipoise
