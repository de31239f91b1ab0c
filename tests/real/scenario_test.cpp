// Tests of scenarios on real units: units fail, come back, stall and are slowed, and no item is
// lost.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "real/competing_load.hpp"
#include "real/disturbances.hpp"
#include "real/real_executor.hpp"
#include "real/threads/this_thread.hpp"
#include "real/worker.hpp"
#include "shared_policies/run/run_loop.hpp"
#include "tests/support/disturb.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/real_runs.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/scripted_kernel.hpp"

namespace equipoise::scenario_test {
namespace {

RealSetup setup_of(const std::vector<std::string>& units, Kernel& kernel,
                   std::vector<Disturbance> events) {
  RealSetup setup;
  setup.units = parse_units(units);
  setup.phases = {&kernel};
  setup.scenario.name = "test";
  setup.scenario.events = std::move(events);
  return setup;
}

Block block_of(std::uint64_t id, Items first, Items items) {
  return {.id = id, .first = first, .items = items};
}

/// Blocks one thread until another opens it.
class Gate {
 public:
  void wait() const { open_.wait(false); }
  void open() {
    open_ = true;
    open_.notify_all();
  }

 private:
  std::atomic<bool> open_ = false;
};

/// Takes the next event, which must be an `Expected`, and returns its unit.
template <class Expected>
UnitId next_is(Executor& executor) {
  const auto event = executor.next(Seconds::infinity());
  const auto* what = event ? std::get_if<Expected>(&event->what) : nullptr;
  EXPECT_NE(what, nullptr);
  return what == nullptr ? UnitId{99} : what->unit;
}

TEST(RealScenario, DiscardsTheLateResultOfAUnitThatFailedInTheMiddleOfABlock) {
  KernelScript script(10);
  Gate late;
  script.compute = [&](const Block& block, int) {
    if (block.items == 9) late.wait();
  };
  ScriptedKernel kernel(script);
  const auto executor = make_real_executor(
      setup_of({"cpu", "cpu"}, kernel, {disturb(DisturbanceKind::fail, "cpu0", 0.005)}));
  executor->run([&] {
    executor->start(block_of(0, 0, 9), UnitId{0});
    executor->start(block_of(1, 0, 10), UnitId{0});
    const auto lost = executor->next(Seconds::infinity());
    ASSERT_TRUE(lost && std::holds_alternative<UnitLost>(lost->what));
    EXPECT_EQ(lost->at, Seconds{0.005});
    executor->start(block_of(2, 0, 10), UnitId{0});  // never begins: the unit is gone
    executor->start(block_of(3, 0, 10), UnitId{1});
    const auto event = executor->next(Seconds::infinity());
    ASSERT_TRUE(event);
    EXPECT_EQ(std::get<BlockFinished>(event->what).block.id, 3u);
    late.open();
    EXPECT_FALSE(executor->next(executor->now() + Seconds{0.02}));
    EXPECT_FALSE(executor->next(Seconds::infinity()));
  });
  EXPECT_TRUE(kernel.verify().passed) << kernel.verify().what;  // written once, not twice
}

TEST(RealScenario, LetsAUnitThatComesBackWorkWithItsResidentDataBroughtAgain) {
  KernelScript script(20);
  Gate late;
  std::vector<int> resident;  // what each block found, but the lost one
  script.compute = [&](const Block& block, int) {
    if (block.items == 9) return late.wait();
    resident.push_back(block.iteration);
  };
  ScriptedKernel kernel(script);
  RealSetup setup =
      setup_of({"cpu"}, kernel, {disturb(DisturbanceKind::fail, "cpu0", 2.0, 1.0, Seconds{3.0})});
  const auto clock = std::make_shared<FakeClock>();
  setup.clock = clock;
  const auto executor = make_real_executor(std::move(setup));
  executor->run([&] {
    executor->start(block_of(0, 0, 10), UnitId{0});
    EXPECT_EQ(next_is<BlockFinished>(*executor), UnitId{0});
    kernel.change_silently(7);
    executor->start(block_of(1, 10, 9), UnitId{0});
    clock->pass(Seconds{2.0});
    EXPECT_EQ(next_is<UnitLost>(*executor), UnitId{0});
    clock->pass(Seconds{1.0});
    EXPECT_EQ(next_is<UnitJoined>(*executor), UnitId{0});
    executor->start(block_of(2, 10, 10), UnitId{0});
    late.open();  // later blocks wait until the current one ends
    EXPECT_EQ(next_is<BlockFinished>(*executor), UnitId{0});
  });
  EXPECT_EQ(resident, (std::vector<int>{0, 7}));
  EXPECT_TRUE(kernel.verify().passed) << kernel.verify().what;
}

TEST(RealScenario, GivesNoBlockToAUnitThatFailedDuringAMerge) {
  KernelScript script(2);
  script.iterations = 2;
  ScriptedKernel kernel(script);
  RealSetup setup = setup_of({"cpu", "cpu"}, kernel, {disturb(DisturbanceKind::fail, "cpu1", 0.5)});
  const auto clock = std::make_shared<FakeClock>();
  setup.clock = clock;
  script.merge = [&] { clock->pass(Seconds{1.0}); };
  MemoryJournal journal;
  EXPECT_TRUE(run_all(std::move(setup), 1, journal).complete);
  ASSERT_EQ(journal.events.size(), 3u);
  EXPECT_TRUE(std::holds_alternative<UnitLost>(journal.events[1].what));
  EXPECT_EQ(journal.events[1].at, Seconds{0.5});
  EXPECT_TRUE(std::holds_alternative<IterationBegin>(journal.events[2].what));
  EXPECT_EQ(journal.events[2].at, Seconds{1.0});
  ASSERT_EQ(journal.blocks.size(), 4u);
  EXPECT_EQ(journal.blocks[2].unit, UnitId{0});
  EXPECT_EQ(journal.blocks[3].unit, UnitId{0});
  EXPECT_TRUE(kernel.verify().passed) << kernel.verify().what;
}

TEST(RealScenario, LetsAUnitThatComesBackWorkHoweverManyBlocksItHadAndGets) {
  // More blocks than a worker's own queue holds, before the failure and after it. The first block
  // of the first run continues meanwhile.
  constexpr std::uint64_t blocks = 70;
  KernelScript script(blocks);
  Gate late;
  script.compute = [&](const Block& block, int) {
    if (block.first == 0) late.wait();
  };
  ScriptedKernel kernel(script);
  const auto executor = make_real_executor(setup_of(
      {"cpu"}, kernel, {disturb(DisturbanceKind::fail, "cpu0", 1e-6, 1.0, Seconds{2e-6})}));
  executor->run([&] {
    for (std::uint64_t i = 0; i < blocks; ++i) {
      executor->start(block_of(i, static_cast<Items>(i), 1), UnitId{0});
    }
    EXPECT_EQ(next_is<UnitLost>(*executor), UnitId{0});
    EXPECT_EQ(next_is<UnitJoined>(*executor), UnitId{0});
    for (std::uint64_t i = 0; i < blocks; ++i) {
      executor->start(block_of(blocks + i, static_cast<Items>(i), 1), UnitId{0});
    }
    late.open();
    for (std::uint64_t i = 0; i < blocks; ++i) {
      const auto event = executor->next(Seconds::infinity());
      ASSERT_TRUE(event && std::holds_alternative<BlockFinished>(event->what));
      EXPECT_EQ(std::get<BlockFinished>(event->what).block.id, blocks + i);
    }
  });
  EXPECT_TRUE(kernel.verify().passed) << kernel.verify().what;
}

TEST(RealScenario, WaitsForAUnitThatJoinsLater) {
  KernelScript script(100);
  ScriptedKernel kernel(script);
  RealSetup real = setup_of({"cpu"}, kernel, {disturb(DisturbanceKind::join, "cpu0", 0.01)});
  MemoryJournal journal;
  EXPECT_TRUE(run_all(std::move(real), 10, journal).complete);
  EXPECT_EQ(journal.count<UnitJoined>(), 1);
  EXPECT_GE(journal.blocks.front().assigned, Seconds{0.01});
  EXPECT_TRUE(kernel.verify().passed);
}

TEST(RealScenario, AcceptsEveryItemOnceHoweverOftenUnitsGoAndCome) {
  KernelScript script(20'000);
  script.compute = [](const Block&, int) {
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  };
  ScriptedKernel kernel(script);
  std::vector<Disturbance> events;
  for (int i = 0; i < 40; ++i) {
    events.push_back(disturb(DisturbanceKind::fail, i % 2 == 0 ? "cpu0" : "cpu1", 1e-3 * i, 1.0,
                             Seconds{1e-3 * i + 5e-4}));
  }
  RealSetup real = setup_of({"cpu,slots=3", "cpu,slots=2"}, kernel, std::move(events));
  MemoryJournal journal;
  EXPECT_TRUE(run_all(std::move(real), 40, journal).complete);
  // Each item is accepted once, which `complete` proves. A block may be written, then lost, and
  // computed again.
  for (const auto& count : script.written) EXPECT_GE(count, 1);
}

TEST(BlockTimeout, LosesAUnitThatKeepsABlockAndLeavesItsThreadBehind) {
  KernelScript script(10);
  Gate never;
  script.compute = [&](const Block&, int) { never.wait(); };
  ScriptedKernel kernel(script);
  RealSetup setup = setup_of({"cpu"}, kernel, {});
  setup.block_timeout = BlockTimeout::fixed(Seconds{0.02});
  std::string warning;
  setup.warn = [&](const std::string& text) { warning = text; };
  const auto executor = make_real_executor(std::move(setup));
  executor->run([&] {
    executor->start(block_of(0, 0, 10), UnitId{0});
    EXPECT_EQ(next_is<UnitLost>(*executor), UnitId{0});
  });
  EXPECT_EQ(warning, "unit cpu0 is lost: nothing came back for 0.02 s");
  EXPECT_EQ(threads_left_behind(), 1);
  never.open();
  while (threads_left_behind() > 0) std::this_thread::yield();
  EXPECT_EQ(script.written[0], 0);
}

TEST(EndOfARun, SaysForWhichUnitItWaits) {
  KernelScript script(10);
  Gate given_up;  // the block of the unit that is taken away ends when the run has said something
  script.compute = [&](const Block&, int) { given_up.wait(); };
  ScriptedKernel kernel(script);
  RealSetup setup = setup_of({"cpu"}, kernel, {disturb(DisturbanceKind::fail, "cpu0", 0.02, 1.0)});
  std::string warning;
  setup.warn = [&](const std::string& text) {
    warning = text;
    given_up.open();
  };
  const auto executor = make_real_executor(std::move(setup));
  executor->run([&] {
    executor->start(block_of(0, 0, 10), UnitId{0});
    EXPECT_EQ(next_is<UnitLost>(*executor), UnitId{0});
  });
  EXPECT_EQ(warning.find("unit cpu0 has not ended with the run: a block that was given up still"),
            0u)
      << warning;
  EXPECT_EQ(threads_left_behind(), 0);
}

TEST(BlockTimeout, CountsFromTheLastBlockThatCameBack) {
  // Three blocks, handed out at once. Two come back, each 0.75 s after the one before, so the
  // second comes 1.5 s after it was handed out and is not late. The third is late 1 s after the
  // second came back.
  KernelScript script(3);
  std::array<Gate, 3> ends;
  script.compute = [&](const Block& block, int) { ends.at(block.id).wait(); };
  ScriptedKernel kernel(script);
  RealSetup setup = setup_of({"cpu"}, kernel, {});
  const auto clock = std::make_shared<FakeClock>();
  setup.clock = clock;
  setup.block_timeout = BlockTimeout::fixed(Seconds{1.0});
  const auto executor = make_real_executor(std::move(setup));
  executor->run([&] {
    for (std::uint64_t i = 0; i < 3; ++i) {
      executor->start(block_of(i, static_cast<Items>(i), 1), UnitId{0});
    }
    for (std::size_t i = 0; i < 2; ++i) {
      clock->pass(Seconds{0.75});
      EXPECT_FALSE(executor->next(executor->now()));
      ends.at(i).open();
      EXPECT_EQ(next_is<BlockFinished>(*executor), UnitId{0});
    }
    clock->pass(Seconds{0.75});
    EXPECT_FALSE(executor->next(executor->now()));
    clock->pass(Seconds{0.25});
    const auto lost = executor->next(Seconds::infinity());
    ASSERT_TRUE(lost && std::holds_alternative<UnitLost>(lost->what));
    EXPECT_EQ(lost->at, Seconds{2.5});
    ends.at(2).open();
  });
}

TEST(RealScenario, KeepsASlowedUnitAtLeastAsLongAsItsFactorSays) {
  KernelScript script(1);
  Seconds really;
  script.compute = [&](const Block&, int) {
    const auto begin = std::chrono::steady_clock::now();
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
    really =
        Seconds{std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count()};
  };
  ScriptedKernel kernel(script);
  const auto executor = make_real_executor(
      setup_of({"cpu,slowdown=2"}, kernel, {disturb(DisturbanceKind::slow, "cpu0", 0.0, 3.0)}));
  executor->run([&] {
    executor->start(block_of(0, 0, 1), UnitId{0});
    const auto event = executor->next(Seconds::infinity());
    ASSERT_TRUE(event);
    EXPECT_GE(std::get<BlockFinished>(event->what).times.compute.value, 6.0 * really.value);
  });
}

TEST(RatesOf, MultiplyTheUnitsOwnSlowDownWithWhatTheScenarioDoes) {
  Scenario scenario;
  scenario.events = {disturb(DisturbanceKind::slow, "cpu0", 1.0, 4.0),
                     disturb(DisturbanceKind::compete, "cpu0", 0.0, 0.5),
                     disturb(DisturbanceKind::bandwidth, "RAM-cpu0", 2.0, 0.25)};
  const UnitRates cpu = parse_units({"cpu,slowdown=2"})[0].rates(scenario);
  // A competing load takes cores in reality, so it does not change the rate.
  EXPECT_DOUBLE_EQ(cpu.compute.at(Seconds{0.5}), 0.5);
  EXPECT_DOUBLE_EQ(cpu.compute.at(Seconds{1.5}), 0.125);
  EXPECT_DOUBLE_EQ(cpu.in.at(Seconds{1.5}), 0.125);  // a CPU unit copies with its own threads
  EXPECT_DOUBLE_EQ(cpu.in.at(Seconds{2.5}), 0.125 * 0.25);
  EXPECT_DOUBLE_EQ(cpu.out.at(Seconds{2.5}), 0.125);
  const UnitRates paced = parse_units({"paced,trace_unit=x,id=cpu0"})[0].rates(scenario);
  // No real load competes with a paced unit, so the rate changes.
  EXPECT_DOUBLE_EQ(paced.compute.at(Seconds{0.5}), 0.5);
  EXPECT_DOUBLE_EQ(paced.in.at(Seconds{1.5}), 1.0);
  EXPECT_DOUBLE_EQ(paced.in.at(Seconds{2.5}), 0.25);
}

TEST(RatesOf, RefuseToMakeAUnitFasterThanItIs) {
  Scenario scenario;
  scenario.name = "faster.json";
  scenario.events = {disturb(DisturbanceKind::slow, "cpu0", 1.0, 0.5)};
  EXPECT_EQ(
      refusal_of([&] { (void)parse_units({"cpu"})[0].rates(scenario); }),
      "faster.json: makes unit cpu0 2 times as fast as it is from 1 s on, which is impossible "
      "for real units; remove the event, or give the unit a slowdown= of at least that factor");
  (void)parse_units({"cpu,slowdown=2"})[0].rates(scenario);
  (void)parse_units({"paced,trace_unit=x,id=cpu0"})[0].rates(scenario);
}

TEST(RatesOf, RefuseLoadsThatNoNumberOfThreadsWouldTake) {
  Scenario scenario;
  scenario.name = "busy.json";
  scenario.events = {disturb(DisturbanceKind::compete, "cpu0", 0.0, 0.98),
                     disturb(DisturbanceKind::compete, "cpu0", 2.5, 0.99999)};
  EXPECT_EQ(refusal_of([&] { (void)parse_units({"cpu"})[0].rates(scenario); }),
            "busy.json: lets a load compete for 0.99999 of unit cpu0 from 2.5 s on, and on real "
            "units none can have more than 0.98; give a smaller share");
  (void)parse_units({"cpu", "cpu"})[1].rates(scenario);
  (void)parse_units({"paced,trace_unit=x,id=cpu0"})[0].rates(scenario);
  scenario.events.pop_back();
  (void)parse_units({"cpu"})[0].rates(scenario);
}

TEST(UnitChanges, ComeInTheOrderOfTimeThoseThatGoFirst) {
  Scenario scenario;
  scenario.events = {disturb(DisturbanceKind::join, "cpu1", 2.0),
                     disturb(DisturbanceKind::fail, "cpu0", 2.0, 1.0, Seconds{3.0}),
                     disturb(DisturbanceKind::fail, "elsewhere", 1.0)};
  const auto changes = unit_changes(parse_units({"cpu", "cpu"}), scenario);
  ASSERT_EQ(changes.size(), 3u);
  EXPECT_EQ(changes[0].unit, UnitId{0});
  EXPECT_FALSE(changes[0].present);
  EXPECT_EQ(changes[1].unit, UnitId{1});
  EXPECT_TRUE(changes[1].present);
  EXPECT_EQ(changes[2].unit, UnitId{0});
  EXPECT_EQ(changes[2].at, Seconds{3.0});
}

TEST(CompetingLoad, TakesTimeOfItsCoresWhileItLastsAndNoneBefore) {
  const std::shared_ptr<Clock> clock = make_steady_clock();
  const std::vector<int> cores = {cores_of_this_thread().front()};
  const auto load = start_competing_load(*clock, Seconds{}, Seconds::infinity(), 0.9, cores);
  const auto later = start_competing_load(*clock, Seconds{1e6}, Seconds{2e6}, 0.5, cores);
  while (load->share() == 0.0) std::this_thread::yield();
  EXPECT_LT(load->share(), 1.0);
  EXPECT_EQ(later->share(), 0.0);
}  // both loads end when they are destroyed

}  // namespace
}  // namespace equipoise::scenario_test
