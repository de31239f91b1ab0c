// Stages that SimGrid simulates: transfers over what is shared, and, for the sake of tests,
// computations.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "shared_policies/machine/unit_pipeline.hpp"
#include "shared_policies/model/measures.hpp"
#include "shared_policies/model/unit.hpp"
#include "sim/simgrid_engine.hpp"

namespace equipoise {

/// The activities of all units, at most one a stage of a unit. All members but `running` are called
/// in SimGrid's kernel context: only activities that are started there tell of their completion.
class StageActivities {
 public:
  StageActivities() = default;
  StageActivities(const StageActivities&) = delete;
  StageActivities& operator=(const StageActivities&) = delete;
  virtual ~StageActivities() = default;

  /// Moves `bytes` over `way`.
  virtual void transfer(UnitId unit, Stage stage, const Way& way, double bytes) = 0;
  /// Computes on `host` for `span`.
  virtual void compute(UnitId unit, simgrid::s4u::Host* host, Seconds span) = 0;
  /// Breaks off what `unit` is at: its ends are not told.
  virtual void cancel(UnitId unit) = 0;
  [[nodiscard]] virtual std::size_t running() const = 0;
};

/// Told in kernel context of every end. `is_failed`: the platform took a host or link away.
using StageEnd = std::function<void(UnitId unit, Stage stage, bool is_failed)>;

/// Makes the activities of `units` units, on the platform that is loaded.
[[nodiscard]] std::unique_ptr<StageActivities> make_stage_activities(std::size_t units,
                                                                     StageEnd tell_end);

}  // namespace equipoise
