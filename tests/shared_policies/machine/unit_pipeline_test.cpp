// Tests of UnitPipeline: the time of the next stage change of a unit, and the setup of blocks.
#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "shared_policies/machine/unit_pipeline.hpp"

namespace equipoise::unit_pipeline_test {
namespace {

/// Stages that take their undisturbed times; keeps the ends of blocks.
class Stages final : public PipelineStages {
 public:
  std::vector<double> ends_s;
  std::vector<StageTimes> times;
  std::vector<StageTimes> begins;
  int dropped = 0;
  bool launches_setups = false;  ///< the durations of setups are unknown
  std::vector<Stage> launched;

 private:
  std::optional<Seconds> duration(UnitId, const PipelinedBlock& block, Stage stage,
                                  Seconds) const override {
    if (stage == Stage::setup && launches_setups) return std::nullopt;
    return time_of(block.alone, stage);
  }
  void launch(UnitId, const PipelinedBlock&, Stage stage) override { launched.push_back(stage); }
  void finished(UnitId, const PipelinedBlock& block, Seconds at, bool is_dropped) override {
    if (is_dropped) ++dropped;
    ends_s.push_back(at.value);
    times.push_back(block.times);
    begins.push_back(block.begins);
  }
};

/// A block that takes 1 s in, 4 s to compute and 2 s out, after a setup.
PipelinedBlock block_at(double ready_s, double first_use_s = 0.0, double resident_s = 0.0) {
  PipelinedBlock work;
  work.block.items = 1;
  work.ready = Seconds{ready_s};
  work.first_use = Seconds{first_use_s};
  work.alone = {Seconds{resident_s}, Seconds{1.0}, Seconds{4.0}, Seconds{2.0}};
  work.room_items = 10;
  return work;
}

TEST(UnitPipeline, HasOneDateABlockOnAUnitThatCopiesByItself) {
  Stages stages;
  UnitPipeline pipeline(UnitId{0}, 0, stages);
  EXPECT_EQ(pipeline.next_date(), Seconds::infinity());
  pipeline.add(block_at(10.0, 0.5));
  pipeline.add(block_at(11.0));
  pipeline.add(block_at(30.0));
  EXPECT_DOUBLE_EQ(pipeline.next_date().value, 17.5);  // 10 + 0.5 + 1 + 4 + 2
  pipeline.advance(Seconds{12.0});
  EXPECT_DOUBLE_EQ(pipeline.next_date().value, 17.5);
  pipeline.advance(Seconds{18.0});  // advanced late, which does not change the date
  EXPECT_DOUBLE_EQ(pipeline.next_date().value, 24.5);
  pipeline.advance(Seconds{24.5});
  EXPECT_DOUBLE_EQ(pipeline.next_date().value, 37.0);  // the third block is not ready before 30
  pipeline.advance(Seconds{37.0});
  EXPECT_EQ(stages.ends_s, (std::vector<double>{17.5, 24.5, 37.0}));
  EXPECT_EQ(pipeline.next_date(), Seconds::infinity());
}

TEST(UnitPipeline, LosesItsCoreToComputationsOnlyIfEnginesCopyForIt) {
  Stages stages;
  UnitPipeline pipeline(UnitId{0}, 2, stages);
  pipeline.lose_core(Seconds{1.0}, Seconds{3.0});  // it computes nothing
  pipeline.add(block_at(2.0));
  pipeline.advance(Seconds{2.5});
  pipeline.lose_core(Seconds{2.5}, Seconds{3.0});  // it copies until 3
  pipeline.advance(Seconds{4.0});
  pipeline.lose_core(Seconds{4.0}, Seconds{0.5});  // it computes until 7
  pipeline.advance(Seconds{10.0});
  EXPECT_EQ(stages.ends_s, (std::vector<double>{9.5}));
  EXPECT_DOUBLE_EQ(stages.times[0].compute.value, 4.5);
}

TEST(UnitPipeline, ComputesLaterWhileCopiesHaveItsCore) {
  // A copy in of 1 s has the core for 0.5 s, one out of 2 s for 0.2 s. The second block is copied
  // in while the first is computed, from 1 to 5.5 s. The first is copied out until 7.5 s while the
  // second is computed, from 5.5 to 9.7 s, and the second from then on alone.
  Stages stages;
  UnitPipeline pipeline(UnitId{0}, 2, stages);
  PipelinedBlock block = block_at(0.0);
  block.in_core = Seconds{0.5};
  block.out_core = Seconds{0.2};
  pipeline.add(block);
  pipeline.add(block);
  pipeline.advance(Seconds{20.0});
  EXPECT_EQ(stages.ends_s, (std::vector<double>{7.5, 11.7}));
  EXPECT_DOUBLE_EQ(stages.times[0].compute.value, 4.5);
  EXPECT_DOUBLE_EQ(stages.times[1].compute.value, 4.2);
}

TEST(UnitPipeline, StandsStillForALongCopyUntilItHasComputed) {
  // The copy in of the second block, from 1 to 9 s, has the core half of the time. So 4 s of
  // computing take 8 s. The second block is computed from 9 to 13 s.
  Stages stages;
  UnitPipeline pipeline(UnitId{0}, 2, stages);
  pipeline.add(block_at(0.0));
  PipelinedBlock block = block_at(0.0);
  block.alone.in = Seconds{8.0};
  block.in_core = Seconds{4.0};
  pipeline.add(block);
  pipeline.advance(Seconds{20.0});
  EXPECT_EQ(stages.ends_s, (std::vector<double>{11.0, 15.0}));
  EXPECT_DOUBLE_EQ(stages.times[0].compute.value, 8.0);
}

TEST(UnitPipeline, GivesACopyTheCoreOnlyForThePartThatItComputesMeanwhile) {
  // The copy out of the first block, from 5 to 7 s, has the core for 1 s: half of it falls into the
  // computation of the second, from 6 s on, which was not ready before 5 s.
  Stages stages;
  UnitPipeline pipeline(UnitId{0}, 2, stages);
  PipelinedBlock block = block_at(0.0);
  block.out_core = Seconds{1.0};
  pipeline.add(block);
  block.ready = Seconds{5.0};
  pipeline.advance(Seconds{4.0});
  pipeline.add(block);
  pipeline.advance(Seconds{20.0});
  EXPECT_EQ(stages.ends_s, (std::vector<double>{7.0, 12.5}));
}

TEST(UnitPipeline, LosesItsCoreForATimeInWhichItDoesNothing) {
  Stages stages;
  UnitPipeline pipeline(UnitId{0}, 0, stages);
  pipeline.lose_core(Seconds{1.0}, Seconds{3.0});  // idle until 4
  pipeline.add(block_at(2.0));
  EXPECT_DOUBLE_EQ(pipeline.next_date().value, 11.0);  // 4 + 1 + 4 + 2
  pipeline.advance(Seconds{6.0});
  pipeline.lose_core(Seconds{6.0}, Seconds{0.5});  // while it computes, from 5 to 9
  EXPECT_DOUBLE_EQ(pipeline.next_date().value, 11.5);
  pipeline.advance(Seconds{11.5});
  ASSERT_EQ(stages.ends_s, (std::vector<double>{11.5}));
  EXPECT_DOUBLE_EQ(stages.times[0].in.value, 1.0);
  EXPECT_DOUBLE_EQ(stages.times[0].compute.value, 4.5);
  EXPECT_DOUBLE_EQ(stages.times[0].out.value, 2.0);
}

TEST(UnitPipeline, ComputesADatePerStageIfAnotherBlockMayDelayIt) {
  Stages stages;
  UnitPipeline pipeline(UnitId{0}, 1, stages);
  pipeline.add(block_at(10.0));
  EXPECT_DOUBLE_EQ(pipeline.next_date().value, 17.0) << "it is alone";
  pipeline.add(block_at(10.0));
  EXPECT_DOUBLE_EQ(pipeline.next_date().value, 10.0);
  pipeline.advance(Seconds{10.0});
  EXPECT_DOUBLE_EQ(pipeline.next_date().value, 11.0);
  pipeline.advance(Seconds{24.0});
  // The second block is copied in from 11 to 12, computed from 15 to 19, and copied out until 21.
  EXPECT_EQ(stages.ends_s, (std::vector<double>{17.0, 21.0}));
}

TEST(UnitPipeline, SetsTheUnitUpBeforeTheCopyIn) {
  // First use 10-10.5, resident data 10.5-13.5, in 13.5-14.5, compute until 18.5, out until 20.5.
  for (const int engines : {0, 1, 2}) {
    Stages stages;
    UnitPipeline pipeline(UnitId{0}, engines, stages);
    pipeline.add(block_at(10.0, 0.5, 3.0));
    EXPECT_DOUBLE_EQ(pipeline.next_date().value, 20.5);
    for (const double at_s : {10.2, 12.0, 14.0}) {
      pipeline.advance(Seconds{at_s});
      EXPECT_DOUBLE_EQ(pipeline.next_date().value, 20.5) << at_s;
    }
    pipeline.advance(Seconds{20.5});
    ASSERT_EQ(stages.ends_s, (std::vector<double>{20.5}));
    EXPECT_DOUBLE_EQ(stages.times[0].setup.value, 3.5);
    EXPECT_DOUBLE_EQ(stages.times[0].in.value, 1.0);
    EXPECT_DOUBLE_EQ(total(stages.times[0]).value, 10.5);
    EXPECT_DOUBLE_EQ(stages.begins[0].setup.value, 10.0);
    EXPECT_DOUBLE_EQ(stages.begins[0].in.value, 13.5);
    EXPECT_DOUBLE_EQ(stages.begins[0].compute.value, 14.5);
    EXPECT_DOUBLE_EQ(stages.begins[0].out.value, 18.5);
  }
}

TEST(UnitPipeline, SaysWhenEachStageBegan) {
  // Two blocks overlap on one engine: in 0-1 and 1-2, compute 1-5 and 5-9, out 5-7 and 9-11. The
  // third has no copies: it is computed 9-13, and its copies in and out are where computing begins
  // and ends.
  Stages stages;
  UnitPipeline pipeline(UnitId{0}, 1, stages);
  pipeline.add(block_at(0.0));
  pipeline.add(block_at(0.0));
  PipelinedBlock computed = block_at(0.0);
  computed.alone = {{}, {}, Seconds{4.0}, {}};
  pipeline.add(computed);
  pipeline.advance(Seconds{20.0});
  ASSERT_EQ(stages.ends_s, (std::vector<double>{7.0, 11.0, 13.0}));
  const double expected_s[3][4] = {{0, 0, 1, 5}, {1, 1, 5, 9}, {9, 9, 9, 13}};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_DOUBLE_EQ(stages.begins[i].setup.value, expected_s[i][0]) << i;
    EXPECT_DOUBLE_EQ(stages.begins[i].in.value, expected_s[i][1]) << i;
    EXPECT_DOUBLE_EQ(stages.begins[i].compute.value, expected_s[i][2]) << i;
    EXPECT_DOUBLE_EQ(stages.begins[i].out.value, expected_s[i][3]) << i;
  }
}

TEST(UnitPipeline, LaunchesTheTransferOfResidentDataAfterFirstUse) {
  Stages stages;
  stages.launches_setups = true;
  UnitPipeline pipeline(UnitId{0}, 1, stages);
  pipeline.add(block_at(10.0, 0.5, 3.0));
  EXPECT_DOUBLE_EQ(pipeline.next_date().value, 10.5);
  pipeline.advance(Seconds{10.4});
  EXPECT_TRUE(stages.launched.empty());
  pipeline.advance(Seconds{10.5});
  EXPECT_EQ(stages.launched, std::vector<Stage>{Stage::setup});
  EXPECT_EQ(pipeline.next_date(), Seconds::infinity());
  pipeline.end_stage(Stage::setup, Seconds{15.0});
  EXPECT_DOUBLE_EQ(pipeline.next_date().value, 22.0);  // 15 + 1 + 4 + 2
  pipeline.advance(Seconds{22.0});
  ASSERT_EQ(stages.times.size(), 1U);
  EXPECT_DOUBLE_EQ(stages.times[0].setup.value, 5.0);
}

TEST(UnitPipeline, KnowsWhatItsUnitHasOfTheResidentData) {
  Stages stages;
  UnitPipeline pipeline(UnitId{0}, 1, stages);
  const auto data = [&](int phase, int iteration) {
    return pipeline.resident_data({.phase = phase, .iteration = iteration});
  };
  const auto add = [&](int phase, int iteration) {
    PipelinedBlock work = block_at(0.0);
    work.block.phase = phase;
    work.block.iteration = iteration;
    pipeline.add(work);
  };
  EXPECT_EQ(data(0, 0), ResidentData::original);
  add(0, 0);
  EXPECT_EQ(data(0, 0), ResidentData::current);
  EXPECT_EQ(data(0, 2), ResidentData::outdated);
  EXPECT_EQ(data(1, 0), ResidentData::original);
  add(0, 2);
  EXPECT_EQ(data(0, 2), ResidentData::current);
  EXPECT_EQ(data(0, 3), ResidentData::outdated);
  pipeline.clear();
  EXPECT_EQ(data(0, 2), ResidentData::missing);
  EXPECT_EQ(data(1, 0), ResidentData::missing);
}

TEST(UnitPipeline, CopiesNothingBesideASetup) {
  // The second block is of another phase: it waits until the first is out, at 17. The third is
  // copied in when the second is, from 18.5 on.
  for (const int engines : {1, 2}) {
    Stages stages;
    UnitPipeline pipeline(UnitId{0}, engines, stages);
    pipeline.add(block_at(10.0));
    PipelinedBlock next = block_at(10.0, 0.5);
    next.block.phase = 1;
    pipeline.add(next);
    next.first_use = {};
    pipeline.add(next);
    pipeline.advance(Seconds{100.0});
    // Second: setup 17-17.5, in 17.5-18.5, compute until 22.5, out until 24.5. Third: compute until
    // 26.5, out until 28.5.
    EXPECT_EQ(stages.ends_s, (std::vector<double>{17.0, 24.5, 28.5}));
  }
}

TEST(UnitPipeline, GoesOnWithWhatALateUnitHasBegunAndForgetsItsResidentData) {
  // At 1.5 s the first block is computed, from 1 s to 5 s, the second is copied in, and the third
  // waits. The second is computed from 5 s to 9 s. Neither copies anything out.
  Stages stages;
  UnitPipeline pipeline(UnitId{0}, 1, stages);
  for (int i = 0; i < 3; ++i) pipeline.add(block_at(0.0));
  pipeline.advance(Seconds{1.5});
  EXPECT_EQ(pipeline.give_up(Seconds{1.5}), 2U);
  EXPECT_EQ(pipeline.resident_data({}), ResidentData::missing);
  pipeline.advance(Seconds{100.0});
  EXPECT_EQ(stages.ends_s, (std::vector<double>{5.0, 9.0}));
  EXPECT_EQ(stages.dropped, 2);
  EXPECT_EQ(pipeline.give_up(Seconds{100.0}), 0U);
}

TEST(UnitPipeline, ReleasesTheMemoryOfAGroupWhoseLastBlockIsTakenBackBeforeItBegan) {
  // The memory holds 10 items. The first block has 6, of a group, until 7 s. The second one, of 3
  // items, is computed from 5 s on. The third, of the same group, would begin at 50 s; it is taken
  // back at 8 s. Now there is room for 6.
  Stages stages;
  UnitPipeline pipeline(UnitId{0}, 1, stages);
  const auto add = [&](std::uint64_t id, Items items, std::uint32_t group, double ready_s,
                       double compute_s) {
    PipelinedBlock work = block_at(ready_s);
    work.block.id = id;
    work.block.items = items;
    work.block.group = group;
    work.alone.compute = Seconds{compute_s};
    pipeline.add(work);
    return work.block;
  };
  add(0, 6, 1, 0.0, 4.0);
  add(1, 3, 0, 0.0, 100.0);
  const Block last = add(2, 1, 1, 50.0, 4.0);
  add(3, 6, 0, 0.0, 4.0);
  pipeline.advance(Seconds{8.0});
  EXPECT_EQ(stages.ends_s, std::vector<double>{7.0});
  EXPECT_EQ(pipeline.take_back(last, Seconds{8.0}), Fate::not_begun);
  pipeline.advance(Seconds{1000.0});
  ASSERT_EQ(stages.begins.size(), 3U);
  EXPECT_DOUBLE_EQ(stages.begins[2].in.value, 8.0);
}

TEST(UnitPipeline, DropsWhatALateUnitAlreadyCopiesOut) {
  Stages stages;
  UnitPipeline pipeline(UnitId{0}, 0, stages);
  pipeline.add(block_at(0.0));
  pipeline.add(block_at(0.0));
  pipeline.advance(Seconds{6.0});  // the copy out takes from 5 s to 7 s
  EXPECT_EQ(pipeline.give_up(Seconds{6.0}), 1U);
  EXPECT_DOUBLE_EQ(pipeline.next_date().value, 7.0);
  pipeline.advance(Seconds{100.0});
  EXPECT_EQ(stages.ends_s, (std::vector<double>{7.0}));
  EXPECT_EQ(stages.dropped, 1);
}

}  // namespace
}  // namespace equipoise::unit_pipeline_test
