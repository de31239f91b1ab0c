// The least time that a stage of a block can take.
#pragma once

#include "shared_policies/model/measures.hpp"

namespace equipoise {

/// No stage takes less, unless it takes no time: this is a millionth of a cycle of a fast
/// processor. A shorter time was not measured, and has no effect among the other times of a run.
inline constexpr Seconds least_time{1e-15};

}  // namespace equipoise
