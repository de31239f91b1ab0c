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
  std::vector<RankUnits> ranks;  ///< (ranks - 1)
};

/// What a link is held to. Throws InputError at `where`.
[[nodiscard]] double parse_link_bandwidth(const std::string& text, const std::string& where);
[[nodiscard]] Seconds parse_link_latency(const std::string& text, const std::string& where);

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

/// A unit of a node as the master has it: its bytes travel while it computes.
[[nodiscard]] Unit as_remote(Unit unit);

/// Puts the units on node `node`: it is theirs, and their names begin with its name.
void name_units_of(const std::string& node, std::vector<UnitSpec>& specs);

/// Asks all nodes for their units, for the workloads of `machine`. Throws InputError with what one
/// refuses, and if it has other workloads, and BackendError if one is lost.
[[nodiscard]] NodeUnits open_nodes(const RunOptions& options, const RealMachine& machine);

/// Adds them to `machine`, which has those of this process, and places all units.
void add_remote_units(RealMachine& machine, const RunOptions& options, NodeUnits units);

}  // namespace equipoise
