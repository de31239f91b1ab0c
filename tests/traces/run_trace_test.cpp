// Tests of the trace that is made from the block times of a run.
#include "traces/run_trace.hpp"

#include <gtest/gtest.h>

namespace equipoise::run_trace_test {
namespace {

TEST(RunTrace, HoldsASampleForEveryBlockOfTheKernel) {
  RecordedRun run;
  run.units.resize(2);
  run.units[0].name = "cpu0";
  run.units[1].name = "gpu0";
  run.phases.resize(2);
  run.phases[0].kernel = "a";
  run.phases[0].grain_items = 4;
  run.phases[0].resident_bytes = 100.0;
  run.phases[1].kernel = "b";
  const auto add = [&](std::uint32_t unit, int phase, Items items, StageTimes times) {
    Block block;
    block.items = items;
    block.phase = phase;
    run.lines.push_back({1, BlockRecord{UnitId{unit}, block, {}, times, {}, {}, 0}});
  };
  add(1, 0, 8, {{}, Seconds{5}, Seconds{2}, Seconds{0.5}});    // its copy in brought resident bytes
  add(1, 0, 12, {{}, Seconds{1}, Seconds{3}, Seconds{0.25}});  // the next block's did not
  add(0, 1, 7, {{}, Seconds{1}, Seconds{1}, Seconds{1}});      // another kernel
  add(0, 0, 4, {{}, Seconds{1}, Seconds{0}, Seconds{1}});      // too short for the clock
  run.lines.push_back({5, EventRecord{Seconds{}, UnitLost{UnitId{0}}}});
  add(0, 0, 8, {Seconds{4}, Seconds{1}, Seconds{2}, Seconds{1}});  // with a setup of its own
  const Trace a = trace_of_run(run, "a", "here");
  EXPECT_EQ(a.kernel, "a");
  EXPECT_EQ(a.provenance, "here");
  EXPECT_EQ(a.grain_items, 4);
  EXPECT_EQ(a.resident_bytes, 100.0);
  ASSERT_EQ(a.units.size(), 2u);
  ASSERT_EQ(a.samples.size(), 3u);
  EXPECT_EQ(a.samples[0].unit, 1u);
  EXPECT_EQ(a.samples[0].items, 8.0);
  EXPECT_EQ(a.samples[0].compute_mean_s, 2.0);
  EXPECT_EQ(a.samples[0].out_s, 0.5);
  EXPECT_FALSE(a.samples[0].in_s);
  EXPECT_EQ(a.samples[1].in_s, 1.0);
  EXPECT_EQ(a.samples[2].in_s, 1.0);
  const Trace b = trace_of_run(run, "b", "here");
  ASSERT_EQ(b.samples.size(), 1u);
  EXPECT_EQ(b.samples[0].in_s, 1.0);  // kernel b has no resident data
}

TEST(RunTrace, GivesCopiesAByteAnItemWhereTheRunDoesNotSayTheirBytes) {
  RecordedRun run;
  run.units.resize(1);
  run.phases.resize(1);
  run.phases[0].kernel = "a";
  Block block;
  block.items = 8;
  const StageTimes times{{}, Seconds{5}, Seconds{2}, Seconds{0}};
  run.lines.push_back({1, BlockRecord{UnitId{0}, block, {}, times, {}, {}, 0}});
  const Trace unknown = trace_of_run(run, "a", "here");
  EXPECT_EQ(unknown.samples.front().in_bytes, 8.0);
  EXPECT_FALSE(unknown.samples.front().out_bytes);  // nothing was copied out
  run.phases[0].in_bytes_per_item = 32.0;
  EXPECT_FALSE(trace_of_run(run, "a", "here").samples.front().in_bytes);  // the workload's count
}

TEST(RunTrace, GivesCopiesBytesWithWhichResidentDataTakeAsLongAsTheyDid) {
  // 8 items took 4 s: half a second each. The setup took 10 s, as long as 20 items: an item has 1e6
  // / 20 bytes.
  RecordedRun run;
  run.units.resize(1);
  run.phases.resize(1);
  run.phases[0].kernel = "a";
  run.phases[0].resident_bytes = 1e6;
  Block block;
  block.items = 4;
  for (const double setup_s : {10.0, 0.0}) {
    const StageTimes times{Seconds{setup_s}, Seconds{2}, Seconds{2}, Seconds{1}};
    run.lines.push_back({1, BlockRecord{UnitId{0}, block, {}, times, {}, {}, 0}});
  }
  const Trace trace = trace_of_run(run, "a", "here");
  ASSERT_EQ(trace.samples.size(), 2u);
  for (const TraceSample& sample : trace.samples) {
    EXPECT_DOUBLE_EQ(sample.in_bytes.value(), 4 * 5e4);
    EXPECT_EQ(sample.out_bytes, 4.0);
  }
}

/// A run of a kernel with resident data and two iterations on one unit.
RecordedRun two_iterations() {
  RecordedRun run;
  run.units.resize(1);
  run.phases.resize(1);
  run.phases[0].kernel = "a";
  run.phases[0].resident_bytes = 100.0;
  run.phases[0].iterations = 2;
  return run;
}

void add_block(RecordedRun& run, int iteration, double assigned_s, double end_s = 0.0) {
  Block block;
  block.items = 1;
  block.iteration = iteration;
  const StageTimes times{{}, Seconds{1}, Seconds{1}, Seconds{1}};
  run.lines.push_back(
      {1, BlockRecord{UnitId{0}, block, Seconds{assigned_s}, times, {}, Seconds{end_s}, 0}});
}

void add_event(RecordedRun& run, double at_s, const RunEvent& what) {
  run.lines.push_back({1, EventRecord{Seconds{at_s}, what}});
}

TEST(RunTrace, LeavesOutTheCopyInThatBroughtResidentDataAgainToAUnitThatHadBeenLost) {
  RecordedRun run = two_iterations();
  add_event(run, 0.0, IterationBegin{});
  add_block(run, 0, 0.0);
  add_block(run, 0, 3.0);
  add_event(run, 6.0, UnitLost{UnitId{0}});
  add_event(run, 7.0, UnitJoined{UnitId{0}});
  add_block(run, 0, 7.0);
  add_block(run, 0, 10.0);
  const Trace trace = trace_of_run(run, "a", "here");
  ASSERT_EQ(trace.samples.size(), 4u);
  EXPECT_FALSE(trace.samples[0].in_s);
  EXPECT_TRUE(trace.samples[1].in_s);
  EXPECT_FALSE(trace.samples[2].in_s);
  EXPECT_TRUE(trace.samples[3].in_s);
  EXPECT_FALSE(trace.merge);
}

TEST(RunTrace, MergesFromTheEndOfAnIterationToTheFirstBlockOfTheNext) {
  RecordedRun run = two_iterations();
  run.phases[0].iterations = 3;
  add_event(run, 0.0, IterationBegin{});
  add_block(run, 0, 0.25, 6.0);
  add_event(run, 6.5, IterationBegin{});  // version 1.1: when the merge is done
  add_block(run, 1, 6.75, 9.0);           // assigned later, but back earlier
  add_block(run, 1, 6.5, 10.0);
  add_event(run, 10.0, IterationBegin{});  // version 1.0: before the merge
  add_block(run, 2, 10.25, 13.0);
  const Trace trace = trace_of_run(run, "a", "here");
  ASSERT_TRUE(trace.merge);
  EXPECT_DOUBLE_EQ(trace.merge->value, 0.375);
}

}  // namespace
}  // namespace equipoise::run_trace_test
