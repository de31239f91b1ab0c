// The speed of a link between the host and a device, from a few copies whose time is taken.
#pragma once

#include <cstddef>
#include <functional>

#include "shared_policies/model/measures.hpp"
#include "shared_policies/model/platform.hpp"

namespace equipoise {

/// Which copies of a device are measured.
///
/// A CUDA device reads large inputs where they lie. What it cannot read there, and all results,
/// take two steps: a copy on the host, and one between the device and pinned memory.
enum class CopyPath {
  pinned,  ///< between the device and pinned memory of the host
  staged,  ///< as blocks are copied: in from where the input lies, out with the host's step
};

/// Copies that go on at the same time share something if they reach at most this part of the sum of
/// what they reach alone.
inline constexpr double together_max = 0.9;

/// How fast copies are in each direction alone, and in both at once.
struct LinkRates {
  CopySpeed in;                   ///< to the device, while nothing comes back
  CopySpeed out;                  ///< from the device, while nothing goes there
  double both_bytes_per_s = 0.0;  ///< the sum of the two directions, while both go on

  /// Whether the two directions have less together than alone (`together_max`).
  [[nodiscard]] bool both_share() const;
};

/// Copies `in_bytes` to a device and at the same time `out_bytes` back (0: nothing), and returns
/// how long it took until both had ended.
using TimedCopies = std::function<Seconds(std::size_t in_bytes, std::size_t out_bytes)>;

/// Measures a link by small copies and by copies of up to `large_bytes` (at least 64 KiB), several
/// of each, whose medians count. In both directions at once, the bytes are in the proportion of the
/// bandwidths alone, so that both end together if neither delays the other.
[[nodiscard]] LinkRates measure_link_rates(const TimedCopies& copy, std::size_t large_bytes);

}  // namespace equipoise
