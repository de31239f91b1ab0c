// Tests of how losses are shown, and of the losses of simulated runs, with values worked out by
// hand.
#include "tools/report/loss_text.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/program.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tools/report/report_text.hpp"
#include "tools/report/result_fields.hpp"

namespace equipoise::loss_text_test {
namespace {

using Json = nlohmann::json;
using Rows = std::vector<std::vector<std::string>>;

/// greedy and gss on two units, with a bound of 2 s.
Comparison two_results(const Losses& greedy, const Losses& gss) {
  Comparison comparison;
  comparison.lower_bound_s = 2.0;
  comparison.units = {"a", "b"};
  comparison.resident = {0x1p30, "net", {std::nullopt, 1}};
  for (const auto& [policy, loss] : {std::pair("greedy", greedy), std::pair("gss", gss)}) {
    comparison.policies.push_back(parse_policy(policy));
    PolicyResult& result = comparison.results.emplace_back();
    result.spelling = policy;
    result.on = "sim";
    result.verified = true;
    result.loss = loss;
    result.share_by_unit = {0.5, 0.5};
    result.idle_by_unit = {0.0, 0.0};
    result.energy_by_unit_j.resize(2);
  }
  return comparison;
}

TEST(LossRows, ArePercentOfTheBoundWithoutCausesThatNowhereCount) {
  const Comparison comparison =
      two_results({.computing = Seconds{0.5}, .link = Seconds{0.008}, .tail = Seconds{0.1}},
                  {.computing = Seconds{-0.02}, .copies = Seconds{0.01}});
  const Rows rows = {{"policy", "loss", "computing", "copies", "tail"},
                     {"greedy", "30.4", "25.0", "0.0", "5.0"},
                     {"gss", "-0.5", "-1.0", "0.5", "0.0"}};
  EXPECT_EQ(loss_rows(comparison), rows);
  EXPECT_NE(comparison_table(comparison).find("\npolicy  loss  computing  copies  tail\n"),
            std::string::npos)
      << comparison_table(comparison);
  EXPECT_NE(
      results_csv(comparison).find(",loss_s.total,loss_s.computing,loss_s.unused,loss_s.link,"),
      std::string::npos);
}

TEST(LossRows, ArePercentWithoutDecimalsFrom1000PercentOn) {
  const Comparison comparison =
      two_results({.tail = Seconds{19.8}}, {.computing = Seconds{0.2}, .tail = Seconds{84}});
  const Rows rows = {{"policy", "loss", "computing", "tail"},
                     {"greedy", "990.0", "0.0", "990.0"},
                     {"gss", "4210", "10.0", "4200"}};
  EXPECT_EQ(loss_rows(comparison), rows);
}

TEST(LossRows, HaveALegendOfTheColumnsThatAreShown) {
  const std::string text = comparison_table(two_results({.tail = Seconds{0.1}}, {}));
  EXPECT_NE(text.find("\nloss  The time beyond the lower bound, by cause; tables show it in % of "
                      "the bound.\ntail  "
                      "Time lost to waiting for the last unit at the end of the run.\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("\nlink "), std::string::npos) << text;
}

TEST(LossRows, AreLeftOutWhereAllLossesAreSmallOrUnknown) {
  EXPECT_TRUE(loss_rows(two_results({.tail = Seconds{0.019}}, {})).empty());
  Comparison unknown = two_results({.tail = Seconds{1}}, {.tail = Seconds{1}});
  unknown.results[0].loss.reset();
  EXPECT_EQ(loss_rows(unknown).size(), 2u);
  unknown.results[1].loss.reset();
  EXPECT_TRUE(loss_rows(unknown).empty());
}

TEST(LossRows, NameTheWorldWhereThereAreTwo) {
  Comparison both = two_results({.tail = Seconds{1}}, {.tail = Seconds{1}});
  both.results[1].on = "real";
  EXPECT_EQ(loss_rows(both)[2][0], "gss, real");
}

TEST(ResidentNote, NamesThePoliciesThatResidentDataDelay) {
  const Losses slow = {.tail = Seconds{10}, .longest_setup = Seconds{9}};
  EXPECT_EQ(resident_note(two_results(slow, {.tail = Seconds{10}})),
            "note: setting up a unit took most of the loss of greedy: 1 GiB of resident data "
            "went over link net once\n");
  Comparison near = two_results(slow, slow);
  for (PolicyResult& result : near.results) result.share_by_unit = {1.0, 0.0};
  EXPECT_EQ(resident_note(near), "") << "no unit behind the link had a block";
  const Losses a_little = {.tail = Seconds{0.3}, .longest_setup = Seconds{0.3}};
  EXPECT_EQ(resident_note(two_results(a_little, a_little)), "");
}

/// A unit `near` on the master, and two behind a link of 1 MB/s. Each takes a second an item.
class FarUnits : public testing::Test {
 protected:
  void SetUp() override {
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
  }

  /// The words of a simulation in which `units` are timed.
  std::vector<std::string> words(const std::vector<std::string>& units,
                                 const std::string& workload) {
    std::string names;
    std::string samples;
    for (const std::string& unit : units) {
      names += (names.empty() ? "" : ",") + ("{\"id\":\"" + unit) + "\",\"kind\":\"cpu\"}";
      samples += "{\"unit\":\"" + unit + "\",\"items\":1,\"compute_s\":1}\n";
      samples += "{\"unit\":\"" + unit + "\",\"items\":100,\"compute_s\":100}\n";
    }
    std::ofstream(scratch.path("times.jsonl"))
        << R"({"schema":"equipoise.trace/1","source":"modelled","kernel":"k","item":"item",)"
        << "\"dispatch_s\":0,\"units\":[" << names << "]}\n"
        << samples;
    return {"simulate",
            "--platform",
            scratch.path("machine.xml"),
            "--trace",
            scratch.path("times.jsonl"),
            "--workload",
            workload,
            "--policy",
            "greedy:initial_block_items=1"};
  }

  TemporaryFolder scratch;
};

TEST_F(FarUnits, LoseHalfOfTheirCopiesToTheLinkThatTheyShare) {
  std::vector<std::string> typed = words({"far0", "far1"}, "k:items=2,in_bytes_per_item=1e6");
  typed.emplace_back("--json");
  const Json run = Json::parse(run_equipoise(typed).out);
  EXPECT_NEAR(run.at("makespan_s"), 3.0, 1e-9);
  EXPECT_NEAR(run.at("lower_bound_s"), 2.0, 1e-6);  // 2 MB over the link
  // Each unit copies for 2 s, half of it only because of the other, and computes for 1 s. The bound
  // has 1 s besides computing, which both halves share.
  const Json& loss = run.at("loss_s");
  EXPECT_NEAR(loss.at("total"), 1.0, 1e-6);
  EXPECT_EQ(loss.size(), 11u);  // the whole and ten causes
  EXPECT_EQ(run.at("longest_setup_s"), 0.0);
  EXPECT_NEAR(loss.at("link"), 0.5, 1e-6);
  EXPECT_NEAR(loss.at("copies"), 0.5, 1e-6);
  for (const char* none :
       {"computing", "unused", "controller", "training", "barrier", "tail", "failure", "redone"}) {
    EXPECT_NEAR(loss.at(none), 0.0, 1e-6) << none;
  }
}

TEST_F(FarUnits, LoseWhatTheyWouldHaveDoneWhereNobodyUsesThem) {
  // The blocks need no copies. All three units would do 30 items in 10 s; `near` alone needs 30 s.
  std::vector<std::string> typed = words({"near", "far0", "far1"}, "k:items=30");
  typed.back() = "fixed:shares=1/0/0";
  typed.emplace_back("--json");
  const Json run = Json::parse(run_equipoise(typed).out);
  EXPECT_NEAR(run.at("makespan_s"), 30.0, 1e-6);
  EXPECT_NEAR(run.at("loss_s").at("unused"), 20.0, 1e-6);
  EXPECT_NEAR(run.at("loss_s").at("computing"), 0.0, 1e-6);
  EXPECT_NEAR(run.at("loss_s").at("total"), 20.0, 1e-6);
  // Three times the same, in iterations.
  typed = words({"near", "far0", "far1"}, "k:items=30,iterations=3");
  typed.back() = "fixed:shares=1/0/0";
  typed.emplace_back("--json");
  EXPECT_NEAR(Json::parse(run_equipoise(typed).out).at("loss_s").at("unused"), 60.0, 1e-6);
}

TEST_F(FarUnits, SayWhenAllWaitForTheirResidentData) {
  const std::vector<std::string> typed =
      words({"near", "far0", "far1"}, "k:items=30,resident_bytes=100Mi");
  const ProgramRun run = run_equipoise(typed);
  // 100 MiB alone take 104.9 s. The link is shared by both units.
  EXPECT_NE(run.out.find("note: setting up a unit took 209.7 s: 100 MiB of resident data went "
                         "over link net 2 times\n"),
            std::string::npos)
      << run.out << run.err;
  EXPECT_NE(run.out.find(" over the lower bound of "), std::string::npos) << run.out;
}

}  // namespace
}  // namespace equipoise::loss_text_test
