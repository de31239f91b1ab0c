// The nodes of a real run of two levels as units of the master.
#pragma once

#include "real/nodes/nodes.hpp"
#include "real/real_executor.hpp"
#include "real/units_executor.hpp"

namespace equipoise {

/// What the master of `setup`, which has agents, drives: the nodes of `all`, its units. A node of
/// this process divides its blocks by `setup.agents`; one of another rank does so there.
[[nodiscard]] DrivenUnits nodes_as_units(const RealSetup& setup, const DrivenUnits& all);

/// Which agents of `setup`, which has some, run on other ranks.
[[nodiscard]] RemoteAgents remote_agents(const RealSetup& setup);

}  // namespace equipoise
