// The time of a unit's copies as a straight line in their bytes, and block times that go with it.
#pragma once

#include <cstdint>
#include <vector>

#include "shared_policies/machine/block_timing.hpp"
#include "shared_policies/machine/copy_speed.hpp"
#include "shared_policies/machine/trace.hpp"
#include "shared_policies/model/workload.hpp"

namespace equipoise {

/// The line through times (n) of copies of bytes (n), which are positive: least squares of relative
/// residuals, so that small copies count as much as large ones. A latency below 0, and copies that
/// are all of one size, give a line through the origin.
///
///     minimise  sum ((latency + bytes_i / bandwidth - times_i) / times_i)^2
[[nodiscard]] CopySpeed fit_copy_speed(const std::vector<double>& bytes,
                                       const std::vector<double>& times_s);

/// The lines through the copies that `trace.units[unit]` has times of, outliers aside. Bytes are
/// the sample's if it has them, else those of `workload`; copies of no bytes or no time are left
/// out.
[[nodiscard]] CopySpeeds copy_speeds_of(const Trace& trace, std::uint32_t unit,
                                        const Workload& workload);

/// The times of `trace.units[unit]` on a unit with so many copy engines. Copies are simulated as
/// latency + bytes / bandwidth of their links. The cores of a unit that copies by itself (0
/// engines) stage blocks through their caches, which no line describes. So that such a unit takes
/// as long for a block as was recorded, its computing has what the copies took beyond
/// `copy_speeds_of`,
///
///     compute' = compute + (in_s - in_line(bytes)) + (out_s - out_line(bytes)) >= compute / 10,
///
/// and a link that is changed changes the line's share. Bytes as in `copy_speeds_of`. Source: ours.
[[nodiscard]] BlockTiming block_timing_of(const Trace& trace, std::uint32_t unit,
                                          const Workload& workload, int copy_engines);

}  // namespace equipoise
