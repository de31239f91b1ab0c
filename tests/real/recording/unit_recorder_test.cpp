// Tests of the recording of one unit: which sizes are timed, and how often.
#include "real/recording/unit_recorder.hpp"

#include <gtest/gtest.h>

#include <map>
#include <optional>

#include "tests/support/scripted_kernel.hpp"

namespace equipoise::unit_recorder_test {
namespace {

/// A recording on one core of two samples of each size, and of a second.
RecordSetup setup_of(Kernel& kernel) {
  RecordSetup setup;
  setup.units = parse_units({"cpu"});
  setup.kernel = &kernel;
  setup.samples_min = setup.samples_max = 2;
  setup.budget = Seconds{1.0};
  return setup;
}

/// A unit whose blocks take 1 ms for each item.
struct SlowUnit {
  explicit SlowUnit(Items items) : script(items), kernel(script) {
    setup = setup_of(kernel);
    unit.emplace(setup, 0, ItemRange{0, items});
  }
  /// Records a pass. Returns how long it took.
  Seconds pass() {
    Seconds now;
    while (!unit->is_done()) {
      const Block block = unit->next_block(0);
      const Seconds time{1e-3 * static_cast<double>(block.items)};
      now += time;
      unit->take({{Seconds{}, Seconds{}, time, Seconds{}}, Seconds{}}, now);
    }
    return now;
  }

  KernelScript script;
  ScriptedKernel kernel;
  RecordSetup setup;
  std::optional<UnitRecorder> unit;
};

TEST(UnitRecorder, TimesSizesThatTakeLongByTheirFirstBlockInEachPassOrNotAtAll) {
  // Sizes from 1 to 4096 with a factor of 4096^(1/7) = 3.28. With three passes, two samples and
  // three first blocks of 35 items take 0.175 s, and of 116 items 0.58 s: more than half of the
  // budget. Three blocks of 116 items take less than the budget, and three of 380 items 1.14 s.
  SlowUnit slow(4096);
  slow.setup.passes = 3;
  for (int pass = 0; pass < 3; ++pass) {
    if (pass > 0) slow.unit->begin_pass();
    EXPECT_NEAR(slow.pass().value, 2e-3 * (1 + 3 + 11 + 35) + 0.116, 1e-9);
    EXPECT_EQ(slow.unit->next_block(0).items, 35) << "to keep it busy";
  }
  std::map<double, int> samples;
  for (const TraceSample& sample : slow.unit->samples()) ++samples[sample.items];
  EXPECT_EQ(samples, (std::map<double, int>{{1, 3}, {3, 3}, {11, 3}, {35, 3}, {116, 3}}));
  Recording recording;
  slow.unit->add_remarks(recording);
  ASSERT_FALSE(recording.doubts.empty());
  EXPECT_EQ(
      recording.doubts[0],
      "cpu0: blocks of 380 items or more take too long for this recording and were not timed; more "
      "time helps");
}

TEST(UnitRecorder, TellsWaitsForCoresFromTheTimesOfBlocks) {
  KernelScript script(100);
  ScriptedKernel kernel(script);
  RecordSetup setup = setup_of(kernel);
  setup.sizes = {1};
  setup.samples_min = setup.samples_max = 5;
  UnitRecorder unit(setup, 0, {0, 100});
  const std::vector<double> times_ms = {9.0, 1.0, 1.0, 1.0, 1.0, 3.0};  // the first does not count
  const std::vector<double> waits_us = {0.0, 0.0, 4.0, 20.0, 0.0, 0.0};
  for (std::size_t i = 0; i < times_ms.size(); ++i) {
    ASSERT_FALSE(unit.is_done());
    unit.take({{Seconds{}, Seconds{}, Seconds{1e-3 * times_ms[i]}, Seconds{}},
               Seconds{},
               {Seconds{1e-6 * waits_us[i]}, 2}},
              Seconds{0.01 * static_cast<double>(i)});
  }
  // Waits of 4 us are not told from imprecise clocks; an outlier took 2 ms more than others.
  std::vector<double> waited_s;
  for (const TraceSample& sample : unit.samples()) waited_s.push_back(sample.waited_s.value());
  ASSERT_EQ(waited_s.size(), 5u);
  EXPECT_EQ(waited_s[0], 0.0);
  EXPECT_EQ(waited_s[1], 0.0);
  EXPECT_DOUBLE_EQ(waited_s[2], 20e-6);
  EXPECT_EQ(unit.samples()[2].waits, 2);
  EXPECT_EQ(waited_s[3], 0.0);
  EXPECT_NEAR(waited_s[4], 2e-3, 1e-12);
  EXPECT_TRUE(unit.samples()[4].is_outlier);
}

TEST(Undisturbed, LeavesOutTheLongestTwentiethAndWhatTookTenTimesTheMedian) {
  EXPECT_DOUBLE_EQ(undisturbed({2e-6}).mean.value, 2e-6);
  EXPECT_DOUBLE_EQ(undisturbed({1e-6, 3e-6, 2e-6}).mean.value, 2e-6);
  std::vector<double> seconds(20, 1e-6);
  seconds[7] = 9e-6;  // the longest of 20
  EXPECT_DOUBLE_EQ(undisturbed(seconds).mean.value, 1e-6);
  seconds[3] = 5e-6;  // not ten times the median: it counts
  EXPECT_DOUBLE_EQ(undisturbed(seconds).mean.value, 23e-6 / 19);
  seconds[4] = seconds[5] = seconds[6] = 4e-3;  // other programs had the core
  EXPECT_DOUBLE_EQ(undisturbed(seconds).mean.value, (5e-6 + 9e-6 + 15e-6) / 17);
  EXPECT_DOUBLE_EQ(undisturbed({-2e-6, -1e-6}).mean.value, 0.0);
  EXPECT_DOUBLE_EQ(undisturbed({1e-6, 3e-6, 2e-6}).longest.value, 3e-6);
}

TEST(UnitRecorder, CountsAnUnusuallyLongDispatchAsAWaitOfAUnitThatCopiesByItself) {
  KernelScript script(100);
  ScriptedKernel kernel(script);
  for (const int copy_engines : {0, 2}) {
    RecordSetup setup = setup_of(kernel);
    setup.units[0].unit.copy_engines = copy_engines;
    setup.sizes = {1};
    setup.samples_min = setup.samples_max = 5;
    UnitRecorder unit(setup, 0, {0, 100});
    const std::vector<double> dispatches_us = {9000.0, 10.0, 20.0, 15.0, 4000.0, 15.0};
    for (std::size_t i = 0; i < dispatches_us.size(); ++i) {
      unit.take(
          {{Seconds{}, Seconds{}, Seconds{1e-3}, Seconds{}}, Seconds{1e-6 * dispatches_us[i]}, {}},
          Seconds{0.01 * static_cast<double>(i)});
    }
    EXPECT_DOUBLE_EQ(unit.usual_dispatch().mean.value, 15e-6);  // of 10, 20, 15 and 15 us
    const std::vector<TraceSample> samples = unit.samples();
    ASSERT_EQ(samples.size(), 5u);
    EXPECT_EQ(samples[1].waited_s, 0.0);
    EXPECT_NEAR(samples[3].waited_s.value(), copy_engines == 0 ? 3985e-6 : 0.0, 1e-12);
  }
}

TEST(CopyWorkFit, FindsTheWorkForACopyAndForAByte) {
  CopyWorkFit fit;
  EXPECT_EQ(fit.fit(), CopyWork{});
  fit.add(0, 0.0, Seconds{1.0});  // no copies: nothing to learn
  EXPECT_EQ(fit.fit(), CopyWork{});
  for (const double bytes : {1e3, 1e5, 1e6}) fit.add(2, bytes, Seconds{2 * 70e-6 + 2e-10 * bytes});
  EXPECT_NEAR(fit.fit().copy.value, 70e-6, 1e-12);
  EXPECT_NEAR(fit.fit().byte_s, 2e-10, 1e-18);
}

TEST(CopyWorkFit, OfBlocksOfOneSizeIsAllForCopiesAndNoPartIsNegative) {
  CopyWorkFit one_size;
  for (int i = 0; i < 3; ++i) one_size.add(2, 1e4, Seconds{1e-4});
  EXPECT_DOUBLE_EQ(one_size.fit().copy.value, 50e-6);
  EXPECT_EQ(one_size.fit().byte_s, 0.0);
  CopyWorkFit
      falling;  // 100 us for 1000 bytes, 50 us for 2000: the relative squares of 50 and 25 us
  falling.add(1, 1e3, Seconds{100e-6});  // weights 1e8 and 4e8
  falling.add(1, 2e3, Seconds{50e-6});   // (1e8 100e-6 + 4e8 50e-6) / 5e8 = 60 us
  EXPECT_NEAR(falling.fit().copy.value, 60e-6, 1e-12);
  EXPECT_EQ(falling.fit().byte_s, 0.0);
  CopyWorkFit rising;  // through 0 and below: 10 us for 1000 bytes, 40 us for 2000
  rising.add(1, 1e3, Seconds{10e-6});
  rising.add(1, 2e3, Seconds{40e-6});
  EXPECT_EQ(rising.fit().copy, Seconds{});
  // weights 1e10 and 6.25e8: (1e10 1e3 1e-5 + 6.25e8 2e3 4e-5) / (1e10 1e6 + 6.25e8 4e6)
  EXPECT_NEAR(rising.fit().byte_s, 1.5e8 / 1.25e16, 1e-16);
}

TEST(UnitRecorder, TimesASizeByItsFirstBlocksFromWhenItIsKnownToTakeLong) {
  // The very first size is known when its first block is back: 0.15 s is less than a quarter of the
  // budget, but two samples and three first blocks would take 0.75 s, more than half of it.
  KernelScript script(300);
  ScriptedKernel kernel(script);
  RecordSetup setup = setup_of(kernel);
  setup.passes = 3;
  UnitRecorder unit(setup, 0, {0, 300});
  const TimedBlock block{{Seconds{}, Seconds{}, Seconds{0.15}, Seconds{}}, Seconds{}};
  EXPECT_FALSE(unit.take(block, Seconds{0.15}));
  EXPECT_TRUE(unit.take(block, Seconds{0.30}));
  while (!unit.is_done()) unit.take(block, Seconds{1.0});
  unit.begin_pass();
  EXPECT_EQ(unit.next_block(0).items, 1);
  EXPECT_TRUE(unit.take(block, Seconds{0.15}));
  EXPECT_GT(unit.next_block(0).items, 1);
}

TEST(UnitRecorder, CountsTheVeryFirstBlockIfItTakesLong) {
  // It takes 1.1 s, more than a quarter of the budget. Larger ones would take longer, and so would
  // it again.
  KernelScript script(300);
  ScriptedKernel kernel(script);
  const RecordSetup setup = setup_of(kernel);
  UnitRecorder unit(setup, 0, {0, 300});
  EXPECT_TRUE(
      unit.take({{Seconds{9.0}, Seconds{}, Seconds{1.1}, Seconds{}}, Seconds{}}, Seconds{10.1}));
  EXPECT_TRUE(unit.is_done());
  unit.begin_pass();
  EXPECT_TRUE(unit.is_done());
  ASSERT_EQ(unit.samples().size(), 1u);
  EXPECT_EQ(unit.samples()[0].compute_mean_s, 1.1);
}

TEST(UnitRecorder, TimesSizesThatTheUserGaveHoweverLongTheyTake) {
  KernelScript script(4096);
  ScriptedKernel kernel(script);
  RecordSetup setup = setup_of(kernel);
  setup.sizes = {4096};
  UnitRecorder unit(setup, 0, {0, 4096});
  const TimedBlock block{{Seconds{}, Seconds{}, Seconds{100.0}, Seconds{}}, Seconds{}};
  EXPECT_FALSE(unit.take(block, Seconds{100.0}));
  EXPECT_TRUE(unit.take(block, Seconds{200.0}));
  EXPECT_TRUE(unit.take(block, Seconds{300.0}));
  EXPECT_TRUE(unit.is_done());
}

}  // namespace
}  // namespace equipoise::unit_recorder_test
