// k-means by Lloyd's iterations. Every item is a point, which gets the number of its nearest
// centroid as its label. Between two iterations the host moves each centroid to the mean of its
// points.
//
// In every iteration, a point's coordinates are copied to the unit and its label (4 bytes) is
// copied back. The centroids stay on the unit and are copied again with the first block of an
// iteration. `in_bytes_per_item` does not count them; they are `resident_bytes` and
// `iteration_bytes`.
//
// Source: Lloyd (1982); PLB-HAC uses it with 500,000 points and does not state the number of
// centroids.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "real/kernels/catalog.hpp"
#include "real/kernels/kmeans/centroids.hpp"
#include "real/kernels/kmeans/nearest.hpp"
#include "real/kernels/seeded.hpp"

namespace equipoise {

Centroids::Centroids(std::size_t points, std::size_t clusters, std::size_t dimensions)
    : clusters_(clusters),
      dimensions_(dimensions),
      current_(clusters * dimensions),
      previous_(clusters * dimensions),
      sums_(clusters * dimensions),
      counts_(clusters),
      table_(nearest_table_size(clusters, dimensions)),
      merged_(points) {}

double Centroids::host_bytes(double points, double clusters, double dimensions) {
  return sizeof(double) * clusters * (4.0 * dimensions + 2.0) + sizeof(std::int32_t) * points;
}

void Centroids::reset(std::span<const double> points) {
  const std::size_t count = points.size() / dimensions_;
  for (std::size_t c = 0; c < clusters_; ++c) {
    // Computed in floating point, because a product of two counts may overflow.
    const double share = static_cast<double>(c) / static_cast<double>(clusters_);
    const auto i = static_cast<std::size_t>(share * static_cast<double>(count));
    std::copy_n(points.data() + i * dimensions_, dimensions_, current_.data() + c * dimensions_);
  }
  std::ranges::fill(sums_.span(), 0.0);
  std::ranges::fill(counts_.span(), 0.0);
  std::ranges::fill(merged_.span(), no_label);
  merges_.clear();
  publish();
}

void Centroids::merge(std::span<const double> points, std::span<const std::int32_t> labels) {
  std::ranges::copy(current_.span(), previous_.data());
  MergeRecord record;
  std::int32_t* const merged = merged_.data();
  for (std::size_t i = 0; i < labels.size(); ++i) {
    record.unlabelled += labels[i] == no_label ? 1 : 0;
    if (labels[i] == merged[i]) continue;
    const double* const point = points.data() + i * dimensions_;
    add(point, merged[i], -1.0);
    add(point, labels[i], 1.0);
    merged[i] = labels[i];
  }
  for (std::size_t c = 0; c < clusters_; ++c) {
    const double count = counts_.data()[c];
    if (count == 0.0) continue;
    double square = 0.0;
    for (std::size_t j = c * dimensions_; j < (c + 1) * dimensions_; ++j) {
      const double sum = sums_.data()[j];
      square += sum * sum;
      current_.data()[j] = sum / count;
    }
    record.explained += square / count;
  }
  merges_.push_back(record);
  publish();
}

void Centroids::add(const double* point, std::int32_t label, double sign) {
  if (label == no_label) return;
  const auto c = static_cast<std::size_t>(label);
  counts_.data()[c] += sign;
  double* const sum = sums_.data() + c * dimensions_;
  for (std::size_t j = 0; j < dimensions_; ++j) sum[j] += sign * point[j];
}

void Centroids::publish() { make_nearest_table(current_.span(), dimensions_, table_.data()); }

namespace {

struct KmeansSize {
  std::size_t points;
  std::size_t dimensions;
  std::size_t clusters;
};

KmeansSize size_of(std::size_t points, const Parameters& parameters) {
  // Labels are 32-bit numbers.
  const Items clusters_max = std::clamp(static_cast<Items>(points), Items{1},
                                        Items{std::numeric_limits<std::int32_t>::max()});
  return {points, static_cast<std::size_t>(parameters.items("dimensions", 1, Items{1} << 20)),
          static_cast<std::size_t>(parameters.items("clusters", 1, clusters_max))};
}

class Kmeans final : public Kernel {
 public:
  explicit Kmeans(const Parameters& parameters)
      : Kernel("kmeans", "point", parameters.items("points", 0), parameters),
        size_(size_of(count(), parameters)) {
    const auto dimensions = static_cast<double>(size_.dimensions);
    const auto clusters = static_cast<double>(size_.clusters);
    const auto points = static_cast<double>(size_.points);
    const double table_bytes =
        static_cast<double>(nearest_table_size(size_.clusters, size_.dimensions) * sizeof(double));
    set_bytes(dimensions * sizeof(double), sizeof(std::int32_t), table_bytes,
              Centroids::host_bytes(points, clusters, dimensions) - table_bytes);
    workload_.iteration_bytes = table_bytes;
    // One multiplication and one subtraction per coordinate; the minimum needs only comparisons.
    workload_.flop_per_item = 2.0 * dimensions * clusters;
    set_problem("points", {{"dimensions", dimensions}, {"clusters", clusters}});
  }

  void allocate(std::uint64_t seed) override {
    points_ = Buffer(size_.points * size_.dimensions);
    labels_ = BufferOf<std::int32_t>(size_.points);
    centroids_ = Centroids(size_.points, size_.clusters, size_.dimensions);
    scatter_points(seed);
    data_ = {{input_rows(points_.data(), size_.dimensions)},
             {result_rows(labels_.data())},
             {resident_array(centroids_.table())},
             {points_.fixed()}};
    clear_results();
  }

  void clear_results() override {
    forget_labels();
    centroids_.reset(points_.span());
    ++data_.resident[0].version;
  }

  void begin_iteration(int /*iteration*/) override {
    centroids_.merge(points_.span(), labels_.span());
    ++data_.resident[0].version;
    forget_labels();
  }

  CpuProgram make_cpu_program() const override {
    return [size = size_](const StagedBlock& block, std::size_t first, std::size_t items) {
      find_nearest(block.input<double>(0) + first * size.dimensions, items, size.dimensions,
                   block.kept<double>(0), size.clusters, block.result<std::int32_t>(0) + first);
    };
  }

  /// Checks the last two iterations and the merge between them in full, and earlier iterations by
  /// the change of the inertia.
  Verification verify() const override {
    const Centroids& centroids = centroids_;
    const std::span<const double> points = points_.span();
    std::string fault = fault_of_merges(centroids.merges());
    if (fault.empty() && !centroids.merges().empty()) {
      fault = fault_of_labels(points, size_.dimensions, centroids.merged_labels(),
                              centroids.previous());
      if (fault.empty()) {
        fault = fault_of_means(points, size_.dimensions, centroids.merged_labels(),
                               centroids.current());
      }
      if (!fault.empty()) fault = "in the iteration before the last, " + fault;
    }
    if (fault.empty()) {
      fault = fault_of_labels(points, size_.dimensions, labels_.span(), centroids.current());
    }
    if (!fault.empty()) return {false, fault};
    return {true,
            fmt::format("{} points are with their nearest of {} centroids, which {} merges moved "
                        "to the means",
                        size_.points, size_.clusters, centroids.merges().size())};
  }

 private:
  /// Puts points around as many centres as there are clusters, so close that some points lie
  /// between two centres.
  void scatter_points(std::uint64_t seed) {
    constexpr std::uint64_t middles = std::uint64_t{1} << 60;
    constexpr std::uint64_t choices = std::uint64_t{2} << 60;
    for (std::size_t i = 0; i < size_.points; ++i) {
      const auto middle = static_cast<std::uint64_t>(
          seeded_number(seed, choices + i, 0.0, static_cast<double>(size_.clusters)));
      for (std::size_t j = 0; j < size_.dimensions; ++j) {
        const std::size_t at = i * size_.dimensions + j;
        points_.data()[at] =
            seeded_number(seed, middles + middle * size_.dimensions + j, -1.0, 1.0) +
            seeded_number(seed, at, -0.5, 0.5);
      }
    }
  }

  void forget_labels() { std::ranges::fill(labels_.span(), no_label); }

  KmeansSize size_;
  Buffer points_;                  ///< (points, dimensions)
  BufferOf<std::int32_t> labels_;  ///< (points)
  Centroids centroids_;
};

}  // namespace

std::unique_ptr<Kernel> make_kmeans(const Parameters& parameters) {
  return std::make_unique<Kmeans>(parameters);
}

}  // namespace equipoise
