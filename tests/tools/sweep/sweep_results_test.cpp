// Tests of the summaries of a sweep, with values worked out by hand.
#include "tools/sweep/sweep_results.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/verified_result.hpp"
#include "tools/sweep/sweep_report.hpp"

namespace equipoise::sweep_results_test {
namespace {

/// Two experiments. plb-hec is the reference, optimum is an oracle.
SweepResults two_experiments(const std::vector<std::string>& groups = {"", ""}) {
  SweepResults results;
  results.campaign.title = "two";
  results.campaign.reference = "plb-hec";
  for (const char* name : {"one", "two"}) {
    Experiment experiment;
    experiment.name = name;
    experiment.group = groups[results.campaign.experiments.size()];
    results.campaign.experiments.push_back(experiment);
    Comparison comparison;
    for (const char* policy : {"greedy", "plb-hec", "optimum"}) {
      comparison.policies.push_back(parse_policy(policy));
    }
    comparison.reference = "plb-hec";
    comparison.lower_bound_s = 1.0;
    comparison.best_known = {1.1, "optimum"};
    results.comparisons.push_back(comparison);
  }
  results.comparisons[0].results = {verified_result("greedy", {4.0, 4.0}, 1.0),
                                    verified_result("plb-hec", {2.0, 2.0}, 1.0),
                                    verified_result("optimum", {1.0, 1.0}, 1.0)};
  results.comparisons[1].results = {verified_result("greedy", {2.0, 4.0}, 1.0),
                                    verified_result("plb-hec", {2.2, 4.4}, 1.0),
                                    verified_result("optimum", {1.0, 1.0}, 1.0)};
  for (Comparison& comparison : results.comparisons) relate_results(comparison, "greedy");
  add_up(results);
  return results;
}

TEST(SweepResults, TakeGeometricMeansAndTheWorst) {
  const SweepResults results = two_experiments();
  ASSERT_EQ(results.standings.size(), 3u);
  const PolicyStanding& plb = results.standings[1];
  EXPECT_EQ(plb.spelling, "plb-hec");
  EXPECT_NEAR(plb.speedup.geometric_mean, std::sqrt(2.0 / 1.1), 1e-12);  // 4/2 and 3/3.3
  EXPECT_NEAR(plb.speedup.worst, 1.0 / 1.1, 1e-12);
  EXPECT_EQ(plb.speedup.worst_experiment, "two");
  EXPECT_NEAR(plb.over_lower_bound.geometric_mean, std::sqrt(2.0 * 3.3), 1e-12);
  // An oracle does not count as the best.
  EXPECT_NEAR(plb.over_best.geometric_mean, std::sqrt(1.1), 1e-12);
  EXPECT_EQ(results.standings[2].foresight, Foresight::oracle);
  EXPECT_NEAR(results.standings[0].over_reference.geometric_mean, std::sqrt(2.0 / 1.1), 1e-12);
}

TEST(SweepResults, MeasureByTheBestKnown) {
  SweepResults results = two_experiments();
  Comparison& two = results.comparisons[1];
  // The search found 1.1 s, the oracle's row has 1.0 s.
  EXPECT_NEAR(*over_best_known(two, two.results[1]), 3.3, 1e-12);  // 3.3 / 1.0
  EXPECT_NEAR(results.standings[1].over_best_known.worst, 3.3, 1e-12);
  EXPECT_NEAR(results.standings[2].over_best_known.worst, 1.0, 1e-12);
  EXPECT_NE(sweep_markdown(results).find("| two | 3.000 | 3.300 | 1.000 |"), std::string::npos)
      << sweep_markdown(results);
  two.best_known.reset();
  EXPECT_FALSE(over_best_known(two, two.results[1]).has_value());
}

TEST(SweepResults, PairTheReferenceWithTheBestOther) {
  const SweepResults results = two_experiments();
  ASSERT_EQ(results.against.size(), 2u);
  EXPECT_EQ(results.against[1].best_other, "greedy");
  EXPECT_NEAR(results.against[0].ratio.mean, 0.5, 1e-12);
  EXPECT_NEAR(results.against[1].ratio.mean, 1.1, 1e-12);
  // The ratio is the same in both repetitions.
  EXPECT_NEAR(results.against[1].ratio.ci95_low, 1.1, 1e-12);
}

TEST(SweepResults, CountExperimentsWithResultsWhateverTheirBound) {
  SweepResults results = two_experiments();
  results.standings.clear();
  Comparison& two = results.comparisons[1];
  two.lower_bound_s.reset();
  two.results.erase(two.results.begin());  // as if the baseline had failed
  for (PolicyResult& result : two.results) {
    result.over_lower_bound.reset();
    result.speedup_vs_baseline.reset();
  }
  add_up(results);
  EXPECT_EQ(results.standings[0].experiments, 1u);
  EXPECT_EQ(results.standings[1].experiments, 2u);
  EXPECT_EQ(results.standings[1].over_lower_bound.experiments, 1u);
  const std::string text = sweep_markdown(results);
  EXPECT_NE(text.find("| plb-hec | 2 | 2.000 | 2.000 | 2.0000 |"), std::string::npos) << text;
  EXPECT_NE(text.find("| two | - | - | - |"), std::string::npos) << text;
}

TEST(SweepResults, TakeTheMeanOfLossesByCause) {
  SweepResults results = two_experiments();
  results.standings.clear();
  results.comparisons[1].lower_bound_s = 2.0;
  results.comparisons[0].results[1].loss = Losses{.link = Seconds{0.5}, .tail = Seconds{0.5}};
  results.comparisons[1].results[1].loss = Losses{.tail = Seconds{0.4}};
  results.comparisons[0].results[0].loss = Losses{.computing = Seconds{3}};
  add_up(results);
  const std::string text = sweep_markdown(results);
  // plb-hec: (100 + 20) / 2 % of the bound; greedy has a known loss in one experiment.
  EXPECT_NE(text.find("| policy | loss | computing | link | tail |\n|---|---:|---:|---:|---:|\n"
                      "| greedy | 300.0 | 300.0 | 0.0 | 0.0 |\n"
                      "| plb-hec | 60.0 | 0.0 | 25.0 | 35.0 |\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(sweep_markdown(two_experiments()).find("Losses by cause"), std::string::npos);
}

TEST(SweepResults, ExplainTheirColumnsBelowTheTable) {
  const std::string text = standings_table(two_experiments());
  EXPECT_NE(
      text.find("policy                      experiments  speedup  worst speedup  times bound"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("\nGeometric means over 2 experiments, each with the worst. speedup:"),
            std::string::npos)
      << text;
  const std::string legend =
      "times bound: The mean makespan divided by the lower bound: without noise, at least 1. "
      "times best known: The mean makespan divided by the best known one under the same noise. "
      "times fastest: The mean makespan divided by that of the fastest policy";
  EXPECT_NE(sweep_markdown(two_experiments()).find(legend), std::string::npos);
  const SweepResults on_page = two_experiments();
  EXPECT_NE(sweep_html(on_page).find(legend), std::string::npos);
}

TEST(References, AreThoseThatTheCampaignNamesOrElseOurOwn) {
  const std::vector<PolicyChoice> both = {parse_policy("greedy"), parse_policy("equipoise")};
  EXPECT_EQ(choose_reference(both, {}), "equipoise");
  EXPECT_EQ(choose_reference(both, "greedy"), "greedy");
  EXPECT_EQ(choose_reference(both, "plb-hec"), "");
  EXPECT_EQ(choose_reference({both[0]}, {}), "");
}

TEST(SweepResults, AddUpGroupsByThemselves) {
  EXPECT_TRUE(two_experiments().groups.empty());
  const SweepResults apart = two_experiments({"small", "large"});
  ASSERT_EQ(apart.groups.size(), 2u);
  EXPECT_EQ(apart.groups[1].group, "large");
  EXPECT_EQ(apart.groups[1].experiments, 1u);
  EXPECT_NEAR(apart.groups[1].over_best_known[1].geometric_mean, 3.3, 1e-12);  // 3.3 / 1.0
  const SweepResults some = two_experiments({"", "large"});
  ASSERT_EQ(some.groups.size(), 1u);
  EXPECT_NEAR(some.groups[0].over_best_known[0].geometric_mean, 3.0, 1e-12);
  const SweepResults together = two_experiments({"all", "all"});
  ASSERT_EQ(together.groups.size(), 1u);
  EXPECT_EQ(together.groups[0].experiments, 2u);
  EXPECT_NEAR(together.groups[0].over_best_known[1].geometric_mean, std::sqrt(2.0 * 3.3), 1e-12);
  EXPECT_NEAR(together.groups[0].over_best_known[1].worst, 3.3, 1e-12);
  const std::string text = sweep_markdown(apart);
  EXPECT_NE(text.find("| policy | small (1) | large (1) |"), std::string::npos) << text;
  EXPECT_NE(text.find("| plb-hec | 2.000 (2.00) | 3.300 (3.30) |"), std::string::npos) << text;
  EXPECT_NE(text.find("| two | large | greedy | 10.00 |"), std::string::npos) << text;
}

TEST(SweepTables, ShowNamesAsTheyAre) {
  SweepResults results = two_experiments();
  results.campaign.title = "*Tall* <b>";
  results.campaign.experiments[1].name = "a|b`c\\";
  const std::string text = sweep_markdown(results);
  EXPECT_TRUE(text.starts_with("# \\*Tall\\* \\<b\\>\n")) << text;
  EXPECT_NE(text.find("| a\\|b\\`c\\\\ | 1.000 | 0.909 | 3.000 |"), std::string::npos) << text;
  EXPECT_NE(text.find("| **geometric mean** | **1.000** |"), std::string::npos) << text;
}

TEST(SweepTables, ShowWhereTheReferenceIsBehind) {
  const std::string text = sweep_markdown(two_experiments());
  EXPECT_NE(text.find("| two | - | greedy | 10.00 | 10.00 to 10.00 |"), std::string::npos) << text;
  EXPECT_EQ(text.find("| one | - | greedy | "), std::string::npos) << text;
  EXPECT_NE(text.find("more than 1 % slower in 1 of 2 experiments; in 1 of them"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("| two | 1.000 | 0.909 | 3.000 |"), std::string::npos) << text;
  EXPECT_NE(text.find("optimum (knows mean times)"), std::string::npos) << text;
}

/// A figure of two policies.
PublishedFigure figure(const std::string& experiment, const std::string& field) {
  PublishedFigure figure;
  figure.figure = "Fig. 4";
  figure.experiment = experiment;
  figure.field = field;
  figure.source = "a paper";
  figure.policies = {{"plb-hec", PrintedValue{PrintedValue::Relation::equal, 2.5}},
                     {"optimum", std::nullopt}};
  return figure;
}

TEST(PublishedFigures, StandBesideOurNumbers) {
  SweepResults results = two_experiments();
  results.campaign.published = {figure("one", "makespan_s"), figure("two", "makespan_s.max")};
  add_up(results);
  ASSERT_EQ(results.published.size(), 2u);
  EXPECT_NEAR(*results.published[0].ours[0], 2.0, 1e-12);
  EXPECT_NEAR(*results.published[0].ours[1], 1.0, 1e-12);
  EXPECT_NEAR(*results.published[1].ours[0], 4.4, 1e-12);
  const std::string text = sweep_markdown(results);
  EXPECT_NE(text.find("### Fig. 4\n\nPublished: a paper.\n\n| experiment | result | plb-hec | "
                      "plb-hec, published | optimum |"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("| one | makespan_s, s | 2.000 | 2.500 | 1.000 |"), std::string::npos)
      << text;
  EXPECT_NE(text.find("| two | makespan_s.max, s | 4.400 | 2.500 | 1.000 |"), std::string::npos)
      << text;
}

TEST(PublishedFigures, DivideByAnotherPolicyAndSayWhetherAStatementHolds) {
  SweepResults results = two_experiments();
  PublishedFigure over = figure("one", "makespan_s");
  over.over = "greedy";
  over.policies[0].printed = PrintedValue{PrintedValue::Relation::more, 2.5};
  over.policies[1].printed = PrintedValue{PrintedValue::Relation::less, 5.0};
  results.campaign.published = {over};
  add_up(results);
  ASSERT_EQ(results.published.size(), 1u);
  EXPECT_NEAR(*results.published[0].ours[0], 2.0, 1e-12);  // 4 s / 2 s
  const std::string text = sweep_markdown(results);
  EXPECT_NE(text.find("`makespan_s of greedy / of the policy`. Published: a paper."),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("| one | 2.000 | \\> 2.500 (no) | 4.000 | \\< 5.000 (yes) |"),
            std::string::npos)
      << text;
}

TEST(PublishedFigures, TellWhetherOursLiesInAnIntervalEndsIncluded) {
  SweepResults results = two_experiments();
  PublishedFigure figure_of_times = figure("one", "makespan_s");
  figure_of_times.policies[0].printed = PrintedValue{PrintedValue::Relation::within, 1.2, 2.0};
  figure_of_times.policies[1].printed = PrintedValue{PrintedValue::Relation::within, 1.25, 2.5};
  results.campaign.published = {figure_of_times};
  add_up(results);
  const std::string text = sweep_markdown(results);
  // plb-hec takes 2 s, the upper end; optimum takes 1 s, below the lower one.
  EXPECT_NE(text.find("| one | 2.000 | 1.200 to 2.000 (yes) | 1.000 | 1.250 to 2.500 (no) |"),
            std::string::npos)
      << text;
  const PrintedValue printed{PrintedValue::Relation::within, 1.2, 2.5};
  EXPECT_EQ(holds(printed, 2.51), false);
  EXPECT_EQ(holds(printed, 2.5), true);
  EXPECT_EQ(holds(printed, 1.2), true);
  EXPECT_EQ(holds(printed, 1.19), false);
}

/// The table of one figure of policies that are spelled so.
std::string table_of_policies(const std::vector<std::string>& spellings, const std::string& over) {
  SweepResults results = two_experiments();
  PublishedFigure one = figure("one", "makespan_s");
  one.over = over;
  one.policies.clear();
  for (const std::string& spelling : spellings) one.policies.push_back({spelling, PrintedValue{}});
  results.campaign.published = {one};
  add_up(results);
  const std::string text = sweep_markdown(results);
  return text.substr(text.find("### Fig. 4"));
}

TEST(PublishedFigures, TellParametersThatAllPoliciesShareOnlyOnce) {
  const std::string text = table_of_policies(
      {"plb-hec:initial_block_items=time:0.10,degree=2", "hdss:initial_block_items=time:0.10"},
      "greedy:initial_block_items=time:0.10");
  EXPECT_TRUE(
      text.starts_with("### Fig. 4\n\n`makespan_s of greedy / of the policy`. "
                       "All with `initial_block_items=time:0.10`. Published: a paper.\n\n"
                       "| experiment | plb-hec:degree=2 | plb-hec:degree=2, published | "
                       "hdss | hdss, published |\n"))
      << text;
}

TEST(PublishedFigures, TellThemOnceBesideAPolicyThatKnowsTheUnitsAndHasNoneOfThem) {
  const std::string text =
      table_of_policies({"hdss:initial_block_items=time:0.10"}, "optimum:reacts=true");
  EXPECT_NE(text.find("All with `initial_block_items=time:0.10`."), std::string::npos) << text;
  EXPECT_NE(text.find("| experiment | hdss |"), std::string::npos) << text;
  EXPECT_NE(text.find("`makespan_s of optimum:reacts=true / of the policy`"), std::string::npos)
      << text;
}

TEST(PublishedFigures, KeepParametersThatOnePolicyDoesNotHave) {
  const std::string text = table_of_policies({"plb-hec:preset=robust", "acosta"}, "");
  EXPECT_TRUE(
      text.starts_with("### Fig. 4\n\n`makespan_s`. Published: a paper.\n\n"
                       "| experiment | plb-hec:preset=robust |"))
      << text;
  const std::string divided = table_of_policies({"plb-hec:preset=robust"}, "greedy");
  EXPECT_NE(divided.find("| experiment | plb-hec:preset=robust |"), std::string::npos) << divided;
}

TEST(PublishedFigures, HaveARowForEachUnit) {
  SweepResults results = two_experiments();
  results.comparisons[0].units = {"a.cpu", "a.gpu"};
  for (PolicyResult& result : results.comparisons[0].results) result.share_by_unit = {0.25, 0.75};
  PublishedFigure shares = figure("one", "share_by_unit");
  shares.policies[0].printed.reset();
  PublishedFigure share = figure("one", "share_by_unit.a.gpu");
  share.policies[0].printed->value = 0.8;
  PublishedFigure nothing = figure("one", "energy_j");
  nothing.policies[0].printed->relation = PrintedValue::Relation::more;
  results.campaign.published = {shares, share, nothing};
  add_up(results);
  ASSERT_EQ(results.published.size(), 4u);
  EXPECT_FALSE(results.published[3].ours[0].has_value());
  EXPECT_EQ(results.published[1].number.path, "share_by_unit.a.gpu");
  EXPECT_NEAR(*results.published[1].ours[1], 0.75, 1e-12);
  const std::string text = sweep_markdown(results);
  EXPECT_NE(text.find("| one | share_by_unit.a.cpu, % | 25.0 |  | 25.0 |"), std::string::npos)
      << text;
  EXPECT_NE(text.find("| one | share_by_unit.a.gpu, % | 75.0 | 80.0 | 75.0 |"), std::string::npos)
      << text;
  EXPECT_NE(text.find("| one | energy_j | - | \\> 2.500 | - |"), std::string::npos) << text;
}

TEST(PublishedFigures, MayBeOfAPhase) {
  SweepResults results = two_experiments();
  results.comparisons[0].units = {"a.cpu", "a.gpu"};
  for (PolicyResult& result : results.comparisons[0].results) {
    result.phases = {{1.5, {0.5, 0.5}}, {2.25, {0.25, 0.75}}};
  }
  PublishedFigure lasts = figure("one", "phases.2.duration_s");
  PublishedFigure share = figure("one", "phases.2.share_by_unit.a.gpu");
  share.policies[0].printed->value = 0.8;
  results.campaign.published = {lasts, share};
  add_up(results);
  ASSERT_EQ(results.published.size(), 2u);
  const std::string text = sweep_markdown(results);
  EXPECT_NE(text.find("| one | phases.2.duration_s, s | 0.7500 | 2.500 | 0.7500 |"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("| one | phases.2.share_by_unit.a.gpu, % | 75.0 | 80.0 | 75.0 |"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace equipoise::sweep_results_test
