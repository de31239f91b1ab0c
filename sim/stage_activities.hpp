// Stages of blocks that SimGrid simulates as activities.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "shared_policies/machine/unit_pipeline.hpp"
#include "shared_policies/model/measures.hpp"
#include "shared_policies/model/unit.hpp"
#include "sim/simgrid_engine.hpp"

namespace equipoise {

/// Stages that SimGrid simulates, at most one for each stage of a unit: transfers over shared links
/// and, only for a test, computations. All members except `running` are called in SimGrid's kernel
/// context: only activities that are started there report their completion.
class StageActivities {
 public:
  /// Called in kernel context at the end of every activity. `is_failed`: the platform turned a host
  /// or link off.
  using StageEnd = std::function<void(UnitId unit, Stage stage, bool is_failed)>;

  StageActivities() = default;
  StageActivities(const StageActivities&) = delete;
  StageActivities& operator=(const StageActivities&) = delete;
  virtual ~StageActivities() = default;

  virtual void transfer(UnitId unit, Stage stage, const TransferRoute& route, double bytes) = 0;
  virtual void compute(UnitId unit, simgrid::s4u::Host* host, Seconds span) = 0;
  /// Cancels the activities of `unit`; their ends are not reported.
  virtual void cancel(UnitId unit) = 0;
  [[nodiscard]] virtual std::size_t running() const = 0;
};

/// For `units` units; one in each process.
[[nodiscard]] std::unique_ptr<StageActivities> make_stage_activities(
    std::size_t units, StageActivities::StageEnd tell_end);

}  // namespace equipoise
