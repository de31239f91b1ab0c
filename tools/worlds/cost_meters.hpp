// What decisions cost: --decision-cost none, paper, measured, or a constant.
#pragma once

#include <memory>
#include <string>

#include "shared_policies/run/run_loop.hpp"

namespace equipoise {

/// No decision and no handing out of a block costs more, in seconds: eleven days.
inline constexpr double most_cost_s = 1e6;

/// The meter called `spelling` (`paper_s`: the paper's figure for the policy); null for "none".
/// Throws InputError for anything else than the four, and for costs that are none.
[[nodiscard]] std::unique_ptr<CostMeter> make_cost_meter(const std::string& spelling,
                                                         double paper_s);

}  // namespace equipoise
