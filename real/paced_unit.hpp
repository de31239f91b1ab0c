// The block times of a paced unit, from its trace and its route to the input.
#pragma once

#include <atomic>
#include <cstdint>

#include "shared_policies/machine/block_timing.hpp"
#include "shared_policies/machine/copy_speed.hpp"
#include "shared_policies/machine/draw.hpp"
#include "shared_policies/model/measures.hpp"
#include "shared_policies/model/workload.hpp"

namespace equipoise {

/// One phase on a paced unit.
struct PacedPhase {
  BlockTiming timing;
  Draw draw;          ///< quantiles for the unit's blocks, by their ordinal
  bool noise = true;  ///< false: mean times
  Workload workload;
  Seconds first_use;  ///< the part of the first block's setup before resident data is copied
  CopySpeeds copies;
};

/// How precisely paced units kept to their times.
struct PacingReport {
  std::uint64_t blocks = 0;
  Seconds late_mean;  ///< from the end of a block until it was noticed
  Seconds late_most;
};

/// Collects how late the ends of blocks were noticed. Several threads may use it at once.
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
