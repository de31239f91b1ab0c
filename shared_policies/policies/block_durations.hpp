// The durations of finished blocks, as policies use them.
#pragma once

#include <algorithm>

#include "shared_policies/model/block.hpp"

namespace equipoise {

/// The shortest duration that is accepted: one tick of a coarse timer.
inline constexpr double shortest_block_s = 1e-9;

/// The seconds of a finished block's copy in, computation and copy out; at least
/// `shortest_block_s`. Its setup is left out, because later blocks do not have it. (The papers have
/// no resident data.)
[[nodiscard]] inline double block_duration_s(const StageTimes& times) {
  return std::max(recurring(times).value, shortest_block_s);
}

}  // namespace equipoise
