// The same division, found as the papers do: by Ipopt's interior-point line-search filter method.
#pragma once

#include <memory>

#include "shared_policies/solve/equal_finish.hpp"

namespace equipoise {

/// Solves the problem of `solve_equal_finish` with Ipopt. Keeps Ipopt's state between calls, which
/// saves 0.3 ms a call; one object must not be used by two threads at once.
///
///     minimise T  subject to  cost_p(x_p) = T,  sum(x_p) = items,  0 <= x_p <= cap_p
///
/// with exact gradients and, for the Hessian, which is diagonal, differences of the exact slopes.
/// Where that has no solution, cost_p(x_p) <= T takes its place; a unit whose smallest block
/// already takes longer than the others need is then taken out and the rest is solved again. Status
/// `failed` when Ipopt does not converge; a caller then takes the direct solution. Costs that fall
/// somewhere may end in a local solution.
///
/// Source: PLB-HeC eqs 3-5, which state equalities; see `solve_equal_finish` for why not.
class IpoptEqualFinish {
 public:
  IpoptEqualFinish();
  ~IpoptEqualFinish();
  IpoptEqualFinish(const IpoptEqualFinish&) = delete;
  IpoptEqualFinish& operator=(const IpoptEqualFinish&) = delete;

  [[nodiscard]] Split solve(const SplitProblem& problem);

 private:
  class Application;
  std::unique_ptr<Application> application_;
};

}  // namespace equipoise
