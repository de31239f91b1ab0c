// The test for the end of a barrier: all outstanding blocks are back.
#pragma once

#include <algorithm>

#include "shared_policies/run/view.hpp"

namespace equipoise {

/// Whether no block is outstanding, work remains, and at least one unit is present. Policies with
/// barriers call this at UnitIdle and also at UnitLost: the unit that all others wait for may be
/// lost at the moment its last block comes back, and then no UnitIdle follows. O(n) if no block is
/// outstanding.
[[nodiscard]] inline bool all_are_back(const View& view) {
  return view.outstanding() == 0 && view.remaining() > 0 &&
         std::any_of(view.units().begin(), view.units().end(),
                     [](const UnitState& unit) { return unit.present; });
}

}  // namespace equipoise
