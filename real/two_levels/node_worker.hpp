// A node as a unit of a run of two levels: its worker runs the agent of the node on a thread.
#pragma once

#include <memory>

#include "real/units_executor.hpp"
#include "real/worker.hpp"
#include "shared_policies/run/two_levels.hpp"

namespace equipoise {

/// The units of a node, and what divides its blocks among them.
struct NodePart {
  DrivenUnits units;
  DivideBlocks agent;
};

/// Makes the worker of a node, whose thread brings its units up and is their controller. Blocks are
/// divided one after another; a probe between them copies nothing. The agent begins with the first
/// of them. If the node's blocks are abandoned while the run goes on, or none of its units is left,
/// it has failed for good.
[[nodiscard]] std::unique_ptr<Worker> make_node_worker(WorkerSetup setup, NodePart part);

}  // namespace equipoise
