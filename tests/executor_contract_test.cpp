// What shared_policies/run/executor.hpp promises, checked on every executor: fake, simulated, and
// real with CPU, emulated and paced units.
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "real/kernels/catalog.hpp"
#include "real/paced/paced_worker.hpp"
#include "real/real_executor.hpp"
#include "shared_policies/contract/fake_executor.hpp"
#include "shared_policies/policies/catalog.hpp"
#include "tests/support/random_policy.hpp"
#include "tests/support/random_seed.hpp"
#include "tests/support/scripted.hpp"
#include "tests/support/sim_platforms.hpp"

namespace equipoise::executor_contract_test {
namespace {

constexpr Items all_items = 100'000;

/// An executor of two units, and the kernel that it uses (if any).
struct Subject {
  std::unique_ptr<Kernel> kernel;
  std::unique_ptr<Executor> executor;
};

Workload empty_workload() {
  Workload workload;
  workload.kernel = "empty";
  workload.items = all_items;
  workload.iterations = 3;
  return workload;
}

Subject make_fake() {
  return {nullptr, make_fake_executor({.units = {affine_unit(1e-4, 1e-7), affine_unit(3e-4, 3e-7)},
                                       .dispatch = Seconds{1e-6},
                                       .merge = Seconds{1e-3},
                                       .controller = {Seconds{2e-6}, Seconds{1e-6}}})};
}

Subject make_sim() {
  TestPlatform platform;
  platform.units = {{1e-4, 1e-7, 0.1, 1e9, 1e-6}, {3e-4, 3e-7, 0.1, 0.0, 0.0}};
  platform.shared_bandwidth = 1e9;
  Workload workload = empty_workload();
  workload.in_bytes_per_item = 8;
  workload.out_bytes_per_item = 8;
  SimSetup setup = sim_setup(platform, {workload});
  setup.costs[0].merge = Seconds{1e-3};
  setup.costs[0].controller = {Seconds{2e-6}, Seconds{1e-6}, 1e-9};
  return {nullptr, make_sim_executor(std::move(setup))};
}

Subject make_real() {
  Subject subject;
  subject.kernel =
      make_kernel("empty", {{"items", std::to_string(all_items)}, {"iterations", "3"}}, "test");
  subject.kernel->allocate(1);
  RealSetup setup;
  setup.units = parse_units({"cpu", "cpu"});
  setup.phases = {subject.kernel.get()};
  subject.executor = make_real_executor(std::move(setup));
  return subject;
}

Subject make_emulated() {
  Subject subject;
  subject.kernel = make_kernel("empty", {{"items", std::to_string(all_items)}}, "test");
  subject.kernel->allocate(1);
  RealSetup setup;
  setup.units = parse_units({"emulated", "emulated,copy_engines=1,slots=2"});
  setup.phases = {subject.kernel.get()};
  subject.executor = make_real_executor(std::move(setup));
  return subject;
}

/// Two paced GPUs: one takes 1e-4 s + 1e-7 s per item, the other three times as long.
Subject make_paced() {
  Trace trace;
  trace.kernel = "empty";
  trace.units.resize(2);
  const auto add = [&](std::uint32_t unit, double items, double compute_s) {
    TraceSample sample;
    sample.unit = unit;
    sample.items = items;
    sample.compute_mean_s = compute_s;
    trace.samples.push_back(sample);
  };
  add(0, 1, 1.001e-4);
  add(0, 1e5, 1.01e-2);
  add(1, 1, 3.003e-4);
  add(1, 1e5, 3.03e-2);
  RealSetup setup;
  setup.units = parse_units({"paced,trace_unit=a", "paced,trace_unit=b"});
  setup.phases = {RealPhase(empty_workload(), nullptr, Seconds{})};
  for (std::uint32_t unit = 0; unit < 2; ++unit) {
    const CopySpeeds copies{CopySpeed{Seconds{1e-6}, 1e9}, std::nullopt};
    setup.units[unit].factory =
        make_paced_factory("x", {{BlockTiming(trace, unit), Seconds{}, copies}});
  }
  return {nullptr, make_real_executor(std::move(setup))};
}

struct World {
  std::string name;
  Subject (*make)();
};

class AnyExecutor : public testing::TestWithParam<World> {
 protected:
  Subject subject = GetParam().make();
  Executor& executor = *subject.executor;

  static Block block(std::uint64_t id, Items first, Items items) {
    return {.id = id, .first = first, .items = items};
  }
};

TEST_P(AnyExecutor, StartsItsClockAtZeroAndNeverTurnsItBack) {
  executor.run([&] {
    Seconds last = executor.now();
    EXPECT_GE(last.value, 0.0);
    EXPECT_LT(last.value, 1.0);
    for (std::uint64_t i = 0; i < 20; ++i) {
      executor.start(block(i, static_cast<Items>(i) * 10, 10), UnitId{i % 2 == 0 ? 0u : 1u});
      EXPECT_GE(executor.now(), last);
      last = executor.now();
    }
    while (executor.next(Seconds::infinity())) {
      EXPECT_GE(executor.now(), last);
      last = executor.now();
    }
  });
}

TEST_P(AnyExecutor, AnswersEveryProbeOnceWithTimesBetweenItsCallAndItsEvent) {
  executor.run([&] {
    std::vector<Seconds> asked;
    for (std::uint64_t i = 0; i < 20; ++i) {
      const UnitId unit{i % 2 == 0 ? 0u : 1u};
      executor.start(block(i, static_cast<Items>(i) * 10, 10), unit);
      asked.push_back(executor.probe({i, 0, 1000.0 * static_cast<double>(i), 500}, unit));
    }
    std::set<std::uint64_t> seen;
    while (const auto event = executor.next(Seconds::infinity())) {
      const auto* const probed = std::get_if<Probed>(&event->what);
      if (probed == nullptr) continue;
      EXPECT_TRUE(seen.insert(probed->probe.id).second);
      EXPECT_EQ(probed->unit.index, probed->probe.id % 2);
      ASSERT_TRUE(probed->times);
      const auto& [there_at, there, back_at, back] = *probed->times;
      EXPECT_GE(there_at, asked[probed->probe.id]);
      EXPECT_GE(back_at.value, (there_at + there).value - 1e-9);
      EXPECT_GE(event->at.value, (back_at + back).value - 1e-9);
    }
    EXPECT_EQ(seen.size(), 20u);
  });
}

TEST_P(AnyExecutor, ReportsEveryBlockOnceAndThoseOfAUnitInTheOrderOfStarting) {
  executor.run([&] {
    for (std::uint64_t i = 0; i < 40; ++i) {
      executor.start(block(i, static_cast<Items>(i) * 10, 10), UnitId{i % 2 == 0 ? 0u : 1u});
    }
    std::set<std::uint64_t> seen;
    std::uint64_t last[2] = {0, 0};
    Seconds at;
    while (const auto event = executor.next(Seconds::infinity())) {
      const auto& finished = std::get<BlockFinished>(event->what);
      EXPECT_TRUE(seen.insert(finished.block.id).second);
      EXPECT_GE(finished.block.id, last[finished.unit.index]);
      last[finished.unit.index] = finished.block.id;
      EXPECT_EQ(finished.block.items, 10);
      EXPECT_GE(event->at, at);  // events come in the order of their times
      at = event->at;
      // A block's stages cannot take longer than the time from its assignment to its end.
      EXPECT_LE(total(finished.times).value, (event->at - finished.assigned).value + 1e-9);
      // Each stage begins after the one before has ended, the first not before the assignment.
      const StageTimes& begins = finished.begins;
      EXPECT_GE(begins.setup.value, finished.assigned.value - 1e-9);
      EXPECT_GE(begins.in.value, (begins.setup + finished.times.setup).value - 1e-9);
      EXPECT_GE(begins.compute.value, (begins.in + finished.times.in).value - 1e-9);
      EXPECT_GE(begins.out.value, (begins.compute + finished.times.compute).value - 1e-9);
      EXPECT_LE((begins.out + finished.times.out).value, event->at.value + 1e-9);
    }
    EXPECT_EQ(seen.size(), 40u);
  });
}

TEST_P(AnyExecutor, SaysWhenAnIterationBegins) {
  executor.run([&] {
    Seconds last;
    for (int iteration = 0; iteration < 3; ++iteration) {
      const Seconds began = executor.begin_iteration(0, iteration);
      EXPECT_GE(began, last);
      EXPECT_LE(began, executor.now());
      const auto id = static_cast<std::uint64_t>(iteration);
      const Block block{.id = id, .first = 0, .items = 10, .iteration = iteration};
      EXPECT_GE(executor.start(block, UnitId{0}), began);
      const auto event = executor.next(Seconds::infinity());
      ASSERT_TRUE(event);
      last = event->at;
    }
  });
}

TEST_P(AnyExecutor, SaysWhenItHandsABlockOut) {
  executor.run([&] {
    std::vector<Seconds> assigned;
    for (std::uint64_t i = 0; i < 8; ++i) {
      assigned.push_back(executor.start(block(i, static_cast<Items>(i) * 10, 10), UnitId{0}));
      EXPECT_LE(assigned.back(), executor.now());
    }
    while (const auto event = executor.next(Seconds::infinity())) {
      const auto& finished = std::get<BlockFinished>(event->what);
      EXPECT_EQ(finished.assigned, assigned[finished.block.id]);
    }
  });
}

TEST_P(AnyExecutor, SaysTheTimeBehindADecision) {
  executor.run([&] {
    const Seconds before = executor.now();
    EXPECT_GE(executor.occupy(std::nullopt, Seconds{}), before);
    const Seconds behind = executor.occupy(UnitId{0}, Seconds{1e-3});
    EXPECT_LE(behind, executor.now());
  });
}

TEST_P(AnyExecutor, OnlyLooksWhenTheDeadlineIsPast) {
  executor.run([&] {
    executor.start(block(0, 0, all_items), UnitId{1});
    const Seconds before = executor.now();
    const auto event = executor.next(before);
    if (event) {
      EXPECT_LE(event->at, before);
    }
    while (executor.next(Seconds::infinity())) continue;
  });
}

TEST_P(AnyExecutor, ComesBackWithNothingWhenNothingCanHappen) {
  executor.run([&] {
    EXPECT_FALSE(executor.next(Seconds::infinity()));
    executor.start(block(0, 0, 10), UnitId{0});
    EXPECT_TRUE(executor.next(Seconds::infinity()));
    EXPECT_FALSE(executor.next(Seconds::infinity()));
  });
}

TEST_P(AnyExecutor, LetsTheDeadlineComeWhenNothingHappensBefore) {
  executor.run([&] {
    const Seconds deadline = executor.now() + Seconds{0.02};
    EXPECT_FALSE(executor.next(deadline));
    EXPECT_GE(executor.now(), deadline);
  });
}

TEST_P(AnyExecutor, LetsThroughWhatItsBodyThrows) {
  EXPECT_THROW(executor.run([&] {
    executor.start(block(0, 0, 10), UnitId{0});
    throw std::runtime_error("body");
  }),
               std::runtime_error);
}

TEST_P(AnyExecutor, RunsAPolicyToTheEnd) {
  RunSetup setup = setup_of(2, empty_workload());
  const auto policy = make_policy(find_policy("plb-hec"), {});
  MemoryJournal journal;
  const RunOutcome outcome = run_policy(executor, *policy, setup, journal);
  EXPECT_TRUE(outcome.complete);
  EXPECT_FALSE(outcome.policy_stalled);
  Items items = 0;
  for (const BlockRecord& record : journal.blocks) items += record.block.items;
  EXPECT_EQ(items, 3 * all_items);
}

TEST_P(AnyExecutor, EndsABlockThatIsTakenBackAsItSays) {
  executor.run([&] {
    std::set<std::uint64_t> finish = {0, 1, 2, 3, 4, 5};
    std::set<std::uint64_t> end_late;
    for (std::uint64_t i = 0; i < 6; ++i) {
      executor.start(block(i, static_cast<Items>(i) * 1000, 1000), UnitId{1});
    }
    for (const std::uint64_t i : {5, 3, 0}) {
      const auto taken =
          executor.take_back(block(i, static_cast<Items>(i) * 1000, 1000), UnitId{1});
      EXPECT_LE(taken.at, executor.now());
      if (taken.fate != Fate::too_late) finish.erase(i);
      if (taken.fate == Fate::goes_on) end_late.insert(i);
    }
    while (const auto event = executor.next(Seconds::infinity())) {
      if (const auto* late = std::get_if<LateEnd>(&event->what)) {
        EXPECT_EQ(end_late.erase(late->block.id), 1u);
        EXPECT_EQ(late->times.out, Seconds{});
      } else {
        EXPECT_EQ(finish.erase(std::get<BlockFinished>(event->what).block.id), 1u);
      }
    }
    EXPECT_TRUE(finish.empty());
    EXPECT_TRUE(end_late.empty());
  });
}

TEST_P(AnyExecutor, FinishesOneOfTwoCopies) {
  executor.run([&] {
    const Block original = block(0, 0, all_items);
    Block copy = original;
    copy.id = 1;
    copy.copy_of = 0;
    executor.start(original, UnitId{1});
    executor.start(copy, UnitId{0});
    int finished = 0;
    int late = 0;
    while (const auto event = executor.next(Seconds::infinity())) {
      finished += std::holds_alternative<BlockFinished>(event->what) ? 1 : 0;
      late += std::holds_alternative<LateEnd>(event->what) ? 1 : 0;
    }
    EXPECT_EQ(finished, 1);
    EXPECT_EQ(late, 1);
  });
}

TEST_P(AnyExecutor, DoesEveryItemOnceWhateverAPolicyDoes) {
  const unsigned seed = random_seed();
  RecordProperty("seed", static_cast<int>(seed));
  RandomPolicy policy(seed, all_items / 20, Seconds{5e-3});
  MemoryJournal journal;
  const RunOutcome outcome = run_policy(executor, policy, setup_of(2, empty_workload()), journal);
  EXPECT_TRUE(outcome.complete) << "--gtest_random_seed=" << seed;
  Items items = 0;
  for (const BlockRecord& record : journal.blocks) items += record.block.items;
  EXPECT_EQ(items, 3 * all_items) << "--gtest_random_seed=" << seed;
}

INSTANTIATE_TEST_SUITE_P(Worlds, AnyExecutor,
                         testing::Values(World{"Fake", make_fake}, World{"Sim", make_sim},
                                         World{"Real", make_real}, World{"Emulated", make_emulated},
                                         World{"Paced", make_paced}),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace equipoise::executor_contract_test
