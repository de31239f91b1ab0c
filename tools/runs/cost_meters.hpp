// The costs of decisions: none, paper, measured, or a constant.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "shared_policies/policies/catalog.hpp"
#include "shared_policies/run/run_loop.hpp"

namespace equipoise {

/// What a policy's thinking costs, by one rule for all policies:
///
///     measured   the processor time of every call of the policy, without that of what it asks for
///     SECONDS    each decision: a solved model, or a call that hands out work without one
///     paper      each solved model costs what the policy's paper says for the phase's kernel, else
///                nothing; if the paper says what all of a run cost together, the first one of the
///                phase costs that, and the others nothing, so that the sum is what is printed
///     none       nothing
///
/// The meter for `spelling`, or nullptr for "none". `paper`: the policy's price in its paper, phase
/// by phase. Throws InputError (at `where`) if `spelling` is none of the four or the cost is out of
/// range.
[[nodiscard]] std::unique_ptr<CostMeter> make_cost_meter(const std::string& spelling,
                                                         std::vector<PaperPrice> paper,
                                                         const std::string& where = {});

}  // namespace equipoise
