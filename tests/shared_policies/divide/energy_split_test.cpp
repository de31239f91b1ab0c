// Tests of splits for time, energy and EDP: the twelve rows of the energy paper, and comparison
// with grids of splits.
#include "shared_policies/policies/divide/energy_split.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <string>

#include "tests/support/energy_paper.hpp"
#include "tests/support/random_seed.hpp"

namespace equipoise::energy_split_test {
namespace {

PoweredUnit cpu_of(const PaperRow& row) { return {1.0, row.static_c_w, row.dynamic_c_w}; }
PoweredUnit gpu_of(const PaperRow& row) {
  return {row.speed_ratio, row.static_g_w, row.dynamic_g_w};
}

SplitResult worth_at(const PoweredUnit& c, const PoweredUnit& g, double alpha) {
  return evaluate_split(std::array{c, g}, std::array{alpha, 1.0 - alpha}, 1.0);
}

class EnergyPaper : public testing::TestWithParam<PaperRow> {};

TEST_P(EnergyPaper, HasTheSharesThatFollowFromItsParameters) {
  const PaperRow& row = GetParam();
  const PoweredUnit c = cpu_of(row);
  const PoweredUnit g = gpu_of(row);
  const auto or_together = [&](double alpha) { return alpha < 0.0 ? row.alpha_time : alpha; };
  EXPECT_NEAR(solve_alpha(c, g, Objective::time), row.alpha_time, 5e-6);
  EXPECT_NEAR(solve_alpha(c, g, Objective::energy), or_together(row.energy_alpha), 5e-6);
  EXPECT_NEAR(solve_alpha(c, g, Objective::edp), or_together(row.edp_alpha), 5e-6);
}

TEST_P(EnergyPaper, HasTheEnergiesThatFollowFromItsParameters) {
  const PaperRow& row = GetParam();
  const double together_alpha = solve_alpha(cpu_of(row), gpu_of(row), Objective::time);
  const std::array alphas = {0.0, together_alpha, 1.0};
  for (std::size_t i = 0; i < alphas.size(); ++i) {
    const SplitResult worth = worth_at(cpu_of(row), gpu_of(row), alphas[i]);
    EXPECT_NEAR(worth.energy_j, row.energy_j[i], 5.1e-4) << alphas[i];
    EXPECT_NEAR(worth.edp_js(), row.edp_js[i], 5.1e-5) << alphas[i];
  }
}

TEST_P(EnergyPaper, AgreesWithItsPrintWhereItAgreesWithItself) {
  const PaperRow& row = GetParam();
  const double alpha_time = solve_alpha(cpu_of(row), gpu_of(row), Objective::time);
  EXPECT_NEAR(alpha_time, row.printed_alpha_time, 0.005);
  const double alpha = solve_alpha(cpu_of(row), gpu_of(row), Objective::edp);
  const bool agrees = std::abs(alpha - row.printed_edp_alpha) < 0.0005;
  EXPECT_EQ(agrees, row.print_agrees) << alpha << " against " << row.printed_edp_alpha;
}

INSTANTIATE_TEST_SUITE_P(Rows, EnergyPaper, testing::ValuesIn(paper_rows), [](const auto& test) {
  std::string name = std::string(test.param.machine) + "_" + test.param.benchmark;
  std::erase(name, '-');
  return name;
});

TEST(EnergyPaperCount, FindsFiveMachinesSharedOneOnTheCpuAndSixOnTheGpu) {
  int shared = 0;
  int cpu = 0;
  int gpu = 0;
  for (const PaperRow& row : paper_rows) {
    const double alpha = solve_alpha(cpu_of(row), gpu_of(row), Objective::energy);
    (alpha == 0.0 ? gpu : alpha == 1.0 ? cpu : shared) += 1;
  }
  EXPECT_EQ(shared, 5);
  EXPECT_EQ(cpu, 1);
  EXPECT_EQ(gpu, 6);
}

TEST(AlphaSplit, MirrorsWhenTheUnitsAreExchanged) {
  for (const PaperRow& row : paper_rows) {
    for (const Objective objective : {Objective::time, Objective::energy, Objective::edp}) {
      const double one = solve_alpha(cpu_of(row), gpu_of(row), objective);
      EXPECT_NEAR(one, 1.0 - solve_alpha(gpu_of(row), cpu_of(row), objective), 1e-15);
    }
  }
}

TEST(AlphaSplit, GivesAUnitWithoutSpeedNothing) {
  for (const Objective objective : {Objective::time, Objective::energy, Objective::edp}) {
    EXPECT_EQ(solve_alpha({0, 10, 40}, {3, 5, 30}, objective), 0.0);
    EXPECT_EQ(solve_alpha({2, 10, 40}, {0, 5, 30}, objective), 1.0);
  }
}

TEST(AlphaSplit, TakesBothUnitsWhereNeitherDrawsAnything) {
  for (const Objective objective : {Objective::time, Objective::energy, Objective::edp}) {
    EXPECT_EQ(solve_alpha({1, 0, 0}, {3, 0, 0}, objective), 0.25);
  }
}

TEST(PrefixSplit, LeavesOutTheHungryUnitForEnergyAndTakesAllForTime) {
  // Speeds 1, 2 and 4 items/s; dynamic energy 1, 2 and 50 J per item; 7 W of static power.
  const std::array<PoweredUnit, 3> units = {{{1, 3, 1}, {2, 2, 4}, {4, 2, 200}}};
  // Energy per item: unit 0 alone (7 + 1) / 1 = 8 J; units 0 and 1 (7 + 5) / 3 = 4 J; all 212 / 7 =
  // 30 J.
  const std::vector<double> energy = solve_prefix(units, Objective::energy);
  EXPECT_DOUBLE_EQ(energy[0], 1.0 / 3.0);
  EXPECT_DOUBLE_EQ(energy[1], 2.0 / 3.0);
  EXPECT_EQ(energy[2], 0.0);
  EXPECT_DOUBLE_EQ(solve_prefix(units, Objective::time)[2], 4.0 / 7.0);
}

/// A random unit. Some are slow and draw much power.
PoweredUnit random_unit(std::mt19937_64& random) {
  const auto log_uniform = [&](double low, double high) {
    return std::exp(std::uniform_real_distribution<double>(std::log(low), std::log(high))(random));
  };
  return {log_uniform(0.1, 10), log_uniform(1, 100), log_uniform(0.3, 300)};
}

class RandomUnits : public testing::Test {
 protected:
  std::uint64_t seed = random_seed();
  std::mt19937_64 random{seed};
  testing::ScopedTrace trace{__FILE__, __LINE__, "--gtest_random_seed=" + std::to_string(seed)};
};

TEST_F(RandomUnits, InPairsAreNeverBetterAnywhereOnAGridOfAlpha) {
  for (int round = 0; round < 2000; ++round) {
    const PoweredUnit c = random_unit(random);
    const PoweredUnit g = random_unit(random);
    for (const Objective objective : {Objective::time, Objective::energy, Objective::edp}) {
      const double best = worth_at(c, g, solve_alpha(c, g, objective)).of(objective);
      for (int i = 0; i <= 400; ++i) {
        ASSERT_GE(worth_at(c, g, i / 400.0).of(objective), best * (1.0 - 1e-12))
            << static_cast<int>(objective) << " round " << round << " alpha " << i / 400.0;
      }
    }
  }
}

TEST_F(RandomUnits, InPairsAreDividedAlikeByThePrefixRule) {
  for (int round = 0; round < 5000; ++round) {
    const std::array units = {random_unit(random), random_unit(random)};
    for (const Objective objective : {Objective::time, Objective::energy, Objective::edp}) {
      ASSERT_NEAR(solve_prefix(units, objective)[0], solve_alpha(units[0], units[1], objective),
                  1e-12)
          << static_cast<int>(objective) << " round " << round;
    }
  }
}

TEST_F(RandomUnits, InThreesAreNeverBetterAnywhereOnAGridOfShares) {
  constexpr int steps = 40;
  for (int round = 0; round < 400; ++round) {
    const std::array units = {random_unit(random), random_unit(random), random_unit(random)};
    for (const Objective objective : {Objective::time, Objective::energy, Objective::edp}) {
      const double best = evaluate_split(units, solve_prefix(units, objective), 1.0).of(objective);
      for (int i = 0; i <= steps; ++i) {
        for (int j = 0; i + j <= steps; ++j) {
          const std::array shares = {i / double{steps}, j / double{steps},
                                     (steps - i - j) / double{steps}};
          ASSERT_GE(evaluate_split(units, shares, 1.0).of(objective), best * (1.0 - 1e-12))
              << static_cast<int>(objective) << " round " << round << " shares " << i << " " << j;
        }
      }
    }
  }
}

}  // namespace
}  // namespace equipoise::energy_split_test
