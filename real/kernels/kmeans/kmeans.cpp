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
#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "real/kernels/catalog.hpp"
#include "real/kernels/kmeans/centroids.hpp"
#include "real/kernels/kmeans/kmeans_check.hpp"
#include "real/kernels/kmeans/nearest.hpp"
#include "real/kernels/seeded.hpp"

namespace equipoise {
namespace {

struct KmeansSize {
  std::size_t points;
  std::size_t dimensions;
  std::size_t clusters;
};

/// All data on the host.
struct HostPoints {
  Buffer points;                  ///< (points, dimensions)
  BufferOf<std::int32_t> labels;  ///< (points)
  Centroids centroids;
};

class Kmeans final : public Kernel {
 public:
  Kmeans(const KmeansSize& size, int iterations, Distribution distribution) : size_(size) {
    const auto dimensions = static_cast<double>(size.dimensions);
    const auto clusters = static_cast<double>(size.clusters);
    workload_.kernel = "kmeans";
    workload_.items = static_cast<Items>(size.points);
    workload_.iterations = iterations;
    workload_.distribution = distribution;
    workload_.in_bytes_per_item = dimensions * sizeof(double);
    workload_.out_bytes_per_item = sizeof(std::int32_t);
    workload_.resident_bytes =
        static_cast<double>(nearest_table_size(size.clusters, size.dimensions) * sizeof(double));
    workload_.iteration_bytes = workload_.resident_bytes;
    workload_.memory_bytes_per_item = workload_.in_bytes_per_item + workload_.out_bytes_per_item;
    // One multiplication and one subtraction per coordinate; the minimum needs only comparisons.
    workload_.flop_per_item = 2.0 * dimensions * clusters;
    workload_.parameters = {{"points", static_cast<double>(size.points)},
                            {"dimensions", dimensions},
                            {"clusters", clusters}};
  }

  const Workload& workload() const override { return workload_; }
  std::string item() const override { return "point"; }
  std::map<std::string, double> problem() const override {
    return {{"dimensions", static_cast<double>(size_.dimensions)},
            {"clusters", static_cast<double>(size_.clusters)}};
  }
  double host_bytes() const override {
    const auto points = static_cast<double>(size_.points);
    return points * workload_.memory_bytes_per_item +
           Centroids::host_bytes(points, static_cast<double>(size_.clusters),
                                 static_cast<double>(size_.dimensions));
  }

  void allocate(std::uint64_t seed) override {
    host_.points = Buffer(size_.points * size_.dimensions);
    host_.labels = BufferOf<std::int32_t>(size_.points);
    host_.centroids = Centroids(size_.points, size_.clusters, size_.dimensions);
    scatter_points(seed);
    data_ = {{input_rows(host_.points.data(), size_.dimensions)},
             {result_rows(host_.labels.data())},
             {resident_array(host_.centroids.table())},
             {host_.points.fixed()}};
    clear_results();
  }

  void clear_results() override {
    forget_labels();
    host_.centroids.reset(host_.points.span());
    ++data_.resident[0].version;
  }

  void begin_iteration(int /*iteration*/) override {
    host_.centroids.merge(host_.points.span(), host_.labels.span());
    ++data_.resident[0].version;
    forget_labels();
  }

  const KernelData& data() const override { return data_; }

  std::unique_ptr<CpuProgram> make_cpu_program() const override {
    return make_cpu_program_of([size = size_](const StagedBlock& block, Items first, Items items) {
      find_nearest(block.input<double>(0) + static_cast<std::size_t>(first) * size.dimensions,
                   static_cast<std::size_t>(items), size.dimensions, block.kept<double>(0),
                   size.clusters, block.result<std::int32_t>(0) + first);
    });
  }

  Verification verify() const override;

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
        host_.points.data()[at] =
            seeded_number(seed, middles + middle * size_.dimensions + j, -1.0, 1.0) +
            seeded_number(seed, at, -0.5, 0.5);
      }
    }
  }

  void forget_labels() { std::ranges::fill(host_.labels.span(), no_label); }

  KmeansSize size_;
  Workload workload_;
  HostPoints host_;
  KernelData data_;
};

/// Checks the last two iterations and the merge between them in full, and earlier iterations by the
/// change of the inertia.
Verification Kmeans::verify() const {
  const Centroids& centroids = host_.centroids;
  const std::span<const double> points = host_.points.span();
  std::string fault = fault_of_merges(centroids.merges());
  if (fault.empty() && !centroids.merges().empty()) {
    fault =
        fault_of_labels(points, size_.dimensions, centroids.merged_labels(), centroids.previous());
    if (fault.empty()) {
      fault =
          fault_of_means(points, size_.dimensions, centroids.merged_labels(), centroids.current());
    }
    if (!fault.empty()) fault = "in the iteration before the last, " + fault;
  }
  if (fault.empty()) {
    fault = fault_of_labels(points, size_.dimensions, host_.labels.span(), centroids.current());
  }
  if (!fault.empty()) return {false, fault};
  return {true,
          fmt::format("{} points are with their nearest of {} centroids, which {} merges moved "
                      "to the means",
                      size_.points, size_.clusters, centroids.merges().size())};
}

}  // namespace

std::unique_ptr<Kernel> make_kmeans(const Parameters& parameters) {
  const Items points = parameters.items("points", 0);
  // Labels are 32-bit numbers.
  const Items clusters_max =
      std::clamp(points, Items{1}, Items{std::numeric_limits<std::int32_t>::max()});
  const KmeansSize size{static_cast<std::size_t>(points),
                        static_cast<std::size_t>(parameters.items("dimensions", 1, Items{1} << 20)),
                        static_cast<std::size_t>(parameters.items("clusters", 1, clusters_max))};
  return std::make_unique<Kmeans>(size, iterations_of(parameters), distribution_of(parameters));
}

}  // namespace equipoise
