// The state of a run as far as events tell it: what policies may look at.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "shared_policies/model/event.hpp"
#include "shared_policies/model/unit.hpp"
#include "shared_policies/model/workload.hpp"

namespace equipoise {

/// A block that was handed out and has not come back.
struct OutstandingBlock {
  Block block;
  Seconds assigned;
  /// How many blocks had come back when it was handed out, and events had happened that
  /// `is_counted` (journal.hpp): losses of blocks and units, units that joined, timers that fired.
  std::uint64_t after_events = 0;
};

/// One unit, as far as events tell.
struct UnitState {
  UnitId id;
  Unit unit;
  bool present = true;  ///< false after UnitLost, or from the start, until UnitJoined
  Items cap_items = 0;  ///< the largest block of the current workload that fits its memory
  std::deque<OutstandingBlock> outstanding;  ///< in the order of handing out
  Items done_items = 0;                      ///< in this run
  std::uint64_t done_blocks = 0;             ///< in this run
};

/// The state of a run. Changed by the run loop only, event by event and grant by grant.
class View {
 public:
  View(std::vector<Unit> units, std::vector<Workload> phases);

  /// The latest time that the run's events tell: of an event, of a block's handing out, of a
  /// Decision's end. No clock is read for it, so a journal holds every time that a policy has seen.
  [[nodiscard]] Seconds now() const { return now_; }
  [[nodiscard]] const Workload& workload() const { return phases_[static_cast<size_t>(phase_)]; }
  [[nodiscard]] int phase() const { return phase_; }
  [[nodiscard]] int iteration() const { return iteration_; }
  /// Items of this iteration that are not handed out (or were lost and are to be done again).
  [[nodiscard]] Items remaining() const { return remaining_; }
  /// All units in the order of their ids, absent ones included.
  [[nodiscard]] std::span<const UnitState> units() const { return units_; }
  [[nodiscard]] const UnitState& unit(UnitId id) const { return units_[id.index]; }
  /// Blocks that are handed out and not back, on all units.
  [[nodiscard]] std::size_t outstanding() const { return outstanding_; }

  /// Takes in what `event` tells.
  void include(const Event& event);
  /// Takes in that `block` was granted to `unit`.
  void grant(const OutstandingBlock& block, UnitId unit);
  /// Takes in that it is `now` or later.
  void pass(Seconds now);
  /// Takes in that `unit` is gone, before its outstanding blocks are reported lost one by one; or
  /// that it is not there at the start.
  void mark_absent(UnitId unit) { units_[unit.index].present = false; }

 private:
  void begin_phase(int phase);
  /// Removes a block that came back or was lost from its unit's outstanding ones.
  void settle(UnitId unit, std::uint64_t block_id);

  std::vector<Workload> phases_;
  std::vector<UnitState> units_;
  Seconds now_;
  int phase_ = 0;
  int iteration_ = 0;
  Items remaining_ = 0;
  std::size_t outstanding_ = 0;
};

}  // namespace equipoise
