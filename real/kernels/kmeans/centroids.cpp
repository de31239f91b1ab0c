// Moves centroids by the points whose label changed.
#include "real/kernels/kmeans/centroids.hpp"

#include <algorithm>

#include "real/kernels/kmeans/nearest.hpp"

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

}  // namespace equipoise
