// A load that really competes with a unit for its cores.
#pragma once

#include <memory>
#include <vector>

#include "real/clock.hpp"

namespace equipoise {

/// Threads that take a share of some cores from `at` until `until`.
class CompetingLoad {
 public:
  CompetingLoad() = default;
  CompetingLoad(const CompetingLoad&) = delete;
  CompetingLoad& operator=(const CompetingLoad&) = delete;
  /// Ends the load.
  virtual ~CompetingLoad() = default;

  /// The share of the cores that it really had while it ran, so far.
  [[nodiscard]] virtual double share() const = 0;
};

/// What a load may take of a core at most: 49 threads on each do.
inline constexpr double competing_share_max = 0.98;

/// Starts a load of `share` in (0, `competing_share_max`] on each of `cores`. It sleeps until `at`,
/// which counts on `clock`, by itself.
///
/// On each core, n threads of equal priority each want share / n of the time, n the least number
/// that a fair scheduler can grant it to beside a unit that always computes:
///
///     share / n <= 1 / (n + 1)
///
/// Each computes as long as it is behind its due and sleeps else, so that its part of every tenth
/// of a second is what it should be. Throws BackendError when a thread cannot be started.
[[nodiscard]] std::unique_ptr<CompetingLoad> start_competing_load(const Clock& clock, Seconds at,
                                                                  Seconds until, double share,
                                                                  const std::vector<int>& cores);

}  // namespace equipoise
