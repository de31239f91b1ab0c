// Tables of when units and links are available, as scenarios.
#pragma once

#include <string>

#include "traces/scenario_file.hpp"

namespace equipoise {

/// Adds the events of the CSV file at `path` to `file`. Its header row is `time_s,unit,share` or
/// `time_s,link,share`; from each row's time on, the unit or link has this share of its speed or
/// bandwidth, before its first row all of it. A unit with share 0 is absent. Shares of units are
/// from 0 to 1, those of links above 0. The rows of one unit or link have ascending times.
///
/// Each unit or link becomes one profile, and each absence one `fail` until the unit's next row
/// with a share above 0; an absence from time 0 on becomes a `join` at its end.
///
/// Throws InputError with FILE:LINE for another header, a row with another number of fields, and
/// times and shares that are none.
void read_availability_table(const std::string& path, ScenarioFile& file);

}  // namespace equipoise
