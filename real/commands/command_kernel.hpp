// Own work: a kernel whose blocks commands of the user's do (`equipoise.work/1`).
#pragma once

#include <functional>
#include <memory>

#include "real/kernels/kernel.hpp"
#include "shared_policies/model/command_work.hpp"

namespace equipoise {

/// The kernel of `work`. It has no data on the host: commands read and write files of their own. It
/// gives each block a place for its output (`{out}`), and moves what is there into the folder of
/// results (`{results}`) when the block counts: as FIRST-LAST, with as many digits as the last item
/// has, in place of all that earlier blocks of these items left. Of blocks that do not count
/// nothing stays. The folder is a temporary one, which is removed with the kernel, unless
/// `keep_results_in` was called.
///
/// In `exec` mode a process is started for each block, and its exit code decides. In `serve` mode
/// each unit has one process, which reads lines `FIRST COUNT` and answers each with `done` or
/// `failed WHY`; other lines, and its errors, are its own words. Words of commands go to a log for
/// each unit, `.equipoise/UNIT.log` among the results, of at most 1 MiB.
///
/// A process that fails loses its block; one that fails again with the next block, or cannot be
/// started, loses the unit. A process may take the time limit of `work` for a block. It computes on
/// the cores of its unit, with as many in `OMP_NUM_THREADS` unless the command says otherwise.
///
/// `stop_requested`, which may be empty, ends waits for servers to get ready, and the check. Any
/// thread calls it.
[[nodiscard]] std::unique_ptr<Kernel> make_command_kernel(
    CommandWork work, std::function<bool()> stop_requested = {});

/// The workload of that kernel.
[[nodiscard]] Workload workload_of(const CommandWork& work);

}  // namespace equipoise
