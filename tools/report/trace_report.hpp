// Reports about traces: a table of the numbers, a list of doubtful values, and what is doubtful in
// a recording, in a few lines.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "real/recording/recorder.hpp"
#include "shared_policies/machine/trace.hpp"

namespace equipoise {

/// The trace as text with an aligned table: for every unit and size the number of samples, the mean
/// time, the deviation in % of the mean, and the speed.
[[nodiscard]] std::string describe_trace(const Trace& trace);

/// The same as a JSON object, `equipoise.trace-summary/1`, with the doubtful values. `file`: of the
/// trace; `platform`: the file of the platform that was written with it, or empty.
[[nodiscard]] nlohmann::ordered_json trace_json(const Trace& trace, const std::string& file,
                                                const std::string& platform = {});

/// A line for each unit that has a mean time, as the table shows it, that falls as the size grows
/// by more than the two means are uncertain (95 % confidence): the greatest fall, and how many
/// others.
[[nodiscard]] std::vector<std::string> falling_times(const Trace& trace);

/// "22 blocks marked as outliers (cpu0: 5, cpu1: 17)"; empty if there are none.
[[nodiscard]] std::string outliers_text(const Trace& trace);

/// "items differ: from 0.02 to 7.1 times the mean, with a standard deviation of 1.4 of it, in 212
/// ranges".
[[nodiscard]] std::string differing_items_text(const CostsRecord& costs);

/// What starting the command takes of each block of own work whose blocks are a process each, by
/// the line of time over size, where a block of some size is less than ten times as long, and what
/// to do about it; of the unit for which that takes the most items. Empty if there is no such unit.
[[nodiscard]] std::string starting_text(const Trace& trace);

/// Values that are implausible on real machines, one line each: mean times that fall as the size
/// grows, deviations over 50 % of the mean, units with no samples or only one size, and rows that
/// are copies of another unit's or size's (same count above 1, mean and deviation). Empty if there
/// are none.
[[nodiscard]] std::vector<std::string> doubtful_in_trace(const Trace& trace);

/// A note if items differ; and one warning each for sizes whose mean is not known well, for all
/// doubts, and for watts that were not measured; none where there is nothing to say.
void warn_of(const Recording& recording);

/// "23 of 60 mean times are uncertain by more than 2 %; ...", what that means for predictions, and
/// what to do; empty if none is.
[[nodiscard]] std::string imprecision_text(const Recording& recording);

}  // namespace equipoise
