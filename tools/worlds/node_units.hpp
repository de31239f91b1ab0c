// The units of nodes, for runs under mpirun: asks the nodes for them, and gives all ranks cores.
#pragma once

#include <string>
#include <vector>

#include "real/nodes/rank_placement.hpp"
#include "real/unit_spec.hpp"
#include "shared_policies/machine/trace.hpp"
#include "shared_policies/model/workload.hpp"
#include "tools/runs/options.hpp"
#include "tools/worlds/real_machine.hpp"

namespace equipoise {

/// The units of all nodes, as they have opened them.
struct NodeUnits {
  std::vector<UnitSpec> specs;
  std::vector<RankUnits> ranks;                  ///< (ranks - 1)
  std::vector<std::vector<Workload>> workloads;  ///< (ranks - 1, phases)
};

/// `options` with what is asked of each rank, if there are several. Throws InputError if there are
/// fewer or more ranks than the user has given units to, or none at all.
[[nodiscard]] RunOptions with_ranks(RunOptions options);

/// What was typed for the units of a rank: all ranks have those of `--unit`, unless each has its
/// own.
[[nodiscard]] const std::vector<std::string>& units_of_rank(const RunOptions& options, int rank);

/// Whether a unit of another rank computes, as far as what was typed tells.
[[nodiscard]] bool computes_on_nodes(const RunOptions& options);

/// Reads the file of `--units-per-rank`: a line for each rank, with `--unit KIND[,k=v,...]` for
/// each of its units, and perhaps `--link-bandwidth` and `--link-latency`. Throws InputError at
/// FILE:LINE.
[[nodiscard]] std::vector<RankSettings> read_units_per_rank(const std::string& path);

/// Puts the units on node `node`: it is theirs, and their names begin with its name.
void name_units_of(const std::string& node, std::vector<UnitSpec>& specs);

/// Asks all nodes for their units. Throws InputError with what one refuses, and BackendError if one
/// is lost.
[[nodiscard]] NodeUnits open_nodes(const RunOptions& options, const std::vector<Trace>& traces);

/// Adds them to `machine`, which has those of this process and its workloads, and places all units.
/// Throws InputError if a node has other workloads.
void add_remote_units(RealMachine& machine, const RunOptions& options, NodeUnits units);

}  // namespace equipoise
