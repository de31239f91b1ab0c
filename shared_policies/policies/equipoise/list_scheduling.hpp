// The last grains of a run, given one by one.
#pragma once

#include <span>
#include <vector>

#include "shared_policies/model/measures.hpp"

namespace equipoise {

/// What grains would cost one unit.
struct GrainCost {
  bool takes_part = false;
  double first_end_s = 0.0;  ///< when it would end with one more grain
  double more_s = 0.0;       ///< what each further grain adds, >= 0
};

/// Gives each grain to the unit that would end first with it (of equals: the first), which is
/// optimal where `more_s` is what grains really add. Grains (n); none where no unit takes part.
/// O(grains n). Source: list scheduling, Graham 1966.
[[nodiscard]] std::vector<Items> list_schedule(std::span<const GrainCost> units, Items grains);

}  // namespace equipoise
