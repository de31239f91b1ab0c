// Tests of the exports of a small run as CSV, Perfetto and Paje.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "shared_policies/model/failure.hpp"
#include "tests/support/program.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/tools/exports/small_run.hpp"
#include "tools/exports/formats.hpp"
#include "tools/exports/run_marks.hpp"

namespace equipoise::formats_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using Span = std::tuple<unsigned, std::string, double, double>;

std::vector<Span> spans_of(const RunFile& file) {
  std::vector<Span> spans;
  for_each_span(file, [&](const UnitSpan& span) {
    spans.emplace_back(span.unit.index, to_string(span.activity), span.begin.value, span.end.value);
  });
  return spans;
}

TEST(UnitSpans, TellStagesWaitingByCauseLossesAndAbsence) {
  const RunFile file = run_of(small_run_text());
  EXPECT_THAT(
      spans_of(file),
      ElementsAre(Span{0, "setup", 0, 0.25}, Span{0, "compute (training)", 0.25, 1},
                  Span{1, "copy in", 0, 0.5}, Span{1, "compute", 0.5, 1.5},
                  Span{1, "copy out", 1.5, 2}, Span{1, "copy in", 0.5, 1},
                  Span{1, "compute", 1.5, 2.25}, Span{1, "copy out", 2.25, 2.5},
                  Span{1, "lost", 2.5, 3}, Span{0, "waiting for other units in training", 1, 2},
                  Span{0, "waiting for the controller", 2, 2.25}, Span{0, "compute", 2.25, 3.25},
                  Span{0, "compute", 3.25, 4.25}, Span{1, "absent", 3, 4.25}));
  EXPECT_THAT(overlaps(file), ElementsAre(false, true));
}

TEST(UnitSpans, OfAnInterruptedRunEndWithItsLastRecord) {
  EXPECT_EQ(end_of_run(run_of(small_run_lines())), Seconds{4.25});
}

TEST(UnitSpans, OfABlockThatWasNotDoneSaySo) {
  std::string text = small_run_lines();
  const std::string was = R"({"event":"block_lost")";
  text.replace(text.find(was), was.size(), R"({"event":"block_outstanding")");
  EXPECT_THAT(spans_of(run_of(text)), testing::Contains(Span{1, "unfinished", 2.5, 3}));
}

TEST(UnitSpans, ShortenWhatOverlapsInALane) {
  std::string text = small_run_text();
  const std::string was = R"("compute_at_s":1.5,"out_at_s":2.25)";
  text.replace(text.find(was), was.size(), R"("compute_at_s":1.25,"out_at_s":2.25)");
  EXPECT_EQ(spans_of(run_of(text))[6], (Span{1, "compute", 1.5, 2}));
}

TEST(BlockTable, HasARowForEachBlockInTheOrderOfEnds) {
  const RunFile file = run_of(small_run_text());
  const std::string csv = exported([&](ExportFile& out) {
    put_block_headings(out);
    put_blocks(file, out);
  });
  const std::string run = R"(small.jsonl,"plb-hec:threshold=0.2,step_fraction=0.1",sim,3,)";
  EXPECT_THAT(
      lines_of(csv),
      ElementsAre(
          "run,policy,on,repetition,unit,block,phase,kernel,iteration,tag,status,first_item,"
          "items,assigned_s,setup_at_s,setup_s,in_at_s,in_s,compute_at_s,compute_s,"
          "out_at_s,out_s,end_s",
          run + "cpu0,0,0,k,0,train,done,0,40,0,0,0.25,0.25,0,0.25,0.75,1,0,1",
          run + "gpu0,1,0,k,0,run,done,40,10,0,0,0,0,0.5,0.5,1,1.5,0.5,2",
          run + "gpu0,2,0,k,0,run,done,50,10,0,0.5,0,0.5,0.5,1.5,0.75,2.25,0.25,2.5",
          run + "gpu0,4,0,k,0,run,lost,,10,2.5,,,,,,,,,3",
          run + "cpu0,3,0,k,0,run,done,60,10,2.25,2.25,0,2.25,0,2.25,1,3.25,0,3.25",
          run + "cpu0,5,0,k,0,run,done,70,10,3.25,3.25,0,3.25,0,3.25,1,4.25,0,4.25"));
}

ResultsDocument results_of(const std::string& repetitions) {
  return {"r.json", parse_json(R"({"schema":"equipoise.results/1","lower_bound_s":2,"results":[)"
                               R"({"spelling":"gss:a=1,b=2","on":"sim",)" +
                                   repetitions + "}]}",
                               "r.json")};
}

TEST(RepetitionTable, HasTheMembersOfRepetitionsAsColumns) {
  const auto table = [](const std::vector<ResultsDocument>& documents) {
    return lines_of(exported([&](ExportFile& out) { put_repetitions(documents, out); }));
  };
  EXPECT_THAT(table({results_of(R"("repetitions":[{"repetition":0,"makespan_s":2.5,)"
                                R"("decisions":{"count":3},"verified":true},{"repetition":1,)"
                                R"("makespan_s":3,"energy_j":null,"verified":false}])")}),
              ElementsAre("results,policy,on,lower_bound_s,repetition,makespan_s,decisions.count,"
                          "verified,energy_j",
                          R"(r.json,"gss:a=1,b=2",sim,2,0,2.5,3,true,)",
                          R"(r.json,"gss:a=1,b=2",sim,2,1,3,,false,)"));
  EXPECT_THROW(table({results_of(R"("reps":1)")}), InputError);
}

using Slice = std::tuple<int, double, double, std::string>;

TEST(Perfetto, HasATrackForEachLaneWithSlicesInMicroseconds) {
  const RunFile file = run_of(small_run_text());
  const auto document = nlohmann::json::parse(exported([&](ExportFile& out) {
    begin_trace_events(out);
    put_trace_events(file, 1, out);
    put_trace_events(file, 2, out);
    end_trace_events(out);
  }));
  std::vector<Slice> slices;
  std::vector<std::string> tracks;
  for (const auto& event : document.at("traceEvents")) {
    if (event.at("pid") != 1) continue;
    if (event.at("ph") == "X") {
      slices.emplace_back(event.at("tid"), event.at("ts"), event.at("dur"), event.at("name"));
    }
    if (event.at("name") == "thread_name") {
      tracks.push_back(std::to_string(event.at("tid").get<int>()) + " " +
                       event.at("args").at("name").get<std::string>());
    }
  }
  EXPECT_THAT(tracks,
              ElementsAre("1 policy", "2 cpu0", "5 gpu0", "6 gpu0 copy in", "7 gpu0 copy out"));
  EXPECT_THAT(
      slices,
      ElementsAre(Slice{2, 0, 250000, "setup"}, Slice{2, 250000, 750000, "compute (training)"},
                  Slice{6, 0, 500000, "copy in"}, Slice{5, 500000, 1000000, "compute"},
                  Slice{7, 1500000, 500000, "copy out"}, Slice{6, 500000, 500000, "copy in"},
                  Slice{5, 1500000, 750000, "compute"}, Slice{7, 2250000, 250000, "copy out"},
                  Slice{5, 2500000, 500000, "lost"},
                  Slice{2, 1000000, 1000000, "waiting for other units in training"},
                  Slice{2, 2000000, 250000, "waiting for the controller"},
                  Slice{2, 2250000, 1000000, "compute"}, Slice{2, 3250000, 1000000, "compute"},
                  Slice{5, 3000000, 1250000, "absent"}, Slice{1, 2000000, 250000, "fit"}));
}

TEST(Perfetto, NamesBlocksEventsAndPower) {
  const RunFile file = run_of(small_run_text(R"(g\"<0>)"));
  const auto document = nlohmann::json::parse(exported([&](ExportFile& out) {
    begin_trace_events(out);
    put_trace_events(file, 1, out);
    end_trace_events(out);
  }));
  std::vector<std::string> others;
  for (const auto& event : document.at("traceEvents")) {
    if (event.at("ph") == "i" || event.at("ph") == "C") others.push_back(event.dump());
  }
  EXPECT_THAT(
      others,
      ElementsAre(
          R"({"args":{},"cat":"event","name":"iteration_started","ph":"i","pid":1,"s":"t","tid":1,"ts":0})",
          R"({"args":{},"cat":"event","name":"fail","ph":"i","pid":1,"s":"t","tid":5,"ts":3000000})",
          R"({"args":{},"cat":"event","name":"unit_lost","ph":"i","pid":1,"s":"t","tid":5,"ts":3000000})",
          R"({"args":{"details":"block 4, 10 items"},"cat":"event","name":"block_lost","ph":"i","pid":1,"s":"t","tid":5,"ts":3000000})",
          R"json({"args":{"value":50},"name":"package-0 power (W)","ph":"C","pid":1,"ts":2000000})json"));
  EXPECT_THAT(document.dump(),
              HasSubstr(R"("args":{"assigned_s":0,"block":1,"first_item":40,"items":10,)"
                        R"("iteration":0,"phase":0,"tag":"run"},"cat":"block","dur":1000000)"));
  EXPECT_THAT(document.dump(), HasSubstr(R"({"name":"g\"<0> copy in"})"));
}

/// What pajeng reads of a trace.
std::vector<std::string> dumped(const std::string& trace) {
  const TemporaryFolder scratch;
  const std::string file = scratch.write("run.paje", trace);
  const std::string out = scratch.path("dump");
  EXPECT_EQ(std::system(("pj_dump -u " + file + " >" + out).c_str()), 0);
  return lines_of(scratch.read("dump"));
}

TEST(Paje, IsReadByPajengWithEveryState) {
  if (std::system("command -v pj_dump >/dev/null") != 0) {
    GTEST_SKIP() << "pj_dump is not installed (Debian: pajeng)";
  }
  const RunFile file = run_of(small_run_text());
  const std::string trace = exported([&](ExportFile& out) { put_paje({file}, out); });
  std::vector<std::string> states;
  std::vector<std::string> others;
  for (const std::string& line : dumped(trace)) {
    if (line.starts_with("State, ")) {
      states.push_back(line.substr(7));
    } else if (!line.starts_with("Container")) {
      others.push_back(line);
    }
  }
  // Container, type, begin, end, duration, nesting, value, block, items.
  EXPECT_THAT(states,
              testing::UnorderedElementsAre(
                  "cpu0, Copy in, 0.000000, 0.250000, 0.250000, 0.000000, setup, 0, 40",
                  "cpu0, Work, 0.250000, 1.000000, 0.750000, 0.000000, compute (training), 0, 40",
                  "cpu0, Work, 1.000000, 2.000000, 1.000000, 0.000000, waiting for other units in "
                  "training",
                  "cpu0, Work, 2.000000, 2.250000, 0.250000, 0.000000, waiting for the controller",
                  "cpu0, Work, 2.250000, 3.250000, 1.000000, 0.000000, compute, 3, 10",
                  "cpu0, Work, 3.250000, 4.250000, 1.000000, 0.000000, compute, 5, 10",
                  "gpu0, Copy in, 0.000000, 0.500000, 0.500000, 0.000000, copy in, 1, 10",
                  "gpu0, Copy in, 0.500000, 1.000000, 0.500000, 0.000000, copy in, 2, 10",
                  "gpu0, Copy out, 1.500000, 2.000000, 0.500000, 0.000000, copy out, 1, 10",
                  "gpu0, Copy out, 2.250000, 2.500000, 0.250000, 0.000000, copy out, 2, 10",
                  "gpu0, Work, 0.500000, 1.500000, 1.000000, 0.000000, compute, 1, 10",
                  "gpu0, Work, 1.500000, 2.250000, 0.750000, 0.000000, compute, 2, 10",
                  "gpu0, Work, 2.500000, 3.000000, 0.500000, 0.000000, lost, 4, 10",
                  "gpu0, Work, 3.000000, 4.250000, 1.250000, 0.000000, absent"));
  const std::string run = "plb-hec:threshold=0.2,step_fraction=0.1 on sim (small.jsonl), ";
  EXPECT_THAT(
      others,
      ElementsAre(
          "Variable, " + run + "package-0 power (W), 2.000000, 4.250000, 2.250000, 50.000000",
          "Event, " + run + "Event, 0.000000, iteration_started",
          "Event, " + run + "Event, 2.000000, fit: block sizes in items: cpu0 10",
          "Event, gpu0, Event, 3.000000, fail", "Event, gpu0, Event, 3.000000, unit_lost",
          "Event, gpu0, Event, 3.000000, block_lost: block 4, 10 items"));
}

TEST(Paje, OfSeveralRunsIsInTheOrderOfTime) {
  const RunFile file = run_of(small_run_text());
  const std::string trace = exported([&](ExportFile& out) { put_paje({file, file}, out); });
  double latest = 0.0;
  std::size_t changes = 0;
  for (const std::string& line : lines_of(trace)) {
    if (line.starts_with('%')) continue;
    const int event = std::stoi(line);
    if (event < 5) continue;
    const double at = std::stod(line.substr(line.find(' ')));
    EXPECT_GE(at, latest) << line;
    latest = at;
    ++changes;
  }
  // For each run: 3 containers made and ended, 14 spans begun and ended, 5 events, 1 meter.
  EXPECT_EQ(changes, 2u * (6 + 28 + 5 + 1));
}

}  // namespace
}  // namespace equipoise::formats_test
