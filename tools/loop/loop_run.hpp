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

/// What `program` was called with for the loop: options of a run, or a command and its options.
/// Records the loop, if that is asked for, and runs it; or does the command and throws an Error
/// with its exit code and no text, because there is no run to go on with. Throws only Errors.
[[nodiscard]] Summary run_loop(const LoopWork& work, const std::string& program,
                               const std::vector<std::string>& arguments);

/// Runs the loop on units of threads of the program, which are called `names`. Throws only Errors.
[[nodiscard]] Summary run_pulled(const LoopWork& work, LoopRequest request,
                                 const std::vector<std::string>& names,
                                 const std::vector<std::unique_ptr<PulledUnit>>& units);

/// The exception that is being handled, as the library's users get it.
[[nodiscard]] Error as_error();

}  // namespace equipoise
