// When a unit will have done the blocks that it has.
#pragma once

#include "shared_policies/policies/equipoise/pipeline_cost.hpp"
#include "shared_policies/run/view.hpp"

namespace equipoise {

/// The time in seconds at which `unit`, whose last block ended at `last_end`, will have done what
/// it has by what its blocks have cost; `now` where it has nothing. A first block that is late is
/// taken to need some of its time more. Source: ours.
[[nodiscard]] double ready_s(const UnitState& unit, const PipelineCost& cost, Seconds last_end,
                             Seconds now);

}  // namespace equipoise
