// The numbers of runs and their summaries, against values worked out by hand.
#include "shared_policies/run/results.hpp"

#include <gtest/gtest.h>

namespace equipoise {
namespace {

BlockRecord record(std::uint32_t unit, Items items, double busy_s, double end_s) {
  BlockRecord r;
  r.unit = UnitId{unit};
  r.block.items = items;
  r.times.compute = Seconds{busy_s};
  r.end = Seconds{end_s};
  return r;
}

TEST(Metrics, AddsUpARun) {
  std::vector<Unit> units(2);
  units[0].idle_w = 10;
  units[0].busy_w = 30;
  units[1].idle_w = 5;
  units[1].busy_w = 5;
  Metrics metrics(units, {{{10, 100}, {50, 100}}});
  metrics.block(record(0, 60, 4, 4));
  metrics.block(record(1, 40, 6, 8));  // smaller than the 50 that were recorded
  metrics.decision({Seconds{1}, Seconds{0.25}, {std::nullopt, "fit", {}}});
  metrics.decision({Seconds{2}, Seconds{0.75}, {std::nullopt, "rebalance", {}}});
  metrics.event({Seconds{3}, "block_lost", UnitId{0}, Block{3, 0, 20}});
  const RunNumbers n = metrics.numbers();
  EXPECT_DOUBLE_EQ(n.makespan.value, 8.0);
  EXPECT_DOUBLE_EQ(share(n, 0), 0.6);
  EXPECT_DOUBLE_EQ(idle_fraction(n, 0), 0.5);
  EXPECT_DOUBLE_EQ(idle_fraction(n, 1), 0.25);
  EXPECT_DOUBLE_EQ(finish_spread(n).value, 4.0);
  EXPECT_EQ(n.decisions, 2u);
  EXPECT_EQ(n.rebalances, 1u);
  EXPECT_DOUBLE_EQ(n.decisions_total.value, 1.0);
  EXPECT_DOUBLE_EQ(n.decisions_max.value, 0.75);
  EXPECT_EQ(n.items_redone, 20);
  EXPECT_DOUBLE_EQ(n.extrapolated_share, 0.4);
  ASSERT_TRUE(n.energy_j);
  EXPECT_DOUBLE_EQ(*n.energy_j, 10 * 8 + 20 * 4 + 5 * 8);
}

TEST(Metrics, KnowsNoEnergyWithoutTheWattsOfEveryUnit) {
  Metrics metrics(std::vector<Unit>(1));
  EXPECT_FALSE(metrics.numbers().energy_j);
}

TEST(Statistics, GiveStudentsInterval) {
  // Mean 3, sd sqrt(2.5), t(0.975, 4 degrees) = 2.776445.
  const Statistics s = summarise(std::vector<double>{1, 2, 3, 4, 5});
  EXPECT_DOUBLE_EQ(s.mean, 3.0);
  EXPECT_NEAR(s.sd, 1.5811388, 1e-7);
  EXPECT_NEAR(s.ci95_high, 3.0 + 2.776445 * 1.5811388 / 2.2360680, 1e-5);
  EXPECT_DOUBLE_EQ(s.min, 1.0);
  EXPECT_DOUBLE_EQ(s.max, 5.0);
}

TEST(Statistics, OfOneValueAreThatValue) {
  const Statistics s = summarise(std::vector<double>{2.5});
  EXPECT_DOUBLE_EQ(s.ci95_low, 2.5);
  EXPECT_DOUBLE_EQ(s.sd, 0.0);
}

TEST(Results, CompareMeanMakespansWithTheBaselineOfTheSameWorld) {
  const auto result = [](const std::string& policy, const std::string& on, double makespan_s) {
    Metrics metrics(std::vector<Unit>(1));
    metrics.block(record(0, 10, makespan_s, makespan_s));
    return summarise(policy, on, {{metrics.numbers(), true, false}}, 4.0);
  };
  std::vector<PolicyResult> results = {result("greedy", "sim", 10), result("plb-hec", "sim", 5),
                                       result("greedy", "real", 12), result("plb-hec", "real", 8)};
  compare_with_baseline(results, "greedy");
  EXPECT_DOUBLE_EQ(results[1].speedup_vs_baseline, 2.0);
  EXPECT_DOUBLE_EQ(results[3].speedup_vs_baseline, 1.5);
  EXPECT_DOUBLE_EQ(*results[1].over_lower_bound, 1.25);
  EXPECT_TRUE(results[1].verified);
}

}  // namespace
}  // namespace equipoise
