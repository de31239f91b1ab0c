// Computes the time of a group of blocks with the same pipeline as the executors.
#include "shared_policies/solve/pipeline_schedule.hpp"

#include <optional>

#include "shared_policies/machine/unit_pipeline.hpp"
#include "shared_policies/model/failure.hpp"

namespace equipoise {
namespace {

/// Stages that take their estimated times.
class BelievedStages final : public PipelineStages {
 public:
  [[nodiscard]] std::optional<Seconds> duration(UnitId /*unit*/, const PipelinedBlock& block,
                                                Stage stage, Seconds /*begin*/) const override {
    return time_of(block.alone, stage);
  }
  void launch(UnitId /*unit*/, const PipelinedBlock& /*block*/, Stage /*stage*/) override {
    EQ_CHECK(false, "every duration is known");
  }
  void finished(UnitId /*unit*/, const PipelinedBlock& /*block*/, Seconds at,
                bool /*is_dropped*/) override {
    end_ = at;
  }

  [[nodiscard]] Seconds end() const { return end_; }

 private:
  Seconds end_;
};

}  // namespace

Seconds pipeline_time(std::span<const StageTimes> times, int copy_engines) {
  BelievedStages stages;
  UnitPipeline pipeline(UnitId{}, copy_engines, stages);
  for (const StageTimes& block : times) {
    PipelinedBlock work;
    work.alone = block;
    pipeline.add(work);
  }
  for (Seconds date = pipeline.next_date(); date < Seconds::infinity();
       date = pipeline.next_date()) {
    pipeline.advance(date);
  }
  return stages.end();
}

}  // namespace equipoise
