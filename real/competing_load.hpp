// A load that really competes with a unit for what it computes on.
#pragma once

#include <memory>
#include <vector>

#include "real/threads/clock.hpp"

namespace equipoise {

/// A load that takes a share of a unit's cores, or of its part of a GPU, for a while.
class CompetingLoad {
 public:
  CompetingLoad() = default;
  CompetingLoad(const CompetingLoad&) = delete;
  CompetingLoad& operator=(const CompetingLoad&) = delete;
  /// Ends the load.
  virtual ~CompetingLoad() = default;

  /// The share of them that the load has had so far, from its start.
  [[nodiscard]] virtual double share() const = 0;
};

/// The largest share of a core that a load may take; it needs 49 threads on each core.
inline constexpr double competing_share_max = 0.98;

/// Starts a load of `share` in (0, `competing_share_max`] on each of `cores`. Its threads sleep
/// until `at`, a time of `clock`.
///
/// Each core gets n threads of equal priority, and each of these threads takes share / n of the
/// core's time. n is the smallest number for which a fair scheduler grants them this share beside a
/// unit that always computes:
///
///     share / n <= 1 / (n + 1)
///
/// A thread computes while it has had less than its share, and sleeps otherwise, so that it has its
/// share of every tenth of a second. Throws BackendError if a thread cannot be started.
[[nodiscard]] std::unique_ptr<CompetingLoad> start_competing_load(const Clock& clock, Seconds at,
                                                                  Seconds until, double share,
                                                                  const std::vector<int>& cores);

}  // namespace equipoise
