// Durations of finished blocks, without the copy of resident data that comes with a unit's first
// block.
#pragma once

#include <vector>

#include "shared_policies/model/event.hpp"
#include "shared_policies/run/view.hpp"

namespace equipoise {

/// The shortest duration that is accepted: one tick of a coarse timer.
inline constexpr double shortest_block_s = 1e-9;

/// Measures finished blocks. The first block of a unit in a phase also brings the resident data, so
/// its copy in does not predict the copies of later blocks and is left out of what is learned. (The
/// papers have no resident data.)
class BlockDurations {
 public:
  struct Duration {
    double seconds = 0.0;  ///< copy in, compute, copy out; at least `shortest_block_s`
    bool brought_resident_data = false;  ///< if so, `seconds` excludes the copy in
  };

  /// Starts a phase: no unit has its resident data yet.
  void begin_phase(const View& view) { has_resident_data_.assign(view.units().size(), 0); }
  /// A unit joined: it has no resident data.
  void joined(UnitId unit) { has_resident_data_[unit.index] = 0; }
  /// The duration of a finished block, without the time it waited in the unit's queue.
  [[nodiscard]] Duration of(const View& view, const BlockFinished& finished);

 private:
  std::vector<char> has_resident_data_;  // (n): the unit has finished a block in this phase
};

}  // namespace equipoise
