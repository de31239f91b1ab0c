// The equal-finish split as the papers solve it: by Ipopt's interior-point line-search filter
// method.
#pragma once

#include <memory>

#include "shared_policies/solve/equal_finish.hpp"

namespace equipoise {

class SharesSolver;

/// Solves the problem of `solve_equal_finish` with Ipopt. Keeps Ipopt's state between calls, which
/// saves 0.3 ms for each call. An object must not be used by two threads at once.
///
///     minimise T  subject to  cost_p(x_p) = T,  sum(x_p) = items,  0 <= x_p <= cap_p
///
/// with exact gradients. The Hessian is diagonal and computed from differences of the exact slopes.
/// If this has no solution, cost_p(x_p) <= T is used instead; units whose smallest block already
/// takes longer than the others need are then removed and the rest is solved again. The status is
/// `failed` if Ipopt does not converge; the caller should then use the direct solver. If a cost
/// falls somewhere, the result may be a local solution. The constructor throws like `expect_ipopt`.
///
/// Source: PLB-HeC eqs 3-5, which state equalities; `solve_equal_finish` says why these are not
/// enough.
class IpoptEqualFinish {
 public:
  IpoptEqualFinish();
  ~IpoptEqualFinish();
  IpoptEqualFinish(const IpoptEqualFinish&) = delete;
  IpoptEqualFinish& operator=(const IpoptEqualFinish&) = delete;

  [[nodiscard]] Split solve(const SplitProblem& problem);

 private:
  std::unique_ptr<SharesSolver> solver_;
};

/// Loads Ipopt for this process and all that it forks. Called when a policy is made, so that a
/// missing Ipopt is reported before a run begins. Throws BackendError if it cannot be loaded.
void expect_ipopt();

}  // namespace equipoise
