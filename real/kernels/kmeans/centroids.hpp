// The centroids of k-means on the host, the merge between two iterations, and a check that a
// clustering can result from Lloyd's iterations, without the kernel's formula.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "real/kernels/buffer.hpp"

namespace equipoise {

/// The label of a point that was not computed.
inline constexpr std::int32_t no_label = -1;

/// The result of a merge.
struct MergeRecord {
  std::int64_t unlabelled = 0;  ///< points without a label, which the merge ignored
  /// The part of the points' sum of squares that the clusters explain: the sum of |S_c|^2 / n_c.
  /// The rest is the inertia after the merge, which Lloyd's iterations never raise.
  double explained = 0.0;
};

/// Centroids and the sums that move them. The result of a merge depends only on the labels, not on
/// the units that found them or their order. Sums are kept from merge to merge and are updated for
/// each point whose label changed.
class Centroids {
 public:
  Centroids() = default;
  Centroids(std::size_t points, std::size_t clusters, std::size_t dimensions);
  /// The host memory for these numbers of points, clusters and dimensions, in bytes.
  [[nodiscard]] static double host_bytes(double points, double clusters, double dimensions);

  /// Puts the centroids on points that are evenly spread over `points` (points, dimensions), and
  /// discards all merges.
  void reset(std::span<const double> points);
  /// Moves each centroid to the mean of the points with its label; a centroid without points stays.
  /// O(points), and O(dimensions) for each point whose label changed since the previous merge.
  void merge(std::span<const double> points, std::span<const std::int32_t> labels);

  /// (clusters, dimensions) the centroids now, and before the last merge.
  [[nodiscard]] std::span<const double> current() const { return current_.span(); }
  [[nodiscard]] std::span<const double> previous() const { return previous_.span(); }
  /// The table for `find_nearest`.
  [[nodiscard]] std::span<const double> table() const { return table_.span(); }
  /// The labels of the last merge.
  [[nodiscard]] std::span<const std::int32_t> merged_labels() const { return merged_.span(); }
  [[nodiscard]] const std::vector<MergeRecord>& merges() const { return merges_; }

 private:
  void add(const double* point, std::int32_t label, double sign);
  void publish();

  std::size_t clusters_ = 0;
  std::size_t dimensions_ = 0;
  Buffer current_;
  Buffer previous_;
  Buffer sums_;    ///< (clusters, dimensions)
  Buffer counts_;  ///< (clusters)
  Buffer table_;
  BufferOf<std::int32_t> merged_;  ///< (points)
  std::vector<MergeRecord> merges_;
};

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
