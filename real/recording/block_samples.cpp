// Robust statistics of a few block times.
#include "real/recording/block_samples.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "shared_policies/model/student_t.hpp"

namespace equipoise {
namespace {

constexpr std::size_t samples_for_outliers = 5;
constexpr std::size_t samples_per_outlier = 10;
constexpr double deviations = 6.0;
constexpr double share_of_median = 0.25;
/// The standard deviation of a normal distribution over its median absolute deviation.
constexpr double deviation_per_mad = 1.4826;

}  // namespace

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::vector<bool> BlockSamples::outliers() const {
  std::vector<bool> are(times_.size(), false);
  if (times_.size() < samples_for_outliers) return are;
  std::vector<double> all_s;
  for (const StageTimes& times : times_) all_s.push_back(total(times).value);
  const double middle_s = median(all_s);
  std::vector<double> apart_s;
  for (const double time_s : all_s) apart_s.push_back(std::abs(time_s - middle_s));
  const double limit_s = middle_s + std::max(share_of_median * middle_s,
                                             deviations * deviation_per_mad * median(apart_s));
  for (std::size_t i = 0; i < are.size(); ++i) are[i] = all_s[i] > limit_s;
  const auto marked = static_cast<std::size_t>(std::ranges::count(are, true));
  if (marked > std::max<std::size_t>(1, are.size() / samples_per_outlier))
    are.assign(are.size(), false);
  return are;
}

std::vector<double> BlockSamples::ordinary_s() const {
  const std::vector<bool> are_outliers = outliers();
  std::vector<double> ordinary_s;
  for (std::size_t i = 0; i < times_.size(); ++i) {
    if (!are_outliers[i]) ordinary_s.push_back(total(times_[i]).value);
  }
  return ordinary_s;
}

Seconds BlockSamples::mean() const {
  const std::vector<double> times_s = ordinary_s();
  if (times_s.empty()) return {};
  return {std::accumulate(times_s.begin(), times_s.end(), 0.0) /
          static_cast<double>(times_s.size())};
}

double BlockSamples::uncertainty() const {
  const std::vector<double> times_s = ordinary_s();
  if (times_s.size() < 2) return 1.0;
  const auto count = static_cast<double>(times_s.size());
  const double mean_s = mean().value;
  if (mean_s <= 0.0) return 1.0;
  double square = 0.0;
  for (const double time_s : times_s) square += (time_s - mean_s) * (time_s - mean_s);
  const double t = student_t_quantile(count - 1.0, 0.975);
  return t * std::sqrt(square / (count - 1.0) / count) / mean_s;
}

}  // namespace equipoise
