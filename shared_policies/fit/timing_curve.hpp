// Known block times as a cost curve: for informed policies and oracles, which are handed them.
#pragma once

#include <limits>
#include <vector>

#include "shared_policies/fit/cost_model.hpp"
#include "shared_policies/machine/block_timing.hpp"
#include "shared_policies/model/platform.hpp"
#include "shared_policies/model/workload.hpp"

namespace equipoise {

/// The mean time of a block as the trace and the undisturbed routes have it:
///
///     dispatch + in(resident + in_bytes(x)) + compute(x) + out(out_bytes(x))
///
/// Piecewise linear in x, exact slopes. The resident bytes are those of a unit's one block;
/// where units have several blocks, or iterations, they are better left out (`moving_of`).
class TimingCurve final : public CostModel {
 public:
  /// What a block costs beside its computing.
  struct Moving {
    Seconds dispatch;
    Seconds in_latency;
    Seconds out_latency;
    double in_bytes_per_s = std::numeric_limits<double>::infinity();
    double out_bytes_per_s = std::numeric_limits<double>::infinity();
    double in_bytes_per_item = 0.0;  ///< where the timing has no bytes
    double out_bytes_per_item = 0.0;
    double resident_bytes = 0.0;
  };

  TimingCurve(BlockTiming timing, const Moving& moving);

  [[nodiscard]] CostAt at(double items) const override;
  [[nodiscard]] double computing_s(double items) const override {
    return timing_.mean(items).value;
  }
  [[nodiscard]] bool non_decreasing() const override { return non_decreasing_; }

 private:
  [[nodiscard]] double seconds(double items) const;

  BlockTiming timing_;
  Moving moving_;
  bool non_decreasing_ = true;
};

/// What blocks cost on `unit` of `platform` beside their computing, when nobody else uses its
/// routes. Resident bytes count in workloads of one iteration only: over several they are soon paid
/// for.
[[nodiscard]] TimingCurve::Moving moving_of(const Platform& platform, const PlatformUnit& unit,
                                            const Workload& workload, Seconds dispatch);

}  // namespace equipoise
