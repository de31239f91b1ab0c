// Estimates when a unit will have finished its outstanding blocks.
#pragma once

#include "shared_policies/policies/equipoise/pipeline_cost.hpp"
#include "shared_policies/run/view.hpp"

namespace equipoise {

/// The time in seconds at which `unit`, whose last block ended at `last_end`, will have finished
/// its outstanding blocks, estimated from the costs of its earlier blocks; `now` if it has none. A
/// first block that is overdue is expected to need as long again as it is overdue. Source: ours.
[[nodiscard]] double ready_s(const UnitState& unit, const PipelineCost& cost, Seconds last_end,
                             Seconds now);

}  // namespace equipoise
