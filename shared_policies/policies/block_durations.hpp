// How long blocks took, without what only a unit's first block brings along.
#pragma once

#include <vector>

#include "shared_policies/model/event.hpp"
#include "shared_policies/run/view.hpp"

namespace equipoise {

/// The shortest duration that is believed: one tick of a coarse timer.
inline constexpr double shortest_block_s = 1e-9;

/// The first block of a unit in a phase brings the resident data along: its copy in says nothing of
/// later blocks and is left out of what is learned. (The papers have no resident data.)
class BlockDurations {
 public:
  struct Duration {
    double seconds = 0.0;  ///< copy in, compute, copy out; at least `shortest_block_s`
    bool brought_resident_data = false;  ///< then without the copy in
  };

  /// No unit has the data of the phase that begins.
  void begin_phase(const View& view) { is_served_.assign(view.units().size(), 0); }
  /// A unit came back; what it had is gone.
  void joined(UnitId unit) { is_served_[unit.index] = 0; }
  /// What a finished block took; waiting in the unit's queue does not count.
  [[nodiscard]] Duration of(const View& view, const BlockFinished& finished);

 private:
  std::vector<char> is_served_;  // (n): a block of this phase came back
};

}  // namespace equipoise
