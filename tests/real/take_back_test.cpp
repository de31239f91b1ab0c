// Tests of blocks that are taken back or given twice, on real units that compute.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "real/real_executor.hpp"
#include "shared_policies/run/run_loop.hpp"
#include "tests/support/disturb.hpp"
#include "tests/support/random_policy.hpp"
#include "tests/support/random_seed.hpp"
#include "tests/support/real_runs.hpp"
#include "tests/support/scripted.hpp"
#include "tests/support/scripted_kernel.hpp"

namespace equipoise::real_take_back_test {
namespace {

/// The units on which all of this is tried: what computes, and what only takes its time.
const std::vector<std::vector<std::string>> machines = {
    {"cpu", "cpu"}, {"emulated", "cpu"}, {"emulated,device=card", "emulated,device=card"}};

class TakeBackOnRealUnits : public testing::TestWithParam<std::vector<std::string>> {};

TEST_P(TakeBackOnRealUnits, ReturnsTheItemsAndDropsTheResults) {
  // The first block waits until the other unit has done all items.
  KernelScript script(100);
  script.has_inputs_apart = true;
  std::atomic<bool> may_end = false;
  std::atomic<bool> is_begun = false;
  script.compute = [&](const Block& block, int) {
    if (block.first != 0 || is_begun.exchange(true)) return;
    is_begun.notify_all();
    may_end.wait(false);
  };
  ScriptedKernel kernel(script);
  Scripted policy([&](const View& view, const Event& event, Decisions& decisions) {
    if (std::holds_alternative<IterationStarted>(event.what)) {
      decisions.assign(UnitId{0}, 50);
      is_begun.wait(false);
      EXPECT_TRUE(decisions.take_back(UnitId{0}, 0));
      EXPECT_EQ(view.remaining(), 100);
      EXPECT_EQ(view.unit(UnitId{0}).going_on.size(), 1U);
    } else if (const auto* finished = std::get_if<BlockFinished>(&event.what)) {
      EXPECT_EQ(finished->unit.index, 1U);
      if (view.remaining() > 0) return;
      may_end = true;
      may_end.notify_all();
    } else if (const auto* idle = std::get_if<UnitIdle>(&event.what)) {
      if (idle->unit.index == 1) decisions.assign(idle->unit, 10);
    }
  });
  MemoryJournal journal;
  EXPECT_TRUE(run_by(policy, setup_of(GetParam(), {&kernel}), journal).complete);
  EXPECT_TRUE(kernel.verify().passed) << kernel.verify().what;
  EXPECT_EQ(journal.count<LostBlock>(), 1);
}

TEST_P(TakeBackOnRealUnits, AcceptsTheFirstOfTwoCopies) {
  KernelScript script(100);
  script.has_inputs_apart = true;
  std::atomic<bool> may_end = false;
  std::atomic<bool> is_begun = false;
  script.compute = [&](const Block&, int) {
    if (is_begun.exchange(true)) return;
    is_begun.notify_all();
    may_end.wait(false);
  };
  ScriptedKernel kernel(script);
  Scripted policy([&](const View&, const Event& event, Decisions& decisions) {
    if (std::holds_alternative<IterationStarted>(event.what)) {
      decisions.assign(UnitId{0}, 100);
      is_begun.wait(false);
      EXPECT_EQ(decisions.give_twice(0, UnitId{0}, UnitId{1}), 100);
    } else if (const auto* finished = std::get_if<BlockFinished>(&event.what)) {
      EXPECT_EQ(finished->unit.index, 1U);
      may_end = true;
      may_end.notify_all();
    }
  });
  MemoryJournal journal;
  EXPECT_TRUE(run_by(policy, setup_of(GetParam(), {&kernel}), journal).complete);
  EXPECT_TRUE(kernel.verify().passed) << kernel.verify().what;
  ASSERT_EQ(journal.blocks.size(), 1U);
  EXPECT_EQ(journal.blocks[0].unit.index, 1U);
  EXPECT_EQ(journal.count<LostBlock>(), 1);
}

TEST_P(TakeBackOnRealUnits, DoesEveryItemOnceWhateverAPolicyDoes) {
  const unsigned seed = random_seed();
  for (int round = 0; round < rounds_of(100); ++round) {
    SCOPED_TRACE("--gtest_random_seed=" + std::to_string(seed) + ", round " +
                 std::to_string(round));
    KernelScript script(400);
    script.has_inputs_apart = true;
    script.iterations = 1 + round % 3;
    script.compute = [&](const Block&, int program) {
      std::this_thread::sleep_for(std::chrono::microseconds(program == 0 ? 300 : 50));
    };
    ScriptedKernel kernel(script);
    RealSetup setup = setup_of(GetParam(), {&kernel});
    for (UnitSpec& spec : setup.units) spec.unit.slots = 2;
    if (round % 4 == 3) {
      setup.scenario.events.push_back(
          disturb(DisturbanceKind::fail, setup.units[1].unit.name, 2e-3, 1.0, Seconds{4e-3}));
    }
    RandomPolicy policy(seed + static_cast<unsigned>(round), 40, Seconds{2e-3});
    MemoryJournal journal;
    EXPECT_TRUE(run_by(policy, std::move(setup), journal).complete);
    EXPECT_TRUE(kernel.verify().passed) << kernel.verify().what;
  }
}

INSTANTIATE_TEST_SUITE_P(Of, TakeBackOnRealUnits, testing::ValuesIn(machines),
                         [](const auto& of) { return "machine" + std::to_string(of.index); });

}  // namespace
}  // namespace equipoise::real_take_back_test
