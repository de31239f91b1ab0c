// Tests of the rows and columns of a comparison's table, and of what its star says.
#include "tools/report/table_rows.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/refusal.hpp"
#include "tests/support/verified_result.hpp"
#include "tools/report/report_text.hpp"
#include "tools/worlds/comparison.hpp"

namespace equipoise::table_rows_test {
namespace {

using Names = std::vector<std::string>;

/// A comparison of these policies, simulated with these makespans; greedy is the baseline.
Comparison comparison_of(const std::vector<std::pair<std::string, std::vector<double>>>& policies) {
  Comparison comparison;
  comparison.units = {"u"};
  comparison.lower_bound_s = 1.0;
  comparison.experiment.baseline = "greedy";
  comparison.experiment.sim.emplace().noise = true;
  for (const auto& [name, makespans_s] : policies) {
    comparison.policies.push_back(parse_policy(name));
    comparison.results.push_back(verified_result(name, makespans_s, 1.0));
  }
  relate_results(comparison, "greedy");
  return comparison;
}

Names rows_of(const Comparison& comparison, const TableChoice& choice) {
  Names names;
  for (const PolicyResult& result : arranged(comparison, choice).results) {
    names.push_back(result.spelling);
  }
  return names;
}

TEST(TableRows, StandInTheOrderOfTheirPoliciesUnlessTheyAreSorted) {
  const Comparison of = comparison_of({{"greedy", {3, 3}}, {"gss", {1, 1}}, {"fac2", {2, 2}}});
  EXPECT_EQ(rows_of(of, {}), (Names{"greedy", "gss", "fac2"}));
  EXPECT_EQ(rows_of(of, {.sort = "makespan"}), (Names{"gss", "fac2", "greedy"}));
  EXPECT_EQ(rows_of(of, {.sort = "policy"}), (Names{"fac2", "greedy", "gss"}));
}

TEST(TableRows, HaveTheBestFirstAlsoWhereMoreIsBetter) {
  const Comparison of = comparison_of({{"greedy", {3, 3}}, {"gss", {1, 1}}, {"fac2", {2, 2}}});
  EXPECT_EQ(rows_of(of, {.sort = "speedup"}), (Names{"gss", "fac2", "greedy"}));
  EXPECT_EQ(rows_of(of, {.sort = "times bound"}), (Names{"gss", "fac2", "greedy"}));
}

TEST(TableRows, HaveWhatIsNotKnownLast) {
  Comparison of = comparison_of({{"greedy", {3, 3}}, {"gss", {1, 1}}, {"fac2", {2, 2}}});
  of.results[1].over_lower_bound.reset();
  EXPECT_EQ(rows_of(of, {.sort = "over_lower_bound"}), (Names{"fac2", "greedy", "gss"}));
}

TEST(TableRows, KeepTheBaselineBesideTheTop) {
  const Comparison of =
      comparison_of({{"greedy", {4, 4}}, {"gss", {1, 1}}, {"fac2", {2, 2}}, {"tss", {3, 3}}});
  EXPECT_EQ(rows_of(of, {.top = 2}), (Names{"gss", "fac2", "greedy"}));
  const std::string text = comparison_table(of, {.top = 1});
  EXPECT_NE(text.find("\n2 of 4 rows; without --top all are shown\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("tss"), std::string::npos) << text;
}

TEST(TableRows, KeepTheStarAtTheFastestOfAll) {
  const Comparison of = comparison_of({{"greedy", {4, 4}}, {"gss", {1, 1}}, {"fac2", {2, 2}}});
  const std::string text = comparison_table(of, {.sort = "policy", .top = 1});
  EXPECT_EQ(text.find("*2.000"), std::string::npos) << text;
}

TEST(TableRows, RefuseAColumnThatThereIsNot) {
  expect_column("", "--sort");
  expect_column("energy_j", "--sort");
  EXPECT_EQ(refusal_of([] { expect_column("makspan", "--sort"); }),
            "--sort: unknown column 'makspan'; did you mean 'makespan'?");
}

TEST(BriefTables, HaveTheColumnsThatMatterAndNothingBelow) {
  const Comparison of = comparison_of({{"greedy", {3, 3}}, {"gss", {1, 1}}});
  EXPECT_EQ(comparison_table(of, {.is_brief = true}),
            "policy  makespan s  ± s  speedup  times bound\n"
            "------  ----------  ---  -------  -----------\n"
            "greedy       3.000    0     1.00        3.000\n"
            "gss         *1.000    0     3.00        1.000\n"
            "\n"
            "* fastest policy that does not know this run's mean times; lower bound 1.000 s\n");
}

TEST(Definitions, AreLeftOutButNotWhatTheTablesSay) {
  Comparison of = comparison_of({{"greedy", {3, 3}}, {"gss", {1, 1}}});
  of.assumptions = "a decision takes 1 s";
  for (PolicyResult& result : of.results) result.loss = Losses{.tail = Seconds{0.5}};
  const std::string text = comparison_table(of, {.has_definitions = false});
  EXPECT_EQ(text.find("The baseline's mean makespan divided"), std::string::npos) << text;
  EXPECT_EQ(text.find("Time lost to"), std::string::npos) << text;
  EXPECT_NE(text.find("lower bound 1.000 s"), std::string::npos) << text;
  EXPECT_NE(text.find("a decision takes 1 s"), std::string::npos) << text;
  EXPECT_NE(text.find("\nloss: in % of the lower bound\n"), std::string::npos) << text;
}

TEST(TheStar, SaysWhoMayBeAsFast) {
  // gss / fac2, repetition by repetition: 1.1, 0.9, 1.1, mean 1.0333, +- 0.287 (t = 4.303). greedy
  // takes 9 times as long as fac2 every time, tss 1.5 times.
  const Comparison of = comparison_of({{"greedy", {9, 18, 27}},
                                       {"gss", {1.1, 1.8, 3.3}},
                                       {"fac2", {1, 2, 3}},
                                       {"tss", {1.5, 3, 4.5}}});
  EXPECT_EQ(fastest_result(of, "sim")->spelling, "fac2");
  EXPECT_EQ(perhaps_as_fast(of, "sim"), Names{"gss"});
  const std::string text = comparison_table(of);
  EXPECT_NE(text.find("mean times, perhaps by chance: gss may be"), std::string::npos) << text;
}

TEST(TheStar, IsCertainWithoutNoiseAndUnknownAfterOneRunWithIt) {
  Comparison of = comparison_of({{"greedy", {9}}, {"gss", {1.0}}, {"fac2", {1.001}}});
  EXPECT_EQ(perhaps_as_fast(of, "sim"), (Names{"greedy", "fac2"}));
  EXPECT_NE(comparison_table(of).find("perhaps by chance: one run does not"), std::string::npos);
  of.experiment.sim->noise = false;
  EXPECT_TRUE(perhaps_as_fast(of, "sim").empty());
  EXPECT_EQ(comparison_table(of).find("perhaps"), std::string::npos);
}

TEST(TheStar, DoesNotCountOraclesAndFailures) {
  Comparison of = comparison_of({{"greedy", {20, 10}}, {"optimum", {1, 2}}, {"gss", {2, 1}}});
  EXPECT_TRUE(perhaps_as_fast(of, "sim").empty());
  of.results[2].verified = false;
  EXPECT_EQ(fastest_result(of, "sim")->spelling, "greedy");
}

}  // namespace
}  // namespace equipoise::table_rows_test
