// Tests of the best known of a comparison: the best of the search and of its results.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "tests/support/verified_result.hpp"
#include "tools/worlds/comparison.hpp"

namespace equipoise::best_known_test {
namespace {

/// Results of greedy and plb-hec beside a search that found 1.1 s.
Comparison beside_a_search(const PolicyResult& greedy, const PolicyResult& plb_hec) {
  Comparison comparison;
  comparison.policies = {parse_policy("greedy"), parse_policy("plb-hec")};
  comparison.best_known = {1.1, "optimum:reacts=true"};
  comparison.results = {greedy, plb_hec};
  relate_results(comparison, "greedy");
  return comparison;
}

TEST(BestKnown, IsTheBestOfTheSearchAndOfEveryRow) {
  const Comparison beaten = beside_a_search(verified_result("greedy", {0.9, 1.1}, 1.0),
                                            verified_result("plb-hec", {1.04, 1.04}, 1.0));
  EXPECT_NEAR(beaten.best_known->seconds, 1.0, 1e-12);  // (0.9 + 1.1) / 2
  EXPECT_EQ(beaten.best_known->spelling, "greedy");
  EXPECT_NEAR(*over_best_known(beaten, beaten.results[0]), 1.0, 1e-12);
  EXPECT_NEAR(*over_best_known(beaten, beaten.results[1]), 1.04, 1e-12);
  const Comparison held = beside_a_search(verified_result("greedy", {1.2, 1.2}, 1.0),
                                          verified_result("plb-hec", {1.1, 1.1}, 1.0));
  EXPECT_EQ(held.best_known->spelling, "optimum:reacts=true");
}

TEST(BestKnown, IsNoRowOfOtherRepetitionsOrAnotherWorldOrOfWorkNotDone) {
  const PolicyResult plb_hec = verified_result("plb-hec", {1.3, 1.3}, 1.0);
  PolicyResult undone = verified_result("greedy", {0.5, 0.5}, 1.0);
  undone.verified = false;
  PolicyResult real = verified_result("greedy", {0.5, 0.5}, 1.0);
  real.on = "real";
  for (const PolicyResult& other : {verified_result("greedy", {0.5}, 1.0), undone, real}) {
    const Comparison comparison = beside_a_search(other, plb_hec);
    EXPECT_EQ(comparison.best_known->spelling, "optimum:reacts=true");
    EXPECT_NEAR(*over_best_known(comparison, comparison.results[1]), 1.3 / 1.1, 1e-12);
    const std::optional<double> ratio = over_best_known(comparison, comparison.results[0]);
    EXPECT_EQ(ratio.has_value(), other.on == "real");
  }
}

TEST(BestKnown, IsNotKnownWithoutASearch) {
  Comparison comparison;
  comparison.policies = {parse_policy("greedy")};
  comparison.results = {verified_result("greedy", {1.0}, 1.0)};
  relate_results(comparison, "greedy");
  EXPECT_FALSE(comparison.best_known.has_value());
}

}  // namespace
}  // namespace equipoise::best_known_test
