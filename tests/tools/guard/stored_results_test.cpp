// Tests of numbers of results and their intervals; values are worked out by hand.
#include "tools/guard/stored_results.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "shared_policies/model/failure.hpp"
#include "tests/support/refusal.hpp"
#include "tests/tools/guard/result_texts.hpp"

namespace equipoise::stored_results_test {
namespace {

const double sqrt3 = std::sqrt(3.0);
const double t_2 = 0.95 * std::sqrt(2.0 / 0.0975);  // Student's t, 2 degrees of freedom, 97.5 %

Estimate number(const StoredResults& results, const std::string& policy, const std::string& name) {
  return number_of(results, *find_result(results, policy, "sim"), name, 0.95).value();
}

TEST(StoredResults, GiveMeansAndIntervalsOfRepetitions) {
  const StoredResults results = parse_results(
      results_json({result_text("greedy", {6, 8, 10}), result_text("a", {4, 5, 6})}), "r.json");
  const Estimate makespan = number(results, "a", "makespan_s");
  EXPECT_TRUE(makespan.has_interval);
  EXPECT_DOUBLE_EQ(makespan.value, 5.0);
  EXPECT_NEAR(makespan.low, 5.0 - t_2 / sqrt3, 1e-12);
  EXPECT_NEAR(makespan.high, 5.0 + t_2 / sqrt3, 1e-12);
  EXPECT_NEAR(number(results, "a", "over_lower_bound").low, 0.5 * makespan.low, 1e-12);
  EXPECT_DOUBLE_EQ(number(results, "a", "makespan_s.mean").low, makespan.low);
}

TEST(StoredResults, GiveTheRatioOfMeansOfRatios) {
  // 8 / 5 = 1.6; samples 1.6 + (6 - 6.4) / 5, 1.6 + (8 - 8) / 5, 1.6 + (10 - 9.6) / 5.
  const StoredResults results = parse_results(
      results_json({result_text("greedy", {6, 8, 10}), result_text("a", {4, 5, 6})}), "r.json");
  const Estimate speedup = number(results, "a", "speedup_vs_baseline");
  EXPECT_DOUBLE_EQ(speedup.value, 1.6);
  EXPECT_NEAR(speedup.high - speedup.value, t_2 * 0.08 / sqrt3, 1e-12);
  const Estimate own = number(results, "greedy", "speedup_vs_baseline");
  EXPECT_DOUBLE_EQ(own.low, 1.0);
  EXPECT_DOUBLE_EQ(own.high, 1.0);
}

TEST(StoredResults, GiveMakespansOverThoseOfTheReference) {
  // 6/4, 8/5 and 10/4: mean 28/15.
  std::string text = results_json({result_text("greedy", {6, 8, 10}), result_text("a", {4, 5, 4})});
  text.replace(text.find("\"lower_bound_s\""), 0, "\"reference\":\"a\",");
  const Estimate ratio = number(parse_results(text, "r.json"), "greedy", "paired_ratio");
  EXPECT_DOUBLE_EQ(ratio.value, 28.0 / 15.0);
  EXPECT_TRUE(ratio.has_interval);
}

TEST(StoredResults, GiveTheProductOfMeansOfEnergyAndMakespan) {
  // Means 50 J and 5 s; samples E t + e T - E T: 40*5 + 50*4 - 250 = 150, 250, 350.
  const StoredResults results =
      parse_results(results_json({result_text("a", {4, 5, 6})}), "r.json");
  const Estimate edp = number(results, "a", "edp_js");
  EXPECT_DOUBLE_EQ(edp.value, 250.0);
  EXPECT_NEAR(edp.high - edp.value, t_2 * 100.0 / sqrt3, 1e-9);
}

TEST(StoredResults, KnowWhichNumbersHaveNoInterval) {
  const StoredResults noisy = parse_results(results_json({result_text("a", {4})}), "r.json");
  EXPECT_FALSE(number(noisy, "a", "makespan_s").has_interval);
  EXPECT_FALSE(number(noisy, "a", "share_by_unit.n0.gpu").has_interval);
  EXPECT_DOUBLE_EQ(number(noisy, "a", "share_by_unit.n0.gpu").value, 0.75);
  const StoredResult& a = *find_result(noisy, "a", "sim");
  EXPECT_FALSE(number_of(noisy, a, "over_best_known", 0.95).has_value());
  EXPECT_FALSE(number_of(noisy, a, "blocks", 0.95).has_value());
  EXPECT_FALSE(number_of(noisy, a, "speedup_vs_baseline", 0.95).has_value());  // no baseline
  const StoredResults exact =
      parse_results(results_json({result_text("a", {4})}, {.noise = false}), "r.json");
  EXPECT_TRUE(number(exact, "a", "makespan_s").has_interval);
}

TEST(StoredResults, FindQuantitiesByTheHeadingsOfTables) {
  EXPECT_EQ(find_quantity("times bound"), find_quantity("over_lower_bound"));
  EXPECT_EQ(find_quantity("speedup"), find_quantity("speedup_vs_baseline"));
  EXPECT_EQ(find_quantity("idle %"), find_quantity("idle_fraction"));
  EXPECT_EQ(find_quantity("idle_fraction.mean"), find_quantity("idle_fraction"));
  EXPECT_EQ(find_quantity("remarks"), nullptr);
  EXPECT_EQ(find_quantity(""), nullptr);
}

TEST(StoredResults, RefuseOtherFilesAndOldOnesWithTheLine) {
  EXPECT_EQ(refusal_of([] {
              static_cast<void>(parse_results("{\"schema\":\"equipoise.run/1\"}", "f"));
            }).substr(0, 4),
            "f:1:");
  std::string old = results_json({result_text("a", {4})});
  old.replace(old.find("\"repetitions\""), 13, "\"other\"");
  EXPECT_EQ(refusal_of([&] { static_cast<void>(parse_results(old, "old.json")); }),
            "old.json:4: the result has no repetitions, because an older version wrote it; make it "
            "again with this one");
}

}  // namespace
}  // namespace equipoise::stored_results_test
