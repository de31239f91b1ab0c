// Tests of k-means: steps worked out by hand, and wrong results that the check must find.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "real/kernels/catalog.hpp"
#include "real/kernels/kmeans/centroids.hpp"
#include "real/kernels/kmeans/nearest.hpp"
#include "real/kernels/seeded.hpp"
#include "tests/support/computed_blocks.hpp"

namespace equipoise::kmeans_test {
namespace {

using Labels = std::vector<std::int32_t>;

std::vector<double> scattered(std::size_t count, std::uint64_t seed) {
  std::vector<double> numbers(count);
  for (std::size_t i = 0; i < count; ++i) numbers[i] = seeded_number(seed, i, -1.0, 1.0);
  return numbers;
}

/// The labels that `find_nearest` gives, in blocks of `block` points.
Labels nearest(const std::vector<double>& points, const std::vector<double>& centroids,
               std::size_t dimensions, std::size_t block) {
  const std::size_t clusters = centroids.size() / dimensions;
  std::vector<double> table(nearest_table_size(clusters, dimensions));
  make_nearest_table(centroids, dimensions, table.data());
  Labels labels(points.size() / dimensions, no_label);
  for (std::size_t i = 0; i < labels.size(); i += block) {
    find_nearest(points.data() + i * dimensions, std::min(block, labels.size() - i), dimensions,
                 table.data(), clusters, labels.data() + i);
  }
  return labels;
}

TEST(Kmeans, FindsTheNearestOfThreeByHand) {
  const std::vector<double> centroids = {0.0, 0.0, 4.0, 0.0, 0.0, 3.0};
  const std::vector<double> points = {1.0, 1.0, 3.0, 1.0, 0.5, 2.0, 2.1, 0.0, 1.9, 0.0};
  EXPECT_EQ(nearest(points, centroids, 2, 5), (Labels{0, 1, 2, 1, 0}));
}

TEST(Kmeans, GivesAPointBetweenTwoToTheFirst) {
  std::vector<double> centroids(40, 7.0);  // more than one group of centroids
  centroids[18] = -1.0;
  centroids[35] = 1.0;
  EXPECT_EQ(nearest({0.0, 7.0}, centroids, 1, 2), (Labels{18, 0}));
}

TEST(Kmeans, LabelsAPointTheSameWhateverIsBesideIt) {
  for (const std::size_t dimensions : {1, 3, 32}) {
    for (const std::size_t clusters : {1, 15, 16, 17, 50}) {
      const std::vector<double> points = scattered(101 * dimensions, 1);
      const std::vector<double> centroids = scattered(clusters * dimensions, 2);
      const Labels whole = nearest(points, centroids, dimensions, 101);
      for (const std::size_t block : {1, 3, 4, 33}) {
        EXPECT_EQ(nearest(points, centroids, dimensions, block), whole);
      }
      EXPECT_EQ(fault_of_labels(points, dimensions, whole, centroids), "");
    }
  }
}

TEST(Kmeans, MovesCentroidsToTheMeansOfTheirPoints) {
  const std::vector<double> points = {0.0, 1.0, 5.0, 10.0, 12.0, 14.0};
  Centroids centroids(6, 2, 1);
  centroids.reset(points);
  EXPECT_EQ(centroids.current()[0], 0.0);
  EXPECT_EQ(centroids.current()[1], 10.0);
  centroids.merge(points, Labels{0, 0, 0, 1, 1, 1});
  EXPECT_EQ(centroids.current()[0], 2.0);
  EXPECT_EQ(centroids.current()[1], 12.0);
  EXPECT_EQ(centroids.previous()[1], 10.0);
  EXPECT_EQ(centroids.merges().back().explained, 36.0 / 3.0 + 36.0 * 36.0 / 3.0);
  centroids.merge(points, Labels{0, 0, 1, 1, 1, 1});
  EXPECT_EQ(centroids.current()[0], 0.5);
  EXPECT_EQ(centroids.current()[1], 41.0 / 4.0);
  centroids.merge(points, Labels{1, 1, 1, 1, 1, 1});
  EXPECT_EQ(centroids.current()[0], 0.5);  // no point has its label now, so it stays
  EXPECT_EQ(centroids.current()[1], 7.0);
}

TEST(Kmeans, LeavesPointsOutThatNobodyLabelled) {
  const std::vector<double> points = {0.0, 1.0, 10.0, 12.0};
  Centroids centroids(4, 2, 1);
  centroids.reset(points);
  centroids.merge(points, Labels{0, 0, no_label, 1});
  EXPECT_EQ(centroids.current()[0], 0.5);
  EXPECT_EQ(centroids.current()[1], 12.0);
  EXPECT_EQ(centroids.merges().back().unlabelled, 1);
  centroids.merge(points, Labels{no_label, 0, no_label, no_label});
  EXPECT_EQ(centroids.current()[0], 1.0);
  EXPECT_EQ(centroids.current()[1], 12.0);
  EXPECT_NE(fault_of_merges(centroids.merges()).find("1 points have no centroid in iteration 0"),
            std::string::npos);
}

TEST(Kmeans, NoticesAWrongLabelWhereverItIs) {
  constexpr std::size_t dimensions = 4;
  const std::vector<double> points = scattered(1'001 * dimensions, 1);
  const std::vector<double> centroids = scattered(20 * dimensions, 2);
  const Labels right = nearest(points, centroids, dimensions, 1'001);
  for (const std::size_t at : {0, 517, 1'000}) {
    for (const std::int32_t wrong : {(right[at] + 1) % 20, (right[at] + 7) % 20, 20, no_label}) {
      Labels labels = right;
      labels[at] = wrong;
      const std::string fault = fault_of_labels(points, dimensions, labels, centroids);
      EXPECT_TRUE(fault.starts_with("point " + std::to_string(at) + " ")) << fault;
    }
  }
}

TEST(Kmeans, NoticesTheSecondNearestThatIsHardlyFarther) {
  const std::vector<double> centroids = {0.0, 2.0};
  const std::vector<double> points = {1.0 - 1e-12, 1.0 + 1e-12};
  EXPECT_EQ(fault_of_labels(points, 1, Labels{0, 1}, centroids), "");
  EXPECT_NE(fault_of_labels(points, 1, Labels{1, 1}, centroids), "");
  EXPECT_NE(fault_of_labels(points, 1, Labels{0, 0}, centroids), "");
}

TEST(Kmeans, NoticesACentroidThatIsNotTheMean) {
  const std::vector<double> points = {0.0, 1.0, 2.0, 3.0, 10.0, 11.0, 12.0, 13.0};
  const Labels labels = {0, 0, 2, 2};
  const std::vector<double> means = {1.0, 2.0, 9.0, 9.0, 11.0, 12.0};
  EXPECT_EQ(fault_of_means(points, 2, labels, means), "");
  for (const std::size_t at : {0, 5}) {
    for (const double wrong : {means[at] + 1e-12, -means[at], std::nan("")}) {
      std::vector<double> centroids = means;
      centroids[at] = wrong;
      EXPECT_NE(fault_of_means(points, 2, labels, centroids)
                    .find(at == 0 ? "coordinate 0 of centroid 0" : "coordinate 1 of centroid 2"),
                std::string::npos);
    }
  }
}

TEST(Kmeans, NoticesIterationsThatRaiseTheInertia) {
  EXPECT_EQ(fault_of_merges({{0, 10.0}, {0, 12.0}, {0, 12.0}}), "");
  EXPECT_EQ(fault_of_merges({{0, 10.0}, {0, 12.0}, {0, 11.5}}),
            "iteration 2 raises the inertia by 0.5");
}

const TypedParameters small = {
    {"points", "301"}, {"dimensions", "3"}, {"clusters", "9"}, {"iterations", "4"}};

TEST(Kmeans, NoticesPointsThatHadNoCentroidInAnIterationBefore) {
  const auto kernel = make_kernel("kmeans", small, "--workload");
  kernel->allocate(3);
  compute(*kernel, 0, 300);
  kernel->begin_iteration(1);
  compute(*kernel, 0, 301);
  EXPECT_EQ(kernel->verify().what, "1 points have no centroid in iteration 0");
  kernel->clear_results();
  compute(*kernel, 0, 301);
  EXPECT_TRUE(kernel->verify().passed) << kernel->verify().what;
}

TEST(Kmeans, GoesOnWhereNobodyComputedAnything) {
  const auto kernel = make_kernel("kmeans", small, "--workload");
  kernel->allocate(3);
  kernel->begin_iteration(1);
  compute(*kernel, 0, 301);
  EXPECT_EQ(kernel->verify().what, "301 points have no centroid in iteration 0");
}

TEST(Kmeans, DescribesItsWorkload) {
  const auto kernel = make_kernel(
      "kmeans", {{"points", "1e6"}, {"dimensions", "10"}, {"clusters", "100"}}, "--workload");
  const Workload& workload = kernel->workload();
  EXPECT_EQ(workload.items, 1'000'000);
  EXPECT_EQ(workload.grain_items, 1);
  EXPECT_EQ(workload.iterations, 10);
  EXPECT_EQ(workload.in_bytes_per_item, 80.0);
  EXPECT_EQ(workload.out_bytes_per_item, 4.0);
  // Each centroid has its length beside its coordinates.
  EXPECT_EQ(workload.resident_bytes, 100.0 * 11.0 * 8.0);
  EXPECT_EQ(workload.iteration_bytes, workload.resident_bytes);
  EXPECT_EQ(workload.memory_bytes_per_item, 84.0);
  EXPECT_EQ(workload.flop_per_item, 2.0 * 10.0 * 100.0);
  EXPECT_EQ(kernel->workload().problem,
            (std::map<std::string, double>{{"dimensions", 10.0}, {"clusters", 100.0}}));
  EXPECT_GE(kernel->host_bytes(), 1e6 * 88.0);
  EXPECT_LE(kernel->host_bytes(), 1e6 * 89.0);
}

TEST(Kmeans, RefusesWhatIsOutOfRange) {
  EXPECT_NE(refusal_of_kernel("kmeans", {{"clusters", "0"}}).find("clusters"), std::string::npos);
  EXPECT_NE(refusal_of_kernel("kmeans", {{"points", "100"}, {"clusters", "101"}}).find("clusters"),
            std::string::npos);
  EXPECT_EQ(refusal_of_kernel("kmeans", {{"points", "100"}, {"clusters", "100"}}), "not refused");
  EXPECT_NE(refusal_of_kernel("kmeans", {{"dimensions", "0"}}).find("dimensions"),
            std::string::npos);
  EXPECT_NE(refusal_of_kernel("kmeans", {{"dimensions", "1e7"}}).find("dimensions"),
            std::string::npos);
  EXPECT_NE(
      refusal_of_kernel("kmeans", {{"points", "0"}, {"clusters", "1"}}).find("at least one item"),
      std::string::npos);
  EXPECT_NE(
      refusal_of_kernel("kmeans", {{"points", "5e15"}, {"dimensions", "1e6"}}).find("overflows"),
      std::string::npos);
  EXPECT_NE(refusal_of_kernel("kmeans", {{"points", "12.5"}}).find("whole"), std::string::npos);
}

}  // namespace
}  // namespace equipoise::kmeans_test
