// Which values can be measured times: one rule for all files with times.
#pragma once

#include <string>

#include "shared_policies/model/measures.hpp"

namespace equipoise {

/// A deviation larger than this multiple of the mean is not a measurement: the log-normal
/// distribution from which block times are drawn would then give almost only zeros and endless
/// times.
inline constexpr double most_deviations = 1e6;

/// Why `seconds`, which is more than 0, cannot be a time; empty if it can.
[[nodiscard]] inline std::string why_no_time(double seconds) {
  if (seconds >= least_time.value) return {};
  return "is too short to be a time: at least 1e-15 s";
}

/// Why `sd_s` cannot be a deviation of times with mean `mean_s`; empty if it can.
[[nodiscard]] inline std::string why_no_deviation(double sd_s, double mean_s) {
  if (sd_s <= most_deviations * mean_s) return {};
  return "is more than a million times the mean";
}

}  // namespace equipoise
