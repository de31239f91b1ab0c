// Known block times as a cost model, for informed policies and oracles, which get them before the
// run.
#pragma once

#include <optional>

#include "shared_policies/fit/cost_model.hpp"
#include "shared_policies/machine/block_timing.hpp"
#include "shared_policies/machine/resident_data.hpp"
#include "shared_policies/model/platform.hpp"
#include "shared_policies/model/workload.hpp"

namespace equipoise {

/// The mean time of a block according to the trace and the undisturbed routes:
///
///     dispatch + in(setup_bytes) + in(in_bytes(x)) + compute(x) + out(out_bytes(x))
///
/// where compute(x) is at least the time of the unit's stream, if it has one. Piecewise linear in
/// x, with exact slopes (with a stream, those of the line to the next recorded size). The setup
/// bytes are charged to the one block of a unit in an iteration. If units have several, they should
/// be left out.
class TimingCurve final : public CostModel {
 public:
  /// The costs of a block other than its computation.
  struct Moving {
    Seconds dispatch;
    CopySpeed in;
    CopySpeed out;
    double in_bytes_per_item = 0.0;  ///< used if the timing has no bytes
    double out_bytes_per_item = 0.0;
    double setup_bytes = 0.0;
  };

  TimingCurve(BlockTiming timing, const Moving& moving, std::optional<ResidentStream> stream = {});

  [[nodiscard]] CostAt at(double items) const override;
  [[nodiscard]] double computing_s(double items) const override;
  [[nodiscard]] bool non_decreasing() const override { return non_decreasing_; }

 private:
  [[nodiscard]] double seconds(double items) const;

  BlockTiming timing_;
  Moving moving_;
  std::optional<ResidentStream> stream_;
  bool non_decreasing_ = true;
};

/// The costs of blocks on `unit` of `platform` other than computation, if nothing else uses its
/// routes. The setup bytes are those of an iteration (`Workload::bytes_of_an_iteration`); that more
/// may be sent in the first of several hardly matters.
[[nodiscard]] TimingCurve::Moving moving_of(const Platform& platform, const PlatformUnit& unit,
                                            const Workload& workload, Seconds dispatch);

}  // namespace equipoise
