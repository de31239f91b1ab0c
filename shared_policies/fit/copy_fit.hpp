// Fits straight lines to copy times, as a function of bytes, and adjusts block times to them.
#pragma once

#include <cstdint>
#include <vector>

#include "shared_policies/machine/block_timing.hpp"
#include "shared_policies/machine/copy_speed.hpp"
#include "shared_policies/machine/trace.hpp"
#include "shared_policies/model/workload.hpp"

namespace equipoise {

/// Fits a line to the times (n) of copies of `bytes` (n), all positive. Residuals are relative, and
/// every size counts equally, so that small copies count as much as large ones, however many there
/// are of each. Residuals r of more than 1 % count by |r| and not by r^2 (iteratively reweighted
/// least squares), so that copies off the line, such as tiny ones that begin late, do not bend it.
/// If the latency would be negative, or all copies have the same size, the line goes through the
/// origin, by least squares.
///
///     minimise  sum_i rho((latency + bytes_i / bandwidth - times_i) / times_i) / (copies of that
///     size),   rho(r) = r^2 up to 1 %, then proportional to |r|
[[nodiscard]] CopySpeed fit_copy_speed(const std::vector<double>& bytes,
                                       const std::vector<double>& times_s);

/// The lines fitted to the timed copies of `trace.units[unit]`, excluding outliers. Bytes are those
/// of the sample, or those of `workload` if the sample has none. Copies without bytes or without
/// time are left out.
[[nodiscard]] CopySpeeds copy_speeds_of(const Trace& trace, std::uint32_t unit,
                                        const Workload& workload);

/// The times of `trace.units[unit]` for a unit with `copy_engines` copy engines. Copies are
/// simulated as latency + bytes / bandwidth of their links. The cores of a unit that copies by
/// itself (0 engines) copy blocks through their caches, and no line describes these times. So that
/// such a unit takes the recorded time for a whole block, its compute time includes what the copies
/// took beyond `copy_speeds_of`:
///
///     compute' = compute + (in_s - in_line(bytes)) + (out_s - out_line(bytes)) >= compute / 10,
///
/// When a link changes, only the time on the line changes. Bytes as in `copy_speeds_of`. Source:
/// ours.
[[nodiscard]] BlockTiming block_timing_of(const Trace& trace, std::uint32_t unit,
                                          const Workload& workload, int copy_engines);

}  // namespace equipoise
