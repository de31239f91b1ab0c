// How long the blocks of a paced unit take: what its trace and its way to the input say.
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
  Draw draw;          ///< of the unit's blocks, by their ordinal
  bool noise = true;  ///< false: mean times
  Workload workload;
  Seconds first_use;  ///< more, before the first block
  CopySpeeds copies;
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
