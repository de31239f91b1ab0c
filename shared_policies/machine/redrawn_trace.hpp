// A trace as another recording of the same machine might have been: its mean times vary as far as
// the number and the scatter of the samples leave them unknown.
#pragma once

#include <cstdint>

#include "shared_policies/machine/trace.hpp"

namespace equipoise {

/// `trace` with other mean compute times. The times of each block size on each unit are multiplied
/// by one factor, which is random and depends on nothing but the names of unit and kernel, the
/// position of the size, `seed` and `redrawing`.
///
/// Of a size with single samples the factor is a bootstrap: the mean of as many samples, drawn from
/// them with replacement, over their mean. Its distance from 1 is multiplied by sqrt(n / (n - 1)),
/// because n samples scatter less around their own mean than around the true one. Of a size with
/// summaries of n times in all, whose standard deviation is sd, it is 1 + T sd / (m sqrt(n)), with
/// T from Student's t distribution with n - 1 degrees of freedom. A size with a single time is
/// taken to scatter like the nearest size of its unit that has several, relative to the mean. Where
/// a unit has no such size, nothing is known, and its times stay as they are. A factor is at least
/// 0.01. The times of outliers stay as they are. The waits of a unit, those of outliers too, are
/// multiplied by one factor: the sum of a bootstrap of them over their sum. Source: Efron,
/// Tibshirani, An Introduction to the Bootstrap, 1993, chapter 6; the rest is ours.
[[nodiscard]] Trace redrawn(const Trace& trace, std::uint64_t seed, std::uint64_t redrawing);

/// `trace` with other times of blocks that are smaller or larger than all recorded ones, which are
/// random in the same way. They are those of a size added 64 times beyond the recorded ones, in
/// either direction: what `BlockTiming` extrapolates there, multiplied by 64^e. The exponent e is
/// normal around 0; its deviation is how much the exponent of the time over the size changes from
/// the last but one pair of neighbouring sizes to the last, from 0.02 to 0.25; 0.25 where there are
/// fewer than three sizes. Sizes do not get below one hundredth of an item. Source: ours.
[[nodiscard]] Trace with_other_ends(const Trace& trace, std::uint64_t seed,
                                    std::uint64_t redrawing);

}  // namespace equipoise
