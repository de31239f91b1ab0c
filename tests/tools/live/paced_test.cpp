// Tests of paced units in the program: machines of a trace, in real time.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/program.hpp"
#include "tests/support/small_machine.hpp"

namespace equipoise::paced_test {
namespace {

using Json = nlohmann::json;

class PacedRuns : public testing::Test {
 protected:
  [[nodiscard]] ProgramRun type(std::vector<std::string> words,
                                const std::vector<std::string>& more) const {
    words.insert(words.end(), more.begin(), more.end());
    return run_equipoise(words);
  }

  TemporaryFolder scratch;
  SmallMachine machine{scratch};
  std::vector<std::string> work = {"--workload", "k:items=200", "--policy", "greedy",
                                   "--noise",    "off",         "--json"};
};

TEST_F(PacedRuns, AreTheHostsOfAPlatformInRealTime) {
  std::vector<std::string> words = {"run", "--on", "paced"};
  const std::vector<std::string> files = machine.words();
  words.insert(words.end(), files.begin(), files.end());
  const ProgramRun paced = type(words, work);
  ASSERT_EQ(paced.exit_code, 0) << paced.err;
  const Json run = Json::parse(paced.out);
  EXPECT_EQ(run.at("verified"), true);
  EXPECT_EQ(run.at("items"), 200);
  EXPECT_EQ(run.at("pacing").at("time_scale"), 1.0);
  EXPECT_GT(run.at("pacing").at("late_mean_s"), 0.0);
  EXPECT_GE(run.at("makespan_s"), run.at("lower_bound_s"));
  // Blocks of the same size take the same time in the paced and in the simulated run.
  std::vector<std::string> simulated = {"simulate"};
  simulated.insert(simulated.end(), files.begin(), files.end());
  const Json sim = Json::parse(type(simulated, work).out);
  for (const char* unit : {"a", "b", "c"}) {
    const auto per_item = [&](const Json& summary) {
      const Json& by = summary.at("by_unit").at(unit);
      return (by.at("compute_s").get<double>() - 1e-4 * by.at("blocks").get<double>()) /
             by.at("items").get<double>();
    };
    EXPECT_NEAR(per_item(run), per_item(sim), 1e-9) << unit;
  }
}

TEST_F(PacedRuns, RunAtAScaleOfTimeThatTheSummaryNames) {
  const ProgramRun run =
      type({"run", "--on", "paced", "--time-scale", "0.1", "--unit", "paced,trace_unit=a", "--unit",
            "paced,trace_unit=c,id=gpu,copy_engines=2", "--trace", machine.trace_k},
           work);
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const Json summary = Json::parse(run.out);
  EXPECT_EQ(summary.at("pacing").at("time_scale"), 0.1);
  EXPECT_EQ(summary.at("items"), 200);
  EXPECT_GE(summary.at("makespan_s"), 200 / 3.0 * 1e-3);  // c is twice as fast as a
  EXPECT_TRUE(summary.at("by_unit").contains("paced0"));
  EXPECT_TRUE(summary.at("by_unit").contains("gpu"));
}

TEST_F(PacedRuns, AreRepeatedAtTheirScaleOfTimeOrAtTheTypedOneEvenIfThatIsOne) {
  const std::string out = scratch.path("run.jsonl");
  const ProgramRun run = type({"run", "--on", "paced", "--time-scale", "0.5", "--out", out},
                              with(machine.words(), work));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const auto scale_of = [&](const std::vector<std::string>& more) {
    const ProgramRun again = type({"replay", out, "--on", "paced", "--json"}, more);
    EXPECT_EQ(again.exit_code, 0) << again.err;
    return Json::parse(again.out).at("again").at("pacing").at("time_scale").get<double>();
  };
  EXPECT_EQ(scale_of({}), 0.5);
  EXPECT_EQ(scale_of({"--time-scale", "1"}), 1.0);
}

TEST_F(PacedRuns, ReadResidentDataThatTheirMemoryDoesNotHold) {
  // Two blocks of 100 items occupy 0.1 GB each and leave 0.9 GB for 1.2 GB of resident data: each
  // reads 0.3 GB at 1 GB/s, and is computed in 0.1 s. A run that is repeated has that in its times.
  const std::string platform = scratch.write(
      "small.xml",
      "<?xml version='1.0'?>\n"
      "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
      "<platform version=\"4.1\"><zone id=\"z\" routing=\"Full\">"
      "<host id=\"m\" speed=\"1Gf\"><prop id=\"master\" value=\"true\"/></host>"
      "<host id=\"g\" speed=\"1Gf\"><prop id=\"kind\" value=\"gpu\"/>"
      "<prop id=\"memory_bytes\" value=\"1e9\"/></host>"
      "<link id=\"bus\" bandwidth=\"1GBps\" latency=\"0s\"/>"
      "<route src=\"m\" dst=\"g\"><link_ctn id=\"bus\"/></route></zone></platform>\n");
  const std::string trace = scratch.write(
      "g.jsonl",
      "{\"schema\":\"equipoise.trace/1\",\"source\":\"recorded\",\"kernel\":\"k\",\"item\":\"i\","
      "\"provenance\":\"a test\",\"machine\":{},\"units\":[{\"id\":\"g\",\"kind\":\"gpu\"}]}\n"
      "{\"unit\":\"g\",\"items\":100,\"compute_s\":0.1}\n");
  const std::vector<std::string> files = {"--platform", platform, "--trace", trace};
  const std::vector<std::string> two_blocks = {
      "--workload", "k:items=200,resident_bytes=1.2e9,memory_bytes_per_item=1e6",
      "--policy",   "greedy:pieces=2",
      "--noise",    "off",
      "--json"};
  const std::string out = scratch.path("run.jsonl");
  const auto compute_s = [](const Json& run) {
    return run.at("by_unit").at("g").at("compute_s").get<double>();
  };
  const ProgramRun sim = type(with({"simulate", "--out", out}, files), two_blocks);
  ASSERT_EQ(sim.exit_code, 0) << sim.err;
  EXPECT_NEAR(compute_s(Json::parse(sim.out)), 0.6, 1e-9);
  const ProgramRun paced =
      type(with({"run", "--on", "paced", "--time-scale", "0.2"}, files), two_blocks);
  ASSERT_EQ(paced.exit_code, 0) << paced.err;
  EXPECT_NEAR(compute_s(Json::parse(paced.out)), 0.6, 1e-9);
  const ProgramRun again =
      type({"replay", out, "--on", "paced", "--time-scale", "0.2", "--json"}, {});
  ASSERT_EQ(again.exit_code, 0) << again.err;
  EXPECT_NEAR(compute_s(Json::parse(again.out).at("again")), 0.6, 1e-9);
}

TEST_F(PacedRuns, MixWithUnitsThatComputeAndAreCoveredAlone) {
  const std::string trace = scratch.write(
      "b.jsonl",
      "{\"schema\":\"equipoise.trace/1\",\"source\":\"recorded\",\"kernel\":\"blackscholes\","
      "\"item\":\"option\",\"provenance\":\"a test\",\"machine\":{},"
      "\"units\":[{\"id\":\"gpu\",\"kind\":\"gpu\"}]}\n"
      "{\"unit\":\"gpu\",\"items\":1000,\"compute_s\":0.0001}\n"
      "{\"unit\":\"gpu\",\"items\":10000,\"compute_s\":0.0002}\n");
  const ProgramRun run =
      run_equipoise({"run", "--unit", "cpu", "--unit", "paced,trace_unit=gpu", "--trace", trace,
                     "--workload", "blackscholes:options=1e5,iterations=3", "--policy", "awf-c"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.out.find("verified (coverage alone)"), std::string::npos) << run.out;
}

TEST_F(PacedRuns, AreComparedWithWhatIsSimulated) {
  std::vector<std::string> words = {"compare", "--on", "paced", "--reps", "2"};
  const std::vector<std::string> files = machine.words();
  words.insert(words.end(), files.begin(), files.end());
  const ProgramRun run = type(words, work);
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const Json results = Json::parse(run.out);
  EXPECT_EQ(results.at("results").at(0).at("on"), "paced");
  EXPECT_GE(results.at("results").at(0).at("over_lower_bound"), 1.0);
}

TEST_F(PacedRuns, NeedATraceOfTheirUnitAndKernel) {
  const auto refusal = [&](const std::vector<std::string>& words) {
    const ProgramRun run = type(words, work);
    EXPECT_EQ(run.exit_code, 2) << run.out;
    return run.err;
  };
  EXPECT_NE(refusal({"run", "--unit", "paced,trace_unit=a"}).find("unknown kernel 'k'"),
            std::string::npos);
  EXPECT_NE(refusal({"run", "--unit", "paced,trace_unit=z", "--trace", machine.trace_k})
                .find("no trace has times of k on 'z', which unit paced0 needs"),
            std::string::npos);
  EXPECT_NE(refusal({"run", "--unit", "paced", "--trace", machine.trace_k}).find("trace_unit="),
            std::string::npos);
  EXPECT_NE(refusal({"run", "--on", "paced"}).find("give --platform and --trace"),
            std::string::npos);
  EXPECT_NE(refusal({"run"}).find("give --unit"), std::string::npos);
  const ProgramRun mixed = run_equipoise({"run", "--unit", "cpu", "--time-scale", "0.5",
                                          "--workload", "empty:items=9", "--policy", "greedy"});
  EXPECT_EQ(mixed.exit_code, 2);
  EXPECT_NE(mixed.err.find("--time-scale: only paced units"), std::string::npos) << mixed.err;
}

}  // namespace
}  // namespace equipoise::paced_test
