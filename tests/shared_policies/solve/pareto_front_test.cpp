// Tests of the front of time and energy: worked out by hand, against all divisions of small cases,
// and against a plain dynamic program of large ones.
#include "shared_policies/solve/pareto_front.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "tests/support/random_seed.hpp"

namespace equipoise::pareto_front_test {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

/// Tables of whole pieces, from 1 piece on.
UnitTables tables_of(const std::vector<PieceCost>& whole) {
  UnitTables tables;
  tables.whole.emplace_back();
  tables.whole.insert(tables.whole.end(), whole.begin(), whole.end());
  return tables;
}

std::vector<std::size_t> pieces_of(const FrontPoint& point) {
  std::vector<std::size_t> pieces;
  for (const UnitPieces& share : point.shares) pieces.push_back(share.pieces);
  return pieces;
}

/// Two units and four pieces; the second unit does three in less time than two. All divisions:
///
///     0 4: 12 s,  3 J
///     1 3: max(3, 6) = 6 s, 5 + 2 = 7 J
///     2 2: max(4, 7) = 7 s, 4 + 9 = 13 J
///     3 1: max(9, 2) = 9 s, 20 + 1 = 21 J
///     4 0: 10 s,  8 J
PieceProblem two_units() {
  PieceProblem problem;
  problem.pieces = 4;
  problem.units = {tables_of({{3, 5}, {4, 4}, {9, 20}, {10, 8}}),
                   tables_of({{2, 1}, {7, 9}, {6, 2}, {12, 3}})};
  return problem;
}

TEST(ParetoFront, HasWhatNoOtherDivisionBeatsInBoth) {
  const std::vector<FrontPoint> front = pareto_front(two_units());
  ASSERT_EQ(front.size(), 2U);
  EXPECT_EQ(pieces_of(front[0]), (std::vector<std::size_t>{1, 3}));
  EXPECT_EQ(front[0].seconds, 6.0);
  EXPECT_EQ(front[0].dynamic_j, 7.0);
  EXPECT_EQ(pieces_of(front[1]), (std::vector<std::size_t>{0, 4}));
  EXPECT_EQ(front[1].seconds, 12.0);
  EXPECT_EQ(front[1].dynamic_j, 3.0);
}

TEST(ParetoFront, GivesThePointWithTheLeastValueWithinALimitOfTheTime) {
  // Static power of 1 W: 6 + 7 = 13 J and 12 + 3 = 15 J; of 0.5 W: 10 J and 9 J.
  const auto energy_with = [](double static_w) {
    return [static_w](double seconds, double dynamic_j) { return static_w * seconds + dynamic_j; };
  };
  EXPECT_EQ(best_of_front(two_units(), energy_with(1.0), 10.0).seconds, 6.0);
  EXPECT_EQ(best_of_front(two_units(), energy_with(0.5), 10.0).seconds, 12.0);
  EXPECT_EQ(best_of_front(two_units(), energy_with(0.5), 2.0).seconds, 12.0);
  EXPECT_EQ(best_of_front(two_units(), energy_with(0.5), 1.9).seconds, 6.0);
}

TEST(ParetoFront, GivesTheSmallerLastPieceToTheUnitThatGainsMostByIt) {
  // Two pieces, each unit one. Whole pieces take 4 s and 5 s, the last one 3 s and 1 s: the first
  // unit with the whole piece ends after max(4, 1) = 4 s, with the last one after max(3, 5) = 5 s.
  PieceProblem problem;
  problem.pieces = 2;
  problem.last_is_smaller = true;
  problem.units = {tables_of({{4, 1}, {100, 1}}), tables_of({{5, 1}, {100, 1}})};
  problem.units[0].with_last = tables_of({{3, 1}, {100, 1}}).whole;
  problem.units[1].with_last = tables_of({{1, 1}, {100, 1}}).whole;
  const std::vector<FrontPoint> front = pareto_front(problem);
  EXPECT_EQ(front.front().seconds, 4.0);
  EXPECT_EQ(front.front().shares, (std::vector<UnitPieces>{{1, false}, {1, true}}));
}

TEST(ParetoFront, OfOneUnitIsThatUnit) {
  PieceProblem problem;
  problem.pieces = 3;
  problem.units = {tables_of({{1, 1}, {1, 1}, {2, 5}})};
  const std::vector<FrontPoint> front = pareto_front(problem);
  ASSERT_EQ(front.size(), 1U);
  EXPECT_EQ(front[0].seconds, 2.0);
  EXPECT_EQ(front[0].dynamic_j, 5.0);
}

class RandomFront : public testing::Test {
 protected:
  double number(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  }
  int whole(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); }

  /// Times and energies that rise in the mean and jump by `jumps`; a few of them are equal.
  std::vector<PieceCost> table(std::size_t pieces, double jumps) {
    std::vector<PieceCost> costs(1);
    const double item_s = number(0.5, 5.0);
    const double item_j = number(0.0, 5.0);
    for (std::size_t k = 1; k <= pieces; ++k) {
      const auto x = static_cast<double>(k);
      costs.push_back(
          {item_s * x * number(1.0, 1.0 + jumps), item_j * x * number(1.0, 1.0 + jumps)});
      if (whole(0, 9) == 0) costs.back() = {std::floor(costs.back().seconds) + 1.0, 1.0};
    }
    return costs;
  }

  /// `units` units of at most `kinds` kinds.
  PieceProblem problem(int units, int kinds, std::size_t pieces, double jumps) {
    PieceProblem drawn;
    drawn.pieces = pieces;
    drawn.last_is_smaller = whole(0, 1) == 1;
    std::vector<UnitTables> of_kind;
    for (int k = 0; k < kinds; ++k) of_kind.push_back({table(pieces, jumps), table(pieces, jumps)});
    for (int p = 0; p < units; ++p) {
      drawn.units.push_back(of_kind[static_cast<std::size_t>(whole(0, kinds - 1))]);
    }
    return drawn;
  }

  std::uint64_t seed = random_seed();
  std::mt19937_64 random{seed};
  testing::ScopedTrace trace{__FILE__, __LINE__, "--gtest_random_seed=" + std::to_string(seed)};
};

using Division = std::vector<UnitPieces>;

PieceCost cost_of(const PieceProblem& problem, const Division& shares) {
  PieceCost sum;
  for (std::size_t p = 0; p < shares.size(); ++p) {
    if (shares[p].pieces == 0) continue;
    const UnitTables& tables = problem.units[p];
    const PieceCost& cost =
        (shares[p].has_last ? tables.with_last : tables.whole)[shares[p].pieces];
    sum.seconds = std::max(sum.seconds, cost.seconds);
    sum.dynamic_j += cost.dynamic_j;
  }
  return sum;
}

/// Calls `see` with every division of `rest` pieces among the units from `shares.size()` on.
void for_all_divisions(const PieceProblem& problem, Division& shares, std::size_t rest,
                       bool has_last, const std::function<void(const Division&)>& see) {
  if (shares.size() == problem.units.size()) {
    if (rest == 0 && !has_last) see(shares);
    return;
  }
  for (std::size_t k = 0; k <= rest; ++k) {
    for (const bool gets_last : {false, true}) {
      if (gets_last && (!has_last || k == 0)) continue;
      shares.push_back({k, gets_last});
      for_all_divisions(problem, shares, rest - k, has_last && !gets_last, see);
      shares.pop_back();
    }
  }
}

/// The pairs of time and energy that no division beats, by trying all.
std::vector<PieceCost> enumerated_front(const PieceProblem& problem) {
  std::vector<PieceCost> all;
  Division shares;
  for_all_divisions(problem, shares, problem.pieces, problem.last_is_smaller,
                    [&](const Division& one) { all.push_back(cost_of(problem, one)); });
  std::ranges::sort(all, [](const PieceCost& a, const PieceCost& b) { return a < b; });
  std::vector<PieceCost> front;
  for (const PieceCost& one : all) {
    if (front.empty() || one.dynamic_j < front.back().dynamic_j * (1.0 - 1e-9)) {
      front.push_back(one);
    }
  }
  return front;
}

TEST_F(RandomFront, IsThatOfAllDivisionsWhateverTheShapeOfTheTables) {
  for (int round = 0; round < rounds_of(1000); ++round) {
    const int units = whole(1, 4);
    const PieceProblem drawn =
        problem(units, whole(1, 3), static_cast<std::size_t>(whole(1, 8)), number(0.0, 4.0));
    const std::vector<PieceCost> expected = enumerated_front(drawn);
    const std::vector<FrontPoint> front = pareto_front(drawn);
    ASSERT_EQ(front.size(), expected.size()) << "round " << round;
    for (std::size_t i = 0; i < front.size(); ++i) {
      const PieceCost cost = cost_of(drawn, front[i].shares);
      ASSERT_EQ(front[i].seconds, expected[i].seconds) << "round " << round;
      ASSERT_EQ(cost.seconds, front[i].seconds) << "round " << round;
      ASSERT_NEAR(front[i].dynamic_j, expected[i].dynamic_j, 1e-9) << "round " << round;
      ASSERT_NEAR(cost.dynamic_j, front[i].dynamic_j, 1e-9) << "round " << round;
      std::size_t pieces = 0;
      std::size_t lasts = 0;
      for (const UnitPieces& share : front[i].shares) {
        pieces += share.pieces;
        lasts += share.has_last ? 1 : 0;
      }
      ASSERT_EQ(pieces, drawn.pieces);
      ASSERT_EQ(lasts, drawn.last_is_smaller ? 1U : 0U);
    }
  }
}

TEST_F(RandomFront, HoldsThePointThatIsFoundForAValueAlone) {
  for (int round = 0; round < rounds_of(1000); ++round) {
    const PieceProblem drawn =
        problem(whole(1, 6), whole(1, 3), static_cast<std::size_t>(whole(1, 30)), number(0.0, 2.0));
    const double static_w = number(0.0, 3.0);
    const bool is_edp = whole(0, 1) == 1;
    const double most_times = whole(0, 2) == 0 ? never : number(1.0, 2.0);
    const auto value = [&](double seconds, double dynamic_j) {
      const double energy_j = static_w * seconds + dynamic_j;
      return is_edp ? energy_j * seconds : energy_j;
    };
    const std::vector<FrontPoint> front = pareto_front(drawn);
    double least = never;
    for (const FrontPoint& point : front) {
      if (point.seconds > most_times * front.front().seconds) continue;
      least = std::min(least, value(point.seconds, point.dynamic_j));
    }
    const FrontPoint best = best_of_front(drawn, value, most_times);
    ASSERT_LE(best.seconds, most_times * front.front().seconds) << "round " << round;
    ASSERT_NEAR(value(best.seconds, best.dynamic_j) / least, 1.0, 1e-9) << "round " << round;
  }
}

/// The least energy of all pieces within `limit_s`, unit by unit.
double least_energy(const PieceProblem& problem, double limit_s) {
  std::vector<double> least(2 * (problem.pieces + 1), never);  // [2 k + whether the last is given]
  least[0] = 0.0;
  for (const UnitTables& unit : problem.units) {
    std::vector<double> next = least;
    for (std::size_t k = 1; k <= problem.pieces; ++k) {
      for (std::size_t before = 0; before + k <= problem.pieces; ++before) {
        const auto reach = [&](std::size_t from, std::size_t to, const PieceCost& cost) {
          if (cost.seconds <= limit_s) next[to] = std::min(next[to], least[from] + cost.dynamic_j);
        };
        const std::size_t to = 2 * (before + k);
        reach(2 * before, to, unit.whole[k]);
        reach(2 * before + 1, to + 1, unit.whole[k]);
        if (problem.last_is_smaller) reach(2 * before, to + 1, unit.with_last[k]);
      }
    }
    least = next;
  }
  return least[2 * problem.pieces + (problem.last_is_smaller ? 1 : 0)];
}

TEST_F(RandomFront, OfManyUnitsOfFewKindsIsThatOfAPlainDynamicProgram) {
  const PieceProblem drawn = problem(64, 3, 200, 1.0);
  const std::vector<FrontPoint> front = pareto_front(drawn);
  ASSERT_GE(front.size(), 2U);
  EXPECT_EQ(least_energy(drawn, std::nextafter(front.front().seconds, 0.0)), never);
  for (std::size_t i = 0; i < front.size(); i += 1 + front.size() / 8) {
    EXPECT_NEAR(least_energy(drawn, front[i].seconds) / front[i].dynamic_j, 1.0, 1e-9);
    EXPECT_NEAR(cost_of(drawn, front[i].shares).dynamic_j / front[i].dynamic_j, 1.0, 1e-9);
    if (i == 0) continue;
    EXPECT_NEAR(least_energy(drawn, std::nextafter(front[i].seconds, 0.0)) / front[i - 1].dynamic_j,
                1.0, 1e-9);
  }
  EXPECT_NEAR(least_energy(drawn, never) / front.back().dynamic_j, 1.0, 1e-9);
}

}  // namespace
}  // namespace equipoise::pareto_front_test
