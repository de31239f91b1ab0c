// Opens the SimGrid module at the first simulation.
#include "sim/sim_module.hpp"

#include "shared_policies/model/run_time_module.hpp"

namespace equipoise {
namespace {

constexpr RunTimeModule simgrid_module{
    "equipoise_simgrid.so",
    "sim",
    "equipoise_simgrid",
    "SimGrid",
    "cannot simulate",
    "install SimGrid (Debian, Ubuntu: apt install libsimgrid-dev) and build again"};

const SimModule& opened_module() {
  static const auto& module = *static_cast<const SimModule*>(open_module(simgrid_module));
  return module;
}

}  // namespace

std::optional<std::string> simgrid_version() {
  if (!file_of(simgrid_module)) return std::nullopt;
  return EQUIPOISE_SIMGRID_VERSION;
}

ProbedPlatform probe_platform(const PlatformSource& source,
                              const std::function<bool(const ProbedHost&)>& wants_routes,
                              MissingRoutes missing, const ProbeWatch& watch) {
  return opened_module().probe_platform(source, wants_routes, missing, watch);
}

std::unique_ptr<Executor> make_sim_executor(SimSetup setup) {
  return opened_module().make_executor(std::move(setup));
}

}  // namespace equipoise
