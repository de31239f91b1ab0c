// Checks that a clustering can result from Lloyd's iterations, without the kernel's formula.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "real/kernels/kmeans/centroids.hpp"

namespace equipoise {

/// Describes the first point that has no label, or whose label is not its nearest centroid; empty
/// if none. Every point's distances are sums of squared differences. Distances to other centroids
/// are skipped if the triangle inequality shows that none can be nearer. Up to 200 points, evenly
/// spread, are compared with all centroids in extended precision. `points` (points, dimensions),
/// `labels` (points), `centroids` (clusters, dimensions). At most O(points clusters dimensions).
///
/// Source: Hamerly (2010), section 3.2: half the distance to the nearest other centroid.
[[nodiscard]] std::string fault_of_labels(std::span<const double> points, std::size_t dimensions,
                                          std::span<const std::int32_t> labels,
                                          std::span<const double> centroids);

/// Describes the first centroid that is not the mean of the points with its label, summed again in
/// extended precision; empty if none. A centroid without points may be anywhere. O(points
/// dimensions).
[[nodiscard]] std::string fault_of_means(std::span<const double> points, std::size_t dimensions,
                                         std::span<const std::int32_t> labels,
                                         std::span<const double> centroids);

/// Describes the first iteration that left points without a label or raised the inertia; empty if
/// none.
[[nodiscard]] std::string fault_of_merges(const std::vector<MergeRecord>& merges);

}  // namespace equipoise
