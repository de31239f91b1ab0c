// Tests of probes of real units: they copy memory that belongs to no kernel, and disturb nothing.
#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "real/paced/paced_worker.hpp"
#include "real/probe_memory.hpp"
#include "tests/support/disturb.hpp"
#include "tests/support/failing_device.hpp"
#include "tests/support/real_runs.hpp"
#include "tests/support/scripted_kernel.hpp"

namespace equipoise::real_probe_test {
namespace {

constexpr std::size_t mebi = std::size_t{1} << 20;

bool has_started(const Event& event) {
  return std::holds_alternative<IterationStarted>(event.what);
}

/// What came of the probes of a run.
struct Probes {
  std::vector<Probed> ended;
  std::vector<double> at_s;
  std::vector<std::string> warnings;
  MemoryJournal journal;
};

/// Probes the first unit with all of `probes` behind one block, and hands out the rest when all of
/// them have ended. Every item is done.
void run_probing(RealSetup setup, const std::vector<Probe>& probes, Probes& seen) {
  Scripted policy([&](const View& view, const Event& event, Decisions& decisions) {
    if (has_started(event) && view.iteration() == 0) {
      decisions.assign(UnitId{0}, 10);
      for (const Probe& probe : probes) {
        EXPECT_TRUE(decisions.probe(UnitId{0}, probe.there_bytes, probe.back_bytes, probe.number));
      }
      return;
    }
    if (const auto* probed = std::get_if<Probed>(&event.what)) {
      seen.ended.push_back(*probed);
      seen.at_s.push_back(event.at.value);
    }
    const auto* const idle = std::get_if<UnitIdle>(&event.what);
    if (seen.ended.size() < probes.size()) return;
    if (idle != nullptr) decisions.assign(idle->unit, 10);
    if (idle == nullptr && view.remaining() > 0 && view.outstanding() == 0) {
      for (const UnitState& unit : view.units()) decisions.assign(unit.id, 10);
    }
  });
  setup.warn = [&](const std::string& text) { seen.warnings.push_back(text); };
  EXPECT_TRUE(run_by(policy, std::move(setup), seen.journal).complete);
  EXPECT_EQ(seen.ended.size(), probes.size());
}

class ProbeOfRealUnits : public testing::TestWithParam<const char*> {};

TEST_P(ProbeOfRealUnits, TellsWhenItsCopiesBeganAndHowLongTheyTook) {
  KernelScript script(100);
  script.iterations = 2;
  ScriptedKernel kernel(script);
  Probes seen;
  run_probing(setup_of({GetParam(), "cpu"}, {&kernel}),
              {{0, 5, 1e6, 5e5}, {0, 6, 0, 0}, {0, 7, 1e5, std::nullopt}}, seen);
  EXPECT_TRUE(kernel.verify().passed) << kernel.verify().what;
  ASSERT_EQ(seen.ended.size(), 3U);
  double before_s = 0.0;  // sums of times are rounded
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(seen.ended[i].probe.number, 5 + i);
    ASSERT_TRUE(seen.ended[i].times);
    const ProbeTimes& times = *seen.ended[i].times;
    EXPECT_GE(times.there_at.value, before_s - 1e-12) << "copies there are in order";
    EXPECT_GE(times.back_at.value, (times.there_at + times.there).value - 1e-12);
    EXPECT_LE((times.back_at + times.back).value, seen.at_s[i] + 1e-9);
    before_s = (times.there_at + times.there).value;
  }
  EXPECT_GT(seen.ended[0].times->there, Seconds{});
  EXPECT_GT(seen.ended[0].times->back, Seconds{});
  EXPECT_EQ(seen.ended[2].times->back, Seconds{});
  EXPECT_EQ(seen.journal.count<Probed>(), 3);
}

INSTANTIATE_TEST_SUITE_P(Of, ProbeOfRealUnits,
                         testing::Values("cpu", "emulated", "emulated,copy_engines=1"),
                         [](const auto& of) { return "unit" + std::to_string(of.index); });

TEST(ProbeOfAnEmulatedUnit, TakesTheTimeOfItsLink) {
  // There 2 ms + 100,000 bytes at 100 MB/s, back 2 ms + 100,000 bytes at 50 MB/s. A probe of 0
  // bytes copies one. Copies end no earlier; on a busy machine they may end later.
  KernelScript script(20);
  ScriptedKernel kernel(script);
  Probes seen;
  run_probing(
      setup_of({"emulated,latency_s=2e-3,in_bytes_per_s=1e8,out_bytes_per_s=5e7"}, {&kernel}),
      {{0, 0, 1e5, 1e5}, {0, 1, 0, 0}}, seen);
  ASSERT_EQ(seen.ended.size(), 2U);
  EXPECT_GE(seen.ended[0].times->there.value, 3e-3 - 1e-9);
  EXPECT_GE(seen.ended[0].times->back.value, 4e-3 - 1e-9);
  EXPECT_GE(seen.ended[1].times->there.value, 2e-3 - 1e-9);
}

/// A paced unit that takes 1 ms for a block, with these copies.
RealSetup paced(const CopySpeeds& copies) {
  Trace trace;
  trace.units.resize(1);
  for (const double items : {1.0, 100.0}) {
    TraceSample& sample = trace.samples.emplace_back();
    sample.items = items;
    sample.compute_mean_s = 1e-3;
  }
  RealSetup setup;
  setup.units = parse_units({"paced,trace_unit=x"});
  setup.phases = {RealPhase(items_of(20), nullptr, Seconds{})};
  setup.draws.noise = false;
  setup.units[0].factory = make_paced_factory("x", {{BlockTiming(trace, 0), Seconds{}, copies}});
  return setup;
}

TEST(ProbeOfAPacedUnit, TakesExactlyTheTimesOfTheModel) {
  // 1 ms and 1 GB/s: 1 MB there in 2 ms, 2 MB back in 3 ms, no bytes in 1 ms.
  const CopySpeed speed{Seconds{1e-3}, 1e9};
  Probes seen;
  run_probing(paced({speed, speed}), {{0, 0, 1e6, 2e6}, {0, 1, 0, std::nullopt}}, seen);
  ASSERT_EQ(seen.ended.size(), 2U);
  EXPECT_NEAR(seen.ended[0].times->there.value, 2e-3, 1e-12);
  EXPECT_NEAR(seen.ended[0].times->back.value, 3e-3, 1e-12);
  EXPECT_NEAR(seen.ended[1].times->there.value, 1e-3, 1e-12);
  EXPECT_EQ(seen.ended[1].times->back, Seconds{});
}

TEST(ProbeOfAPacedUnit, IsAnsweredAtOnceWithoutALink) {
  Probes seen;
  run_probing(paced({}), {{0, 0, 1e6, 2e6}}, seen);
  ASSERT_EQ(seen.ended.size(), 1U);
  EXPECT_EQ(seen.ended[0].times->there, Seconds{});
  EXPECT_EQ(seen.ended[0].times->back, Seconds{});
}

TEST(ProbeOfAPacedUnit, EndsWithoutAnAnswerWhenItIsLost) {
  // The probe would take an hour. The unit is lost at 5 ms and comes back at 10 ms.
  const CopySpeed speed{Seconds{3600}, 1e9};
  RealSetup setup = paced({speed, speed});
  setup.scenario.events.push_back(
      disturb(DisturbanceKind::fail, setup.units[0].unit.name, 5e-3, 1.0, Seconds{1e-2}));
  Probes seen;
  run_probing(std::move(setup), {{0, 0, 1e6, 2e6}}, seen);
  ASSERT_EQ(seen.ended.size(), 1U);
  EXPECT_FALSE(seen.ended[0].times);
}

TEST(ProbeOfADevice, ThatFailsLosesNoUnit) {
  // The first allocation is that of all blocks; then comes that of the probe. The first two copies
  // in are those of the first block.
  struct Case {
    DeviceCall call;
    int before;
    DeviceFault fault;
    const char* why;
  };
  for (const Case& failing :
       {Case{DeviceCall::allocate, 1, DeviceFault::refused, "too little memory"},
        Case{DeviceCall::copy_in, 2, DeviceFault::refused, "a scripted refusal"},
        Case{DeviceCall::copy_in, 2, DeviceFault::later, "a scripted failure"},
        Case{DeviceCall::copy_out, 1, DeviceFault::refused, "a scripted refusal"}}) {
    SCOPED_TRACE(failing.why);
    KernelScript script(100);
    ScriptedKernel kernel(script);
    RealSetup setup = setup_of({"emulated", "cpu"}, {&kernel});
    setup.units[0].factory =
        std::make_shared<FailingFactory>(fast_copies, [&](DeviceCall call, int before) {
          const bool fails = call == failing.call && before == failing.before;
          return fails ? failing.fault : DeviceFault::none;
        });
    Probes seen;
    run_probing(std::move(setup), {{0, 0, 1000, 1000}}, seen);
    EXPECT_TRUE(kernel.verify().passed) << kernel.verify().what;
    ASSERT_EQ(seen.ended.size(), 1U);
    EXPECT_FALSE(seen.ended[0].times);
    EXPECT_EQ(seen.journal.count<UnitLost>(), 0);
    EXPECT_EQ(seen.journal.count<LostBlock>(), 0);
    ASSERT_EQ(seen.warnings.size(), 1U);
    EXPECT_NE(seen.warnings[0].find(std::string("could not do a probe: ") +
                                    (failing.call == DeviceCall::allocate ? "there is " : "") +
                                    failing.why),
              std::string::npos)
        << seen.warnings[0];
  }
}

/// Memory of a unit that gives at most `most` bytes at a time.
class Given {
 public:
  explicit Given(std::size_t most) : most_(most) {}
  std::byte* allocate(std::size_t bytes) {
    if (bytes > most_) throw std::bad_alloc();
    return buffers_.emplace_back(std::make_unique<BufferOf<std::byte>>(bytes))->data();
  }
  [[nodiscard]] std::size_t count() const { return buffers_.size(); }
  void limit(std::size_t most) { most_ = most; }

 private:
  std::size_t most_;
  std::vector<std::unique_ptr<BufferOf<std::byte>>> buffers_;
};

std::vector<std::size_t> sizes_of(const std::vector<CopyPart>& parts) {
  std::vector<std::size_t> bytes;
  for (const CopyPart& part : parts) bytes.push_back(part.bytes);
  return bytes;
}

TEST(ProbeMemory, IsUsedAgainAndGrowsForEachDirectionAlone) {
  Given given(std::numeric_limits<std::size_t>::max());
  ProbeMemory memory([&](std::size_t bytes) { return given.allocate(bytes); });
  const ProbeCopies first = memory.copies_of({0, 0, 0, std::nullopt});
  EXPECT_EQ(sizes_of(first.there), std::vector<std::size_t>{1});
  EXPECT_TRUE(first.back.empty());
  const ProbeCopies both = memory.copies_of({1, 0, 900, 0});
  EXPECT_EQ(sizes_of(both.there), std::vector<std::size_t>{900});
  EXPECT_EQ(sizes_of(both.back), std::vector<std::size_t>{1});
  EXPECT_EQ(given.count(), 3U);
  EXPECT_EQ(memory.copies_of({2, 0, 1024, 1}).there[0].to, both.there[0].to);
  EXPECT_EQ(given.count(), 3U) << "there was room for 1024 bytes";
}

TEST(ProbeMemory, DividesWhatIsLargerThanItIs) {
  Given given(std::numeric_limits<std::size_t>::max());
  ProbeMemory memory([&](std::size_t bytes) { return given.allocate(bytes); });
  EXPECT_EQ(sizes_of(memory.copies_of({0, 0, 130.0 * mebi, std::nullopt}).there),
            (std::vector<std::size_t>{64 * mebi, 64 * mebi, 2 * mebi}));
}

TEST(ProbeMemory, MakesDoWithAPartButNotWithLittle) {
  Given given(5 * mebi);
  ProbeMemory memory([&](std::size_t bytes) { return given.allocate(bytes); });
  EXPECT_EQ(sizes_of(memory.copies_of({0, 0, 10.0 * mebi, std::nullopt}).there),
            (std::vector<std::size_t>{4 * mebi, 4 * mebi, 2 * mebi}));
  given.limit(3 * mebi);
  EXPECT_THROW(static_cast<void>(memory.copies_of({1, 0, 0, 10.0 * mebi})), BlockFailure);
}

}  // namespace
}  // namespace equipoise::real_probe_test
