// The part of the simulator that is SimGrid's neighbour: a file of its own, opened when something is
// first simulated.
//
// SimGrid exports MPI's functions (its SMPI), C and Fortran. Where libraries of the program call MPI
// themselves (Ipopt's MUMPS does), these calls must not reach SimGrid: the module is opened with a
// scope of its own. A program without the module, or on a machine without SimGrid, does everything
// but simulate.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "sim/platform_probe.hpp"
#include "sim/sim_executor.hpp"

namespace equipoise {

/// What the module holds under the name `equipoise_simgrid`. Nobody else calls these: see
/// `probe_platform` and `make_sim_executor`, which open the module.
struct SimModule {
  ProbedPlatform (*probe_platform)(const PlatformSource& source,
                                   const std::function<bool(const ProbedHost&)>& wants_routes,
                                   MissingRoutes missing, const ProbeWatch& watch);
  std::unique_ptr<Executor> (*make_executor)(SimSetup setup);
};

/// Asks SimGrid, inside the module: `probe_platform`.
[[nodiscard]] ProbedPlatform probe_with_simgrid(
    const PlatformSource& source, const std::function<bool(const ProbedHost&)>& wants_routes,
    MissingRoutes missing, const ProbeWatch& watch);
/// Makes the executor inside the module: `make_sim_executor`.
[[nodiscard]] std::unique_ptr<Executor> make_simgrid_executor(SimSetup setup);

/// The version of the SimGrid that the module was built with, as "3.32"; none where there is no
/// module. Opens nothing: SimGrid itself may be missing on this machine.
[[nodiscard]] std::optional<std::string> simgrid_version();

}  // namespace equipoise
