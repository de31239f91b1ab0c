// Computes distances as sums of squared differences, for many points at a time, in loops that the
// compiler can vectorise.
#include "real/kernels/kmeans/centroids.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include <fmt/format.h>

#include "real/kernels/vectors.hpp"

namespace equipoise {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t samples_max = 200;
constexpr std::size_t points_at_once = 64;
constexpr std::size_t unrolled = 4;

/// Some rows of a matrix of coordinates.
struct Rows {
  const double* coordinates;
  std::size_t count;
  std::size_t dimensions;

  [[nodiscard]] const double* row(std::size_t i) const { return coordinates + i * dimensions; }
};

double square_distance(const double* x, const double* y, std::size_t dimensions) {
  double sum = 0.0;
  for (std::size_t j = 0; j < dimensions; ++j) sum += (x[j] - y[j]) * (x[j] - y[j]);
  return sum;
}

double square_length(const double* x, std::size_t dimensions) {
  double sum = 0.0;
  for (std::size_t j = 0; j < dimensions; ++j) sum += x[j] * x[j];
  return sum;
}

/// A batch of points. For each point: its own centroid, which the search skips, and the nearest
/// other centroid. Numbers of centroids are stored as doubles, like distances.
struct Batch {
  std::vector<double> columns;  ///< (dimensions, points_at_once)
  std::size_t point[points_at_once] = {};
  double own[points_at_once] = {};
  double nearest[points_at_once] = {};
  double distance[points_at_once] = {};  ///< squared, to the nearest
  std::size_t count = 0;

  explicit Batch(std::size_t dimensions) : columns(dimensions * points_at_once) {}

  void add(const double* x, std::size_t number, std::size_t label) {
    for (std::size_t j = 0; j * points_at_once < columns.size(); ++j) {
      columns[j * points_at_once + count] = x[j];
    }
    point[count] = number;
    own[count++] = static_cast<double>(label);
  }
};

/// Adds the squared differences in `steps` coordinates.
template <std::size_t steps>
[[gnu::always_inline]] inline void add_squares(const double* columns, const double* centroid,
                                               double* sums) {
  for (std::size_t i = 0; i < points_at_once; ++i) {
    double sum = sums[i];
#pragma GCC unroll 4
    for (std::size_t j = 0; j < steps; ++j) {
      const double difference = columns[j * points_at_once + i] - centroid[j];
      sum += difference * difference;
    }
    sums[i] = sum;
  }
}

[[gnu::always_inline]] inline void scan_all(Batch* batch, const double* columns,
                                            const double* centroids, std::size_t clusters,
                                            std::size_t dimensions) {
  double least[points_at_once];
  double at[points_at_once] = {};
  std::fill_n(least, points_at_once, infinity);
  for (std::size_t c = 0; c < clusters; ++c) {
    const double* const centroid = centroids + c * dimensions;
    double sums[points_at_once] = {};
    std::size_t j = 0;
    for (; j + unrolled <= dimensions; j += unrolled) {
      add_squares<unrolled>(columns + j * points_at_once, centroid + j, sums);
    }
    for (; j < dimensions; ++j) add_squares<1>(columns + j * points_at_once, centroid + j, sums);
    const auto index = static_cast<double>(c);
    for (std::size_t i = 0; i < points_at_once; ++i) {
      const bool is_nearer = (sums[i] < least[i]) & (batch->own[i] != index);
      least[i] = is_nearer ? sums[i] : least[i];
      at[i] = is_nearer ? index : at[i];
    }
  }
  std::copy_n(least, points_at_once, batch->distance);
  std::copy_n(at, points_at_once, batch->nearest);
}

void scan(Batch& batch, const Rows& centroids) {
  with_widest_vectors<scan_all>(&batch, batch.columns.data(), centroids.coordinates,
                                centroids.count, centroids.dimensions);
}

/// A quarter of the squared distance from each centroid to the nearest other one. If a point is
/// closer than that to its own centroid, no other centroid is nearer.
std::vector<double> safe_squares(const Rows& centroids) {
  std::vector<double> safe(centroids.count);
  for (std::size_t first = 0; first < centroids.count; first += points_at_once) {
    Batch batch(centroids.dimensions);
    for (std::size_t c = first; c < std::min(first + points_at_once, centroids.count); ++c) {
      batch.add(centroids.row(c), c, c);
    }
    scan(batch, centroids);
    for (std::size_t l = 0; l < batch.count; ++l) safe[first + l] = 0.25 * batch.distance[l];
  }
  return safe;
}

std::string nearer(std::size_t point, std::int64_t own, double own_square, std::int64_t other,
                   double other_square) {
  return fmt::format(
      "point {} is with centroid {} at distance {:.17g}, but centroid {} is at {:.17g}", point, own,
      std::sqrt(own_square), other, std::sqrt(other_square));
}

/// Compares labels with distances; `tolerance` allows for the rounding of distances.
class LabelCheck {
 public:
  LabelCheck(Rows points, std::span<const std::int32_t> labels, Rows centroids)
      : points_(points), labels_(labels), centroids_(centroids), safe_(safe_squares(centroids)) {
    for (std::size_t c = 0; c < centroids.count; ++c) {
      longest_ = std::max(longest_, square_length(centroids.row(c), centroids.dimensions));
    }
  }

  [[nodiscard]] std::string fault_of_any() const {
    Batch batch(points_.dimensions);
    std::string fault;
    for (std::size_t i = 0; i < points_.count && fault.empty(); ++i) {
      const std::int64_t own = labels_[i];
      if (own < 0 || own >= static_cast<std::int64_t>(centroids_.count)) {
        return fmt::format("point {} has no centroid (its label is {})", i, own);
      }
      const auto c = static_cast<std::size_t>(own);
      if (own_square(i) < safe_[c] - tolerance(i)) continue;
      batch.add(points_.row(i), i, c);
      if (batch.count == points_at_once) fault = fault_of_batch(batch);
    }
    return fault.empty() ? fault_of_batch(batch) : fault;
  }

  /// Compares some points with all centroids in extended precision.
  [[nodiscard]] std::string fault_of_samples() const {
    for (std::size_t i = 0; i < points_.count; i += points_.count / samples_max + 1) {
      const auto own = static_cast<std::size_t>(labels_[i]);
      const long double claimed = exact_square(i, own);
      for (std::size_t c = 0; c < centroids_.count; ++c) {
        const long double other = exact_square(i, c);
        if (claimed <= other + static_cast<long double>(tolerance(i))) continue;
        return nearer(i, labels_[i], static_cast<double>(claimed), static_cast<std::int64_t>(c),
                      static_cast<double>(other));
      }
    }
    return {};
  }

 private:
  [[nodiscard]] double own_square(std::size_t i) const {
    return square_distance(points_.row(i), centroids_.row(static_cast<std::size_t>(labels_[i])),
                           points_.dimensions);
  }

  [[nodiscard]] long double exact_square(std::size_t i, std::size_t c) const {
    long double sum = 0.0L;
    for (std::size_t j = 0; j < points_.dimensions; ++j) {
      const long double difference = static_cast<long double>(points_.row(i)[j]) -
                                     static_cast<long double>(centroids_.row(c)[j]);
      sum += difference * difference;
    }
    return sum;
  }

  /// The rounding error of a squared distance that is computed as |x|^2 - 2 x.c + |c|^2.
  [[nodiscard]] double tolerance(std::size_t i) const {
    return 4.0 * static_cast<double>(points_.dimensions + 8) * epsilon *
           (square_length(points_.row(i), points_.dimensions) + longest_);
  }

  std::string fault_of_batch(Batch& batch) const {
    scan(batch, centroids_);
    for (std::size_t l = 0; l < batch.count; ++l) {
      const std::size_t i = batch.point[l];
      const double own = own_square(i);
      if (own <= batch.distance[l] + tolerance(i)) continue;  // false for NaN
      return nearer(i, labels_[i], own, static_cast<std::int64_t>(batch.nearest[l]),
                    batch.distance[l]);
    }
    batch.count = 0;
    return {};
  }

  Rows points_;
  std::span<const std::int32_t> labels_;
  Rows centroids_;
  std::vector<double> safe_;  ///< (clusters)
  double longest_ = 0.0;      ///< the largest squared length of a centroid
};

}  // namespace

std::string fault_of_labels(std::span<const double> points, std::size_t dimensions,
                            std::span<const std::int32_t> labels,
                            std::span<const double> centroids) {
  const LabelCheck check({points.data(), labels.size(), dimensions}, labels,
                         {centroids.data(), centroids.size() / dimensions, dimensions});
  const std::string fault = check.fault_of_any();
  return fault.empty() ? check.fault_of_samples() : fault;
}

std::string fault_of_means(std::span<const double> points, std::size_t dimensions,
                           std::span<const std::int32_t> labels,
                           std::span<const double> centroids) {
  const std::size_t clusters = centroids.size() / dimensions;
  std::vector<long double> sums(clusters * dimensions, 0.0L);
  std::vector<std::int64_t> counts(clusters, 0);
  double largest = 0.0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto c = static_cast<std::size_t>(labels[i]);
    ++counts[c];
    for (std::size_t j = 0; j < dimensions; ++j) {
      const double x = points[i * dimensions + j];
      sums[c * dimensions + j] += static_cast<long double>(x);
      largest = std::max(largest, std::abs(x));
    }
  }
  // A running sum of up to n numbers is off by at most n eps times the largest partial sum.
  const double tolerance = epsilon * static_cast<double>(labels.size() + 8) * largest;
  for (std::size_t at = 0; at < sums.size(); ++at) {
    const std::size_t c = at / dimensions;
    if (counts[c] == 0) continue;
    const auto mean = static_cast<double>(sums[at] / static_cast<long double>(counts[c]));
    if (std::abs(centroids[at] - mean) <= tolerance) continue;
    return fmt::format(
        "coordinate {} of centroid {} is {:.17g}; the mean of its {} points is {:.17g}",
        at % dimensions, c, centroids[at], counts[c], mean);
  }
  return {};
}

std::string fault_of_merges(const std::vector<MergeRecord>& merges) {
  constexpr double tolerance = 1e-12;
  for (std::size_t m = 0; m < merges.size(); ++m) {
    if (merges[m].unlabelled > 0) {
      return fmt::format("{} points have no centroid in iteration {}", merges[m].unlabelled, m);
    }
    if (m == 0 || merges[m].explained >= merges[m - 1].explained * (1.0 - tolerance)) continue;
    return fmt::format("iteration {} raises the inertia by {:.17g}", m,
                       merges[m - 1].explained - merges[m].explained);
  }
  return {};
}

}  // namespace equipoise
