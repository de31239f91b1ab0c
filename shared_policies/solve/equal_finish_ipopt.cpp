// Solves the equal-finish problem with Ipopt, which is in a module, and removes units that do not
// fit.
#include "shared_policies/solve/equal_finish_ipopt.hpp"

#include <link.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/modules/run_time_module.hpp"

namespace equipoise {
namespace {

constexpr RunTimeModule ipopt_module{
    .name = "equipoise_ipopt",
    .folder = "shared_policies",
    .refusal = "cannot solve with Ipopt",
    .remedy = "install Ipopt (Debian, Ubuntu: apt install coinor-libipopt-dev) and build again",
    .instead = "choose solver=direct"};

/// The units that have a share, or whose smallest block takes less time than those that have one.
/// Stores the finish time of the units with a share in `finish_s`.
std::vector<std::size_t> units_that_fit(const SplitProblem& problem,
                                        const std::vector<std::size_t>& units,
                                        const std::vector<double>& shares, double& finish_s) {
  const auto smallest_s = [&](std::size_t p) {
    return problem.costs[p]->at(least_share * problem.items).seconds;
  };
  finish_s = 0.0;
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (shares[i] > 1e-7) {
      finish_s = std::max(finish_s, problem.costs[units[i]]->at(shares[i] * problem.items).seconds);
    }
  }
  std::vector<std::size_t> fit;
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (shares[i] > 1e-7 || smallest_s(units[i]) < finish_s) fit.push_back(units[i]);
  }
  return fit;
}

}  // namespace

void expect_ipopt() { static_cast<void>(open_module<IpoptModule>(ipopt_module)); }

bool ipopt_uses_mpi() {
  expect_ipopt();
  bool is_found = false;
  ::dl_iterate_phdr(
      [](dl_phdr_info* library, std::size_t /*bytes*/, void* found) {
        const std::string_view name = library->dlpi_name;
        const bool is_it = name.find("libdmumps") != std::string_view::npos &&
                           name.find("_seq") == std::string_view::npos;
        if (is_it) *static_cast<bool*>(found) = true;
        return 0;
      },
      &is_found);
  return is_found;
}

IpoptEqualFinish::IpoptEqualFinish()
    : solver_(open_module<IpoptModule>(ipopt_module).make_shares_solver()) {}

IpoptEqualFinish::~IpoptEqualFinish() = default;

Split IpoptEqualFinish::solve(const SplitProblem& problem) {
  EQ_CHECK(!problem.costs.empty() && problem.costs.size() == problem.cap_items.size(),
           "a cost and a cap for each unit");
  if (std::reduce(problem.cap_items.begin(), problem.cap_items.end()) <= problem.items) {
    return solve_equal_finish(problem);  // nothing to optimise
  }
  Split split;
  std::vector<std::size_t> units(problem.costs.size());
  std::iota(units.begin(), units.end(), std::size_t{0});
  std::vector<double> shares = solver_->solve(problem, units, SplitForm::equal);
  bool all_fit = !shares.empty();
  if (all_fit) units_that_fit(problem, units, shares, split.finish_s);
  while (!all_fit) {
    if (units.size() == 1) {
      shares.assign(1, 1.0);
    } else {
      shares = solver_->solve(problem, units, SplitForm::at_most);
    }
    if (shares.empty()) return split;
    std::vector<std::size_t> fit = units_that_fit(problem, units, shares, split.finish_s);
    all_fit = fit.size() == units.size();
    if (!all_fit) units = std::move(fit);
  }
  split.status = SplitStatus::solved;
  split.items.assign(problem.costs.size(), 0.0);
  for (std::size_t i = 0; i < units.size(); ++i) split.items[units[i]] = shares[i] * problem.items;
  return split;
}

}  // namespace equipoise
