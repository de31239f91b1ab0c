// Tests of predictions as users meet them: intervals, where there are none and why, where block
// times come from, and files of validations.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/program.hpp"
#include "tests/support/temporary_folder.hpp"

namespace equipoise::prediction_program_test {
namespace {

using Json = nlohmann::json;

/// What record says of a machine that repeats runs of 1 s to 2 % and drifts by 1 %.
const Json recording = {{"date", "2026-11-27T03:00:00Z"},
                        {"together", true},
                        {"others_share", 0.2},
                        {"passes", 3},
                        {"drift", 0.01},
                        {"pass_sd", 0.01},
                        {"runs", 9},
                        {"run_s", 1.0},
                        {"run_sd", 0.02}};

class PredictionOfACommand : public testing::Test {
 protected:
  PredictionOfACommand() { write_trace("recorded", recording); }

  /// One unit, an item of which takes 1 ms, 2 % more or less.
  void write_trace(const std::string& source, const Json& recorded) {
    Json header = {{"schema", "equipoise.trace/1"},
                   {"source", source},
                   {"kernel", "k"},
                   {"item", "thing"},
                   {"machine", {{"host", "there"}, {"cpu", "a CPU"}}},
                   {"units", {{{"id", "u"}, {"kind", "cpu"}}}}};
    if (!recorded.is_null()) header["recording"] = recorded;
    std::string text = header.dump() + "\n";
    for (const double items : {1.0, 10.0, 1000.0}) {
      for (const double factor : {0.98, 0.99, 1.0, 1.01, 1.02}) {
        text +=
            Json({{"unit", "u"}, {"items", items}, {"compute_s", 1e-3 * items * factor}}).dump() +
            "\n";
      }
    }
    folder_.write("t.jsonl", text);
  }

  /// Validations in which runs took `ratio` times the predicted second, `count` of them.
  void write_validations(double ratio, int count) {
    Json cases = Json::array();
    for (int i = 0; i < count; ++i) {
      cases.push_back({{"machine", "there, a CPU"},
                       {"date", "2026-11-27T03:00:00Z"},
                       {"workload", "k:items=1000"},
                       {"units", {"cpu"}},
                       {"recorded_busy", 0.0},
                       {"policies",
                        {{{"policy", "greedy"},
                          {"predicted_s", 1.0},
                          {"known_sd", 0.02},
                          {"block_s", 0.01},
                          {"measured_s", {ratio, ratio * 1.02, ratio * 0.98}}}}}});
    }
    folder_.write("v.json", Json({{"schema", "equipoise.validations/1"}, {"cases", cases}}).dump());
  }

  ProgramRun compare(const std::vector<std::string>& more) {
    folder_.write("p.xml",
                  "<?xml version='1.0'?>\n"
                  "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
                  "<platform version=\"4.1\">\n<zone id=\"z\" routing=\"Full\">\n"
                  "<host id=\"ram\" speed=\"1Gf\"><prop id=\"master\" value=\"true\"/></host>\n"
                  "<host id=\"u\" speed=\"1Gf\"/>\n"
                  "<link id=\"l\" bandwidth=\"1GBps\" latency=\"1us\"/>\n"
                  "<route src=\"ram\" dst=\"u\"><link_ctn id=\"l\"/></route>\n"
                  "</zone>\n</platform>\n");
    return run_equipoise(with({"compare", "--platform", folder_.path("p.xml"), "--trace",
                               folder_.path("t.jsonl"), "--workload", "k:items=1000", "--policy",
                               "greedy,ss", "--reps", "4", "--best-known", "off"},
                              more));
  }
  Json results(const std::vector<std::string>& more) {
    const ProgramRun run = compare(with({"--json"}, more));
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return Json::parse(run.out).at("results");
  }
  std::string validations() { return folder_.path("v.json"); }

  TemporaryFolder folder_;
};

TEST_F(PredictionOfACommand, IsAnIntervalOfASingleRealRunCorrectedByValidations) {
  write_validations(1.1, 10);
  const Json greedy = results({"--validations", validations()})[0];
  EXPECT_EQ(greedy.at("timings"), "recorded");
  EXPECT_EQ(greedy.at("recorded_busy"), 0.2);
  const Json interval = greedy.at("makespan_s").at("interval95");
  // About 1 s as simulated, 1.1 s as validated, give or take some 4 %.
  EXPECT_GT(interval[0], 1.0);
  EXPECT_LT(interval[0], 1.1);
  EXPECT_GT(interval[1], 1.1);
  EXPECT_LT(interval[1], 1.2);
  EXPECT_EQ(results({"--validations", validations()})[0], greedy) << "the same seed";
}

TEST_F(PredictionOfACommand, StandsInTheTableWithWhatItKnowsTheModelFrom) {
  write_validations(1.0, 9);
  const ProgramRun run = compare({"--validations", validations(), "--explain-interval"});
  EXPECT_NE(run.out.find("95 % from"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("9 validations of this machine"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("other programs had 20 % of the cores"), std::string::npos) << run.out;
  for (const char* const cause : {"scatter of blocks", "recorded means", "sizes not recorded",
                                  "drift", "repeatability", "model"}) {
    EXPECT_NE(run.out.find(cause), std::string::npos) << cause;
  }
}

TEST_F(PredictionOfACommand, SaysHowProbableTheOrderIs) {
  write_validations(1.0, 10);
  const Json all = results({"--validations", validations()});
  const double p = all[0].at("p_faster").at("ss");
  EXPECT_NEAR(p + all[1].at("p_faster").at("greedy").get<double>(), 1.0, 1e-9);
  EXPECT_GT(p, 0.0);
}

TEST_F(PredictionOfACommand, MayBeBoundByItsProbability) {
  folder_.write("e.json",
                R"({"schema":"equipoise.expect/1","bounds":[{"policy":"greedy","quantity":)"
                R"("p_faster.ss","at_least":1.0}]})");
  write_validations(1.0, 10);
  const ProgramRun run =
      compare({"--validations", validations(), "--expect", folder_.path("e.json")});
  EXPECT_NE(run.exit_code, 2) << run.err;
}

TEST_F(PredictionOfACommand, CannotBeMadeOfModelledTimes) {
  write_trace("modelled", {});
  const ProgramRun run = compare({});
  EXPECT_NE(run.out.find("block times: modelled"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("no interval"), std::string::npos) << run.out;
  const Json greedy = results({})[0];
  EXPECT_EQ(greedy.at("timings"), "modelled");
  EXPECT_TRUE(greedy.at("makespan_s").at("interval95").is_null());
  EXPECT_FALSE(greedy.at("interval_note").get<std::string>().empty());
  EXPECT_TRUE(greedy.at("p_faster").contains("ss")) << "of the simulations alone";
}

TEST_F(PredictionOfACommand, SaysWhatToRecordWhereATraceSaysNothing) {
  write_trace("recorded", {});
  EXPECT_NE(results({})[0].at("interval_note").get<std::string>().find("record it again"),
            std::string::npos);
}

TEST_F(PredictionOfACommand, ChangesNoSimulatedMakespan) {
  write_validations(1.0, 10);
  Json with_interval = results({"--validations", validations()})[1];
  Json without = results({"--validations", validations(), "--interval-runs", "0"})[1];
  EXPECT_TRUE(without.at("makespan_s").at("interval95").is_null());
  for (Json* const one : {&with_interval, &without}) {
    one->at("makespan_s").erase("interval95");
    one->erase("interval_note");
    one->erase("p_faster");
  }
  EXPECT_EQ(with_interval, without);
}

TEST_F(PredictionOfACommand, RefusesValidationsThatAreNotThereOrBroken) {
  ProgramRun run = compare({"--validations", validations()});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_NE(run.err.find("there is no such file"), std::string::npos) << run.err;
  folder_.write("v.json", "{\"schema\":\"equipoise.validations/1\",\n\"cases\":[{}]}");
  run = compare({"--validations", validations()});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_NE(run.err.find("v.json:2"), std::string::npos) << run.err;
}

TEST(PredictionOfValidate, AddsWhatItFoundToTheFile) {
  const TemporaryFolder folder;
  const std::string file = folder.path("v.json");
  for (std::size_t times = 1; times <= 2; ++times) {
    const ProgramRun run =
        run_equipoise({"validate", "--unit", "cpu", "--workload", "blackscholes:options=2e4",
                       "--policy", "greedy", "--reps", "2", "--seconds-max", "0.2", "--out",
                       folder.path("out"), "--validations", file});
    ASSERT_EQ(run.exit_code, 0) << run.err;
    const Json cases = Json::parse(read_text(file)).at("cases");
    ASSERT_EQ(cases.size(), times);
    EXPECT_EQ(cases.back().at("policies")[0].at("policy"), "greedy");
    EXPECT_EQ(cases.back().at("policies")[0].at("measured_s").size(), 2u);
  }
  const Json validation = Json::parse(read_text(folder.path("out/validation.json")));
  EXPECT_EQ(validation.at("policies")[0].at("measured_makespans_s").size(), 2u);
  EXPECT_TRUE(validation.at("policies")[0].contains("runs_in_interval"));
}

TEST(Recording, KeepsWhatItSawOfTheMachine) {
  const TemporaryFolder folder;
  const ProgramRun run =
      run_equipoise({"record", "--unit", "cpu", "--workload", "blackscholes:options=1e6",
                     "--seconds-max", "0.5", "--out", folder.path("t.jsonl"), "--quiet"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const Json seen =
      Json::parse(lines_of(read_text(folder.path("t.jsonl"))).front()).at("recording");
  EXPECT_TRUE(seen.at("together").get<bool>());
  EXPECT_EQ(seen.at("passes"), 3);
  EXPECT_EQ(seen.at("runs"), 9);
  EXPECT_GT(seen.at("run_s"), 0.0);
  EXPECT_GE(seen.at("run_sd"), 0.0);
  EXPECT_GE(seen.at("pass_sd"), 0.0);
  EXPECT_GT(seen.at("drift"), -1.0);
  EXPECT_EQ(seen.at("date").get<std::string>().size(), 20u);
}

}  // namespace
}  // namespace equipoise::prediction_program_test
