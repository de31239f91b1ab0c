// One simulated run: what distinguishes it from other runs of its world, and how it is made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "shared_policies/policies/catalog.hpp"
#include "tools/runs/options.hpp"
#include "tools/runs/run_plan.hpp"
#include "tools/simulations/sim_world.hpp"

namespace equipoise {

/// A run to be simulated.
struct Simulation {
  std::shared_ptr<const SimInputs> inputs;  ///< of its world
  std::size_t phases = 0;                   ///< how many of the world's phases are run
  BlockLists schedule;                      ///< of `optimum`; if empty, it divides by itself
  PlannedRun run;
};

/// The run of `choice` in `world` with the seed, noise and decision cost of `options`.
[[nodiscard]] Simulation simulation_of(const SimWorld& world, PolicyChoice choice,
                                       const RunOptions& options, std::uint64_t repetition = 0,
                                       std::string journal_file = {});

/// Simulates in this process, which must not be used for anything else afterwards. `world` is made
/// from the simulation's inputs. `stop_requested` is first called when SimGrid has loaded the
/// platform; the run ends early when it returns true. Throws InputError and BackendError.
[[nodiscard]] RunReport simulate_here(SimWorld world, const Simulation& simulation,
                                      std::function<bool()> stop_requested);

}  // namespace equipoise
