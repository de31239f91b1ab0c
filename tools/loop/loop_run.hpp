// Runs of a loop of the user's program: what was asked for, with a kernel in place of a workload.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "real/loop/loop_kernel.hpp"
#include "real/loop/pulled_unit.hpp"
#include "tools/commands/loop_arguments.hpp"
#include "tools/loop/equipoise/loop.hpp"

namespace equipoise {

/// The units that a loop gets if none are given: a `cpu` for each core that the program may use,
/// and each GPU if the loop has a body for it, as `--unit` has them.
[[nodiscard]] std::vector<std::string> default_units(const LoopWork& work);

/// Records the loop, if that is asked for, and runs it. Throws what `as_error` understands.
[[nodiscard]] Summary run_loop(const LoopWork& work, LoopRequest request);

/// Runs the loop on units of threads of the program, which are called `names`.
[[nodiscard]] Summary run_pulled(const LoopWork& work, LoopRequest request,
                                 const std::vector<std::string>& names,
                                 const std::vector<std::unique_ptr<PulledUnit>>& units);

/// Runs the command that was typed with the loop for its workload, and returns the exit code.
[[nodiscard]] int run_loop_command(const LoopWork& work, int argc, char** argv);

/// The exception that is being handled, as the library's users get it.
[[nodiscard]] Error as_error();

}  // namespace equipoise
