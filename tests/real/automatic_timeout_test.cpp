// Tests of units that are lost for their silence, by what was learned of them, and answer after
// all. Time is a test's own: none of it depends on how busy the machine is.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "real/paced/paced_worker.hpp"
#include "real/real_executor.hpp"
#include "tests/support/disturb.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/real_runs.hpp"
#include "tests/support/scripted_kernel.hpp"

namespace equipoise::automatic_timeout_test {
namespace {

/// The longest time that an executor whose clock goes by steps may count as time in which it
/// looked.
constexpr Seconds step{0.1};

Block block_of(std::uint64_t id, Items item) { return {.id = id, .first = item, .items = 1}; }

/// Knows until when a worker waits.
class AskedClock final : public FakeClock {
 public:
  TimePoint moment(Seconds at) const override {
    if (at < Seconds::infinity()) latest_s_ = std::max(latest_s_.load(), at.value);
    return FakeClock::moment(at);
  }
  /// Lets the worker get so far that it waits until `at`, or longer.
  void await_wait(Seconds at) const {
    while (latest_s_ < at.value) std::this_thread::yield();
  }

 private:
  mutable std::atomic<double> latest_s_ = 0.0;
};

/// An executor with an automatic timeout, whose time a test lets pass.
class Watched {
 public:
  explicit Watched(RealSetup setup) {
    setup.clock = clock_;
    setup.block_timeout = BlockTimeout::automatic();
    setup.warn = [this](const std::string& text) { warnings.push_back(text); };
    executor_ = make_real_executor(std::move(setup));
  }

  void run(const std::function<void()>& body) {
    executor_->run([&] {
      executor_->begin_iteration(0, 0);
      body();
    });
  }
  void start(std::uint64_t id, Items item, std::uint32_t unit) {
    executor_->start(block_of(id, item), UnitId{unit});
  }
  /// Lets time pass in which the controller looks at its units and nothing happens.
  void wait_in_vain(Seconds span) {
    for (long steps = std::lround(span / step); steps > 0; --steps) {
      clock_->pass(step);
      EXPECT_FALSE(executor_->next(executor_->now()));
    }
  }
  /// Lets time pass in which the controller looks, until there is an event: an `Expected` of
  /// `unit`.
  template <class Expected>
  void expect_within(Seconds span, std::uint32_t unit) {
    const Seconds deadline = executor_->now() + span;
    std::optional<Event> event;
    while (!event && executor_->now() < deadline) {
      clock_->pass(step);
      event = executor_->next(executor_->now());
    }
    expect_is<Expected>(event, unit);
  }
  /// Lets time pass in which the controller does not run.
  void stand_still(Seconds span) { clock_->pass(span); }
  /// Lets a paced unit get so far that its block will end at `end`, or later.
  void await_block(Seconds end) { clock_->await_wait(end); }
  /// Takes the next event, which must be an `Expected` of `unit`.
  template <class Expected>
  void expect_next(std::uint32_t unit) {
    expect_is<Expected>(executor_->next(Seconds::infinity()), unit);
  }

  /// There must be nothing left to wait for.
  void expect_nothing_more() { EXPECT_FALSE(executor_->next(Seconds::infinity())); }

  std::vector<std::string> warnings;

 private:
  template <class Expected>
  static void expect_is(const std::optional<Event>& event, std::uint32_t unit) {
    const auto* const what = event ? std::get_if<Expected>(&event->what) : nullptr;
    ASSERT_NE(what, nullptr);
    EXPECT_EQ(what->unit, UnitId{unit});
  }

  std::shared_ptr<AskedClock> clock_ = std::make_shared<AskedClock>();
  std::unique_ptr<Executor> executor_;
};

/// Lets blocks end one by one: each waits until it is let go. The items are their numbers.
class Gates {
 public:
  explicit Gates(KernelScript& script)
      : begun_(script.written.size()), open_(script.written.size()) {
    script.has_inputs_apart = true;
    script.compute = [this](const Block& block, int) {
      begun_[static_cast<std::size_t>(block.first)] = true;
      open_[static_cast<std::size_t>(block.first)].wait(false);
    };
  }
  /// Waits until the block of `item` is being computed.
  void await_begin(Items item) const {
    while (!begun_[static_cast<std::size_t>(item)]) std::this_thread::yield();
  }
  void open(Items item) {
    open_[static_cast<std::size_t>(item)] = true;
    open_[static_cast<std::size_t>(item)].notify_all();
  }

 private:
  std::vector<std::atomic<bool>> begun_;
  std::vector<std::atomic<bool>> open_;
};

class AutomaticTimeout : public testing::TestWithParam<std::string> {};

/// `unit` and a CPU. Its first block, of item 0, has taken a second.
void learn_a_second(Watched& watched, Gates& gates) {
  watched.start(0, 0, 0);
  watched.wait_in_vain(Seconds{1.0});
  gates.open(0);
  watched.expect_next<BlockFinished>(0);
}

/// A unit and a core, which fails at 20 s.
RealSetup beside_a_core_that_fails(const std::string& unit, ScriptedKernel& kernel) {
  RealSetup setup = setup_of({unit, "cpu"}, {&kernel});
  setup.scenario.events = {disturb(DisturbanceKind::fail, setup.units[1].unit.name, 20.0)};
  return setup;
}

TEST_P(AutomaticTimeout, LosesASilentUnitAndLetsItTakePartAgainWhenItAnswers) {
  KernelScript script(3);
  Gates gates(script);
  ScriptedKernel kernel(script);
  Watched watched(setup_of({GetParam(), "cpu"}, {&kernel}));
  watched.run([&] {
    learn_a_second(watched, gates);
    watched.start(1, 1, 0);
    watched.wait_in_vain(Seconds{9.8});  // of 10 * 1 s
    watched.expect_within<UnitLost>(Seconds{0.5}, 0);
    watched.start(2, 2, 0);  // never begins: the unit is gone
    gates.open(1);           // for both units
    watched.expect_next<UnitJoined>(0);
    watched.start(3, 1, 1);
    watched.expect_next<BlockFinished>(1);
    gates.open(2);
    watched.start(4, 2, 0);
    watched.expect_next<BlockFinished>(0);
  });
  EXPECT_TRUE(kernel.verify().passed) << kernel.verify().what;
  ASSERT_EQ(watched.warnings.size(), 2u);
  EXPECT_NE(watched.warnings[0].find("is lost: nothing came back for 10"), std::string::npos)
      << watched.warnings[0];
  EXPECT_NE(watched.warnings[1].find("has answered after all, and takes part again"),
            std::string::npos)
      << watched.warnings[1];
}

TEST_P(AutomaticTimeout, DoesNotCountTimeInWhichTheControllerWasLate) {
  KernelScript script(2);
  Gates gates(script);
  ScriptedKernel kernel(script);
  Watched watched(setup_of({GetParam(), "cpu"}, {&kernel}));
  watched.run([&] {
    learn_a_second(watched, gates);
    watched.start(1, 1, 0);
    watched.wait_in_vain(Seconds{5.0});
    watched.stand_still(Seconds{3600.0});
    watched.wait_in_vain(Seconds{4.0});
    gates.open(1);
    watched.expect_next<BlockFinished>(0);
  });
  EXPECT_TRUE(kernel.verify().passed) << kernel.verify().what;
  EXPECT_TRUE(watched.warnings.empty()) << watched.warnings[0];
}

TEST_P(AutomaticTimeout, LosesNobodyIfAllAreLate) {
  KernelScript script(4);
  Gates gates(script);
  ScriptedKernel kernel(script);
  Watched watched(setup_of({GetParam(), "cpu"}, {&kernel}));
  watched.run([&] {
    learn_a_second(watched, gates);
    gates.open(1);
    watched.start(1, 1, 1);
    watched.expect_next<BlockFinished>(1);
    watched.start(2, 2, 0);
    watched.start(3, 3, 1);
    watched.wait_in_vain(Seconds{60.0});
    gates.open(2);
    watched.expect_next<BlockFinished>(0);
    watched.wait_in_vain(Seconds{9.0});
    gates.open(3);
    watched.expect_next<BlockFinished>(1);
  });
  EXPECT_TRUE(kernel.verify().passed) << kernel.verify().what;
}

TEST_P(AutomaticTimeout, LosesNobodyBeforeAnybodyHasDoneABlock) {
  KernelScript script(1);
  Gates gates(script);
  ScriptedKernel kernel(script);
  Watched watched(setup_of({GetParam(), "cpu"}, {&kernel}));
  watched.run([&] {
    watched.start(0, 0, 0);
    watched.wait_in_vain(Seconds{100.0});
    gates.open(0);
    watched.expect_next<BlockFinished>(0);
  });
}

TEST_P(AutomaticTimeout, WaitsForALateUnitIfNobodyElseIsLeft) {
  KernelScript script(2);
  Gates gates(script);
  ScriptedKernel kernel(script);
  Watched watched(beside_a_core_that_fails(GetParam(), kernel));
  watched.run([&] {
    learn_a_second(watched, gates);
    watched.start(1, 1, 0);
    watched.wait_in_vain(Seconds{9.8});
    watched.expect_within<UnitLost>(Seconds{0.5}, 0);
    watched.stand_still(Seconds{20.0});
    watched.expect_next<UnitLost>(1);
    gates.open(1);
    watched.expect_next<UnitJoined>(0);
  });
}

TEST_P(AutomaticTimeout, WaitsForALateUnitTenTimesAsLongIfNobodyElseIsLeft) {
  KernelScript script(2);
  Gates gates(script);
  ScriptedKernel kernel(script);
  Watched watched(beside_a_core_that_fails(GetParam(), kernel));
  watched.run([&] {
    learn_a_second(watched, gates);
    watched.start(1, 1, 0);
    gates.await_begin(1);  // a block that has not begun when its unit is late ends at once
    watched.wait_in_vain(Seconds{9.8});
    watched.expect_within<UnitLost>(Seconds{0.5}, 0);  // after 10 * 1 s
    watched.expect_within<UnitLost>(Seconds{10.0}, 1);
    watched.wait_in_vain(Seconds{79.0});  // it has been waited for 98 s of 10 * 10 s
    watched.wait_in_vain(Seconds{5.0});
    watched.expect_nothing_more();
    gates.open(1);
  });
}

INSTANTIATE_TEST_SUITE_P(Of, AutomaticTimeout, testing::Values("cpu", "emulated"),
                         [](const auto& of) { return of.param; });

/// Two paced units that compute an item in a second and copy nothing.
RealSetup paced_setup() {
  Trace trace;
  trace.units.resize(1);
  for (const double items : {1.0, 10.0}) {
    TraceSample sample;
    sample.items = items;
    sample.compute_mean_s = items;
    trace.samples.push_back(sample);
  }
  RealSetup setup;
  setup.units = parse_units({"paced,trace_unit=x,id=a", "paced,trace_unit=x,id=b"});
  setup.phases = {RealPhase(items_of(100), nullptr, Seconds{})};
  setup.draws.noise = false;
  for (UnitSpec& unit : setup.units) {
    unit.factory = make_paced_factory("x", {{BlockTiming(trace, 0), Seconds{}, {}}});
  }
  return setup;
}

TEST(AutomaticTimeoutOfPacedUnits, LastsUntilTheBlockEndsThatTheUnitHadBegun) {
  // From 1 s on the first unit takes 100 s for an item: its second one, begun at 1 s, ends at 101
  // s. It is late after 10 s. It has a third one behind it, which it does not begin.
  RealSetup setup = paced_setup();
  setup.units[0].unit.copy_engines = 0;
  setup.scenario.events = {disturb(DisturbanceKind::slow, "a", 1.0, 100.0)};
  Watched watched(std::move(setup));
  watched.run([&] {
    watched.start(0, 0, 0);
    watched.await_block(Seconds{1.0});
    watched.stand_still(Seconds{1.0});
    watched.expect_next<BlockFinished>(0);
    watched.start(1, 1, 0);
    watched.start(2, 2, 0);
    watched.await_block(Seconds{101.0});
    watched.wait_in_vain(Seconds{9.8});
    watched.expect_within<UnitLost>(Seconds{0.5}, 0);
    watched.wait_in_vain(Seconds{89.0});
    watched.stand_still(Seconds{1.0});
    watched.expect_next<UnitJoined>(0);
    watched.start(3, 3, 0);
    watched.await_block(Seconds{200.0});
    watched.stand_still(Seconds{100.0});
    watched.expect_next<BlockFinished>(0);
  });
}

TEST(AutomaticTimeoutOfPacedUnits, DoesEveryItemOnceThoughAUnitIsLost) {
  // Whenever the controller looks, a tenth of a second passes. The first unit is silent from 2 s
  // on, far beyond the time of the work, which the other one does.
  RealSetup setup = paced_setup();
  const auto clock = std::make_shared<FakeClock>();
  setup.clock = clock;
  setup.block_timeout = BlockTimeout::automatic();
  setup.scenario.events = {disturb(DisturbanceKind::slow, "a", 2.0, 1e6, Seconds{5000.0})};
  setup.stop_requested = [&] {
    clock->pass(step);
    return false;
  };
  MemoryJournal journal;
  EXPECT_TRUE(run_all(std::move(setup), 1, journal).complete);
  EXPECT_GE(journal.count<UnitLost>(), 1);
  std::vector<int> done(100);
  for (const BlockRecord& record : journal.blocks) {
    ++done[static_cast<std::size_t>(record.block.first)];
  }
  EXPECT_EQ(done, std::vector<int>(100, 1));
}

}  // namespace
}  // namespace equipoise::automatic_timeout_test
