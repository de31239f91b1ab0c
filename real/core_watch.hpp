// Measures how much time other programs had on the cores of the units, as Linux counts it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "real/machine.hpp"
#include "shared_policies/run/results.hpp"

namespace equipoise {

/// Seconds that `cores` were busy since the machine started, from the text of /proc/stat, which
/// counts in ticks. Counts time in programs, in the kernel, and taken by other guests of the same
/// host. Returns nullopt if the text lacks one of the cores.
[[nodiscard]] std::optional<double> busy_seconds(const std::string& proc_stat,
                                                 const std::vector<int>& cores, double ticks_per_s);

/// Measures the use of the cores of some units, from its construction on.
class CoreWatch {
 public:
  explicit CoreWatch(const Placement& placement);

  /// How the cores were used since construction. All CPU time of this process counts as its own
  /// use, on whatever core it was. Returns zeros if no unit computes or if the system does not
  /// tell.
  [[nodiscard]] CoreUse since() const;

 private:
  std::vector<int> cores_;  ///< each once
  std::optional<double> busy_s_;
  double own_s_ = 0.0;
  double at_s_ = 0.0;
};

/// A warning for people who recorded while other programs had more than the share `other_programs_share_max`
/// of the cores; otherwise empty.
[[nodiscard]] std::string disturbance_text(const CoreUse& use);

}  // namespace equipoise
