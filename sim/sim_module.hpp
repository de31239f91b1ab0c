// The interface of the SimGrid module: a shared library that is opened when something is simulated
// for the first time.
//
// SimGrid exports MPI's functions (its SMPI), for C and Fortran. If other libraries call MPI
// themselves (Ipopt's MUMPS does), these calls must not reach SimGrid. Therefore the module is
// opened with a scope of its own (modules/run_time_module.hpp). A program without the module, or on
// a machine without SimGrid, can do everything except simulate.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "sim/platform_probe.hpp"
#include "sim/sim_executor.hpp"

namespace equipoise {

/// The table that the module exports under the name `equipoise_simgrid`. Only `probe_platform` and
/// `make_sim_executor`, which open the module, call these functions.
struct SimModule {
  ProbedPlatform (*probe_platform)(const PlatformSource& source,
                                   const std::function<bool(const ProbedHost&)>& wants_routes,
                                   MissingRoutes missing, const ProbeWatch& watch);
  std::unique_ptr<Executor> (*make_executor)(SimSetup setup);
};

/// `probe_platform` inside the module.
[[nodiscard]] ProbedPlatform probe_with_simgrid(
    const PlatformSource& source, const std::function<bool(const ProbedHost&)>& wants_routes,
    MissingRoutes missing, const ProbeWatch& watch);
/// `make_sim_executor` inside the module.
[[nodiscard]] std::unique_ptr<Executor> make_simgrid_executor(SimSetup setup);

/// Opens the module, so that processes that are forked afterwards have it. Throws BackendError if
/// it cannot be opened.
void open_simgrid();

/// The SimGrid version that the module was built with, such as "3.32"; none if there is no module.
/// Does not open the module: SimGrid itself may be missing on this machine.
[[nodiscard]] std::optional<std::string> simgrid_version();

}  // namespace equipoise
