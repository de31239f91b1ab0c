// Tests of pictures of runs and results: SVG and the terminal.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <string>
#include <vector>

#include "shared_policies/model/failure.hpp"
#include "tests/support/places.hpp"
#include "tests/support/program.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/tools/exports/small_run.hpp"
#include "tools/exports/formats.hpp"
#include "tools/exports/gantt_svg.hpp"
#include "tools/exports/run_marks.hpp"
#include "tools/exports/run_text.hpp"
#include "tools/exports/svg_drawing.hpp"

namespace equipoise::pictures_test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::string gantt_of(const RunFile& file) {
  GanttSvg gantt(end_of_run(file));
  gantt.add(file);
  return gantt.text();
}

/// The value of `attribute` ("": the text) in the shapes with the class `looks`, of well-formed
/// XML.
std::vector<std::string> shapes(const std::string& svg, const char* looks, const char* attribute) {
  pugi::xml_document document;
  EXPECT_TRUE(document.load_string(svg.c_str())) << svg;
  std::vector<std::string> found;
  for (const pugi::xml_node& node : document.child("svg").children()) {
    if (std::string(node.attribute("class").value()) != looks) continue;
    if (*attribute == '\0') found.emplace_back(node.text().get());
    if (node.attribute(attribute)) found.emplace_back(node.attribute(attribute).value());
  }
  return found;
}

// The axis begins at 116 and is 816 wide, that is 192 for each of 4.25 s. The first row is at 46
// and 19 high. Copies of the second, which is 22 below, take a quarter each.
TEST(GanttSvg, DrawsBlocksToScale) {
  const std::string svg = gantt_of(run_of(small_run_text()));
  EXPECT_THAT(shapes(svg, "compute", "d"),
              ElementsAre("M212 72.75h191.4v9.5h-191.4z"  // from 0.5 s, 1 s long, less a gap
                          "M404 72.75h143.4v9.5h-143.4z"  // from 1.5 s, 0.75 s long
                          "M548 46h191.4v19h-191.4z"      // from 2.25 s
                          "M740 46h191.4v19h-191.4z"));
  EXPECT_THAT(shapes(svg, "setup", "d"), ElementsAre("M116 46h47.4v19h-47.4z"));
  EXPECT_THAT(shapes(svg, "train", "d"), ElementsAre("M164 46h143.4v19h-143.4z"));
  EXPECT_THAT(shapes(svg, "in", "d").at(0), HasSubstr("M116 68h95.4v4.75h-95.4z"));
  EXPECT_THAT(shapes(svg, "lost", "d"), ElementsAre("M596 72.75h95.4v9.5h-95.4z"));
  EXPECT_THAT(shapes(svg, "bound", "x1"), Contains("500"));  // at 2 s
  EXPECT_THAT(shapes(svg, "end-of-run", "x1"), ElementsAre("932"));
  EXPECT_THAT(shapes(svg, "bold", ""),
              ElementsAre("plb-hec:threshold=0.2,step_fraction=0.1 (sim)"));
}

/// The small run, in which the block of the unit that was lost was lost before, because a copy of
/// it was first.
RunFile run_with_beaten_copy() {
  std::string text = small_run_text();
  const std::string was = R"("after_events":3,"tag":"run"})";
  EXPECT_NE(text.find(was), std::string::npos);
  text.replace(text.find(was), was.size(), R"("after_events":3,"tag":"run","by":"copy"})");
  return run_of(text);
}

TEST(GanttSvg, MarksDroppedWorkApartFromLosses) {
  const auto marks = [](const RunFile& file, const char* looks) {
    return shapes(gantt_of(file), looks, "d").size();  // one of them in the legend
  };
  EXPECT_EQ(marks(run_of(small_run_text()), "trouble"), 1u + 1u) << "three at the same place";
  EXPECT_EQ(marks(run_of(small_run_text()), "dropped"), 0u);
  EXPECT_EQ(marks(run_with_beaten_copy(), "dropped"), 1u + 1u);
  EXPECT_THAT(gantt_of(run_with_beaten_copy()), HasSubstr("block 4, 10 items, a copy was first"));
  EXPECT_THAT(gantt_of(run_with_beaten_copy()), HasSubstr("work dropped"));
}

TEST(GanttSvg, EscapesNames) {
  const std::string svg = gantt_of(run_of(small_run_text("<g&\\\"0>")));
  EXPECT_THAT(shapes(svg, "small end", ""), ElementsAre("cpu0", "<g&\"0>"));
}

TEST(GanttSvg, SaysThatARunWasInterrupted) {
  EXPECT_THAT(gantt_of(run_of(small_run_lines())),
              HasSubstr("interrupted; recorded up to 4.250 s"));
}

/// A run of one unit with `blocks` blocks, each of which computes for the first half of 1 ms.
RunFile run_of_short_blocks(int blocks) {
  std::string text = small_run_header();
  text.replace(text.find("\"items\":80"), 10, "\"items\":" + std::to_string(blocks));
  for (int i = 0; i < blocks; ++i) {
    const std::string begin = std::to_string(i) + "e-3";
    const std::string end = std::to_string(i) + ".5e-3";
    text += small_run_block(i, "cpu0", i, 1,
                            "\"assigned_s\":" + begin +
                                ",\"setup_s\":0,\"in_s\":0,\"compute_s\":5e-4,\"out_s\":0,"
                                "\"setup_at_s\":" +
                                begin + ",\"in_at_s\":" + begin + ",\"compute_at_s\":" + begin +
                                ",\"out_at_s\":" + end + ",\"end_s\":" + end,
                            i, "run");
  }
  return run_of(text + R"({"summary":true,"makespan_s":)" + std::to_string(blocks) +
                R"(e-3,"complete":true,"verified":true})");
}

TEST(GanttSvg, AddsShortBlocksUp) {
  const std::string svg = gantt_of(run_of_short_blocks(5'000));
  EXPECT_THAT(shapes(svg, "compute", "d"), ElementsAre("M116 55.5h816v9.5h-816z"));
}

TEST(UnitRows, HoldUnitsThatAreAlike) {
  std::vector<Unit> units(7);
  for (std::size_t i = 0; i < units.size(); ++i) {
    units[i].name = (i < 5 ? "c" : "g") + std::to_string(i);
    units[i].kind = i < 5 ? UnitKind::cpu : UnitKind::gpu;
  }
  const auto names = [&](std::size_t most) {
    std::vector<std::string> all;
    for (const UnitRow& row : unit_rows(units, most)) all.push_back(row.name);
    return all;
  };
  EXPECT_THAT(names(7), ElementsAre("c0", "c1", "c2", "c3", "c4", "g5", "g6"));
  EXPECT_THAT(names(4), ElementsAre("c0..c2", "c3..c4", "g5", "g6"));
  EXPECT_THAT(names(1), ElementsAre("c0..g6"));
}

TEST(TimeAxis, HasRoundTimes) {
  EXPECT_THAT(round_times(4.25), ElementsAre(0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4));
  EXPECT_EQ(time_text(0.25, 0.5, 3), "250 ms");
}

ResultsDocument results_of(const std::string& second) {
  return {"r.json", parse_json(R"({"lower_bound_s":1,"experiment":{"workloads":["k<1>"]},)"
                               R"("results":[{"spelling":"gss","on":"sim","reps":5,)"
                               R"("makespan_s":{"mean":2,"ci95":[1.5,2.5]}},{"spelling":"optimum",)"
                               R"("on":"sim","reps":5,"oracle":true,"makespan_s":)" +
                                   second + "}]}",
                               "r.json")};
}

TEST(ComparisonSvg, DrawsMakespansIntervalsAndTheBound) {
  const std::string svg = comparison_svg({results_of(R"({"mean":1,"ci95":[1,1]})")});
  const double left = std::stod(shapes(svg, "bar", "x").at(0));
  const double second = std::stod(shapes(svg, "knowing", "width").at(0));
  EXPECT_DOUBLE_EQ(std::stod(shapes(svg, "bar", "width").at(0)), 2 * second);
  EXPECT_DOUBLE_EQ(std::stod(shapes(svg, "bound", "x1").at(0)), left + second);
  EXPECT_THAT(shapes(svg, "bold", ""), ElementsAre("k<1>: mean makespan of 5 runs"));
  EXPECT_THAT(svg, HasSubstr("2.000 ± 0.50 s"));
  EXPECT_THAT(svg, HasSubstr("knows block times from before the run"));
  EXPECT_EQ(shapes(svg, "interval", "d").size(), 1u);
}

TEST(ComparisonSvg, CutsBarsThatWouldHideTheOthers) {
  const std::string svg = comparison_svg({results_of(R"({"mean":100,"ci95":[99,101]})")});
  EXPECT_EQ(shapes(svg, "cut", "d").size(), 1u);
  EXPECT_DOUBLE_EQ(std::stod(shapes(svg, "knowing", "width").at(0)),
                   4 * std::stod(shapes(svg, "bar", "width").at(0)));
}

// The axes are 840 and 384 long, with a twentieth of room at each end: 2.2 s from 0.9 s on, and
// 6.6 J from 3.7 J on. So 1 s is at 90 + 840 x 0.1 / 2.2 = 128.18, 3 s at 90 + 840 x 2.1 / 2.2,
// 10 J at 440 - 384 x 6.3 / 6.6 = 73.45, 4 J at 440 - 384 x 0.3 / 6.6.
TEST(FrontSvg, DrawsWhatNoDivisionBeatsAsStepsAndSimulatedRunsAsRings) {
  DivisionFront front;
  front.points = {{{1.0, 10.0}, 0.0, {}, false, SplitResult{1.0, 10.0}},
                  {{3.0, 4.0}, 0.0, {}, false, {}},
                  {{5.0, 6.0}, 0.0, {}, true, SplitResult{9, 9}}};
  const std::string svg = front_svg(front, "k<1>");
  EXPECT_THAT(shapes(svg, "steps", "d"), ElementsAre("M128.18 73.45H891.82V422.55"));
  EXPECT_THAT(shapes(svg, "bold", ""),
              ElementsAre("k<1>: divisions that none beats in both time and energy"));
  EXPECT_THAT(shapes(svg, "simulated", "d"),
              Contains("M123.18 73.45a5 5 0 1 0 10 0a5 5 0 1 0 -10 0z"));
  EXPECT_EQ(shapes(svg, "simulated", "d").size(), 2u);  // the other explains them
  EXPECT_EQ(shapes(svg, "point", "d").size(), 3u);
  EXPECT_THAT(svg, HasSubstr("<title>simulated: 1.000 s, 10.00 J</title>"));
}

/// A run of 80 items, 10 a second on each unit: gpu0 does `gpu_items`, beginning at `begin_s`, and
/// cpu0 all others, from 0 s on. `events` are lines.
RunFile run_of_two(int gpu_items, double begin_s, const std::string& events) {
  const auto times = [](double from_s, int items) {
    return fmt::format(
        R"("assigned_s":0,"setup_s":0,"in_s":0,"compute_s":{1},"out_s":0,"setup_at_s":{0},)"
        R"("in_at_s":{0},"compute_at_s":{0},"out_at_s":{2},"end_s":{2})",
        from_s, items / 10.0, from_s + items / 10.0);
  };
  return run_of(
      small_run_header() + "{\"event\":\"iteration_started\",\"at_s\":0}\n" + events +
      small_run_block(0, "gpu0", 0, gpu_items, times(begin_s, gpu_items), 0, "run") +
      small_run_block(1, "cpu0", gpu_items, 80 - gpu_items, times(0, 80 - gpu_items), 0, "run"));
}

// cpu0 does the 70 items that the other cannot do in 7 s.
TEST(RunText, CountsAUnitThatWasLostUntilThen) {
  const std::string lost = R"({"event":"unit_lost","at_s":1,"unit":"gpu0"})"
                           "\n";
  const std::string text = run_text(run_of_two(10, 0.0, lost), {41, false});
  EXPECT_THAT(text, HasSubstr("cpu0     87.5     87.5     0.0"));
  EXPECT_THAT(text, HasSubstr("gpu0     12.5     12.5    85.7"));
}

// Both do 10 items a second from 2 s on, and cpu0 20 before, so that all end at 5 s.
TEST(RunText, CountsAUnitThatCameLaterFromThenOn) {
  const std::string joined = R"({"event":"unit_joined","at_s":2,"unit":"gpu0"})"
                             "\n";
  const std::string text = run_text(run_of_two(10, 2.0, joined), {41, false});
  EXPECT_THAT(text, HasSubstr("cpu0     87.5     62.5     0.0"));
  EXPECT_THAT(text, HasSubstr("gpu0     12.5     37.5    85.7"));
}

TEST(RunText, GivesAUnitWithoutBlocksNoIdealShare) {
  const std::string text = run_text(
      run_of(small_run_header() + "{\"event\":\"iteration_started\",\"at_s\":0}\n" +
             small_run_block(
                 0, "cpu0", 0, 80,
                 R"("assigned_s":0,"setup_s":0,"in_s":0,"compute_s":8,"out_s":0,"setup_at_s":0,)"
                 R"("in_at_s":0,"compute_at_s":0,"out_at_s":8,"end_s":8)",
                 0, "run")),
      {41, false});
  EXPECT_THAT(text, HasSubstr("cpu0    100.0    100.0     0.0"));
  EXPECT_THAT(text, HasSubstr("gpu0      0.0        -   100.0"));
}

// Of 34 columns, each is 0.125 s.
TEST(RunText, ShowsSharesIdleTimeAndAChart) {
  EXPECT_EQ(
      run_text(run_of(small_run_text()), {41, false}),
      "plb-hec:threshold=0.2,step_fraction=0.1 on sim: 4.250 s, 2.125 times the lower bound of "
      "2.000 s\n"
      "k:items=80, p.xml\n"
      "5 blocks, 0 rebalances, verified\n"
      "\n"
      "unit  share %  ideal %  idle %  blocks  items\n"
      "----  -------  -------  ------  ------  -----\n"
      "cpu0     75.0     71.4    29.4       3     60\n"
      "gpu0     25.0     28.6    41.2       2     20\n"
      "ideal %: the share with which all would have ended together, at the speed of this run, or "
      "worked as long as they were there\n"
      "\n"
      "cpu0  ==++++++..........################\n"
      "gpu0  ====##############==xxxx\n"
      "      0                          4.250 s\n"
      "x lost block   # computing   + computing, training block   = copying   . waiting\n"
      "A character shows what took most of its time.\n"
      "\n"
      "at s   what        unit\n"
      "-----  ----------  ----  -----------------\n"
      "3.000  fail        gpu0\n"
      "3.000  unit lost   gpu0\n"
      "3.000  block lost  gpu0  block 4, 10 items\n");
}

TEST(RunText, ListsNoDroppedWorkAmongLosses) {
  const std::string text = run_text(run_with_beaten_copy(), {80, false});
  EXPECT_THAT(text, HasSubstr("unit lost  gpu0"));
  EXPECT_THAT(text, Not(HasSubstr("block lost")));
  EXPECT_EQ(run_json(run_with_beaten_copy()).at("events").size(), 2u);
}

TEST(RunText, DrawsInUnicode) {
  const std::string text = run_text(run_of(small_run_text()), {41, true});
  EXPECT_THAT(text, HasSubstr("gpu0  ▒▒▒▒██████████████▒▒××××\n"));
}

TEST(RunText, SaysThatARunWasInterrupted) {
  const std::string text = run_text(run_of(small_run_lines()), {80, false});
  EXPECT_THAT(text, HasSubstr("on sim: interrupted; recorded up to 4.250 s"));
  EXPECT_THAT(text, HasSubstr("not verified"));
}

TEST(RunText, SharesRowsAmongManyUnits) {
  std::string text = small_run_text();
  std::string more;
  for (int i = 1; i < 40; ++i) {
    more += R"({"id":"cpu)" + std::to_string(i) + R"(","kind":"cpu","copy_engines":1,"slots":1},)";
  }
  text.insert(text.find(R"({"id":"gpu0")"), more);
  const std::string shown = run_text(run_of(text), {80, false});
  EXPECT_THAT(shown, HasSubstr("\ncpu0..cpu1  "));
  EXPECT_THAT(shown, HasSubstr("41 units in 21 rows: "));
  EXPECT_THAT(shown, Not(HasSubstr("\ncpu1 ")));
}

TEST(RunJson, HasTheNumbers) {
  const nlohmann::ordered_json json = run_json(run_of(small_run_text()));
  EXPECT_EQ(json.at("makespan_s"), 4.25);
  EXPECT_EQ(json.at("lower_bound_s"), 2.0);
  EXPECT_EQ(json.at("units").at(0).at("share"), 0.75);
  EXPECT_DOUBLE_EQ(json.at("units").at(0).at("ideal_share"), 20.0 / 28.0);
  EXPECT_DOUBLE_EQ(json.at("units").at(1).at("idle_fraction"), 1.0 - 2.5 / 4.25);
  EXPECT_EQ(json.at("events").size(), 3u);
  EXPECT_TRUE(run_json(run_of(small_run_lines())).at("makespan_s").is_null());
}

class Report : public testing::Test {
 protected:
  void expect_refused(const std::vector<std::string>& arguments, const std::string& why) const {
    const ProgramRun run = run_equipoise(arguments);
    EXPECT_EQ(run.exit_code, 2);
    EXPECT_THAT(run.err, HasSubstr(why));
  }

  TemporaryFolder scratch;
  std::string run_file = scratch.write("cmp/runs/small.jsonl", small_run_text());
};

TEST_F(Report, WritesEveryFormatAtOnceAndPrintsOne) {
  const ProgramRun run =
      run_equipoise({"report", run_file, "--csv", "-", "--svg", scratch.path("a.svg"), "--perfetto",
                     scratch.path("a.json"), "--paje", scratch.path("a.paje")});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.err, "");
  EXPECT_EQ(lines_of(run.out).size(), 7u);
  EXPECT_THAT(scratch.read("a.svg"), HasSubstr("</svg>"));
  EXPECT_THAT(scratch.read("a.json"), HasSubstr("\n]}\n"));
  EXPECT_THAT(scratch.read("a.paje"), HasSubstr("%EventDef"));
}

TEST_F(Report, OfAFolderTakesResultsForTablesAndRunsForTraces) {
  scratch.write("cmp/runs/points.jsonl", "{\"schema\":\"equipoise.points/1\"}\n");
  scratch.write("cmp/results.json",
                R"({"schema":"equipoise.results/1","experiment":{"workloads":["k"]},"results":[)"
                R"({"spelling":"gss","on":"sim","reps":1,"makespan_s":{"mean":2,"ci95":[2,2]},)"
                R"("repetitions":[{"repetition":0,"makespan_s":2}]}]})");
  const ProgramRun run =
      run_equipoise({"report", scratch.path("cmp/"), "--csv", "-", "--svg", scratch.path("a.svg"),
                     "--perfetto", scratch.path("a.json")});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("results,policy,on,lower_bound_s,repetition,makespan_s\n"));
  EXPECT_THAT(scratch.read("a.svg"), HasSubstr("mean makespan of 1 run<"));
  EXPECT_THAT(scratch.read("a.json"), HasSubstr("cmp/runs/small.jsonl"));
}

TEST_F(Report, RefusesWhatItCannotUseAndLeavesNothingBehind) {
  expect_refused({"report", run_file, "--csv", run_file}, "is read by this command");
  expect_refused({"report", run_file, "--csv", "-", "--svg", "-"}, "give each a file of its own");
  expect_refused({"report", "platforms", "--csv", "-"}, "there is nothing to show");
  expect_refused({"report", "traces/sirocco-dgemm.jsonl", "--csv", "-"}, "there are only traces");
  const std::string out = scratch.path("a.svg");
  const std::string bad = scratch.write("bad.jsonl", small_run_lines() + "{}\n");
  expect_refused({"report", bad, "--svg", out, "--csv", out + ".csv"}, "bad.jsonl:14: ");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(scratch.path("")), {}), 2);
}

TEST_F(Report, NotesThatARunWasInterrupted) {
  const std::string cut = scratch.write("cut.jsonl", small_run_lines());
  const ProgramRun run = run_equipoise({"report", cut, "--svg", scratch.path("a.svg")});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(run.err, HasSubstr("the run was interrupted"));
}

TEST_F(Report, ShowPrintsTableAndJson) {
  const ProgramRun table = run_equipoise({"show", run_file});
  EXPECT_EQ(table.exit_code, 0) << table.err;
  EXPECT_THAT(table.out, HasSubstr("2.125 times the lower bound"));
  EXPECT_EQ(nlohmann::json::parse(run_equipoise({"show", run_file, "--json"}).out).at("blocks"), 5);
}

TEST_F(Report, ShowNamesTheCommandForWhatIsNoRunFile) {
  const std::string said = "this is neither a run file nor a comparison; give a file that --out";
  expect_refused({"show", "platforms/sirocco.xml"}, "platforms/sirocco.xml: " + said);
  expect_refused({"show", "traces"}, "traces: " + said);
}

// By the commands of docs/pictures/README.md.
TEST(Picture, OfTheReadmeIsWhatTheProgramDraws) {
  const TemporaryFolder scratch;
  std::vector<std::string> report = {"report"};
  for (const std::string policy : {"greedy", "equipoise"}) {
    report.push_back(scratch.path(policy + ".jsonl"));
    const ProgramRun run =
        run_equipoise({"simulate", "--platform", "platforms/sirocco.xml", "--trace",
                       "traces/sirocco-dgemm-operands.jsonl", "--workload",
                       "starpu_dgemm_gemm:items=2e6", "--policy", policy, "--out", report.back()});
    ASSERT_EQ(run.exit_code, 0) << run.err;
  }
  const ProgramRun drawn = run_equipoise(with(report, {"--svg", "-"}));
  EXPECT_EQ(drawn.exit_code, 0) << drawn.err;
  EXPECT_TRUE(drawn.out == read_text(repository() / "docs/pictures/sirocco.svg"))
      << "draw it again, and look at it";
}

}  // namespace
}  // namespace equipoise::pictures_test
