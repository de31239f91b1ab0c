// Tests of the way of watts: from a recording with meters to the program's answers.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/gpu/gpu_stand_in.hpp"
#include "tests/support/metered_machine.hpp"
#include "tests/support/program.hpp"
#include "tools/worlds/recorded_platform.hpp"
#include "traces/trace_file.hpp"

namespace equipoise::recorded_watts_test {
namespace {

using Json = nlohmann::json;

/// Two CPU units that were recorded alone with a meter.
class RecordedMachine : public testing::Test, protected MeteredMachine {
 protected:
  RecordedMachine() {
    const Recording recording = record_with_meters(parse_units({"cpu", "cpu"}), true);
    units_ = recording.trace.units;
    std::ofstream(trace_) << trace_text(recording.trace);
    std::ofstream(platform_) << platform_xml(
        recorded_platform(recording.units, {}, recording.trace.kernel, trace_));
  }

  [[nodiscard]] ProgramRun run(const std::string& command,
                               const std::vector<std::string>& more) const {
    std::vector<std::string> words = {command, "--platform", platform_,           "--trace",
                                      trace_,  "--workload", "scripted:items=100"};
    words.insert(words.end(), more.begin(), more.end());
    return run_equipoise(words);
  }

  TemporaryFolder scratch_;
  std::string trace_ = scratch_.path("t.jsonl");
  std::string platform_ = scratch_.path("p.xml");
  std::vector<Unit> units_;
};

TEST_F(RecordedMachine, HasItsWattsInTraceAndPlatform) {
  const Json header = Json::parse(lines_of(read_text(trace_)).front());
  for (std::size_t i = 0; i < units_.size(); ++i) {
    ASSERT_TRUE(units_[i].idle_w && units_[i].busy_w);
    EXPECT_EQ(header.at("units").at(i).at("idle_w"), *units_[i].idle_w);
    EXPECT_EQ(header.at("units").at(i).at("busy_w"), *units_[i].busy_w);
  }
  EXPECT_NE(read_text(platform_).find(R"("wattage_per_state" value="0:)"), std::string::npos);
  const ProgramRun shown = run_equipoise({"trace", "show", trace_});
  EXPECT_NE(shown.out.find(", 0 W idle, "), std::string::npos) << shown.out;
  EXPECT_NE(shown.out.find(" W busy)"), std::string::npos) << shown.out;
}

TEST_F(RecordedMachine, IsDividedForEnergyAndJudgedByItsOwnWatts) {
  const ProgramRun divided =
      run("simulate", {"--policy", "energy-alpha:objective=edp", "--noise", "off", "--json"});
  ASSERT_EQ(divided.exit_code, 0) << divided.err;
  const ProgramRun optimum = run("optimum", {"--objective", "edp", "--json"});
  ASSERT_EQ(optimum.exit_code, 0) << optimum.err;
  const Json without = Json::parse(optimum.out).at("without");
  EXPECT_EQ(without.at("units").size(), 1u);
  EXPECT_GT(without.at("edp_js"), 0.0);
  const std::string answer = without.at("answer");
  EXPECT_NE(answer.find("worth using: "), std::string::npos) << answer;
}

TEST_F(RecordedMachine, HasTheWattsOfItsTraceIfItsPlatformHasNone) {
  std::string xml = read_text(platform_);
  const std::string property = "wattage_per_state";
  for (std::size_t at = xml.find(property); at != std::string::npos; at = xml.find(property)) {
    xml.replace(at, property.size(), "note");
  }
  std::ofstream(platform_) << xml;
  const ProgramRun of_trace =
      run("simulate", {"--policy", "greedy", "--out", scratch_.path("run.jsonl")});
  ASSERT_EQ(of_trace.exit_code, 0) << of_trace.err;
  const auto watts_in_header = [&] {
    return Json::parse(lines_of(read_text(scratch_.path("run.jsonl"))).front())
        .at("units")
        .at(0)
        .at("busy_w");
  };
  EXPECT_EQ(watts_in_header(), *units_[0].busy_w);
  // The platform comes first.
  for (std::size_t at = xml.find(R"("note" value="0:)"); at != std::string::npos;
       at = xml.find(R"("note" value="0:)")) {
    xml.replace(at, xml.find("/>", at) - at, R"("wattage_per_state" value="1:7")");
  }
  std::ofstream(platform_) << xml;
  const ProgramRun of_platform =
      run("simulate", {"--policy", "greedy", "--out", scratch_.path("run.jsonl")});
  ASSERT_EQ(of_platform.exit_code, 0) << of_platform.err;
  EXPECT_EQ(watts_in_header(), 7.0);
}

TEST_F(RecordedMachine, GivesRealUnitsTheWattsOfTheirTrace) {
  // No kernel of the program is timed here: paced units take their times and watts from the trace.
  const ProgramRun paced =
      run_equipoise({"run", "--unit", "paced,trace_unit=cpu0", "--unit", "paced,trace_unit=cpu1",
                     "--trace", trace_, "--workload", "scripted:items=100", "--policy",
                     "energy-alpha:objective=energy", "--out", scratch_.path("run.jsonl")});
  ASSERT_EQ(paced.exit_code, 0) << paced.err;
  const Json summary = Json::parse(lines_of(read_text(scratch_.path("run.jsonl"))).back());
  EXPECT_EQ(summary.at("energy_from"), "modelled");
  EXPECT_GT(summary.at("energy_j"), 0.0);
}

}  // namespace
}  // namespace equipoise::recorded_watts_test
