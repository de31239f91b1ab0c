// Tests of `equipoise report` and of the pages that other commands write.
#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "shared_policies/model/failure.hpp"
#include "tests/support/program.hpp"
#include "tests/support/small_machine.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tools/page/report_page.hpp"

namespace equipoise::report_test {
namespace {

/// A result of 10 simulated repetitions; `more` are further members.
std::string result(const std::string& policy, double mean_s, double half_s,
                   const std::string& more = {}) {
  const auto number = [](double value) { return std::to_string(value); };
  return R"({"policy":")" + policy + R"(","spelling":")" + policy +
         R"(","on":"sim","reps":10,"verified":true,"share_by_unit":{"a":1.0},"makespan_s":{"mean":)" +
         number(mean_s) + R"(,"ci95":[)" + number(mean_s - half_s) + "," + number(mean_s + half_s) +
         "]}" + more + "}";
}

/// The page of these results, whose lower bound is 8 s.
std::string page_of(const std::string& results, const std::string& more = {}) {
  PageContents contents;
  contents.title = "a <title>";
  contents.results.push_back({"r", R"({"schema":"equipoise.results/1","experiment":{},)"
                                   R"("lower_bound_s":8.0,)" +
                                       more + R"("results":[)" + results + "]}"});
  return report_page(contents);
}

void expect_in(const std::string& text, const std::string& page) {
  EXPECT_NE(page.find(text), std::string::npos) << text << "\nis not in\n" << page.substr(0, 9000);
}

/// The makespans of the repetitions 0, 1, ... of a result.
std::string repeated(const std::vector<double>& makespans_s) {
  std::string text = R"(,"repetitions":[)";
  for (std::size_t i = 0; i < makespans_s.size(); ++i) {
    text += (i == 0 ? "" : ",") + std::string(R"({"repetition":)") + std::to_string(i) +
            R"(,"makespan_s":)" + std::to_string(makespans_s[i]) + "}";
  }
  return text + "]";
}

/// The data of the charts, and all behind them.
std::string data_of(const std::string& page) {
  return page.substr(page.find("<script type=\"application/json\""));
}

TEST(ReportPage, SaysWhichPolicyIsFastestAndHowFarFromTheBound) {
  const std::string page = page_of(result("gss", 12.0, 0.5, repeated({11.8, 12.0, 12.2})) + "," +
                                   result("fac2", 10.0, 0.5, repeated({9.8, 10.0, 10.2})) + "," +
                                   result("optimum", 8.5, 0.1, R"(,"oracle":true)"));
  expect_in(
      "<b>fac2</b> is the fastest policy that knows nothing beforehand: 10.00 s on average "
      "(9.500 s to 10.50 s).",
      page);
  // The ratios are 1.2041, 1.2 and 1.1961: mean 1.2001, sd 0.0040; 4.303 sd / sqrt(3) is 0.0099.
  expect_in(
      "The next one, <b>gss</b>, took 20.0 % longer (95 % interval, repetition by repetition: "
      "+19.0 % to +21.0 %), which is more than chance.",
      page);
  expect_in("<b>fac2</b> is 25.0 % above the lower bound of 8.000 s.", page);
  expect_in("a &lt;title&gt;", page);
}

TEST(ReportPage, SaysThatADifferenceMayBeChance) {
  const std::string page = page_of(result("gss", 10.5, 0.5, repeated({9.5, 11.5})) + "," +
                                   result("fac2", 10.0, 0.5, repeated({10.0, 10.0})));
  // Ratios of 0.95 and 1.15: mean 1.05, sd 0.1414; 12.706 sd / sqrt(2) is 1.271. None is below 0.
  expect_in("took 5.0 % longer (95 % interval, repetition by repetition: -100.0 % to +132.1 %)",
            page);
  expect_in(", which may be chance.", page);
}

TEST(ReportPage, JudgesByRepetitionsThatBothHave) {
  const std::string page =
      page_of(result("gss", 21.0, 12.0, repeated({10.4, 21.0, 31.8, 99.0})) + "," +
              result("equipoise", 20.0, 12.0, repeated({10.0, 20.0, 30.0})));
  // Ratios of 1.04, 1.05 and 1.06: sd 0.01; 4.303 sd / sqrt(3) is 0.0248.
  expect_in("repetition by repetition: +2.5 % to +7.5 %), which is more than chance.", page);
}

TEST(ReportPage, RefusesOtherSchemas) {
  PageContents contents;
  contents.results.push_back({"r.json", R"({"schema":"equipoise.results/2"})"});
  EXPECT_THROW(static_cast<void>(report_page(contents)), InputError);
}

class Report : public testing::Test {
 protected:
  [[nodiscard]] ProgramRun run(const std::string& command, std::vector<std::string> more) const {
    std::vector<std::string> words = {command,        "--platform",    machine.platform,
                                      "--trace",      machine.trace_k, "--workload",
                                      "k:items=1000", "--policy",      "gss"};
    words.insert(words.end(), more.begin(), more.end());
    return run_equipoise(words);
  }

  TemporaryFolder scratch;
  SmallMachine machine{scratch};
};

TEST_F(Report, ShowsARunAndTheTimesOfItsUnits) {
  const std::string file = scratch.path("run.jsonl");
  const std::string page = scratch.path("run.html");
  ASSERT_EQ(run("simulate", {"--out", file, "--report", page}).exit_code, 0);
  expect_in("data-kind=\"run\"", read_text(page));
  expect_in("data-kind=\"timing\"", read_text(page));
  const std::string again = scratch.path("again.html");
  const ProgramRun reported = run_equipoise({"report", file, "--out", again});
  EXPECT_EQ(reported.exit_code, 0) << reported.err;
  EXPECT_EQ(reported.out, "report: " + again + "\n");
  // The command that made the run is known while it runs, and not from its file.
  expect_in("The command:", read_text(page));
  EXPECT_EQ(read_text(again).find("The command:"), std::string::npos);
  EXPECT_EQ(data_of(read_text(again)), data_of(read_text(page)));
}

TEST_F(Report, OfARunNeedsTheRunFile) {
  const ProgramRun refused = run("simulate", {"--report", scratch.path("run.html")});
  EXPECT_EQ(refused.exit_code, 2);
  expect_in("--report: the page shows the run file; give --out, too", refused.err);
}

TEST_F(Report, OfAComparisonShowsItsRunsAndNoOthers) {
  const std::string folder = scratch.path("cmp");
  ASSERT_EQ(run("compare", {"--reps", "2", "--out", folder}).exit_code, 0);
  const std::string other = folder + "/runs/other-seed.jsonl";
  ASSERT_EQ(run("simulate", {"--seed", "7", "--out", other}).exit_code, 0);
  const std::string page = scratch.path("cmp.html");
  ASSERT_EQ(run_equipoise({"report", folder, "--out", page}).exit_code, 0);
  expect_in("runs/gss-sim.jsonl\"", read_text(page));
  expect_in("runs/greedy-sim.jsonl\"", read_text(page));
  EXPECT_EQ(read_text(page).find("other-seed"), std::string::npos);
  EXPECT_EQ(read_text(page), read_text(folder + "/report.html"));
}

TEST_F(Report, RefusesWhatItCannotShow) {
  const std::string page = scratch.path("page.html");
  std::filesystem::create_directory(scratch.path("empty"));
  for (const std::string& path :
       {scratch.path("missing"), scratch.path("empty"), machine.platform,
        scratch.write("other.json", "{\n\"schema\":\"equipoise.campaign/1\"\n}"),
        scratch.write("broken.jsonl", R"({"schema":"equipoise.run/1","on":3})")}) {
    const ProgramRun refused = run_equipoise({"report", path, "--out", page});
    EXPECT_EQ(refused.exit_code, 2) << path << refused.err;
    expect_in(path, refused.err);
    EXPECT_FALSE(std::filesystem::exists(page)) << path;
  }
}

TEST_F(Report, SparesWhatItReads) {
  const std::string before = read_text(machine.trace_k);
  const ProgramRun refused = run_equipoise({"report", machine.trace_k, "--out", machine.trace_k});
  EXPECT_EQ(refused.exit_code, 2);
  expect_in("is read by this command", refused.err);
  EXPECT_EQ(read_text(machine.trace_k), before);
}

}  // namespace
}  // namespace equipoise::report_test
