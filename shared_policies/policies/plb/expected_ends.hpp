// When blocks are expected to end, and how the real times compare.
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "shared_policies/model/event.hpp"
#include "shared_policies/run/view.hpp"

namespace equipoise {

/// Keeps, for every unit, the time that its blocks were expected to take when they were requested.
/// A block begins when it is handed out, or when the block before it on its unit has ended.
class ExpectedEnds {
 public:
  /// The times of a finished block, expected and actual.
  struct Outcome {
    Seconds expected;      ///< duration
    Seconds actual;        ///< duration without waiting in the queue and without setup
    Seconds expected_end;  ///< point in time, given the setup that the block had
  };

  ExpectedEnds() = default;
  explicit ExpectedEnds(std::size_t n) : units_(n) {}

  /// Records that a block of `items` was requested and is expected to take `span`.
  void ask(UnitId unit, Items items, Seconds span);
  /// Handles a block that ended at `at`. Returns nothing if no time was expected for it: the run
  /// loop granted another size than was requested, or `ask` was not called.
  std::optional<Outcome> finish(const BlockFinished& finished, Seconds at);
  /// Handles a lost block.
  void lose(const BlockLost& lost) { (void)take(lost.unit, lost.block.items); }
  /// Handles a lost unit: its blocks are lost with it.
  void lose(UnitId unit) { units_[unit.index].asked.clear(); }

  /// When the unit became idle, or when it is expected to become idle.
  [[nodiscard]] Seconds idle_at(const UnitState& unit) const;

 private:
  struct Asked {
    Items items = 0;
    Seconds span;
  };
  struct Expecting {
    std::deque<Asked> asked;  // in the order of the requests
    Seconds last_end;
  };
  /// Removes the unit's first block of this size and returns its expected time.
  std::optional<Seconds> take(UnitId unit, Items items);

  std::vector<Expecting> units_;
};

}  // namespace equipoise
