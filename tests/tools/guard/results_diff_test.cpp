// Tests of changes between two results; values are worked out by hand.
#include "tools/guard/results_diff.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/support/refusal.hpp"
#include "tests/tools/guard/result_texts.hpp"

namespace equipoise::results_diff_test {
namespace {

const Quantity& makespan = *find_quantity("makespan_s");

StoredResults results_of(const std::vector<double>& makespans_s,
                         const ExperimentText& experiment = {}, const std::string& on = "sim") {
  return parse_results(results_json({result_text("a", makespans_s, on)}, experiment), "r.json");
}

ResultsDiff diff(const StoredResults& before, const StoredResults& now) {
  return diff_results(before, now, makespan, 0.95);
}

TEST(ResultsDiff, PairsRepetitionsOfTheSameSimulations) {
  // Every repetition is 10 % longer, so the interval is a point, however much they differ.
  const ResultsDiff found = diff(results_of({1, 2, 4}), results_of({1.1, 2.2, 4.4}));
  ASSERT_EQ(found.changes.size(), 1u);
  const PolicyChange& change = found.changes.front();
  EXPECT_TRUE(change.is_paired);
  EXPECT_NEAR(change.change->value, 0.1, 1e-12);
  EXPECT_NEAR(change.change->low, 0.1, 1e-12);
  EXPECT_NEAR(change.change->high, 0.1, 1e-12);
  EXPECT_EQ(change.verdict, Verdict::worse);
  EXPECT_TRUE(found.differences.empty());
}

TEST(ResultsDiff, AddsVariancesAsWelchDoesWhereDrawsDiffer) {
  // Means 2 and 4, ratio 2; variance of the ratio: 2^2 * 2 / 2 / 2^2 = 1, one degree of freedom.
  const ResultsDiff found = diff(results_of({1, 3}), results_of({4, 4}, {.seed = 2}));
  const PolicyChange& change = found.changes.front();
  EXPECT_FALSE(change.is_paired);
  EXPECT_DOUBLE_EQ(change.change->value, 1.0);
  EXPECT_NEAR(change.change->high - 1.0, 12.706204736432095, 1e-9);
  EXPECT_EQ(change.verdict, Verdict::undecided);
  ASSERT_EQ(found.differences.size(), 1u);
  EXPECT_EQ(found.differences.front().what, "seed");
  EXPECT_EQ(found.differences.front().before->number, 1.0);
  EXPECT_EQ(found.differences.front().now->number, 2.0);
}

TEST(ResultsDiff, ComparesWorkloadsByWhatTheyMean) {
  const auto of = [](const std::string& workload) {
    return results_of({1, 2}, {.workload = workload});
  };
  EXPECT_EQ(diff(of("k:items=1e4,grain_items=2"), of("k:grain_items=2,items=10000"))
                .changes.front()
                .verdict,
            Verdict::equal);
  EXPECT_EQ(diff(of("blackscholes:options=4096"), of("blackscholes:options=4Ki,iterations=1"))
                .changes.size(),
            1u);
  EXPECT_TRUE(refusal_of([&] {
                (void)diff(of("k:items=4096"), of("k:items=4000"));
              }).ends_with("compare results of the same workload"));
}

TEST(ResultsDiff, PairsRunsOfTwoBuildsOfAPolicy) {
  const ResultsDiff found =
      diff(results_of({1, 2}), results_of({2, 4}, {.library_hash = "0000000000000001"}));
  EXPECT_TRUE(found.differences.empty());
  EXPECT_TRUE(found.changes.front().is_paired);
}

TEST(ResultsDiff, NeverPairsRealRuns) {
  const ResultsDiff found = diff(results_of({1, 2}, {}, "real"), results_of({1, 2}, {}, "real"));
  EXPECT_FALSE(found.changes.front().is_paired);
  EXPECT_EQ(found.changes.front().verdict, Verdict::undecided);
}

TEST(ResultsDiff, CallsExactResultsEqualOrChanged) {
  const ExperimentText exact{.noise = false};
  EXPECT_EQ(diff(results_of({3}, exact), results_of({3}, exact)).changes.front().verdict,
            Verdict::equal);
  EXPECT_EQ(diff(results_of({3}, exact), results_of({2}, exact)).changes.front().verdict,
            Verdict::better);
}

TEST(ResultsDiff, FailsOnlyIfTheNearEndOfTheIntervalIsBeyondTheLimit) {
  // Samples of the ratio 1.1: 1.1 + (1.0 - 1.1) / 1 and 1.1 + (1.2 - 1.1) / 1; half the interval is
  // 12.7062 * 0.1, so that nothing is certain.
  const StoredResults unsure = results_of({1.0, 1.2});
  const StoredResults before = results_of({1, 1});
  EXPECT_EQ(check_diff(diff(before, unsure), unsure, makespan, 0.0).front().failure, "");
  const StoredResults worse = results_of({1.1, 1.1});
  const ResultsDiff found = diff(before, worse);
  EXPECT_EQ(check_diff(found, worse, makespan, 0.11).front().failure, "");
  EXPECT_EQ(check_diff(found, worse, makespan, 0.05).front().failure,
            "r.json: a (sim): makespan_s changed by +10.00 % (interval +10.00 to +10.00 %), from "
            "1.0000 to 1.1000; --fail allows 5.00 %");
}

TEST(ResultsDiff, FailsWhereSomethingGrowsFromZero) {
  const StoredResults now = results_of({1, 1});
  const ResultsDiff found = diff(results_of({0, 0}), now);
  EXPECT_EQ(found.changes.front().verdict, Verdict::worse);
  EXPECT_EQ(
      check_diff(found, now, makespan, 0.05).front().failure,
      "r.json: a (sim): makespan_s changed (interval now 1.0000 to 1.0000), from 0 to 1.0000; "
      "--fail allows 5.00 %");
  EXPECT_EQ(diff(results_of({0, 0}), results_of({0, 0})).changes.front().verdict, Verdict::equal);
}

TEST(ResultsDiff, JudgesSpeedupsTheOtherWayRound) {
  const auto with_greedy = [](double seconds) {
    return parse_results(
        results_json({result_text("greedy", {2, 2}), result_text("a", {seconds, seconds})}), "r");
  };
  const StoredResults now = with_greedy(2.0);
  const Quantity& speedup = *find_quantity("speedup_vs_baseline");
  const ResultsDiff found = diff_results(with_greedy(1.0), now, speedup, 0.95);
  EXPECT_EQ(found.changes.back().verdict, Verdict::worse);
  EXPECT_NEAR(found.changes.back().change->value, -0.5, 1e-12);
  EXPECT_NE(check_diff(found, now, speedup, 0.05).back().failure, "");
}

TEST(ResultsDiff, SaysWhatIsNotComparedAndRefusesWhatCannotBe) {
  const StoredResults before = parse_results(
      results_json({result_text("a", {1, 1}), result_text("b", {1, 1}), result_text("c", {1, 1})}),
      "old");
  const StoredResults now =
      parse_results(results_json({result_text("a", {1, 1}, "sim", false), result_text("b", {1, 1}),
                                  result_text("d", {1, 1})},
                                 {.trace_hash = "fedcba9876543210"}),
                    "new");
  const ResultsDiff found = diff(before, now);
  EXPECT_EQ(found.only_before, std::vector<std::string>{"c (sim)"});
  EXPECT_EQ(found.only_now, std::vector<std::string>{"d (sim)"});
  EXPECT_EQ(found.unverified, std::vector<std::string>{"a (sim)"});
  EXPECT_EQ(found.differences.front().what, "contents of t.jsonl");
  EXPECT_EQ(check_diff(found, now, makespan, 0.5).front().failure,
            "new: a (sim) is not verified any more");
  EXPECT_NE(refusal_of([&] {
              static_cast<void>(diff(before, results_of({1}, {.workload = "k:items=20"})));
            }).find("compare results of the same workload"),
            std::string::npos);
  EXPECT_NE(
      refusal_of([&] {
        static_cast<void>(check_diff(diff(results_of({1}), results_of({2})), now, makespan, 0.05));
      }).find("--reps 2 or more"),
      std::string::npos);
}

}  // namespace
}  // namespace equipoise::results_diff_test
