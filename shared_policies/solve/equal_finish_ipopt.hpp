// The equal-finish split as the papers solve it: by Ipopt's interior-point line-search filter
// method, in a shared library that is opened when the first policy with solver=ipopt is made
// (modules/run_time_module.hpp says why).
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "shared_policies/solve/equal_finish.hpp"

namespace equipoise {

/// equal: the constraints as in the papers; at_most: the constraints that also have a solution if a
/// unit stays idle or is at its cap.
enum class SplitForm { equal, at_most };

/// The smallest share of the items for which a cost is asked.
constexpr double least_share = 1e-12;

/// Solves the problem of `IpoptEqualFinish` for some of its units in one form.
class SharesSolver {
 public:
  SharesSolver() = default;
  SharesSolver(const SharesSolver&) = delete;
  SharesSolver& operator=(const SharesSolver&) = delete;
  virtual ~SharesSolver() = default;

  /// The shares of `units`, which are positions in `problem`; empty if Ipopt does not converge.
  virtual std::vector<double> solve(const SplitProblem& problem,
                                    const std::vector<std::size_t>& units, SplitForm form) = 0;
};

/// The table that the module exports under the name `equipoise_ipopt`. Only `IpoptEqualFinish`,
/// which opens the module, calls its function.
struct IpoptModule {
  std::unique_ptr<SharesSolver> (*make_shares_solver)();
};

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

/// Whether MUMPS, Ipopt's linear solver, works in all processes that mpirun has started, as that of
/// Debian 13 does, and so waits for them. One that works in one process has `_seq` in the name of
/// its library. Loads Ipopt.
[[nodiscard]] bool ipopt_uses_mpi();

}  // namespace equipoise
