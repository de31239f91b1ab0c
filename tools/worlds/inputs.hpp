// The inputs of simulated and real worlds: traces, and the units that take part.
#pragma once

#include <string>
#include <vector>

#include "shared_policies/machine/trace.hpp"
#include "shared_policies/model/unit.hpp"
#include "shared_policies/model/workload.hpp"

namespace equipoise {

/// Reads the files in order and prints their warnings. Several files may time one kernel, each on
/// other units; what only some of them say of the workload (grain, resident bytes, memory) then
/// holds for all. Throws InputError, also if two files time the same kernel on the same unit, or
/// say different things of its workload.
[[nodiscard]] std::vector<Trace> read_traces(const std::vector<std::string>& files);

/// Gives `unit` the watts of `recorded`, its unit in the trace of the first phase, if it has none
/// of its own. Those of a platform therefore come first. There may be idle watts without busy ones.
void complete_watts(Unit& unit, const Unit& recorded);

/// Gives `unit` the `max_block_items` of `recorded`, its unit in the trace of a phase.
void add_block_limits(Unit& unit, const Unit& recorded);

/// Whether `unit` can hold a grain of every phase; warns if it cannot.
[[nodiscard]] bool takes_part(const Unit& unit, const std::vector<Workload>& phases);

}  // namespace equipoise
