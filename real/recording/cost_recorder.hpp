// Finds out on this machine's units whether the items of a kernel differ.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "real/machine.hpp"
#include "real/recording/cost_finder.hpp"
#include "real/recording/recorder.hpp"
#include "shared_policies/run/executor.hpp"

namespace equipoise {

/// Gives `unit` the blocks of `finder`, one after another, until that is done or `limit` has
/// passed. `waited` (units) is what the last block of each waited for its cores. Returns false if a
/// stop was requested. Throws BackendError, with the name in `units`, if a block or a unit is lost.
[[nodiscard]] bool time_places(Executor& executor, const std::vector<UnitSpec>& units, UnitId unit,
                               const std::vector<StageTimes>& waited, Seconds limit,
                               CostFinder& finder);

/// What was found, and where.
struct FoundCosts {
  CostFinder finder;
  std::size_t unit = 0;      ///< among the setup's units
  bool interrupted = false;  ///< a stop was requested
};

/// Looks for items that differ, for `RecordSetup::costs_share` of the budget, of which waits for
/// cores are no part (but no more than four times as long), on the fastest of the units that
/// compute, while the others rest: the one that is fastest at blocks that grow until they take a
/// millisecond, side by side in the middle of the items. Nothing if that share is 0 or no unit
/// computes. Throws BackendError if a unit does not come up or is lost.
[[nodiscard]] std::optional<FoundCosts> look_for_costs(const RecordSetup& setup,
                                                       const Placement& placement);

}  // namespace equipoise
