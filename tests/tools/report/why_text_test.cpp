// Tests of the paragraph on where the time beyond the bound went, with values worked out by hand.
#include "tools/report/why_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/support/program.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tools/report/report_text.hpp"
#include "tools/report/result_fields.hpp"

namespace equipoise::why_text_test {
namespace {

using testing::HasSubstr;
using testing::Not;

/// A run of gss on three units that lost 1 s over 2 s.
Shortfall run_of_gss(const Losses& loss) {
  return {"gss", 3.0, 2.0, loss, {"a", "b", "c"}, {0.6, 0.3, 0.1}};
}

TEST(WhyText, NamesTheLargestCausesWithTheirSeconds) {
  EXPECT_EQ(
      why_text(run_of_gss({.computing = Seconds{0.15},
                           .link = Seconds{0.35},
                           .copies = Seconds{0.3},
                           .controller = Seconds{0.09},
                           .tail = Seconds{0.11}})),
      "gss lost 1.00 s over the lower bound of 2.00 s (50.0 %): 350 ms to copies that "
      "waited for busy links; 300 ms to other copies that did not overlap with computing; 150 "
      "ms to block sizes or units for which an item takes longer, and noise.");
}

TEST(WhyText, SpeaksOfOtherCopiesOnlyBehindSome) {
  EXPECT_EQ(why_text(run_of_gss({.copies = Seconds{1.0}})),
            "gss lost 1.00 s over the lower bound of 2.00 s (50.0 %): 1.00 s to copies that did "
            "not overlap with computing.");
}

TEST(WhyText, NamesTheUnitsThatHadNoItems) {
  Shortfall of = run_of_gss({.unused = Seconds{0.5}, .tail = Seconds{0.5}});
  of.shares = {1.0, 0.0, 0.0};
  EXPECT_THAT(why_text(of), HasSubstr(": 500 ms to giving no items to b and c; 500 ms to waiting"));
  of.units = {"u0", "u1", "u2", "u3", "u4", "u5", "u6"};
  of.shares = {1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
  EXPECT_THAT(why_text(of), HasSubstr("giving no items to u1, u2, u3 and 3 more units;"));
  of.shares = {0.4, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1};  // each was used in some of the runs
  EXPECT_THAT(why_text(of), HasSubstr("500 ms to units that had no block, although the lower"));
}

TEST(WhyText, SaysHowMuchIsKnownToBeAvoidable) {
  Shortfall of = run_of_gss({.tail = Seconds{1.0}});
  of.best_known = {2.5, "optimum:reacts=true"};
  EXPECT_THAT(why_text(of), HasSubstr(" At least 500 ms of this can be avoided: optimum:reacts="
                                      "true, which knows the mean times, took 2.50 s."));
  of.best_known = {2.5, "awf-b"};
  EXPECT_THAT(why_text(of), HasSubstr(" can be avoided: awf-b took 2.50 s."));
  of.best_known = {2.99, "awf-b"};
  EXPECT_THAT(why_text(of), HasSubstr(" Nothing clearly faster is known."));
  of.best_known = {1.9, "awf-b"};  // luck brought it under the bound
  EXPECT_THAT(why_text(of), HasSubstr(" At least 1.00 s of this can be avoided"));
}

TEST(WhyText, NamesTheUnitThatARunWaitedForAtItsEnd) {
  Shortfall of = run_of_gss({.computing = Seconds{0.85}, .tail = Seconds{0.15}});
  of.last_ends_s = {2.0, 3.0, 2.8};
  EXPECT_THAT(why_text(of), HasSubstr(" b ended last, 200 ms after all others."));
  of.last_ends_s = {2.0, 3.0, 2.95};
  EXPECT_THAT(why_text(of), Not(HasSubstr("ended last")));
}

TEST(WhyText, NamesTheUnitsWhoseShareDiffersMostFromTheOracles) {
  Shortfall of = run_of_gss({.tail = Seconds{1.0}});
  of.oracle = "optimum";
  of.oracle_shares = {0.3, 0.31, 0.39};
  EXPECT_THAT(why_text(of), HasSubstr(" gss gave c 10.0 % of the items (optimum: 39.0 %) and a "
                                      "60.0 % (optimum: 30.0 %)."));
  of.oracle_shares = {0.61, 0.3, 0.09};
  EXPECT_THAT(why_text(of), Not(HasSubstr("gss gave")));
}

TEST(WhyText, IsEmptyWhereLittleIsLost) {
  EXPECT_EQ(why_text(run_of_gss({.tail = Seconds{0.019}})), "");
  EXPECT_EQ(why_text(run_of_gss({.computing = Seconds{-0.5}})), "");
}

TEST(WhyText, WritesLossesOfManyBoundsAsMultiples) {
  EXPECT_THAT(why_text(run_of_gss({.tail = Seconds{84}})),
              HasSubstr("gss lost 84.0 s over the lower bound of 2.00 s (42.0 times as much): "));
}

/// gss and optimum on two units, with a bound of 2 s; gss loses 1 s to its end.
Comparison gss_and_optimum() {
  Comparison comparison;
  comparison.lower_bound_s = 2.0;
  comparison.best_known = {2.25, "optimum"};
  comparison.units = {"a.0", "b"};
  for (const auto& [policy, mean_s, share] :
       {std::tuple("gss", 3.0, 0.75), std::tuple("optimum", 2.25, 0.5)}) {
    comparison.policies.push_back(parse_policy(policy));
    PolicyResult& result = comparison.results.emplace_back();
    result.spelling = policy;
    result.on = "sim";
    result.reps = 1;
    result.makespan_s.mean = mean_s;
    result.verified = true;
    result.loss = {.tail = Seconds{mean_s - 2.0}};
    result.share_by_unit = {share, 1.0 - share};
    result.idle_by_unit = {0.0, 0.0};
    result.energy_by_unit_j.resize(2);
  }
  return comparison;
}

constexpr const char* gss_paragraph =
    "gss lost 1.00 s over the lower bound of 2.00 s (50.0 %): 1.00 s to waiting for the last unit "
    "at the end of the run. At least 750 ms of this can be avoided: optimum, which knows the mean "
    "times, took 2.25 s. gss gave b 25.0 % of the items (optimum: 50.0 %) and a.0 75.0 % "
    "(optimum: 50.0 %).";

TEST(WhyText, IsTheSameOfAComparisonAndOfItsResultsJson) {
  const Comparison comparison = gss_and_optimum();
  EXPECT_EQ(why_text(comparison, comparison.results[0]), gss_paragraph);
  const JsonValue results = parse_json(results_text(comparison), "results.json");
  EXPECT_EQ(why_text(results, member(results, "results")->list[0]), gss_paragraph);
}

TEST(WhyText, StandsBelowTheTableForTheFastestPolicyThatIsNoOracle) {
  const std::string text = comparison_table(gss_and_optimum());
  EXPECT_THAT(text, HasSubstr("\n\ngss lost 1.00 s over the lower bound of 2.00 s (50.0 %): "));
  EXPECT_THAT(text, Not(HasSubstr("optimum lost")));
  Comparison unknown = gss_and_optimum();
  for (PolicyResult& result : unknown.results) result.loss.reset();
  EXPECT_THAT(comparison_table(unknown), Not(HasSubstr(" lost ")));
}

// Of 30 items that each unit does in a second each, `near` alone does all; three would take 10 s.
TEST(WhyText, IsPrintedBySimulateAndStandsOnItsPage) {
  const TemporaryFolder scratch;
  std::ofstream(scratch.path("machine.xml"))
      << "<?xml version='1.0'?>\n"
         "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
         "<platform version=\"4.1\"><zone id=\"z\" routing=\"Full\">\n"
         "<host id=\"near\" speed=\"1Gf\"><prop id=\"master\" value=\"true\"/></host>\n"
         "<host id=\"far0\" speed=\"1Gf\"/><host id=\"far1\" speed=\"1Gf\"/>\n"
         "<link id=\"net\" bandwidth=\"1MBps\" latency=\"0s\"/>\n"
         "<route src=\"near\" dst=\"far0\"><link_ctn id=\"net\"/></route>\n"
         "<route src=\"near\" dst=\"far1\"><link_ctn id=\"net\"/></route>\n"
         "</zone></platform>\n";
  std::ofstream times(scratch.path("times.jsonl"));
  times << R"({"schema":"equipoise.trace/1","source":"modelled","kernel":"k","item":"item",)"
        << R"("dispatch_s":0,"units":[{"id":"near","kind":"cpu"},{"id":"far0","kind":"cpu"},)"
        << "{\"id\":\"far1\",\"kind\":\"cpu\"}]}\n";
  for (const char* const unit : {"near", "far0", "far1"}) {
    times << "{\"unit\":\"" << unit << "\",\"items\":1,\"compute_s\":1}\n"
          << "{\"unit\":\"" << unit << "\",\"items\":100,\"compute_s\":100}\n";
  }
  times.close();
  const ProgramRun run = run_equipoise(
      {"simulate", "--platform", scratch.path("machine.xml"), "--trace",
       scratch.path("times.jsonl"), "--workload", "k:items=30", "--policy", "fixed:shares=1/0/0",
       "--out", scratch.path("run.jsonl"), "--report", scratch.path("page.html")});
  EXPECT_THAT(run.out, HasSubstr("\nfixed:shares=1/0/0 lost 20.0 s over the lower bound of 10.0 s "
                                 "(200.0 %): 20.0 s to giving no items\nto far0 and far1.\n"))
      << run.err;
  std::ifstream page(scratch.path("page.html"));
  const std::string html{std::istreambuf_iterator<char>(page), {}};
  EXPECT_THAT(html, HasSubstr("<p>fixed:shares=1/0/0 lost 20.0 s over the lower bound of 10.0 s "
                              "(200.0 %): 20.0 s to giving no items to far0 and far1.</p>"));
}

}  // namespace
}  // namespace equipoise::why_text_test
