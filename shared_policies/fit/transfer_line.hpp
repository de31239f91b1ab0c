// The time of a block's copies as a straight line in its size.
#pragma once

#include <span>

#include "shared_policies/fit/cost_samples.hpp"

namespace equipoise {

/// G(x) = latency + seconds_per_item * x, both not negative.
struct TransferLine {
  double seconds_per_item = 0.0;  ///< inverse bandwidth, network and bus together
  double latency_s = 0.0;
  double r2 = 1.0;
};

/// The line through `samples` by weighted least squares. A coefficient that comes out negative is
/// dropped and the other one is fitted anew. With one size only the latency is 0; no samples or no
/// time at all give the zero line. `adjusted_r2` as in `determination`.
/// Source: PLB-HeC eq. 2 (a1 bandwidth, a2 latency); the clamping is ours (a bandwidth is not
/// negative).
[[nodiscard]] TransferLine fit_transfer_line(std::span<const CostSample> samples,
                                             bool adjusted_r2 = false);

}  // namespace equipoise
