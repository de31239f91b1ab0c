// The same division, found as the papers do: by Ipopt's interior-point line-search filter method.
#pragma once

#include "shared_policies/solve/equal_finish.hpp"

namespace equipoise {

/// Solves the problem of `solve_equal_finish` with Ipopt. Status `failed` when Ipopt does not
/// converge; a caller then takes the direct solution.
[[nodiscard]] Split solve_equal_finish_ipopt(const SplitProblem& problem);

}  // namespace equipoise
