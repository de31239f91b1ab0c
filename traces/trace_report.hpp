// What a person wants to know of a trace: its numbers in a table, and what looks wrong in it.
#pragma once

#include <string>
#include <vector>

#include "shared_policies/machine/trace.hpp"

namespace equipoise {

/// The trace in words and as an aligned table: for every unit and size the number of samples, mean
/// time in ms, deviation in % of it, and speed in items/s.
[[nodiscard]] std::string describe_trace(const Trace& trace);

/// What makes sense in no or few machines, one line each: a mean time that falls as the size grows,
/// deviations over 50 % of the mean, units with fewer than two sizes or no samples, and rows that
/// are copies of another unit's or size's (same count above 1, mean and deviation). Empty: nothing.
[[nodiscard]] std::vector<std::string> doubtful_in_trace(const Trace& trace);

}  // namespace equipoise
