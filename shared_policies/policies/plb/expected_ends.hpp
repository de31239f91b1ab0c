// When blocks were expected to end, and what became of it.
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "shared_policies/model/event.hpp"
#include "shared_policies/run/view.hpp"

namespace equipoise {

/// Keeps, for every unit, what its blocks were expected to take when they were asked for. A block
/// begins when it is handed out, or when the one before it on its unit has ended.
class ExpectedEnds {
 public:
  /// A finished block, against what was expected of it.
  struct Outcome {
    Seconds expected;      ///< duration
    Seconds actual;        ///< duration, waiting in the queue left out
    Seconds expected_end;  ///< point in time
  };

  ExpectedEnds() = default;
  explicit ExpectedEnds(std::size_t n) : units_(n) {}

  /// A block of `items` was asked for and is expected to take `span`.
  void ask(UnitId unit, Items items, Seconds span);
  /// A block ended at `at`. Nothing where nothing was expected of it: the run loop granted another
  /// size than was asked for, or `ask` was not called.
  std::optional<Outcome> finish(const BlockFinished& finished, Seconds at);
  /// A block will not come back.
  void lose(const BlockLost& lost) { (void)take(lost.unit, lost.block.items); }
  /// A unit is gone and its blocks with it.
  void lose(UnitId unit) { units_[unit.index].asked.clear(); }

  /// When the unit became idle, or is expected to.
  [[nodiscard]] Seconds idle_at(const UnitState& unit) const;

 private:
  struct Asked {
    Items items = 0;
    Seconds span;
  };
  struct Expecting {
    std::deque<Asked> asked;  // in order
    Seconds last_end;
  };
  /// Takes out the unit's first block of this size.
  std::optional<Seconds> take(UnitId unit, Items items);

  std::vector<Expecting> units_;
};

}  // namespace equipoise
