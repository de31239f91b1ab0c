// Loads a simulated world from the user's files.
#pragma once

#include "tools/runs/options.hpp"
#include "tools/simulations/sim_world.hpp"

namespace equipoise {

/// Reads and checks `--platform`, `--trace`, `--workload` and `--scenario`, and prints warnings.
/// Throws InputError, and BackendError if the program has no SimGrid.
[[nodiscard]] SimWorld load_sim_world(const RunOptions& options);

}  // namespace equipoise
