// The versions that CMake found at build time.
#include "tools/runs/version.hpp"

#include "sim/sim_module.hpp"

namespace equipoise {

std::string version_text() { return EQUIPOISE_VERSION; }

std::string built_with_text() {
  const std::optional<std::string> simgrid = simgrid_version();
  return "equipoise " + version_text() + " (" +
         (simgrid ? "SimGrid " + *simgrid : "without SimGrid") +
         ", Ipopt " EQUIPOISE_IPOPT_VERSION ", OpenBLAS " EQUIPOISE_OPENBLAS_VERSION
         ", " EQUIPOISE_CUDA ", without MPI)";
}

}  // namespace equipoise
