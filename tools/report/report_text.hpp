// Runs and comparisons as text tables.
#pragma once

#include <string>
#include <vector>

#include "tools/runs/run_plan.hpp"
#include "tools/worlds/comparison.hpp"

namespace equipoise {

/// One run: its makespan and a line per unit; for several phases, also the shares in each.
[[nodiscard]] std::string run_table(const RunReport& report, const PolicyChoice& policy,
                                    const std::vector<Unit>& units);

/// Warns if more than 1 % of the items of a run of `policy` were in blocks outside the recorded
/// sizes.
void warn_of_extrapolation(const std::string& policy, double share);

/// Warns once if that is so for any policy of the comparison, whose remarks name them.
void warn_of_extrapolation(const Comparison& comparison);

/// A comparison: a line per policy and world, with the least makespan of each world marked. With
/// both worlds, it also shows the predicted makespan beside the measured one, and how precise the
/// repetitions are (`noise_text`).
[[nodiscard]] std::string comparison_table(const Comparison& comparison);

}  // namespace equipoise
