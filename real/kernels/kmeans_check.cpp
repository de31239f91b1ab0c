// Distances as sums of squared differences, eight points at a time.
#include "real/kernels/kmeans_check.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include <fmt/format.h>

#include "real/kernels/lanes.hpp"
#include "real/kernels/vectors.hpp"

namespace equipoise {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t samples_max = 200;

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

/// Up to eight points, the centroid of each that does not count, and the nearest other one.
struct Batch {
  std::vector<double> columns;  ///< (dimensions, 8)
  std::size_t point[lane_count] = {};
  WholeLanes own = {};
  WholeLanes nearest = {};
  Lanes distance = {};  ///< squared, to the nearest
  std::size_t count = 0;

  explicit Batch(std::size_t dimensions) : columns(dimensions * lane_count) {}

  void add(const double* x, std::size_t number, std::int64_t label) {
    for (std::size_t j = 0; j * lane_count < columns.size(); ++j) {
      columns[j * lane_count + count] = x[j];
    }
    point[count] = number;
    own[count++] = label;
  }
};

[[gnu::always_inline]] inline void scan_all(Batch* batch, const double* centroids,
                                            std::size_t clusters, std::size_t dimensions) {
  Lanes least = infinity - Lanes{};
  WholeLanes at = {};
  for (std::size_t c = 0; c < clusters; ++c) {
    Lanes sum = {};
    for (std::size_t j = 0; j < dimensions; ++j) {
      Lanes x;
      load(batch->columns.data() + j * lane_count, x);
      const Lanes difference = x - centroids[c * dimensions + j];
      sum += difference * difference;
    }
    const auto index = static_cast<std::int64_t>(c);
    const WholeLanes is_nearer = (sum < least) & (batch->own != index);
    least = is_nearer ? sum : least;
    at = is_nearer ? WholeLanes{} + index : at;
  }
  batch->distance = least;
  batch->nearest = at;
}

void scan(Batch& batch, const Rows& centroids) {
  with_widest_vectors<scan_all>(&batch, centroids.coordinates, centroids.count,
                                centroids.dimensions);
}

/// A quarter of the squared distance from each centroid to the nearest other one: a point closer
/// than that to its own has none that is nearer.
std::vector<double> safe_squares(const Rows& centroids) {
  std::vector<double> safe(centroids.count);
  for (std::size_t first = 0; first < centroids.count; first += lane_count) {
    Batch batch(centroids.dimensions);
    for (std::size_t c = first; c < std::min(first + lane_count, centroids.count); ++c) {
      batch.add(centroids.row(c), c, static_cast<std::int64_t>(c));
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

/// Compares labels with distances; what rounding may do to those stands in `tolerance`.
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
      batch.add(points_.row(i), i, own);
      if (batch.count == lane_count) fault = fault_of_batch(batch);
    }
    return fault.empty() ? fault_of_batch(batch) : fault;
  }

  /// The same for some points, in extended precision.
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

  /// Of a squared distance, when it is computed as |x|^2 - 2 x.c + |c|^2.
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
      return nearer(i, batch.own[l], own, batch.nearest[l], batch.distance[l]);
    }
    batch.count = 0;
    return {};
  }

  Rows points_;
  std::span<const std::int32_t> labels_;
  Rows centroids_;
  std::vector<double> safe_;  ///< (clusters)
  double longest_ = 0.0;      ///< centroid, squared
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
  // A running sum of up to n numbers is off by at most n eps of their largest sum.
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
