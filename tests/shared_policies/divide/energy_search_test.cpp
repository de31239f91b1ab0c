// Tests of the search for the best energy split, compared with an enumeration of all splits.
#include "shared_policies/policies/divide/energy_split.hpp"
#include "tests/support/random_seed.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <string>

namespace equipoise::energy_search_test {
namespace {

/// Time fixed + copy x + work x^power: the cost per item rises or falls with the size.
class PowerCost final : public CostModel {
 public:
  PowerCost(double fixed_s, double copy_s, double work_s, double power)
      : fixed_s_(fixed_s), copy_s_(copy_s), work_s_(work_s), power_(power) {}

  [[nodiscard]] CostAt at(double x) const override {
    return {fixed_s_ + copy_s_ * x + work_s_ * std::pow(x, power_),
            copy_s_ + work_s_ * power_ * std::pow(x, power_ - 1.0)};
  }
  [[nodiscard]] double computing_s(double x) const override {
    return fixed_s_ + work_s_ * std::pow(x, power_);
  }
  [[nodiscard]] bool non_decreasing() const override { return true; }

 private:
  double fixed_s_, copy_s_, work_s_, power_;
};

/// Units, and the problem that the search must solve.
struct Case {
  std::vector<PowerCost> units;
  std::vector<double> dynamic_w;
  double static_w = 0.0;
  Items items = 0;
  Items grain_items = 1;

  [[nodiscard]] EnergyProblem problem(std::vector<const CostModel*>& costs) const {
    costs.clear();
    for (const PowerCost& unit : units) costs.push_back(&unit);
    return {costs, dynamic_w, static_w, items, grain_items};
  }
};

/// Calls `see` with every way to divide `rest` items, in steps of `grain`, among the units from `p`
/// on.
void for_all_splits(std::vector<Items>& shares, std::size_t p, Items rest, Items grain,
                    const std::function<void(const std::vector<Items>&)>& see) {
  if (p + 1 == shares.size()) {
    shares[p] = rest;
    see(shares);
    return;
  }
  for (Items x = 0; x <= rest; x += grain) {
    shares[p] = x;
    for_all_splits(shares, p + 1, rest - x, grain, see);
  }
}

/// The objective of the split that the search finds, over that of the best split.
double over_best(const Case& c, Objective objective) {
  std::vector<const CostModel*> costs;
  const EnergyProblem problem = c.problem(costs);
  double best = std::numeric_limits<double>::infinity();
  std::vector<Items> shares(c.units.size());
  for_all_splits(shares, 0, c.items, c.grain_items, [&](const std::vector<Items>& split) {
    best = std::min(best, evaluate_split(problem, split).of(objective));
  });
  const std::vector<Items> found = search_energy_split(problem, objective);
  EXPECT_EQ(std::accumulate(found.begin(), found.end(), Items{0}), c.items);
  return evaluate_split(problem, found).of(objective) / best;
}

class EnergySearch : public testing::Test {
 protected:
  double log_uniform(double low, double high) {
    return std::exp(std::uniform_real_distribution<double>(std::log(low), std::log(high))(random));
  }

  Case random_case(double least_power, double most_power, double fixed_s) {
    Case c;
    const int units = std::uniform_int_distribution<int>(2, 4)(random);
    for (int p = 0; p < units; ++p) {
      c.units.emplace_back(fixed_s * log_uniform(0.1, 10), log_uniform(0.01, 1),
                           log_uniform(0.1, 10), log_uniform(least_power, most_power));
      c.dynamic_w.push_back(log_uniform(1, 300));
      c.static_w += log_uniform(1, 100);
    }
    c.items = units == 4 ? 24 : 60;
    return c;
  }

  std::uint64_t seed = random_seed();
  std::mt19937_64 random{seed};
  testing::ScopedTrace trace{__FILE__, __LINE__, "--gtest_random_seed=" + std::to_string(seed)};
};

TEST_F(EnergySearch, FindsTheBestSplitWhereTimesAreInProportion) {
  for (int round = 0; round < 100; ++round) {
    const Case c = random_case(1.0, 1.0, 0.0);
    for (const Objective objective : {Objective::energy, Objective::edp}) {
      ASSERT_LE(over_best(c, objective), 1.0 + 1e-9) << "round " << round;
    }
  }
}

TEST_F(EnergySearch, IsCloseToTheBestSplitOfUnitsWithFixedCostsAndSpeedsThatChange) {
  int others = 0;
  constexpr int rounds = 300;
  for (int round = 0; round < rounds; ++round) {
    Case c = random_case(0.7, 1.4, round % 2 == 0 ? 0.0 : 1.0);
    c.grain_items = std::array<Items, 4>{1, 1, 4, 7}[static_cast<std::size_t>(round) % 4];
    for (const Objective objective : {Objective::energy, Objective::edp}) {
      const double over = over_best(c, objective);
      // With so few grains, a grain that is not whole has a large effect.
      ASSERT_LE(over, c.items % c.grain_items == 0 ? 1.02 : 1.2) << "round " << round;
      others += over > 1.0 + 1e-9 ? 1 : 0;
    }
  }
  EXPECT_LE(others, rounds / 10);
}

TEST_F(EnergySearch, AgreesWithThePrefixRuleOnManyUnits) {
  for (int round = 0; round < 20; ++round) {
    Case c;
    std::vector<PoweredUnit> units;
    for (int p = 0; p < 12; ++p) {
      const double work_s = log_uniform(0.1, 10);
      c.units.emplace_back(0.0, 0.0, work_s, 1.0);
      c.dynamic_w.push_back(log_uniform(1, 300));
      const double static_w = log_uniform(1, 100);
      c.static_w += static_w;
      units.push_back({1.0 / work_s, static_w, c.dynamic_w.back()});
    }
    c.items = 1'000'000;
    std::vector<const CostModel*> costs;
    const EnergyProblem problem = c.problem(costs);
    for (const Objective objective : {Objective::energy, Objective::edp}) {
      const std::vector<double> shares = solve_prefix(units, objective);
      const double best = evaluate_split(units, shares, static_cast<double>(c.items)).of(objective);
      const double found =
          evaluate_split(problem, search_energy_split(problem, objective)).of(objective);
      ASSERT_NEAR(found / best, 1.0, 1e-4) << "round " << round;
    }
  }
}

}  // namespace
}  // namespace equipoise::energy_search_test
