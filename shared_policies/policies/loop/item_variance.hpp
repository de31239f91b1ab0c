// The variance of single item times, estimated from the times of whole blocks.
#pragma once

#include <span>

namespace equipoise {

/// A finished block.
struct TimedBlock {
  double items = 0.0;
  double seconds = 0.0;
};

/// The variance of the times of single items (s^2) that the `blocks` of one unit show. 0 for less
/// than three blocks.
///
/// Two things that are no differences between items are kept apart from it:
///
/// - Speed that depends on size. A block is compared with its neighbours in size, by
///
///       e = t_2 - w_1 t_1 - w_3 t_3,   w_3 = (c_2 - c_1) / (c_3 - c_1),   w_1 = 1 - w_3,
///
///   which is 0 for all times on a line over c (Gasser, Sroka, Jennen-Steinmetz 1986).
/// - Scatter that is common to the items of a block. It grows with the time g(c) that such a block
///   takes, whereas independent items scatter by sqrt(c) only:
///
///       E e^2 = sigma^2 sum(w_i^2 c_i) + rho^2 sum(w_i^2 g_i^2),   w_2 = 1.
///
///   sigma^2 and rho^2, neither negative, are fitted to all e^2 by least squares, relative to the
///   second sum; g is the line fitted to the blocks. Blocks of a single size cannot tell the two
///   apart, and all their scatter counts as that of items.
///
/// Source: ours; the authors of adaptive factoring time single items. O(n log n).
[[nodiscard]] double item_variance_s2(std::span<const TimedBlock> blocks);

}  // namespace equipoise
