// Tests of recording: sizes, copies, the contents of the trace, and how a recording ends.
#include "real/recording/recorder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <set>
#include <span>
#include <stdexcept>
#include <thread>
#include <vector>

#include "real/kernels/catalog.hpp"
#include "real/paced/paced_worker.hpp"
#include "real/recording/unit_recorder.hpp"
#include "shared_policies/machine/block_timing.hpp"
#include "shared_policies/model/failure.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/scripted_kernel.hpp"

namespace equipoise::recorder_test {
namespace {

/// A recording that takes exactly two samples of each size, however precise they are, of items that
/// are taken to be alike.
RecordSetup quick_setup(const std::vector<std::string>& units, Kernel& kernel) {
  RecordSetup setup;
  setup.units = parse_units(units);
  setup.kernel = &kernel;
  setup.samples_min = 2;
  setup.samples_max = 2;
  setup.costs_share = 0.0;
  return setup;
}

TEST(Record, TimesEveryUnitAtEverySize) {
  const auto kernel = make_kernel("matmul", {{"n", "64"}}, "--workload");
  kernel->allocate(1);
  RecordSetup setup = quick_setup({"cpu", "cpu,slowdown=2"}, *kernel);
  setup.sizes = {1, 8, 32};
  const Recording recording = record(setup);
  EXPECT_FALSE(recording.interrupted);
  EXPECT_EQ(recording.trace.source, "recorded");
  EXPECT_EQ(recording.trace.kernel, "matmul");
  EXPECT_EQ(recording.trace.problem.at("n"), 64.0);
  ASSERT_TRUE(recording.trace.dispatch && recording.trace.first_use);
  ASSERT_TRUE(recording.trace.controller);
  EXPECT_GT(recording.trace.controller->report, Seconds{});
  EXPECT_GT(recording.trace.controller->block, Seconds{});
  EXPECT_LT(recording.trace.controller->block, *recording.trace.dispatch);
  EXPECT_EQ(recording.trace.controller->byte_s, 0.0);  // cores copy by themselves
  ASSERT_EQ(recording.trace.samples.size(), 12u);      // 2 units, 3 sizes, 2 samples
  for (const TraceSample& sample : recording.trace.samples) {
    EXPECT_GT(sample.compute_mean_s, 0.0);
    EXPECT_EQ(sample.in_bytes, 8.0 * 64 * sample.items);
    EXPECT_EQ(sample.out_bytes, 8.0 * 64 * sample.items);
    EXPECT_GT(sample.in_s.value_or(0.0), 0.0);
    EXPECT_FALSE(sample.is_summary);
  }
  ASSERT_EQ(recording.units.size(), 2u);
  EXPECT_EQ(recording.units[1].unit.name, "cpu1");
  ASSERT_TRUE(recording.units[0].copies.in && recording.units[1].copies.out);
  EXPECT_GT(recording.units[0].copies.in->bandwidth_bytes_per_s, 0.0);
}

TEST(Record, SaysTheBytesOfABlocksInputWithTheRowsAroundIt) {
  const auto kernel =
      make_kernel("gaussian", {{"width", "64"}, {"height", "64"}, {"radius", "3"}}, "--workload");
  kernel->allocate(1);
  RecordSetup setup = quick_setup({"cpu"}, *kernel);
  setup.sizes = {1, 16};
  for (const TraceSample& sample : record(setup).trace.samples) {
    // Rows of `in_bytes_per_item`, of which a block needs three above and three below its own.
    EXPECT_EQ(sample.in_bytes, kernel->workload().in_bytes_per_item * (sample.items + 6.0));
  }
}

TEST(Record, TakesAllUnitsTogetherThroughPartsOfTheItemsOfTheirOwn) {
  KernelScript script(1000);
  std::atomic<int> at_work = 0;
  std::atomic<int> most = 0;
  std::vector<std::atomic<int>> users(1000);
  std::atomic<bool> shared = false;
  script.compute = [&](const Block& block, int) {
    most = std::max(most.load(), ++at_work);
    for (Items i = 0; i < block.items; ++i) {
      if (users[static_cast<std::size_t>(block.first + i)]++ > 0) shared = true;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(300));
    for (Items i = 0; i < block.items; ++i) --users[static_cast<std::size_t>(block.first + i)];
    --at_work;
  };
  ScriptedKernel kernel(script);
  RecordSetup setup = quick_setup({"cpu", "cpu,slowdown=3"}, kernel);
  const Recording recording = record(setup);
  EXPECT_FALSE(recording.interrupted);
  EXPECT_FALSE(shared);
  EXPECT_EQ(most, 2);
  for (const std::uint32_t unit : {0u, 1u}) {
    const std::vector<double> sizes = BlockTiming(recording.trace, unit).sizes();
    EXPECT_EQ(sizes.front(), 1.0);
    EXPECT_EQ(sizes.back(), 500.0);
  }
}

TEST(Record, TakesOneUnitAfterTheOtherThroughHalfOfAllItemsWhenAsked) {
  KernelScript script(100);
  std::atomic<int> at_work = 0;
  std::atomic<int> most = 0;
  std::atomic<Items> last = 0;
  script.compute = [&](const Block& block, int) {
    most = std::max(most.load(), ++at_work);
    last = std::max(last.load(), block.first + block.items);
    std::this_thread::sleep_for(std::chrono::microseconds(300));
    --at_work;
  };
  ScriptedKernel kernel(script);
  RecordSetup setup = quick_setup({"cpu", "cpu", "cpu"}, kernel);
  setup.alone = true;
  const Recording recording = record(setup);
  EXPECT_EQ(most, 1);
  EXPECT_GT(last, 50) << "each unit goes through all items, not through a part of its own";
  for (const std::uint32_t unit : {0u, 1u, 2u}) {
    EXPECT_EQ(BlockTiming(recording.trace, unit).sizes().back(), 50.0);
  }
}

TEST(Record, SaysInTheTraceHowUnitsWereTimed) {
  KernelScript script(100);
  ScriptedKernel kernel(script);
  RecordSetup setup = quick_setup({"cpu", "cpu"}, kernel);
  EXPECT_TRUE(header_of_recording(setup).provenance.ends_with(", all units at a time"));
  setup.alone = true;
  EXPECT_TRUE(header_of_recording(setup).provenance.ends_with(", each unit alone"));
}

TEST(Record, DoesNotFinishIterationsForWhichItHasNoTime) {
  KernelScript script(100);
  script.iterations = 2;
  std::atomic<Items> of_second = 0;
  script.compute = [&](const Block& block, int) {
    if (block.iteration == 1) of_second += block.items;
  };
  ScriptedKernel kernel(script);
  RecordSetup setup = quick_setup({"cpu", "cpu"}, kernel);
  setup.sizes = {4};
  setup.budget = Seconds{1e-9};
  EXPECT_TRUE(record(setup).trace.merge);
  EXPECT_EQ(of_second, 8) << "a block of the largest recorded size for each unit";
}

TEST(Record, TimesWhatTheKernelMergesBetweenIterations) {
  KernelScript script(100);
  script.iterations = 9;
  ScriptedKernel kernel(script);
  const Recording recording = record(quick_setup({"cpu", "cpu"}, kernel));
  ASSERT_TRUE(recording.trace.merge);
  EXPECT_GT(recording.trace.merge->value, 0.0);
  EXPECT_EQ(script.merges, (std::vector<int>{1, 2, 3}));
  script.merges.clear();
  RecordSetup in_passes = quick_setup({"cpu", "cpu"}, kernel);
  in_passes.passes = 3;
  EXPECT_TRUE(record(in_passes).trace.merge);
  EXPECT_EQ(script.merges, (std::vector<int>{1, 1, 1})) << "one in each pass";
  script.merges.clear();
  in_passes.budget = Seconds{1e-9};
  EXPECT_TRUE(record(in_passes).trace.merge) << "however small the budget";
  EXPECT_EQ(script.merges, (std::vector<int>{1, 1, 1}));
  KernelScript once(100);
  ScriptedKernel no_iterations(once);
  EXPECT_FALSE(record(quick_setup({"cpu"}, no_iterations)).trace.merge);
}

TEST(Record, LeavesOutCopiesThatAKernelDoesNotMake) {
  const auto kernel = make_kernel("empty", {{"items", "16"}}, "--workload");
  kernel->allocate(1);
  const Recording recording = record(quick_setup({"cpu"}, *kernel));
  ASSERT_FALSE(recording.trace.samples.empty());
  EXPECT_FALSE(recording.trace.samples[0].in_s);
  EXPECT_FALSE(recording.trace.samples[0].in_bytes);
  EXPECT_FALSE(recording.units[0].copies.in);
  EXPECT_FALSE(recording.units[0].copies.out);
}

TEST(Record, WalksThroughTheItemsAndBeginsAgain) {
  KernelScript script(100);
  std::set<Items> firsts;
  script.compute = [&](const Block& block, int) {
    if (block.items == 30) firsts.insert(block.first);  // not of the short runs
  };
  ScriptedKernel kernel(script);
  RecordSetup setup = quick_setup({"cpu"}, kernel);
  setup.sizes = {30};
  setup.samples_min = setup.samples_max = 6;
  static_cast<void>(record(setup));
  EXPECT_EQ(firsts, (std::set<Items>{0, 30, 60}));
}

TEST(Record, GoesThroughAllSizesInEveryPassAndHasItsUnitsAtRestBetween) {
  KernelScript script(100);
  std::vector<Items> sizes;
  std::vector<std::size_t> passes_end;
  script.compute = [&](const Block& block, int) { sizes.push_back(block.items); };
  ScriptedKernel kernel(script);
  RecordSetup setup = quick_setup({"cpu"}, kernel);
  setup.sizes = {10, 20};
  setup.passes = 3;
  setup.samples_min = setup.samples_max = 5;  // at most two per pass
  setup.after_pass = [&] { passes_end.push_back(sizes.size()); };
  std::vector<double> kept;
  setup.keep = [&](std::span<const TraceSample> samples) {
    for (const TraceSample& sample : samples) kept.push_back(sample.items);
  };
  const Recording recording = record(setup);
  // For each size one block that does not count, and two that do. The unit may compute more blocks
  // of the last size until the pass ends.
  const std::vector<Items> pass = {10, 10, 10, 20, 20, 20};
  ASSERT_EQ(passes_end.size(), 3u);
  std::size_t begin = 0;
  for (const std::size_t end : passes_end) {
    ASSERT_GE(end, begin + pass.size());
    EXPECT_EQ(std::vector<Items>(sizes.begin() + static_cast<std::ptrdiff_t>(begin),
                                 sizes.begin() + static_cast<std::ptrdiff_t>(begin + pass.size())),
              pass);
    begin = end;
  }
  EXPECT_EQ(kept, (std::vector<double>{10, 10, 20, 20, 10, 10, 20, 20, 10, 10, 20, 20}));
  std::vector<double> in_trace;
  for (const TraceSample& sample : recording.trace.samples) in_trace.push_back(sample.items);
  EXPECT_EQ(in_trace, (std::vector<double>{10, 10, 10, 10, 10, 10, 20, 20, 20, 20, 20, 20}));
}

TEST(Record, KeepsPacedUnitsBusyButRecordsNoneOfTheirBlocks) {
  KernelScript script(100);
  ScriptedKernel kernel(script);
  RecordSetup setup = quick_setup({"cpu", "paced,trace_unit=x,id=gpu"}, kernel);
  setup.sizes = {1, 100};  // only cpu0 computes, so it has all the items
  Trace trace;
  trace.units.resize(1);
  trace.samples.emplace_back().items = 1.0;
  trace.samples.back().compute_mean_s = 1e-5;
  setup.units[1].factory = make_paced_factory("x", {{BlockTiming(trace, 0), {}, {}}});
  const Recording recording = record(setup);
  ASSERT_EQ(recording.trace.units.size(), 2u);
  EXPECT_EQ(recording.trace.units[1].name, "gpu");
  EXPECT_EQ(recording.trace.samples.size(), 4u);  // 2 sizes, 2 samples
  for (const TraceSample& sample : recording.trace.samples) EXPECT_EQ(sample.unit, 0u);
  EXPECT_TRUE(recording.trace.dispatch);
  EXPECT_TRUE(recording.trace.unit_dispatch.contains(0));
}

TEST(Record, StopsWhenAskedToAndKeepsWhatItHas) {
  KernelScript script(100);
  ScriptedKernel kernel(script);
  RecordSetup setup = quick_setup({"cpu", "cpu"}, kernel);
  int told = 0;
  setup.progress = [&](const RecordProgress&) { ++told; };
  setup.stop_requested = [&] { return told >= 3; };
  const Recording recording = record(setup);
  EXPECT_TRUE(recording.interrupted);
  EXPECT_EQ(recording.trace.samples.size(), 3u);
  EXPECT_EQ(recording.units.size(), 2u);
}

TEST(Record, RefusesSizesThatAUnitDoesNotHold) {
  KernelScript script(100);
  ScriptedKernel kernel(script);
  RecordSetup setup = quick_setup({"cpu"}, kernel);
  for (const Items size : {Items{0}, Items{-1}, Items{101}}) {
    setup.sizes = {size};
    EXPECT_THROW(static_cast<void>(record(setup)), InputError);
  }
}

TEST(Record, RefusesFewerItemsThanTheUnitsNeedTogether) {
  KernelScript script(1);
  ScriptedKernel kernel(script);
  RecordSetup setup = quick_setup({"cpu", "cpu"}, kernel);
  EXPECT_EQ(
      refusal_of([&] { static_cast<void>(record(setup)); }),
      "workload: 2 units together need at least 2 items, and scripted has 1; give it more, or "
      "record fewer units");
  EXPECT_EQ(script.programs, 0);
}

TEST(Record, RefusesSizesAboveTheItemsOfAUnitThatHasAPartOfThem) {
  KernelScript script(1000);
  ScriptedKernel kernel(script);
  RecordSetup setup = quick_setup({"cpu", "cpu"}, kernel);
  setup.sizes = {200, 600};
  EXPECT_EQ(refusal_of([&] { static_cast<void>(record(setup)); }),
            "sizes: cpu0 has no block of 600 items when all units are recorded at a time; give "
            "sizes from 1 to 500");
  setup.alone = true;
  EXPECT_EQ(record(setup).trace.samples.size(), 8u);  // 2 units, 2 sizes, 2 samples
}

TEST(Record, RefusesAUnitWhoseMemoryHoldsNoBlock) {
  const auto kernel = make_kernel("matmul", {{"n", "64"}}, "--workload");
  RecordSetup setup = quick_setup({"cpu"}, *kernel);
  setup.units[0].unit.memory_bytes = 1.0;
  EXPECT_EQ(refusal_of([&] { static_cast<void>(record(setup)); }),
            "unit: cpu0 does not hold a block; give it more memory");
}

TEST(Record, HandsOutTheSamplesOfASizeWhenItEnds) {
  KernelScript script(100);
  ScriptedKernel kernel(script);
  RecordSetup setup = quick_setup({"cpu"}, kernel);
  setup.sizes = {1, 8};
  std::vector<std::vector<double>> kept;
  setup.keep = [&](std::span<const TraceSample> samples) {
    kept.emplace_back();
    for (const TraceSample& sample : samples) kept.back().push_back(sample.items);
  };
  const Recording recording = record(setup);
  EXPECT_EQ(kept, (std::vector<std::vector<double>>{{1.0, 1.0}, {8.0, 8.0}}));
  ASSERT_EQ(recording.trace.samples.size(), 4u);
  EXPECT_EQ(recording.trace.samples[1].items, 1.0);
  EXPECT_EQ(recording.trace.samples[2].items, 8.0);
}

TEST(Record, HandsOutAllSamplesBeforeItSaysThatAUnitWasLost) {
  KernelScript script(100);
  int blocks_of_eight = 0;
  script.compute = [&](const Block& block, int) {
    if (block.items == 8 && ++blocks_of_eight == 3) throw std::runtime_error("broken");
  };
  ScriptedKernel kernel(script);
  RecordSetup setup = quick_setup({"cpu"}, kernel);
  setup.sizes = {1, 8};
  std::size_t kept = 0;
  setup.keep = [&](std::span<const TraceSample> samples) { kept += samples.size(); };
  EXPECT_THROW(static_cast<void>(record(setup)), BackendError);
  // Two samples of 1 item, and one of 8 items, because the first block of a size does not count.
  EXPECT_EQ(kept, 3u);
}

TEST(Record, HandsOutAllSamplesBeforeIterationsAreRun) {
  KernelScript script(100);
  script.iterations = 3;
  script.compute = [](const Block& block, int) {
    if (block.iteration == 1) throw std::runtime_error("broken");
  };
  ScriptedKernel kernel(script);
  RecordSetup setup = quick_setup({"cpu"}, kernel);
  setup.sizes = {1, 8};
  std::size_t kept = 0;
  setup.keep = [&](std::span<const TraceSample> samples) { kept += samples.size(); };
  EXPECT_THROW(static_cast<void>(record(setup)), BackendError);
  EXPECT_EQ(kept, 4u);
}

TEST(Record, IsInterruptedByAStopBetweenIterations) {
  KernelScript script(100);
  script.iterations = 9;
  ScriptedKernel kernel(script);
  RecordSetup setup = quick_setup({"cpu", "cpu"}, kernel);
  setup.stop_requested = [&] { return !script.merges.empty(); };
  const Recording recording = record(setup);
  EXPECT_TRUE(recording.interrupted);
  EXPECT_EQ(script.merges, (std::vector<int>{1}));
  EXPECT_TRUE(recording.trace.merge);
}

TEST(Record, TakesTheSetupBeyondTheCopyOfResidentDataForFirstUse) {
  for (const double resident_bytes : {0.0, 1e15}) {  // copied in no time, and for hours
    KernelScript script(100);
    script.resident_bytes = resident_bytes;
    ScriptedKernel kernel(script);
    RecordSetup setup = quick_setup({"cpu,slowdown=1000", "cpu,slowdown=1000"}, kernel);
    setup.sizes = {1};
    const Recording recording = record(setup);
    ASSERT_TRUE(recording.trace.first_use);
    if (resident_bytes > 0.0) {
      EXPECT_EQ(recording.trace.first_use->value, 0.0);
    } else {
      EXPECT_GT(recording.trace.first_use->value, 0.0);
    }
  }
}

TEST(UnitRecorder, KnowsItsSetupWhenItsFirstBlockIsBack) {
  KernelScript script(100);
  ScriptedKernel kernel(script);
  RecordSetup setup = quick_setup({"cpu"}, kernel);
  setup.sizes = {1, 8};
  UnitRecorder unit(setup, 0, {0, 100});
  const auto take = [&](double compute_s, double setup_s = 0.0) {
    unit.take({{Seconds{setup_s}, Seconds{}, Seconds{compute_s}, Seconds{}}, Seconds{}}, Seconds{});
  };
  EXPECT_FALSE(unit.first_setup());
  take(5.0, 3.5);
  EXPECT_EQ(unit.first_setup()->value, 3.5);
  take(1.0);
  EXPECT_TRUE(unit.take_ended().empty());
  take(2.0);
  EXPECT_EQ(unit.first_setup()->value, 3.5);
  EXPECT_EQ(unit.take_ended().size(), 2u);
  take(7.0);
  take(8.0);
  EXPECT_TRUE(unit.take_ended().empty());
  const std::vector<TraceSample> rest = unit.take_rest();
  ASSERT_EQ(rest.size(), 1u);
  EXPECT_EQ(rest[0].compute_mean_s, 8.0);
  EXPECT_TRUE(unit.take_rest().empty());
}

TEST(Record, SaysThatAUnitWasLost) {
  KernelScript script(100);
  script.compute = [](const Block&, int) { throw std::runtime_error("broken"); };
  ScriptedKernel kernel(script);
  EXPECT_THROW(static_cast<void>(record(quick_setup({"cpu"}, kernel))), BackendError);
}

}  // namespace
}  // namespace equipoise::recorder_test
