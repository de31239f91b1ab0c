// What other programs have of the cores that units compute on, as Linux counts it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "real/machine.hpp"
#include "shared_policies/run/results.hpp"

namespace equipoise {

/// Seconds that `cores` were busy since the machine started, by the text of /proc/stat, which counts
/// in ticks: in programs, in the kernel, or taken by other guests of the same host. Nothing where
/// the text lacks one of the cores.
[[nodiscard]] std::optional<double> busy_seconds(const std::string& proc_stat,
                                                 const std::vector<int>& cores, double ticks_per_s);

/// Watches the cores of some units from when it is made.
class CoreWatch {
 public:
  explicit CoreWatch(const Placement& placement);

  /// What the cores did since then. All that this process computed, on whatever core, counts as
  /// its own. Zeros where no unit computes or the system does not tell.
  [[nodiscard]] CoreUse since() const;

 private:
  std::vector<int> cores_;  ///< each once
  std::optional<double> busy_s_;
  double own_s_ = 0.0;
  double at_s_ = 0.0;
};

/// What to tell people who recorded while other programs had more than `most_of_others`; else empty.
[[nodiscard]] std::string disturbance_text(const CoreUse& use);

}  // namespace equipoise
