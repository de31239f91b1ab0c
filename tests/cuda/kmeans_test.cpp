// k-means on CUDA devices, compiled for the host: labels where several centroids are equally near.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "real/gpu/programs.hpp"
#include "real/kernels/kmeans/nearest.hpp"
#include "real/kernels/seeded.hpp"

namespace equipoise::cuda_kmeans_test {
namespace {

/// Points and centroids, and the labels that the two programs find.
struct Clustering {
  std::size_t dimensions;
  std::vector<double> points;
  std::vector<double> centroids;

  [[nodiscard]] std::size_t count() const { return points.size() / dimensions; }
  [[nodiscard]] std::size_t clusters() const { return centroids.size() / dimensions; }
  [[nodiscard]] std::vector<double> table() const {
    std::vector<double> made(nearest_table_size(clusters(), dimensions));
    make_nearest_table(centroids, dimensions, made.data());
    return made;
  }

  [[nodiscard]] std::vector<std::int32_t> labels_by_cuda() const {
    const std::vector<double> made = table();
    std::vector<std::int32_t> labels(count(), -1);
    const auto bytes_of = [](const auto& numbers) {
      return reinterpret_cast<std::byte*>(
          const_cast<void*>(static_cast<const void*>(numbers.data())));
    };
    const GpuProgram kernel = gpu_kmeans({{"dimensions", static_cast<double>(dimensions)},
                                          {"clusters", static_cast<double>(clusters())}});
    kernel.launch(Stream{}, {.items = static_cast<Items>(count()),
                             .inputs = {bytes_of(points)},
                             .results = {bytes_of(labels)},
                             .resident = {bytes_of(made)}});
    return labels;
  }
  [[nodiscard]] std::vector<std::int32_t> labels_by_cpu() const {
    const std::vector<double> made = table();
    std::vector<std::int32_t> labels(count(), -1);
    find_nearest(points.data(), count(), dimensions, made.data(), clusters(), labels.data());
    return labels;
  }
};

TEST(CudaKmeans, TakesTheFirstOfEquallyNearCentroids) {
  // The centroids 1 and 3 are the same; the last point is as far from 0 as from 1.
  const Clustering line{
      .dimensions = 1, .points = {4.0, 0.0, 9.0, 2.0}, .centroids = {0.0, 4.0, 10.0, 4.0}};
  EXPECT_EQ(line.labels_by_cuda(), (std::vector<std::int32_t>{1, 0, 2, 0}));
}

TEST(CudaKmeans, NeverTakesACentroidThatIsNoNumber) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const Clustering line{.dimensions = 1, .points = {5.0}, .centroids = {nan, 5.0, 7.0, 8.0}};
  EXPECT_EQ(line.labels_by_cuda(), std::vector<std::int32_t>{1});
}

TEST(CudaKmeans, AgreesWithTheCpuOnALatticeFullOfTies) {
  for (const std::size_t clusters : {10u, 30u, 150u}) {
    Clustering lattice{.dimensions = 3, .points = {}, .centroids = {}};
    const auto whole_number = [&](std::uint64_t seed, std::uint64_t at) {
      return static_cast<double>(static_cast<int>(seeded_number(seed, at, 0.0, 4.0)));
    };
    for (std::size_t i = 0; i < 600; ++i) lattice.points.push_back(whole_number(1, i));
    for (std::size_t i = 0; i < 3 * clusters; ++i) lattice.centroids.push_back(whole_number(2, i));
    EXPECT_EQ(lattice.labels_by_cuda(), lattice.labels_by_cpu()) << clusters;
  }
}

// Rounding decides which of two centroids is nearer to the point between them, and a fused
// multiply-add rounds otherwise than the CPU.
TEST(CudaKmeans, AgreesWithTheCpuBetweenCentroids) {
  constexpr std::size_t clusters = 40;
  Clustering space{.dimensions = 11, .points = {}, .centroids = {}};
  for (std::size_t i = 0; i < clusters * space.dimensions; ++i) {
    space.centroids.push_back(seeded_number(3, i, -1.0, 1.0));
  }
  for (std::size_t c = 0; c + 1 < clusters; ++c) {
    for (std::size_t j = 0; j < space.dimensions; ++j) {
      const double* const coordinate = space.centroids.data() + c * space.dimensions + j;
      space.points.push_back(0.5 * (coordinate[0] + coordinate[space.dimensions]));
    }
  }
  EXPECT_EQ(space.labels_by_cuda(), space.labels_by_cpu());
}

TEST(CudaKmeans, AgreesWithTheCpuOnNumbersThatAreNone) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const Clustering plane{.dimensions = 2,
                         .points = {nan, 1.0, 5.0, 6.0, infinity, 0.0, -infinity, 1.0, 2.0, 2.0},
                         .centroids = {9.0, 9.0, 5.0, 5.0, -1.0, 2.0}};
  EXPECT_EQ(plane.labels_by_cuda(), plane.labels_by_cpu());
}

}  // namespace
}  // namespace equipoise::cuda_kmeans_test
