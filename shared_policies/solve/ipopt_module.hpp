// The interface of the Ipopt module: a shared library that is opened when the first policy with
// solver=ipopt is made (modules/run_time_module.hpp says why).
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

}  // namespace equipoise
