// Runs in the Paje trace format, which ViTE and pajeng read.
#pragma once

#include <vector>

#include "tools/exports/export_file.hpp"
#include "traces/run_file.hpp"

namespace equipoise {

/// Writes `runs` as one Paje trace: a container for each run and, in it, for each unit. A unit has
/// states of three types (work, copy in, copy out), because stages of different blocks overlap;
/// states of blocks name block and items. Decisions, events and disturbances are events of the unit
/// that they concern or of the run; meters are variables of the run. Times are in seconds, rounded
/// to 1 ns. Memory grows with the number of blocks, because Paje wants all events in the order of
/// time.
void put_paje(const std::vector<RunFile>& runs, ExportFile& out);

}  // namespace equipoise
