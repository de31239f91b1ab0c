// Tests of the direct solver against Ipopt on random problems, and of the direct solver against the
// optimality conditions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

#include "shared_policies/fit/speed_curve.hpp"
#include "shared_policies/policies/plb/basis_fit.hpp"
#include "shared_policies/solve/equal_finish.hpp"
#include "shared_policies/solve/equal_finish_ipopt.hpp"
#include "tests/support/random_seed.hpp"

namespace equipoise::agreement_test {
namespace {

struct RandomProblem {
  std::vector<std::unique_ptr<CostModel>> curves;
  std::vector<const CostModel*> costs;
  std::vector<double> caps;
  double items = 0.0;

  [[nodiscard]] SplitProblem split() const { return {costs, caps, items}; }
};

double between(std::mt19937_64& random, double low, double high) {
  return low + (high - low) * static_cast<double>(random() >> 11) * 0x1p-53;
}

/// A cost from a random family that takes about `slowness` seconds for all items.
std::unique_ptr<CostModel> random_cost(std::mt19937_64& random, double items, double fixed_s) {
  const double slowness = std::exp2(between(random, -3.0, 3.0));
  BasisCoefficients a{};
  const auto set = [&a](Basis f, double value) { a[static_cast<std::size_t>(f)] = value; };
  set(Basis::u, slowness);
  switch (random() % 6) {
    case 0:
      return std::make_unique<AffineCurve>(fixed_s, slowness / items);
    case 1:
      set(Basis::u2, slowness * between(random, 0.0, 3.0));
      break;
    case 2:
      set(Basis::u3, slowness * between(random, 0.0, 3.0));
      break;
    case 3:
      set(Basis::u_exp_u, slowness * between(random, 0.0, 1.0));
      break;
    case 4:  // saturation: the time per item falls
      set(Basis::u_log_u, slowness * between(random, -0.2, 0.1));
      break;
    default:
      set(Basis::exp_u, slowness * between(random, 0.0, 0.05));
      break;
  }
  const FittedRange range{items, 1e-4 * items, items};
  return std::make_unique<BasisCurve>(a, range, TransferLine{0.1 * slowness / items, fixed_s, 1.0});
}

RandomProblem random_problem(std::mt19937_64& random) {
  RandomProblem problem;
  problem.items = std::exp2(between(random, 4.0, 24.0));
  const std::size_t n = 1 + random() % 12;
  const bool idle_units = random() % 3 == 0;
  const bool caps = random() % 3 == 0;
  for (std::size_t p = 0; p < n; ++p) {
    const double fixed_s = idle_units ? between(random, 0.0, 1.0) : between(random, 0.0, 1e-3);
    problem.curves.push_back(random_cost(random, problem.items, fixed_s));
    problem.costs.push_back(problem.curves.back().get());
    problem.caps.push_back(problem.items * (caps ? between(random, 0.05, 1.0) : 2.0));
  }
  return problem;
}

/// Expects the Karush-Kuhn-Tucker conditions for non-decreasing costs.
void expect_optimal(const RandomProblem& problem, const Split& split) {
  const double sum = std::accumulate(split.items.begin(), split.items.end(), 0.0);
  EXPECT_NEAR(sum / problem.items, 1.0, 1e-10);
  double slowest_s = 0.0;
  for (std::size_t p = 0; p < split.items.size(); ++p) {
    const double x = split.items[p];
    slowest_s = std::max(slowest_s, x > 0.0 ? problem.costs[p]->at(x).seconds : 0.0);
    if (x == 0.0) {
      EXPECT_GE(problem.costs[p]->at(1e-9 * problem.items).seconds, split.finish_s * (1 - 1e-8));
    } else if (x >= std::min(problem.caps[p], problem.items) * (1.0 - 1e-12)) {
      EXPECT_LE(problem.costs[p]->at(x).seconds, split.finish_s * (1.0 + 1e-9));
    } else {
      EXPECT_NEAR(problem.costs[p]->at(x).seconds / split.finish_s, 1.0, 1e-9);
    }
  }
  EXPECT_NEAR(slowest_s / split.finish_s, 1.0, 1e-9);
}

TEST(EqualFinishAgreement, TheDirectSolverMeetsTheOptimalityConditions) {
  const std::uint64_t seed = 20240611;
  std::cout << "seed " << seed << "\n";
  std::mt19937_64 random(seed);
  for (int round = 0; round < 3000; ++round) {
    SCOPED_TRACE(round);
    const RandomProblem problem = random_problem(random);
    const Split split = solve_equal_finish(problem.split());
    if (split.status == SplitStatus::capped) {
      EXPECT_LE(std::accumulate(problem.caps.begin(), problem.caps.end(), 0.0), problem.items);
      EXPECT_EQ(split.items, problem.caps);
      continue;
    }
    ASSERT_EQ(split.status, SplitStatus::solved);
    expect_optimal(problem, split);
  }
}

class IpoptAgreement : public testing::TestWithParam<unsigned> {};

// 8 seeds: hundreds of problems in a thorough check.
TEST_P(IpoptAgreement, FindsTheSplitOfTheDirectSolver) {
  const unsigned seed = GetParam();
  const int rounds = rounds_of(50);
  std::mt19937_64 random(seed);
  IpoptEqualFinish ipopt;
  int failed = 0;
  for (int round = 0; round < rounds; ++round) {
    SCOPED_TRACE(round);
    const RandomProblem problem = random_problem(random);
    const Split direct = solve_equal_finish(problem.split());
    const Split papers = ipopt.solve(problem.split());
    if (papers.status == SplitStatus::failed) {
      ++failed;
      continue;
    }
    EXPECT_EQ(papers.status, direct.status);
    EXPECT_NEAR(papers.finish_s / direct.finish_s, 1.0, 1e-6);
    for (std::size_t p = 0; p < direct.items.size(); ++p) {
      EXPECT_NEAR(papers.items[p] / problem.items, direct.items[p] / problem.items, 1e-6) << p;
    }
  }
  EXPECT_LE(failed, 1) << "problems without a solution";
}

INSTANTIATE_TEST_SUITE_P(Seeds, IpoptAgreement, testing::Range(1U, 9U));

}  // namespace
}  // namespace equipoise::agreement_test
