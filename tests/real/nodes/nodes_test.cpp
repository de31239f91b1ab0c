// Runs on nodes: ranks that are threads of this process, each with workers of its own.
#include "real/nodes/nodes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "real/kernels/catalog.hpp"
#include "shared_policies/model/failure.hpp"
#include "tests/real/nodes/thread_ranks.hpp"
#include "tests/support/disturb.hpp"
#include "tests/support/real_runs.hpp"
#include "tests/support/scripted_kernel.hpp"

namespace equipoise::nodes_test {
namespace {

using std::chrono::milliseconds;

/// A setup with the units of `nodes`, behind those of `own`.
RealSetup setup_on(const ThreadNodes& nodes, const std::vector<Kernel*>& phases,
                   const std::vector<std::string>& own = {}) {
  RealSetup setup = setup_of(own, phases);
  setup.units.insert(setup.units.end(), nodes.specs().begin(), nodes.specs().end());
  setup.nodes = nodes.nodes();
  return setup;
}

bool are_all(const std::vector<std::int64_t>& counts, std::int64_t wanted) {
  return std::ranges::all_of(counts, [wanted](std::int64_t count) { return count == wanted; });
}

TEST(Nodes, DoEveryItemOnceAndSendTheResultsBack) {
  KernelScript script(1000);
  ScriptedKernel kernel(script);
  ThreadNodes nodes({{"cpu", "cpu"}, {"cpu"}}, {&kernel});
  MemoryJournal journal;
  const RunOutcome outcome = run_all(setup_on(nodes, {&kernel}, {"cpu"}), 7, journal);
  EXPECT_TRUE(outcome.complete);
  EXPECT_TRUE(are_all(script.written, 1));
  std::set<std::uint32_t> units;
  for (const BlockRecord& block : journal.blocks) units.insert(block.unit.index);
  EXPECT_EQ(units.size(), 4U) << "all units did something";
}

TEST(Nodes, GetTheResidentDataOfEachIteration) {
  KernelScript script(200);
  script.iterations = 4;
  ScriptedKernel kernel(script);
  ThreadNodes nodes({{"cpu"}, {"cpu", "cpu"}}, {&kernel});
  MemoryJournal journal;
  EXPECT_TRUE(run_all(setup_on(nodes, {&kernel}), 10, journal).complete);
  EXPECT_TRUE(are_all(script.written, 4)) << "each iteration adds one to what the master has";
}

TEST(Nodes, RunTwicePhases) {
  KernelScript first(100);
  KernelScript second(60);
  ScriptedKernel a(first);
  ScriptedKernel b(second);
  ThreadNodes nodes({{"cpu"}}, {&a, &b});
  MemoryJournal journal;
  EXPECT_TRUE(run_all(setup_on(nodes, {&a, &b}, {"cpu"}), 5, journal).complete);
  EXPECT_TRUE(are_all(first.written, 1));
  EXPECT_TRUE(are_all(second.written, 1));
}

TEST(Nodes, RunOnePhaseOfThoseThatTheyHaveOpened) {
  KernelScript first(100);
  KernelScript second(60);
  ScriptedKernel a(first);
  ScriptedKernel b(second);
  ThreadNodes nodes({{"cpu"}, {"cpu"}}, {&a, &b});
  MemoryJournal journal;
  EXPECT_TRUE(run_all(setup_on(nodes, {&b}), 5, journal).complete);
  EXPECT_TRUE(are_all(second.written, 1));
  EXPECT_TRUE(are_all(first.written, 0));
}

TEST(Nodes, TakePartAgainAfterTheyWereAwayWithABlockOnAHeldLink) {
  KernelScript script(400);
  script.compute = [](const Block&, int) { std::this_thread::sleep_for(milliseconds(5)); };
  ScriptedKernel kernel(script);
  ThreadNodes nodes({{"cpu"}}, {&kernel});
  nodes.nodes()->hold({{}, {1e9, Seconds{0.03}}});  // most of the time a block is on the link
  RealSetup setup = setup_on(nodes, {&kernel}, {"cpu"});
  setup.scenario.events = {disturb(DisturbanceKind::fail, "node1.cpu0", 0.1)};
  setup.scenario.events.front().until = Seconds{0.2};
  MemoryJournal journal;
  EXPECT_TRUE(run_all(std::move(setup), 2, journal).complete);
  EXPECT_TRUE(has_all_results(script));
  const bool came_back = std::ranges::any_of(journal.blocks, [](const BlockRecord& block) {
    return block.unit == UnitId{1} && block.assigned > Seconds{0.2};
  });
  EXPECT_TRUE(came_back);
}

TEST(Nodes, ServeOneRunAfterTheOther) {
  KernelScript script(300);
  ScriptedKernel kernel(script);
  ThreadNodes nodes({{"cpu"}, {"cpu"}}, {&kernel});
  const auto executor = make_real_executor(setup_on(nodes, {&kernel}));
  for (int run = 1; run <= 3; ++run) {
    RunSetup setup;
    for (const UnitSpec& spec : nodes.specs()) setup.units.push_back(spec.unit);
    setup.phases = {kernel.workload()};
    MemoryJournal journal;
    Scripted policy = pieces_of(11);
    EXPECT_TRUE(run_policy(*executor, policy, setup, journal).complete) << "run " << run;
  }
}

TEST(Nodes, AnswerProbesThatWereAskedBeforeTheFirstIteration) {
  KernelScript script(20);
  ScriptedKernel kernel(script);
  ThreadNodes nodes({{"cpu"}}, {&kernel});
  int answers = 0;
  Scripted policy([&](const View& view, const Event& event, Decisions& decisions) {
    if (std::holds_alternative<PhaseStarted>(event.what)) {
      EXPECT_TRUE(decisions.probe(UnitId{0}, 1000.0, std::nullopt, 1));
    } else if (const auto* const probed = std::get_if<Probed>(&event.what)) {
      ++answers;
      EXPECT_TRUE(probed->times) << "it was left out";
    } else if (const auto* const idle = std::get_if<UnitIdle>(&event.what)) {
      decisions.assign(idle->unit, view.remaining());
    }
  });
  const auto executor = make_real_executor(setup_on(nodes, {&kernel}));
  RunSetup setup;
  for (const UnitSpec& spec : nodes.specs()) setup.units.push_back(spec.unit);
  setup.phases = {kernel.workload()};
  MemoryJournal journal;
  EXPECT_TRUE(run_policy(*executor, policy, setup, journal).complete);
  EXPECT_EQ(answers, 1);
}

using Typed = std::map<std::string, std::string>;

/// Kernels of the catalog that move many bytes, few, in columns, in rows out of order, and resident
/// ones.
class EveryKernel : public testing::TestWithParam<std::pair<const char*, Typed>> {};

TEST_P(EveryKernel, IsVerifiedAfterARunOnNodes) {
  const auto& [name, values] = GetParam();
  const std::unique_ptr<Kernel> kernel = make_kernel(name, values, "test");
  kernel->allocate(7);
  ThreadNodes nodes({{"cpu"}, {"cpu"}}, {kernel.get()});
  MemoryJournal journal;
  const Items items = kernel->workload().items;
  EXPECT_TRUE(
      run_all(setup_on(nodes, {kernel.get()}), std::max<Items>(1, items / 9), journal).complete);
  const Verification found = kernel->verify();
  EXPECT_TRUE(found.passed) << found.what;
}

INSTANTIATE_TEST_SUITE_P(
    Of, EveryKernel,
    testing::Values(std::pair{"matmul", Typed{{"n", "90"}}},
                    std::pair{"blackscholes", Typed{{"options", "30000"}}},
                    std::pair{"grn", Typed{{"genes", "60"}}},
                    std::pair{"kmeans", Typed{{"points", "3000"}, {"iterations", "3"}}},
                    std::pair{"fft2d",
                              Typed{{"transforms", "12"}, {"rows", "32"}, {"columns", "16"}}},
                    std::pair{"nbody", Typed{{"bodies", "300"}, {"iterations", "2"}}},
                    std::pair{"binomial", Typed{{"options", "40"}}},
                    std::pair{"mandelbrot", Typed{{"height", "60"}}},
                    std::pair{"taylor", Typed{{"points", "5000"}}},
                    std::pair{"gaussian", Typed{{"height", "80"}}},
                    std::pair{"synthetic", Typed{{"items", "200"}}}),
    [](const auto& kernel) { return std::string(kernel.param.first); });

TEST(Nodes, AreLostWhenTheyFallSilentAndTheOthersDoTheirWork) {
  KernelScript script(2000);
  script.compute = [](const Block&, int) { std::this_thread::sleep_for(milliseconds(2)); };
  ScriptedKernel kernel(script);
  ThreadNodes nodes({{"cpu"}, {"cpu"}}, {&kernel}, milliseconds(700));
  RealSetup setup = setup_on(nodes, {&kernel}, {"cpu"});
  std::vector<std::string> warnings;
  setup.warn = [&](const std::string& text) { warnings.push_back(text); };
  std::jthread silencer([&nodes] {
    std::this_thread::sleep_for(milliseconds(200));
    nodes.silence(2);
  });
  MemoryJournal journal;
  const RunOutcome outcome = run_all(std::move(setup), 2, journal);
  EXPECT_TRUE(outcome.complete);
  EXPECT_TRUE(are_all(script.written, 1));
  ASSERT_FALSE(warnings.empty());
  EXPECT_NE(warnings.front().find("node2 (host2) is lost: nothing was heard of it"),
            std::string::npos)
      << warnings.front();
}

TEST(Nodes, SayWhichOneDoesNotComeUp) {
  KernelScript script(10);
  script.come_up = [](int) { throw std::runtime_error("no room"); };
  ScriptedKernel kernel(script);
  ThreadNodes nodes({{"cpu"}}, {&kernel});
  MemoryJournal journal;
  try {
    static_cast<void>(run_all(setup_on(nodes, {&kernel}), 2, journal));
    FAIL() << "the run began";
  } catch (const BackendError& refused) {
    EXPECT_EQ(std::string(refused.what()),
              "node1 (host1): unit node1.cpu0 cannot be started: no room");
  }
}

TEST(Nodes, LoseABlockThatAUnitCannotDoAndGoOn) {
  KernelScript script(64);
  script.compute = [](const Block& block, int) {
    if (block.items > 4) throw BlockFailure("too many");
  };
  ScriptedKernel kernel(script);
  ThreadNodes nodes({{"cpu"}}, {&kernel});
  MemoryJournal journal;
  EXPECT_TRUE(run_all(setup_on(nodes, {&kernel}), 16, journal).complete);
  EXPECT_TRUE(are_all(script.written, 1));
}

TEST(Nodes, AnswerQuestionsInTheirOrder) {
  KernelScript script(1);
  ScriptedKernel kernel(script);
  ThreadNodes nodes({{"cpu"}, {"cpu"}}, {&kernel});
  const std::string long_text(100'000, 'x');
  EXPECT_EQ(nodes.nodes()->ask({"one", long_text}),
            (std::vector<std::string>{"answer to one", "answer to " + long_text}));
  EXPECT_EQ(nodes.nodes()->ask({"a", "b"}),
            (std::vector<std::string>{"answer to a", "answer to b"}));
}

TEST(Nodes, WithHeldLinksTakeAtLeastTheTimeOfTheirBytes) {
  const std::unique_ptr<Kernel> kernel = make_kernel("matmul", {{"n", "200"}}, "test");
  kernel->allocate(1);
  ThreadNodes nodes({{"cpu"}}, {kernel.get()});
  nodes.nodes()->hold({{4e6, Seconds{}}, {4e6, Seconds{1e-3}}});
  MemoryJournal journal;
  EXPECT_TRUE(run_all(setup_on(nodes, {kernel.get()}), 50, journal).complete);
  EXPECT_TRUE(kernel->verify().passed);
  // 200 rows of 1600 bytes there and back, and 320,000 bytes of the other matrix.
  const BlockRecord& first = journal.blocks.front();
  EXPECT_GE(first.times.setup.value, 0.080);
  for (const BlockRecord& block : journal.blocks) {
    EXPECT_GE(block.times.in.value, 0.020) << "80,000 bytes at 4 MB/s";
    EXPECT_GE(block.times.out.value, 0.020);
  }
}

TEST(Nodes, AreMeasuredByProbesOfTheirLinks) {
  KernelScript script(1);
  ScriptedKernel kernel(script);
  ThreadNodes nodes({{"cpu"}, {"cpu"}}, {&kernel});
  nodes.nodes()->hold({{1e7, {}}, {1e7, {}}, {5e6, {}}});
  const auto alone = nodes.nodes()->probe_links({{2, 500'000, 250'000}});
  EXPECT_GE(alone[0].there.value, 0.1);
  EXPECT_GE(alone[0].back.value, 0.05);
  // 10 MB/s for both: 5 MB/s for each.
  const auto both = nodes.nodes()->probe_links({{1, 500'000, 0}, {2, 500'000, 0}});
  EXPECT_GE(both[0].there.value, 0.1);
  EXPECT_GE(both[1].there.value, 0.1);
}

}  // namespace
}  // namespace equipoise::nodes_test
