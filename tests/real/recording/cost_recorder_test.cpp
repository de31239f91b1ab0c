// Tests of how `record` finds out on units whether items differ, and what the trace has of it.
#include "real/recording/cost_recorder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "real/kernels/catalog.hpp"
#include "real/paced/paced_worker.hpp"
#include "real/real_executor.hpp"
#include "real/threads/clock.hpp"
#include "shared_policies/machine/block_timing.hpp"
#include "tests/support/scripted_kernel.hpp"

namespace equipoise::cost_recorder_test {
namespace {

TEST(CostRecorder, FindsTheCostsOfAPacedUnitThroughTheExecutorOfRuns) {
  // The unit takes 20 us for an item of mean cost; 40 of 160 items cost 2.5, the others 0.5.
  const std::vector<CostRange> ranges = {{0, 120, 0.5}, {120, 40, 2.5}};
  Trace trace;
  trace.units.resize(1);
  for (const double items : {1.0, 160.0}) {
    trace.samples.emplace_back().items = items;
    trace.samples.back().compute_mean_s = 2e-5 * items;
  }
  Workload workload;
  workload.kernel = "paced";
  workload.items = 160;
  RealSetup setup;
  setup.units = parse_units({"paced,trace_unit=x"});
  setup.units[0].factory = make_paced_factory(
      "x", {{BlockTiming(trace, 0), {}, {}, {}, {}, std::make_shared<ItemCosts>(ranges)}});
  setup.phases = {RealPhase(workload, nullptr, Seconds{})};
  setup.draws.noise = false;
  const std::vector<UnitSpec> units = setup.units;
  const auto executor = make_real_executor(std::move(setup));
  CostFinder finder(workload, 160, Seconds{30.0});
  executor->run([&] {
    EXPECT_TRUE(time_places(*executor, units, UnitId{0}, {StageTimes{}}, Seconds{60.0}, finder));
  });
  ASSERT_TRUE(finder.differ());
  const CostsRecord costs = finder.costs();
  EXPECT_EQ(costs.items, 160);
  for (const CostRange& range : costs.ranges) {
    EXPECT_NEAR(range.cost, range.first < 120 ? 0.5 : 2.5, 1e-4) << range.first;
  }
}

/// A kernel of 64 items, the second half of which take 0.5 ms of their core each, or none.
struct HalfOfThem {
  explicit HalfOfThem(bool differs) : script(64), kernel(script) {
    if (!differs) return;
    script.compute = [](const Block& block, int) {
      const Items heavy =
          std::max(Items{0}, block.first + block.items - std::max(block.first, Items{32}));
      const double end_s = seconds_of(CLOCK_THREAD_CPUTIME_ID) + 5e-4 * static_cast<double>(heavy);
      while (seconds_of(CLOCK_THREAD_CPUTIME_ID) < end_s) {
      }
    };
  }
  RecordSetup setup(const std::vector<std::string>& units) {
    RecordSetup setup;
    setup.units = parse_units(units);
    setup.kernel = &kernel;
    setup.sizes = {4};
    setup.samples_min = setup.samples_max = 2;
    setup.costs_share = 1.0;  // of 5 s
    return setup;
  }

  KernelScript script;
  ScriptedKernel kernel;
};

TEST(Record, SaysInTheTraceHowItemsDiffer) {
  HalfOfThem differing(true);
  RecordSetup setup = differing.setup({"cpu", "cpu"});
  std::vector<std::string> told;
  setup.keep_costs = [&](const CostsRecord&) { told.emplace_back("costs"); };
  setup.keep = [&](std::span<const TraceSample>) { told.emplace_back("samples"); };
  const Recording recording = record(setup);
  ASSERT_TRUE(recording.trace.costs);
  EXPECT_EQ(recording.trace.costs->items, 64);
  const ItemCosts costs(recording.trace.costs->ranges);
  EXPECT_LT(costs.sum(0, 32), 6.4);
  EXPECT_GT(costs.sum(32, 32), 57.6);
  ASSERT_GE(told.size(), 2u);
  EXPECT_EQ(told[0], "costs");
  EXPECT_EQ(std::ranges::count(told, "costs"), 1);
  // The second unit has the second half. Where a block of 4 items takes 2 ms, one of mean cost
  // takes 1 ms.
  for (const TraceSample& sample : recording.trace.samples) {
    if (sample.unit == 1) {
      EXPECT_GT(sample.compute_mean_s, 9e-4);
    }
  }
}

TEST(Record, HasNoCostsOfItemsThatAreAlike) {
  HalfOfThem alike(false);
  const Recording recording = record(alike.setup({"cpu"}));
  EXPECT_FALSE(recording.trace.costs);
  EXPECT_EQ(recording.trace.samples.size(), 2u);
}

TEST(Record, GivesNoUnitItemsThatAreNotThere) {
  // One item, and two units, which are timed one after the other.
  KernelScript script(1);
  script.compute = [](const Block& block, int) {
    EXPECT_EQ(block.first, 0);
    EXPECT_EQ(block.items, 1);
  };
  ScriptedKernel kernel(script);
  RecordSetup setup;
  setup.units = parse_units({"cpu", "cpu"});
  setup.kernel = &kernel;
  setup.alone = true;
  setup.sizes = {1};
  setup.samples_min = setup.samples_max = 2;
  EXPECT_FALSE(record(setup).trace.costs);
}

TEST(Record, TakesItemsToBeAlikeIfNoTimeIsForThat) {
  HalfOfThem differing(true);
  RecordSetup setup = differing.setup({"cpu"});
  setup.costs_share = 0.0;
  EXPECT_FALSE(record(setup).trace.costs);
}

TEST(Record, HasTheWorkOfThreadsThatCopyForAnEmulatedUnitOnItsCores) {
  // It computes on all cores of the machine, so threads that copy for it have some of these.
  const auto kernel = make_kernel("matmul", {{"n", "256"}}, "--workload");
  kernel->allocate(1);
  RecordSetup setup;
  const auto threads = std::to_string(this_machine().threads.size());
  setup.units = parse_units({"emulated,memory_bytes=64Mi,threads=" + threads});
  setup.kernel = kernel.get();
  setup.sizes = {16, 64};
  setup.samples_min = setup.samples_max = 5;
  const Placement placement = place_units(setup.units, this_machine());
  const Recording recording = record(setup);
  ASSERT_EQ(copies_have_cores_of(placement, 0), !recording.trace.unit_copies.empty());
  if (recording.trace.unit_copies.empty()) GTEST_SKIP() << "copies have a core of their own here";
  const CopyWork work = recording.trace.unit_copies.at(0);
  EXPECT_GT(work.copy.value + 8.0 * 256 * 16 * work.byte_s, 0.0);
  // Units that copy by themselves have no such threads.
  setup.units = parse_units({"cpu"});
  EXPECT_TRUE(record(setup).trace.unit_copies.empty());
}

}  // namespace
}  // namespace equipoise::cost_recorder_test
