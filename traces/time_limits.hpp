// What can be a measured time, and what cannot: one rule for all files that hold times.
#pragma once

#include <string>

namespace equipoise {

/// No block takes less: a millionth of the cycle of a fast processor. What is shorter was not
/// measured, and is lost among the other times of a run.
inline constexpr double least_time_s = 1e-15;

/// A deviation of so many means is no measurement; above it the log-normal distribution that block
/// times are drawn from holds next to nothing but zeros and times without end.
inline constexpr double most_deviations = 1e6;

/// Why `seconds`, which is more than 0, is no time; empty where it is one.
[[nodiscard]] inline std::string why_no_time(double seconds) {
  if (seconds >= least_time_s) return {};
  return "is too short to be a time: at least 1e-15 s";
}

/// Why `sd_s` is no deviation of times with the mean `mean_s`; empty where it is one.
[[nodiscard]] inline std::string why_no_deviation(double sd_s, double mean_s) {
  if (sd_s <= most_deviations * mean_s) return {};
  return "is more than a million times the mean";
}

}  // namespace equipoise
