// Tells whether a clustering is one that Lloyd's iterations reach, without the kernel's formula.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "real/kernels/kmeans/centroids.hpp"

namespace equipoise {

/// Which point has no label, or a centroid nearer than its label's; empty: none has. Every point's
/// distances are sums of squared differences; those to other centroids are left out where the
/// triangle inequality tells that none can be nearer. Up to 200 points, evenly spread, are compared
/// with all centroids in extended precision. `points` (points, dimensions), `labels` (points),
/// `centroids` (clusters, dimensions). At most O(points clusters dimensions).
///
/// Source: Hamerly (2010), section 3.2: the half distance to the nearest other centroid.
[[nodiscard]] std::string fault_of_labels(std::span<const double> points, std::size_t dimensions,
                                          std::span<const std::int32_t> labels,
                                          std::span<const double> centroids);

/// Which centroid is not the mean of the points with its label, summed anew in extended precision;
/// empty: none. A centroid without points may be anywhere. O(points dimensions).
[[nodiscard]] std::string fault_of_means(std::span<const double> points, std::size_t dimensions,
                                         std::span<const std::int32_t> labels,
                                         std::span<const double> centroids);

/// Which iteration left points without a label, or raised the inertia; empty: none.
[[nodiscard]] std::string fault_of_merges(const std::vector<MergeRecord>& merges);

}  // namespace equipoise
