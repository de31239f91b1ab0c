// Which units may begin with a kernel or a phase, and with how much.
#pragma once

#include <span>
#include <vector>

#include "shared_policies/policies/equipoise/pipeline_cost.hpp"
#include "shared_policies/run/view.hpp"

namespace equipoise {

/// Of the time that resident data take to fetch, what must have passed before they are fetched.
constexpr double waiting_share = 0.25;

/// Shares of all items that the first blocks of all units together would have.
struct FirstShares {
  double cpu = 0.0005;        ///< if all were CPUs
  double accelerator = 0.02;  ///< if none were
};

/// The items of the first block of a unit of which nothing is known.
[[nodiscard]] double first_items(const View& view, const UnitState& unit,
                                 const FirstShares& shares);

/// When the iteration began and, by what is known, will end.
struct ExpectedIteration {
  double began_s = 0.0;
  double end_s = 0.0;
};

/// What a remote unit's resident data take to arrive over a network as slow as they come (1 Gb/s);
/// 0 for a unit beside the input, and where none is beside it: then all must fetch them.
[[nodiscard]] double fetch_s(const View& view, const UnitState& unit);

/// Whether a unit that needs `fetch_s` before its first block is to be left out for now: the data
/// would take more than half of the time left; or it is too early to know that, before
/// `waiting_share` of their time has passed. Source: ours.
[[nodiscard]] bool is_kept_out(double fetch_s, double now_s, const ExpectedIteration& expected);

/// Whether a unit of which nothing is known should be given a block. Accelerators always; a CPU not
/// if its grain is likely to end last of all: where grains are coarse it waits until an accelerator
/// is known, and is taken to be `slowest_guess` times slower. `costs` (n); `kept_out` (n): units
/// that nobody has to wait for.
[[nodiscard]] bool may_try(const View& view, const UnitState& unit, const FirstShares& shares,
                           const ExpectedIteration& expected, std::span<const PipelineCost> costs,
                           const std::vector<bool>& kept_out);

}  // namespace equipoise
