// Tests of UnitPipeline: the time of the next stage change of a unit.
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

 private:
  std::optional<Seconds> duration(UnitId, const PipelinedBlock& block, Stage stage,
                                  Seconds) const override {
    return time_of(block.alone, stage);
  }
  void launch(UnitId, const PipelinedBlock&, Stage) override {}
  void finished(UnitId, const PipelinedBlock&, Seconds at) override { ends_s.push_back(at.value); }
};

/// A block that takes 1 s in, 4 s to compute and 2 s out.
PipelinedBlock block_at(double ready_s, double first_use_s = 0.0) {
  PipelinedBlock work;
  work.block.items = 1;
  work.ready = Seconds{ready_s};
  work.first_use = Seconds{first_use_s};
  work.alone = {Seconds{1.0}, Seconds{4.0}, Seconds{2.0}};
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

}  // namespace
}  // namespace equipoise::unit_pipeline_test
