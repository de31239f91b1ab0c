// How long the blocks of a paced unit take: what its trace and its way to the input say.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "shared_policies/model/block_timing.hpp"
#include "shared_policies/model/draw.hpp"
#include "shared_policies/model/measures.hpp"
#include "shared_policies/model/trace.hpp"
#include "shared_policies/model/workload.hpp"

namespace equipoise {

/// A copy takes latency + bytes / bandwidth; one of no bytes takes no time.
struct CopySpeed {
  Seconds latency;
  double bandwidth_bytes_per_s = 0.0;

  [[nodiscard]] Seconds time(double bytes) const {
    return bytes <= 0.0 ? Seconds{} : latency + Seconds{bytes / bandwidth_bytes_per_s};
  }
};

/// The line through times (n) of copies of bytes (n), which are positive: least squares of relative
/// residuals, so that small copies count as much as large ones. A latency below 0, and copies that
/// are all of one size, give a line through the origin.
///
///     minimise  sum ((latency + bytes_i / bandwidth - times_i) / times_i)^2
[[nodiscard]] CopySpeed fit_copy_speed(const std::vector<double>& bytes,
                                       const std::vector<double>& times_s);

/// The copies of `trace.units[unit]` in one direction: the line through its samples' bytes and
/// times. Nothing where none of them has both.
[[nodiscard]] std::optional<CopySpeed> copy_speed_of(const Trace& trace, std::uint32_t unit,
                                                     std::optional<double> TraceSample::*bytes,
                                                     std::optional<double> TraceSample::*time_s);

/// One phase on a paced unit.
struct PacedPhase {
  BlockTiming timing;
  Draw draw;          ///< of the unit's blocks, by their ordinal
  bool noise = true;  ///< false: mean times
  Workload workload;
  Seconds first_use;             ///< more, before the first block
  std::optional<CopySpeed> in;   ///< none: nothing is copied
  std::optional<CopySpeed> out;  ///< none: nothing is copied
};

/// How well paced units kept the time.
struct PacingReport {
  std::uint64_t blocks = 0;
  Seconds late_mean;  ///< from the end of a block to when it was noticed
  Seconds late_most;
};

/// How much later than its time the end of a block was noticed. Safe to be used by several threads.
class Lateness {
 public:
  void add(Seconds late);
  [[nodiscard]] Seconds mean() const;
  [[nodiscard]] Seconds most() const;
  [[nodiscard]] std::uint64_t count() const { return count_.load(); }

 private:
  std::atomic<std::uint64_t> count_ = 0;
  std::atomic<double> sum_s_ = 0.0;
  std::atomic<double> most_s_ = 0.0;
};

}  // namespace equipoise
