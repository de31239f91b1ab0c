// Opens the SimGrid module at the first simulation.
#include "sim/sim_module.hpp"

#include "shared_policies/modules/run_time_module.hpp"

namespace equipoise {
namespace {

constexpr RunTimeModule simgrid_module{
    .name = "equipoise_simgrid",
    .folder = "sim",
    .refusal = "cannot simulate",
    .remedy = "install SimGrid (Debian, Ubuntu: apt install libsimgrid-dev) and build again",
    .is_built = EQUIPOISE_SIMGRID_IS_BUILT == 1};

}  // namespace

void open_simgrid() { static_cast<void>(open_module<SimModule>(simgrid_module)); }

std::optional<std::string> simgrid_version() {
  if (!file_of(simgrid_module)) return std::nullopt;
  return EQUIPOISE_SIMGRID_VERSION;
}

ProbedPlatform probe_platform(const PlatformSource& source,
                              const std::function<bool(const ProbedHost&)>& wants_routes,
                              MissingRoutes missing, const ProbeWatch& watch) {
  return open_module<SimModule>(simgrid_module)
      .probe_platform(source, wants_routes, missing, watch);
}

std::unique_ptr<Executor> make_sim_executor(SimSetup setup) {
  return open_module<SimModule>(simgrid_module).make_executor(std::move(setup));
}

}  // namespace equipoise
