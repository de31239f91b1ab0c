// Runs and comparisons as tables for people.
#pragma once

#include <string>
#include <vector>

#include "tools/report/json_text.hpp"
#include "tools/worlds/run_plan.hpp"

namespace equipoise {

/// One run: its makespan and a line a unit; of several phases, the shares in each.
[[nodiscard]] std::string run_table(const RunReport& report, const PolicyChoice& policy,
                                    const std::vector<Unit>& units);

/// Warns when some of the items were in blocks outside the recorded sizes.
void warn_of_extrapolation(const std::string& policy, double share);

/// A comparison: a line a policy and world, the least makespan of each world marked; with both
/// worlds the predicted makespan stands beside the measured one, with what the repetitions of the
/// measured one are worth (`noise_text`).
[[nodiscard]] std::string comparison_table(const Comparison& comparison);

}  // namespace equipoise
