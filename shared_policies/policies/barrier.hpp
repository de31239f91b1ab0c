// The moment at which units that wait for one another are all back.
#pragma once

#include <algorithm>

#include "shared_policies/run/view.hpp"

namespace equipoise {

/// Whether nothing is out, work remains, and somebody is there to do it. Policies with barriers
/// look at UnitIdle, and at UnitLost: the unit that all waited for may be gone at the moment at
/// which it came back, and then nobody is told that it is idle. O(n) where nothing is out.
[[nodiscard]] inline bool all_are_back(const View& view) {
  return view.outstanding() == 0 && view.remaining() > 0 &&
         std::any_of(view.units().begin(), view.units().end(),
                     [](const UnitState& unit) { return unit.present; });
}

}  // namespace equipoise
