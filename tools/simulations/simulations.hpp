// Simulations and platform probes, which are made by the simulation server.
//
// The server is a process of this program of its own, started before any device or MPI is used. It
// alone opens SimGrid, and forks a process for each simulation. So simulations inherit nothing that
// the main process opens or allocates later. The server and its children are killed when the thread
// that started it ends.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "shared_policies/model/platform.hpp"
#include "shared_policies/specs/unit_map.hpp"
#include "sim/platform_probe.hpp"
#include "tools/runs/run_plan.hpp"
#include "tools/simulations/sim_machine.hpp"

namespace equipoise {

/// Starts the simulation server of this process if it has not been started. To be called before
/// anything is opened that its processes must not inherit; the functions below call it, too. Throws
/// BackendError if there can be no process.
void start_simulation_server();

/// Starts the server, and throws BackendError if SimGrid cannot be opened there.
void expect_simgrid();

/// The hosts whose routes a probe asks for.
struct RoutesOf {
  /// The hosts that are timed by one of these units of traces (sorted); nullopt: all hosts.
  std::optional<std::vector<std::string>> trace_units;
  /// The units by which the user has hosts timed; they come before what the platform says.
  std::vector<MappedHosts> maps{};
};

/// `probe_platform` in the simulation server. Throws what that throws and, if the server has ended,
/// BackendError.
[[nodiscard]] ProbedPlatform probe_in_server(PlatformSource source, RoutesOf wanted,
                                             MissingRoutes missing, const ProbeWatch& watch);

/// The result of one of many simulations.
struct SimulationResult {
  RunReport report;
  std::string failure;  ///< why there is no report: an exception's text, or how its process ended
};

/// Makes the simulations `which(0)` to `which(count - 1)`, each in a process of its own, as many at
/// a time as there are cores, started in order. `ended` is called with each result when it arrives.
/// If a stop was requested, or `ended` throws, the other simulations are killed; a stop throws
/// Interrupted. Throws BackendError if the server has ended.
void run_simulations(std::size_t count, const std::function<Simulation(std::size_t)>& which,
                     const std::function<void(std::size_t, SimulationResult)>& ended);

/// Makes one simulation as `run_simulations` does.
[[nodiscard]] SimulationResult run_alone(const Simulation& simulation);

/// Makes one simulation. A stop request ends the run early: its report says that it was
/// interrupted, or, if the run had not begun, Interrupted is thrown. Throws InputError if the
/// policy refuses the run, and BackendError if its process or the server dies.
[[nodiscard]] RunReport run_simulation(const Simulation& simulation);

/// The number of processes to run at a time: the cores that this program may use.
[[nodiscard]] std::size_t cores_to_use();

}  // namespace equipoise
