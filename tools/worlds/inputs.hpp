// The inputs of simulated and real machines: traces, workloads, and the units that take part.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "real/kernels/kernel.hpp"
#include "shared_policies/machine/item_costs.hpp"
#include "shared_policies/machine/trace.hpp"
#include "shared_policies/model/command_work.hpp"
#include "shared_policies/model/unit.hpp"
#include "shared_policies/model/workload.hpp"
#include "shared_policies/specs/spec.hpp"

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

/// Parses `NAME[:k=v,...]`. NAME is a kernel or a work file, which ends with .json and may have
/// colons before. Throws InputError (at `where`).
[[nodiscard]] Spec workload_spec(const std::string& spelling, const std::string& where);

/// How the command of a work file gets its blocks; nothing if `spelling` names none.
[[nodiscard]] std::optional<CommandMode> command_mode_of(const std::string& spelling);

/// Makes the kernel of `KERNEL[:k=v,...]` or `FILE.json[:k=v,...]`, a work file, without its data,
/// for units that compute. Throws InputError (at `where`).
[[nodiscard]] std::unique_ptr<Kernel> choose_kernel(const std::string& spelling,
                                                    const std::string& where);

/// Parses `KERNEL[:k=v,...]` or `FILE.json[:k=v,...]`, which needs a trace. A kernel of the catalog
/// describes itself, unless its size is given in `items` and it has no such parameter. In that
/// case, and for a kernel that is not in the catalog, one of the traces must be of that kernel, and
/// the workload takes items (required), grain_items, iterations, in_bytes_per_item,
/// out_bytes_per_item, resident_bytes, distribution, resident_memory_bytes, iteration_bytes,
/// memory_bytes_per_item, flop_per_item, costs and costs_seed. In both cases, resident bytes, their
/// memory and memory per item come from the header of the kernel's first trace if it states them,
/// unless the user gave them. Throws InputError (at `where`), also if the trace's `problem` has
/// another number of items.
[[nodiscard]] Workload choose_workload(const std::string& spelling,
                                       const std::vector<Trace>& traces,
                                       const std::string& where = "workload");

/// The files that `spelling` names: a work file, and one with the costs of items.
[[nodiscard]] std::vector<std::string> files_of_workload(const std::string& spelling);

/// `spelling` with the paths of these files relative to `folder`.
[[nodiscard]] std::string workload_from_folder(const std::string& folder,
                                               const std::string& spelling);

/// How the items of `workload`, which was chosen for `spelling`, differ: as its parameter `costs`
/// says (a pattern, with the seed `costs_seed`, or a file), else as the first trace of its kernel
/// does, stretched to as many items; null: not at all. Throws InputError (at `where`).
[[nodiscard]] ItemCostsPtr choose_costs(const std::string& spelling, const Workload& workload,
                                        const std::vector<Trace>& traces,
                                        const std::string& where = "workload");

/// Throws InputError at one of `files`, from which the traces were read, if its trace is of the
/// kernel of `workload` and was made for another problem. Returns whether any trace is of this
/// kernel.
bool check_problem(const std::vector<Trace>& traces, const std::vector<std::string>& files,
                   const Workload& workload);

}  // namespace equipoise
