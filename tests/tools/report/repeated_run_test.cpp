// Tests of what `replay --on paced` says of the time that the run took longer, and of its cause.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/support/program.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tools/report/report_text.hpp"
#include "tools/runs/policy_choice.hpp"

namespace equipoise::repeated_run_test {
namespace {

std::vector<Unit> two_units() {
  std::vector<Unit> units(2);
  units[0].name = "a";
  units[1].name = "b";
  return units;
}

/// A run of 1.2 s on paced units, in which b ended last, after 3 blocks of 30 items in all, which
/// took 1 s; ends of blocks were noticed 1 ms late.
RunReport paced_run() {
  RunReport report;
  RunNumbers& numbers = report.run.numbers;
  numbers.makespan = Seconds{1.2};
  numbers.units.resize(2);
  numbers.units[0].last_end = Seconds{0.9};
  numbers.units[1].last_end = Seconds{1.2};
  numbers.units[1].items = 30;
  numbers.units[1].blocks = 3;
  numbers.units[1].busy = {{}, Seconds{0.25}, Seconds{0.75}, {}};
  numbers.blocks = 4;
  numbers.decisions_total = Seconds{0.01};
  report.run.verified = true;
  report.notes.pacing = PacingNote{1.0, Seconds{1e-3}, Seconds{2e-3}};
  return report;
}

/// What is said of `report` if b had done `then` in a recorded run of 1 s; in one line.
std::string said_of(const RunReport& report, const UnitWork& then) {
  RecordedMakespan recorded{"sim", Seconds{1.0}, "its block times", "paced", Seconds{}};
  recorded.by_unit["b"] = then;
  testing::internal::CaptureStdout();
  EXPECT_EQ(report_run(report, parse_policy("greedy"), two_units(), "", false, {}, recorded), 0);
  std::string text = testing::internal::GetCapturedStdout();
  text = text.substr(text.find("in it: "));
  for (char& c : text) c = c == '\n' ? ' ' : c;
  return text;
}

TEST(RepeatedRun, NamesOtherBlockSizesWhereTheyAreOther) {
  EXPECT_EQ(said_of(paced_run(), {24, 2, Seconds{0.8}}),
            "in it: 10.0 ms of decisions (0 s when it was recorded), 2.0 ms a unit of ends noticed "
            "late; b ended last: its 3 blocks of 30 items took 1.000 s (when it was recorded, 2 "
            "blocks of 24 items took 800.0 ms); for the rest it waited: for decisions, other "
            "units, or a core to run on ");
}

TEST(RepeatedRun, BlamesNoBlockSizesForABusyMachine) {
  RunReport report = paced_run();
  report.run.core_use = {2.4, 2.112};
  EXPECT_EQ(said_of(report, {30, 3, Seconds{1.0}}),
            "in it: 10.0 ms of decisions (0 s when it was recorded), 2.0 ms a unit of ends noticed "
            "late; other programs had 88 % of the cores, which makes decisions longer and ends "
            "later; b ended last: its 3 blocks of 30 items, as many as when it was recorded, took "
            "1.000 s (1.000 s then); for the rest it waited: for decisions, other units, or a core "
            "to run on ");
}

TEST(RepeatedRun, OfADivisionBeforeTheRunHasTheSameBlocks) {
  const TemporaryFolder scratch;
  const std::string file = scratch.path("run.jsonl");
  const ProgramRun run = run_equipoise(
      {"simulate", "--platform", "platforms/sirocco.xml", "--trace", "traces/sirocco-dgemm.jsonl",
       "--workload", "starpu_dgemm_gemm:items=2e4", "--policy", "fixed", "--out", file});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const ProgramRun again = run_equipoise({"replay", file, "--on", "paced"});
  ASSERT_EQ(again.exit_code, 0) << again.err;
  EXPECT_NE(again.out.find("ended last: its 1 block of "), std::string::npos) << again.out;
  EXPECT_NE(again.out.find("as many as when"), std::string::npos) << again.out;
}

}  // namespace
}  // namespace equipoise::repeated_run_test
