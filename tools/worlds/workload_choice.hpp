// --workload: a kernel of ours, or one that only a trace knows.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "shared_policies/machine/trace.hpp"
#include "shared_policies/model/workload.hpp"

namespace equipoise {

/// A workload as the user chose it.
struct WorkloadChoice {
  Workload workload;
  /// The parameters on which the cost per item depends.
  std::map<std::string, double> problem;
};

/// Reads `KERNEL[:k=v,...]`. A kernel of the catalog describes itself, unless it is given a size in
/// `items` and has no such parameter; then, and for a kernel that only some trace names, a trace
/// must be of that kernel, and the workload takes items (required), grain_items, iterations,
/// in_bytes_per_item, out_bytes_per_item, resident_bytes, memory_bytes_per_item and flop_per_item.
/// Of both, resident bytes and memory an item are those of the kernel's first trace if its header
/// says them; what was typed goes before. Throws InputError at `--workload`.
[[nodiscard]] WorkloadChoice choose_workload(const std::string& spelling,
                                             const std::vector<Trace>& traces);

/// Throws InputError at `trace_file` when `trace` was made for another problem than `choice`'s.
void check_problem(const Trace& trace, const std::string& trace_file, const WorkloadChoice& choice);

}  // namespace equipoise
