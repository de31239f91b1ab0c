// The modelled time of a block on a unit, from the figures of both.
#pragma once

#include <vector>

#include "platforms/machine_spec.hpp"
#include "shared_policies/model/unit.hpp"

namespace equipoise {

/// The parameters of the time of a block on a unit.
struct BlockCost {
  double startup_s = 0.0;
  double half_saturation_items = 0.0;
  double items_per_s = 0.0;
  double round_items = 1.0;  ///< a unit computes whole rounds of so many items
  double resident_s = 0.0;   ///< to read the resident data once from the unit's memory

  /// Seconds of a block of `items` items, `items` > 0.
  [[nodiscard]] double seconds(double items) const;
};

/// The parameters for blocks of `trace` on `unit`: the formula stands at `modelled_trace`.
[[nodiscard]] BlockCost block_cost(const UnitFigures& unit, const TraceChoice& trace);

/// The sizes that a trace has times for, ascending from 1 to `largest`: 1, 4, 16, ...; of a unit
/// that computes in rounds both ends of the first sixteen rounds (of 128 items: 1, 128, 129, 256,
/// 257, ...), and from there on of rounds twice as far.
[[nodiscard]] std::vector<Items> timed_sizes(const BlockCost& cost, Items largest);

}  // namespace equipoise
