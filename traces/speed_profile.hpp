// Files of factors, or of bandwidths, over time.
#pragma once

#include <string>
#include <vector>

#include "shared_policies/machine/scenario.hpp"

namespace equipoise {

/// The contents of a profile's file.
struct SpeedProfile {
  std::vector<SpeedStep> steps;  ///< at least one, times ascend
  bool is_simgrid = false;  ///< lines `TIME VALUE` as SimGrid has them. Of a link, the values are
                            ///< bytes/s then, not factors
  /// Of SimGrid's LOOPAFTER and PERIODICITY: so long after the last step, the profile begins again;
  /// 0: it does not.
  Seconds loop_after;
};

/// Reads rows `time_s,factor` (a header row with these names is skipped), or a profile of SimGrid:
/// lines `TIME VALUE`, comments that begin with #, and `LOOPAFTER SECONDS` or `PERIODICITY
/// SECONDS`. Throws InputError with FILE:LINE for a file without rows, times that do not ascend
/// from 0 on, values that are not above 0, and lines of neither form.
[[nodiscard]] SpeedProfile read_speed_profile(const std::string& path);

/// The steps of `profile` up to `span` after its begin, repeated if it loops. Throws InputError at
/// `where` if it loops and `span` is infinite, or if there would be more than 100,000 steps.
[[nodiscard]] std::vector<SpeedStep> steps_within(const SpeedProfile& profile, Seconds span,
                                                  const std::string& where);

}  // namespace equipoise
