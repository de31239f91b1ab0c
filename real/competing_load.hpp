// A load that really competes with a unit for what it computes on.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <stop_token>
#include <vector>

#include "real/threads/clock.hpp"

namespace equipoise {

/// A load that takes a share of a unit's cores, or of its part of a GPU, for a while.
class CompetingLoad {
 public:
  /// Ends the load.
  virtual ~CompetingLoad() = default;

  /// The share of the cores, or of the GPU's SMs, that the load has had from its start until now.
  [[nodiscard]] double share() const;

 protected:
  /// A load from `at` until `until`, times of `clock`.
  CompetingLoad(const Clock& clock, Seconds at, Seconds until)
      : begin_(clock.moment(at)), end_(clock.moment(until)) {}

  /// The time that the load has had so far, in seconds: one if it had all cores or SMs for a
  /// second, or half of them for two.
  [[nodiscard]] virtual double taken_s() const = 0;
  /// Sleeps until `then`. Returns false if the calling thread is to end.
  bool sleep_until(Clock::TimePoint then, const std::stop_token& stop);

  Clock::TimePoint begin_;
  Clock::TimePoint end_;
  mutable std::mutex mutex_;

 private:
  std::condition_variable_any stopped_;
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
