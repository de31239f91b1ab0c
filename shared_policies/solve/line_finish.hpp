// Equal finish in closed form, for costs that are straight lines.
#pragma once

#include <span>
#include <vector>

namespace equipoise {

/// The cost a x - b of a block of x items; b may be negative.
struct CostLine {
  double seconds_per_item = 0.0;  ///< a > 0
  double advance_s = 0.0;         ///< b
  double cap_items = 0.0;         ///< the largest block, >= 0
};

/// Divides `items` > 0 among n units with such costs so that all finish together:
///
///     x_p = (T + b_p) / a_p,   T = (items - sum b_p / a_p) / (sum 1 / a_p)
///
/// If x_p would be negative, the unit gets nothing; if it would exceed its cap, the unit gets its
/// cap; the other units are solved again. The equation sum_p min(cap_p, max(0, (T + b_p) / a_p)) =
/// items has one solution, found between the breakpoints of the sum. Returns the shares (n), not
/// rounded, or the caps if they sum to less than `items`. O(n log n). Source: DLB-GPU eqs 2 and 3
/// for f(x) = a x - b.
[[nodiscard]] std::vector<double> divide_by_lines(std::span<const CostLine> lines, double items);

}  // namespace equipoise
