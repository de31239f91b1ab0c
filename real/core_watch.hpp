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

/// Measures the use of the cores of some units, from its construction on. To be used by the
/// controller's thread, when it is on its cores.
class CoreWatch {
 public:
  explicit CoreWatch(const Placement& placement);

  /// How the cores were used since construction. All CPU time of this process and of the commands
  /// that it has started counts as its own use of them, without that of the calling thread if the
  /// controller has other cores. Returns zeros if no unit computes or if the system does not tell.
  [[nodiscard]] CoreUse since() const;

 private:
  /// The CPU time of the threads that may run on the cores.
  [[nodiscard]] double own_seconds_now() const;

  std::vector<int> cores_;  ///< each once
  bool is_apart_ = false;   ///< whether the controller has other cores
  std::optional<double> busy_s_;
  double own_s_ = 0.0;
  double at_s_ = 0.0;
};

/// A warning for people who recorded while other programs had more than the share
/// `other_programs_share_max` of the cores; otherwise empty.
[[nodiscard]] std::string disturbance_text(const CoreUse& use);

}  // namespace equipoise
