// Decides which units may start on a kernel or a phase, and the size of their first blocks.
#pragma once

#include <span>
#include <vector>

#include "shared_policies/policies/equipoise/pipeline_cost.hpp"
#include "shared_policies/run/view.hpp"

namespace equipoise {

/// This share of the time that fetching resident data takes must pass before the fetch is started.
constexpr double waiting_share = 0.25;

/// Shares of all items that the first blocks of all units would have together.
struct FirstShares {
  double cpu = 0.0005;        ///< if all units were CPUs
  double accelerator = 0.02;  ///< if no unit were a CPU
};

/// The size in items of the first block of a unit without measurements.
[[nodiscard]] double first_items(const View& view, const UnitState& unit,
                                 const FirstShares& shares);

/// When the iteration began, and its estimated end.
struct ExpectedIteration {
  double began_s = 0.0;
  double end_s = 0.0;
};

/// The time that a remote unit's resident data takes to arrive over a slow network (1 Gb/s). 0 for
/// a unit on the node of the input, and if no present unit is there, because then every unit must
/// fetch the data.
[[nodiscard]] double fetch_s(const View& view, const UnitState& unit);

/// Whether to leave out for now a unit that needs `fetch_s` before its first block: the data would
/// take more than half of the time left, or less than `waiting_share` of `fetch_s` has passed,
/// which is too early to know. Source: ours.
[[nodiscard]] bool is_kept_out(double fetch_s, double now_s, const ExpectedIteration& expected);

/// Whether a unit without measurements should be given a block. Always true for accelerators. False
/// for a CPU whose grain would probably end last of all: if grains are coarse, a CPU waits until an
/// accelerator has been measured, and is then assumed to be `slowest_guess` times slower. `costs`
/// (n); `kept_out` (n): units that no CPU has to wait for.
[[nodiscard]] bool may_try(const View& view, const UnitState& unit, const FirstShares& shares,
                           const ExpectedIteration& expected, std::span<const PipelineCost> costs,
                           const std::vector<bool>& kept_out);

}  // namespace equipoise
