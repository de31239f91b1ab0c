// The limit of costs that users and files may give.
#pragma once

namespace equipoise {

/// The largest cost in seconds of a decision or of handing out a block: eleven days.
inline constexpr double most_cost_s = 1e6;

}  // namespace equipoise
