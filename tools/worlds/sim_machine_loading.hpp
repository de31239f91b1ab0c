// Loads a simulated machine from the user's files.
#pragma once

#include "tools/runs/options.hpp"
#include "tools/simulations/sim_machine.hpp"

namespace equipoise {

/// Reads and checks `--platform`, `--trace`, `--workload` and `--scenario`, and prints warnings.
/// Throws InputError, and BackendError if the program has no SimGrid.
[[nodiscard]] SimMachine load_sim_machine(const RunOptions& options);

}  // namespace equipoise
